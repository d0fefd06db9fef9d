"""What a careful player of Tractor knows at a trick: cards still out, voids, and chances from them.

All of it is read from the view; probabilities treat the cards still out as dealt evenly over the
hidden hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from croupier.tractor import Order, Suit, TractorView

__all__ = ["POINTS", "TRUMPS", "Knowledge", "Standing"]

TRUMPS: Final = int(Suit.TRUMPS)
POINTS: Final = tuple(
    (0, 0, 0, 5, 0, 0, 0, 0, 10, 0, 0, 10, 0)[(card - 1) % 13] if 0 < card < 53 else 0
    for card in range(55)
)
"""Points of every card by number."""

_STRUCTURE_BEATEN: Final = 0.08
"""How likely a tractor or a throw is beaten in its suit, roughly."""


class Standing(NamedTuple):
    """What has to be beaten: its effective suit, the strength of its top card, the copies of each
    card in it, and how many cards it has in all."""

    suit: int
    strength: int
    width: int
    size: int


class Knowledge:
    """The cards of a trick's moment, as one seat knows them.

    Attributes:
        order: suits and strengths of the cards.
        own: copies of each card in the own hand, by card number.
        out: copies of each card in the hidden hands, by card number.
        out_of_suit: number of cards out by effective suit.
        shares: by seat, the part of the cards out that it holds on average.
        team: the own team.
    """

    def __init__(self, view: TractorView, order: Order) -> None:
        public = view.public
        self.order = order
        self.seat = view.seat
        self.team = view.seat % 2
        played = view.finished_plays
        own = [0] * 55
        for card in view.message.hand:
            own[card] += 1
        seen = [a + b for a, b in zip(played, own, strict=True)]
        for card in view.message.kitty:
            seen[card] += 1
        on_table = 0
        for play in public.trick.plays:
            on_table += len(play.cards)
            for card in play.cards:
                seen[card] += 1
        sizes = public.hand_sizes
        packs = round((sum(sizes) + public.kitty_size + sum(played) + on_table) / 54)
        self.packs = packs
        self.own = own
        self.out = [packs - copies for copies in seen]
        self.out[0] = 0
        self.out_of_suit = [0] * 6
        for suit, copies in zip(order.suit_of, self.out, strict=True):
            self.out_of_suit[suit] += copies
        total = max(sum(self.out), 1)
        self.shares = [min(size / total, 1.0) for size in sizes]
        self.shares[self.seat] = 0.0
        self._voids = view.voids
        self._higher: dict[tuple[int, int], int] = {}

    def higher(self, suit: int, strength: int) -> int:
        """Cards out that are stronger within *suit*."""
        key = (suit, strength)
        found = self._higher.get(key)
        if found is None:
            found, out, strength_of = 0, self.out, self.order.strength_of
            for card in reversed(self.order.cards(suit)):
                if strength_of[card] <= strength:
                    break
                found += out[card]
            self._higher[key] = found
        return found

    def _void(self, seat: int, suit: int) -> float:
        """Chance that *seat* has no card of *suit*."""
        if suit in self._voids[seat]:
            return 1.0
        return float((1.0 - self.shares[seat]) ** self.out_of_suit[suit])

    def _holds_higher(self, seat: int, standing: Standing, suit: int, strength: int) -> float:
        """Chance that *seat* has something of that shape in *suit* above *strength*."""
        if suit in self._voids[seat]:
            return 0.0
        share = self.shares[seat]
        if standing.size > standing.width:
            return _STRUCTURE_BEATEN if self.higher(suit, strength) > standing.size else 0.0
        if standing.width == 1:
            return float(1.0 - (1.0 - share) ** self.higher(suit, strength))
        missing, width = 1.0, standing.width
        strength_of = self.order.strength_of
        for card in reversed(self.order.cards(suit)):
            if strength_of[card] <= strength:
                break
            if self.out[card] >= width:
                missing *= 1.0 - share**width
        return 1.0 - missing

    def beaten_by(self, seat: int, standing: Standing, led: int) -> float:
        """Chance that *seat* can beat *standing* in a trick in which *led* was led."""
        if led == TRUMPS:
            return self._holds_higher(seat, standing, TRUMPS, standing.strength)
        void = self._void(seat, led)
        if standing.suit == TRUMPS:
            return void * self._holds_higher(seat, standing, TRUMPS, standing.strength)
        ruff = void * self._holds_higher(seat, standing, TRUMPS, -1) if void else 0.0
        return ruff + (1.0 - void) * self._holds_higher(seat, standing, led, standing.strength)

    def stands(self, standing: Standing, led: int, seats: Sequence[int]) -> float:
        """Chance that none of *seats* beats *standing*."""
        chance = 1.0
        for seat in seats:
            chance *= 1.0 - self.beaten_by(seat, standing, led)
        return chance


def standing_of(cards: Sequence[int], order: Order) -> Standing:
    """*cards*, all of one effective suit, as something to be beaten."""
    first = cards[0]
    if len(cards) == 1:
        return Standing(order.suit_of[first], order.strength_of[first], 1, 1)
    strength = max(order.strength_of[card] for card in cards)
    width = min(cards.count(card) for card in cards)
    return Standing(order.suit_of[first], strength, width, len(cards))


def signature(cards: Sequence[int]) -> list[int]:
    """Copies of each card, most first: what two plays of the same shape have in common."""
    return sorted((cards.count(card) for card in set(cards)), reverse=True)


def one_suit(cards: Sequence[int], order: Order) -> int:
    """The effective suit that all of *cards* share, or 0."""
    suits = {order.suit_of[card] for card in cards}
    return suits.pop() if len(suits) == 1 else 0


def run_of(cards: Sequence[int], order: Order) -> bool:
    """Whether the strengths of *cards* follow each other without a gap."""
    strengths = {order.strength_of[card] for card in cards}
    return max(strengths) - min(strengths) == len(strengths) - 1


def beats(cards: Sequence[int], standing: Standing, lead: Sequence[int], order: Order) -> bool:
    """Whether *cards* beat what stands in a trick that began with *lead*, as far as shapes can be
    compared without the rules: sizes, copies, runs and the top card."""
    suit = one_suit(cards, order)
    if suit != standing.suit and suit != TRUMPS:
        return False
    if suit == standing.suit:
        if max(order.strength_of[card] for card in cards) <= standing.strength:
            return False
    elif standing.suit == TRUMPS:
        return False
    if len(cards) == 1:
        return True
    if signature(cards) != signature(lead):
        return False
    return len(set(lead)) == 1 or not run_of(lead, order) or run_of(cards, order)
