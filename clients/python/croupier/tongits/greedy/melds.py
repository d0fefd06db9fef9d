"""The melds in a hand of Tong-its, and the points that are left over: what every player counts.

A hand is a set of cards as bits: 13 for each suit, the ace lowest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

from croupier.tongits import card_points

__all__ = ["MeldFinder", "Split", "bit", "cards_of"]

_RANKS: Final = 13
_SUITS: Final = range(4)
_MEMO_MAX: Final = 100_000
_ALL: Final = (1 << 52) - 1


def _place(card: int) -> int:
    """The number of the bit of *card*: within its suit the ace is 0."""
    suit, rank = divmod(card - 1, _RANKS)
    return suit * _RANKS + (rank + 1) % _RANKS


_BIT: Final = [0] + [1 << _place(card) for card in range(1, 53)]
_CARD: Final = {bit: card for card, bit in enumerate(_BIT) if card}
_POINTS: Final = {bit: card_points(card) for bit, card in _CARD.items()}


def bit(cards: Iterable[int]) -> int:
    """*cards* as a set of bits."""
    mask = 0
    for card in cards:
        mask |= _BIT[card]
    return mask


def cards_of(mask: int) -> list[int]:
    """The cards of a set of bits."""
    return sorted(_CARD[one] for one in _bits(mask))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest
        mask ^= lowest


class Split(NamedTuple):
    """A hand taken apart in the best way: the points left over, the melds, and the cards left."""

    points: int
    melds: tuple[int, ...]
    rest: int


class MeldFinder:
    """Finds melds (G-3.1), with or without runs, and with or without runs that end with the ace."""

    def __init__(self, has_runs: bool, ace_high: bool) -> None:
        self._has_runs = has_runs
        self._ace_high = ace_high
        self._memo: dict[int, Split] = {}
        self._by_cards: dict[int, tuple[int, ...]] = {}

    def split(self, hand: int) -> Split:
        """The best way to take *hand* apart."""
        if len(self._memo) > _MEMO_MAX:
            self._memo.clear()
        return self._split(hand, tuple(self.melds(hand)))

    def melds(self, hand: int) -> Iterator[int]:
        """Every set, and every run of three to five cards: longer ones are made of these."""
        for rank in range(_RANKS):
            held = [
                1 << suit * _RANKS + rank for suit in _SUITS if hand >> suit * _RANKS + rank & 1
            ]
            if len(held) > 2:
                whole = sum(held)
                yield whole
                if len(held) == 4:
                    yield from (whole ^ one for one in held)
        if self._has_runs:
            for suit in _SUITS:
                yield from self._runs(hand, suit * _RANKS)

    def _runs(self, hand: int, shift: int) -> Iterator[int]:
        own = hand >> shift & (1 << _RANKS) - 1
        if self._ace_high and own & 1:
            own |= 1 << _RANKS
        for low in range(_RANKS - 1):
            for size in (3, 4, 5):
                run = (1 << size) - 1 << low
                if own & run != run:
                    break
                if run >> _RANKS:
                    if run & 1:
                        break
                    run ^= 1 << _RANKS | 1
                yield run << shift

    def triples(self, cards: int) -> tuple[int, ...]:
        """Every meld of three cards that holds all of *cards*."""
        found = self._by_cards.get(cards)
        if found is None:
            found = tuple(meld for meld in self._triples if meld & cards == cards)
            self._by_cards[cards] = found
        return found

    @cached_property
    def _triples(self) -> tuple[int, ...]:
        """Every meld of three cards."""
        return tuple(meld for meld in self.melds(_ALL) if meld.bit_count() == 3)

    def _split(self, hand: int, melds: tuple[int, ...]) -> Split:
        found = self._memo.get(hand)
        if found is not None:
            return found
        melds = tuple(meld for meld in melds if meld & hand == meld)
        if not melds:
            best = Split(sum(_POINTS[one] for one in _bits(hand)), (), hand)
        else:
            # The lowest card that is in a meld at all is in one of them, or left over.
            union = 0
            for meld in melds:
                union |= meld
            card = union & -union
            left = self._split_rest(hand, card, melds)
            best = left
            for meld in melds:
                if meld & card:
                    other = self._split(hand ^ meld, melds)
                    if other.points < best.points:
                        best = Split(other.points, (meld, *other.melds), other.rest)
        self._memo[hand] = best
        return best

    def _split_rest(self, hand: int, card: int, melds: tuple[int, ...]) -> Split:
        """The best way when *card* is left over."""
        other = self._split(hand ^ card, melds)
        return Split(other.points + _POINTS[card], other.melds, other.rest | card)
