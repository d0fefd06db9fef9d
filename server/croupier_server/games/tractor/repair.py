"""Mending a random deal until it explains the structure that seats gave and the throws that stood.

A search by exchanges: cards change places between hands as long as that breaks no more facts than
it mends. Most facts forbid structure and go away with single exchanges; under `protect` (T-6.5) a
fact may also demand runs, so several copies of a card are brought together at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from croupier_server.games.cards import Card, Cards, single
from croupier_server.games.patterns import below
from croupier_server.games.tractor.components import Component
from croupier_server.games.tractor.knowledge import FollowFact, Knowledge, ThrowFact

_STEPS: Final = 400
_UPHILL: Final = 20
"""One exchange in so many is kept although it breaks more facts."""


class Barred:
    """Components of throws that no hand may beat."""

    __slots__ = ("_known", "_throws")

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._throws: dict[int, list[tuple[ThrowFact, frozenset[Component]]]] = {}

    def add(self, fact: ThrowFact, beaten: frozenset[Component]) -> None:
        """Bar what nobody beat when exactly *beaten* had to be."""
        self._throws.setdefault(fact.lead.suit, []).append((fact, fact.barred(beaten)))

    def beaten(self, seat: int, suit: int, hand: Cards) -> int:
        """How many barred components *seat* could have beaten, holding *hand* now."""
        return sum(
            component in barred
            for fact, barred in self._throws.get(suit, ())
            for component in self._known.beats(fact, seat, hand)
        )


class _Exchange(NamedTuple):
    """The card at place ``mine`` of the hand in question for that at ``theirs`` of ``other``."""

    mine: int
    other: int
    theirs: int


class Repair:
    """The search. ``hands`` (all cards) and ``free`` (those that may move) change in place."""

    __slots__ = ("barred", "broken", "draw", "faults_of", "follows", "free", "hands", "known")

    def __init__(
        self,
        known: Knowledge,
        barred: Barred,
        hands: list[Cards],
        free: list[list[Card]],
        draw: Iterator[int],
    ) -> None:
        self.known = known
        self.barred = barred
        self.hands = hands
        self.free = free
        self.draw = draw
        self.faults_of: dict[tuple[int, int, Cards], int] = {}
        self.follows: dict[tuple[int, int], list[FollowFact]] = {}
        for fact in known.follows:
            self.follows.setdefault((fact.seat, fact.lead.suit), []).append(fact)
        self.broken: dict[tuple[int, int], int] = {}
        for seat in range(known.rest):
            for suit in range(5):
                faults = self._faults(seat, suit, hands[seat])
                if faults:
                    self.broken[seat, suit] = faults

    def run(self) -> bool:
        """Whether every fact could be mended."""
        gathers = self.known.rules.protect != "none"
        for _ in range(_STEPS):
            if not self.broken:
                return True
            places = sorted(self.broken)
            seat, suit = places[below(len(places), self.draw)]
            if gathers and below(2, self.draw):
                self._try(seat, self._gathering(seat, suit))
            else:
                self._try(seat, self._exchange(seat, suit))
        return not self.broken

    def _suit(self, card: Card) -> int:
        assert self.known.trumps is not None
        return self.known.trumps.suit_of[card]

    def _exchange(self, seat: int, suit: int) -> list[_Exchange]:
        """Any card of *suit* for any card elsewhere."""
        own = [place for place, card in enumerate(self.free[seat]) if self._suit(card) == suit]
        other = below(len(self.free), self.draw)
        if not own or other == seat or not self.free[other]:
            return []
        mine = own[below(len(own), self.draw)]
        return [_Exchange(mine, other, below(len(self.free[other]), self.draw))]

    def _gathering(self, seat: int, suit: int) -> list[_Exchange]:
        """Two copies of one card of *suit* for any two cards."""
        found: dict[Card, list[tuple[int, int]]] = {}
        for other, cards in enumerate(self.free):
            if other != seat:
                for place, card in enumerate(cards):
                    if self._suit(card) == suit:
                        found.setdefault(card, []).append((other, place))
        twice = sorted(card for card, places in found.items() if len(places) > 1)
        if not twice or len(self.free[seat]) < 2:
            return []
        places = found[twice[below(len(twice), self.draw)]]
        first = below(len(self.free[seat]), self.draw)
        second = (first + 1 + below(len(self.free[seat]) - 1, self.draw)) % len(self.free[seat])
        start = below(len(places) - 1, self.draw)
        return [
            _Exchange(mine, other, theirs)
            for mine, (other, theirs) in zip((first, second), places[start:], strict=False)
        ]

    def _try(self, seat: int, exchanges: list[_Exchange]) -> None:
        """Make *exchanges*, unless that breaks more facts than it mends."""
        after: dict[int, Cards] = {seat: self.hands[seat]}
        suits: set[int] = set()
        for mine, other, theirs in exchanges:
            given, got = self.free[seat][mine], self.free[other][theirs]
            suit_given, suit_got = self._suit(given), self._suit(got)
            if suit_given in self.known.voids[other] or suit_got in self.known.voids[seat]:
                return
            change = single(got) - single(given)
            after[seat] += change
            after[other] = after.get(other, self.hands[other]) - change
            suits |= {suit_given, suit_got}
        faults = {
            (holder, suit): self._faults(holder, suit, hand)
            for holder, hand in after.items()
            for suit in suits
        }
        worse = sum(faults.values()) - sum(self.broken.get(place, 0) for place in faults)
        if worse > 0 and below(_UPHILL, self.draw):
            return
        for mine, other, theirs in exchanges:
            given, got = self.free[seat][mine], self.free[other][theirs]
            self.free[seat][mine], self.free[other][theirs] = got, given
        for holder, hand in after.items():
            self.hands[holder] = hand
        for place, number in faults.items():
            if number:
                self.broken[place] = number
            else:
                self.broken.pop(place, None)

    def _faults(self, holder: int, suit: int, hand: Cards) -> int:
        """How many facts about *suit* are broken if *holder* has *hand*."""
        known = self.known
        assert known.trumps is not None
        if holder in (known.rest, known.view.seat):
            return 0
        part = hand & known.trumps.mask[suit]
        key = (holder, suit, part)
        faults = self.faults_of.get(key)
        if faults is None:
            facts = self.follows.get((holder, suit), ())
            faults = sum(not known.follow_holds(fact, part) for fact in facts)
            faults += self.barred.beaten(holder, suit, part)
            self.faults_of[key] = faults
        return faults
