"""Components: what a lead is made of, and the one way in which it is read (rule T-5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from croupier_server.errors import IllegalMove
from croupier_server.games.cards import (
    Card,
    Cards,
    count,
    single,
    suit,
    text,
    unpack,
)
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.refusals import Rule


@dataclass(frozen=True, slots=True)
class Component:
    """One unit of a lead: ``length`` tuples of ``width`` equal cards on neighbouring steps.

    Attributes:
        width: copies of each card; 1 for a single.
        length: number of tuples; 2 or more for a tractor.
        top: height of its highest card (`Trumps.height`).
        suit: printed suit of its highest card, which ranks equal off-suit rank cards.
        cards: its cards.
    """

    width: int
    length: int
    top: int
    suit: int
    cards: Cards

    @property
    def count(self) -> int:
        """Number of its cards."""
        return self.width * self.length


class Lead:
    """Cards led to a trick, as T-5.5 reads them. Immutable; made by `read_lead`, may be shared.

    Attributes:
        suit: effective suit.
        count: number of cards.
        cards: the cards.
        components: the components, largest first.
        is_throw: there are two or more components.
        claims: length and width of the components other than singles, largest first (T-6.4).
    """

    __slots__ = ("cards", "claims", "components", "count", "is_throw", "suit")

    def __init__(self, suit: int, cards: Cards, components: tuple[Component, ...]) -> None:
        self.suit = suit
        self.cards = cards
        self.components = components
        self.count = count(cards)
        self.is_throw = len(components) > 1
        self.claims: tuple[tuple[int, int], ...] = ()
        if components[0].width > 1:  # singles are the smallest components
            self.claims = tuple(
                (component.length, component.width)
                for component in components
                if component.width > 1
            )


@lru_cache(maxsize=1 << 12)  # two of three leads at 96 tables are in it; 1 << 14 was no faster
def read_lead(cards: Cards, trumps: Trumps) -> Lead:
    """*cards* as a lead, read as T-5.5 says.

    Raises:
        IllegalMove: MIXED_SUITS (T-5.4) if they are of more than one effective suit;
            WRONG_CARD_COUNT (T-5.1) if there are none.
    """
    if not cards:
        raise IllegalMove(Rule.WRONG_CARD_COUNT, "T-5.1", "a lead needs at least one card")
    ids = unpack(cards)
    effective = trumps.suit_of[ids[0]]
    if cards & ~trumps.mask[effective]:
        raise IllegalMove(
            Rule.MIXED_SUITS, "T-5.4", f"{text(cards)} are not of one suit under these trumps"
        )
    copies = {card: cards >> 4 * card & 15 for card in ids}
    components = list(_take_tractors(copies, effective, trumps))
    # What no tractor took: a tuple or single of every card, all its copies.
    components += [_tuple(card, width, trumps) for card, width in copies.items() if width]
    if len(components) > 1:
        components.sort(key=_size, reverse=True)
    return Lead(effective, cards, tuple(components))


def _size(component: Component) -> tuple[int, int, int, int]:
    """What ranks components: number of cards, length, top card, suit S H D C (T-5.5)."""
    return component.count, component.length, component.top, -component.suit


def _take_tractors(copies: dict[Card, int], effective: int, trumps: Trumps) -> Iterator[Component]:
    """Take off the tractor with the most cards as long as there is one (T-5.5)."""
    while True:
        best: tuple[int, int, int] = (0, 0, 0)
        for width in range(2, max(copies.values()) + 1):
            best = max(best, _longest_run(copies, width, trumps))
        size, width, top = best
        if not size:
            return
        length = size // width
        run = [
            _run_card(copies, width, trumps.at_height[effective][top - place])
            for place in range(length)
        ]
        for card in run:
            copies[card] -= width
        yield Component(width, length, top, suit(run[0]), width * sum(map(single, run)))


def _longest_run(copies: dict[Card, int], width: int, trumps: Trumps) -> tuple[int, int, int]:
    """Cards, width and top of the longest run of *width*, the highest of equals; else zeros."""
    best = (0, 0, 0)
    length, before = 0, -1
    heights = {trumps.height[card] for card, held in copies.items() if held >= width}
    for height in sorted(heights):
        length = length + 1 if height == before + 1 else 1
        before = height
        if length > 1:
            best = max(best, (width * length, width, height))
    return best


def _run_card(copies: dict[Card, int], width: int, cards: tuple[Card, ...]) -> Card:
    """Which of equal cards stands in a run: the one in the fewest copies, then by suit."""
    return min(
        (card for card in cards if copies.get(card, 0) >= width),
        key=lambda card: (copies[card], card),
    )


@lru_cache(maxsize=1 << 14)
def _tuple(card: Card, width: int, trumps: Trumps) -> Component:
    return Component(width, 1, trumps.height[card], suit(card), width * single(card))
