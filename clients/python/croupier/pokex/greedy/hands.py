"""How strong five cards of Pokex are, as a player reckons it: wild cards stand for the best.

One number for each hand, the higher the better, made so that hands compare as P-5 says but for one
thing: every wild card counts as one that was used, also where it could stand for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from croupier.pokex import Category
from croupier.v1 import pokex_pb2

__all__ = ["Evaluator", "category_of"]

_ACE: Final = 14
_TOP: Final = 15
"""P-3.1: the rank of a joker that is the top card."""
_LOW_STRAIGHT: Final = 5
"""The rank of A-2-3-4-5."""
_JOKERS: Final = 53
_MEMO_MAX: Final = 200_000
_CATEGORY_SHIFT: Final = 23
_WINDOWS: Final = tuple(
    (high, (0b11111 << (high - 4)) if high > _LOW_STRAIGHT else 0b111100 | 1 << _ACE)
    for high in range(_ACE, _LOW_STRAIGHT - 1, -1)
)
"""Straights from high to low: the top rank, and the ranks as bits."""


class Evaluator:
    """Tells the strength of hands under the house rules of a table and a named rank.

    Attributes:
        wild_rank: the rank that is wild, or 0.
    """

    def __init__(self, options: pokex_pb2.PokexOptions, wild_rank: int) -> None:
        self.wild_rank = wild_rank
        self._jokers_are_wild = options.joker != pokex_pb2.POKEX_JOKER_TOP_CARD
        self._duplicates = options.flush_duplicates
        self._memo: dict[tuple[int, ...], int] = {}

    def is_wild(self, card: int) -> bool:
        """Whether *card* is wild."""
        if card >= _JOKERS:
            return self._jokers_are_wild
        return (card - 1) % 13 + 2 == self.wild_rank

    def rank(self, card: int) -> int:
        """The rank of *card* as it stands."""
        return _TOP if card >= _JOKERS else (card - 1) % 13 + 2

    def strength(self, cards: Iterable[int]) -> int:
        """How strong five *cards* are."""
        key = tuple(sorted(cards))
        found = self._memo.get(key)
        if found is None:
            if len(self._memo) > _MEMO_MAX:
                self._memo.clear()
            found = self._memo[key] = self._strength(key)
        return found

    def _strength(self, cards: Sequence[int]) -> int:
        natural = [card for card in cards if not self.is_wild(card)]
        wilds = len(cards) - len(natural)
        counts: dict[int, int] = {}
        for card in natural:
            rank = self.rank(card)
            counts[rank] = counts.get(rank, 0) + 1
        bits = 0
        for rank in counts:
            bits |= 1 << rank
        suits = {(card - 1) // 13 if card < _JOKERS else -card for card in natural}
        is_distinct = len(counts) == len(natural)
        one_suit = len(suits) <= 1 and _TOP not in counts
        category, ranks = _grouped(counts, wilds)
        straight = _straight(bits) if is_distinct else 0
        if category == Category.FIVE_OF_A_KIND:
            pass
        elif straight and one_suit:
            category, ranks = Category.STRAIGHT_FLUSH, [straight]
        elif one_suit and category < Category.FLUSH:
            category, ranks = Category.FLUSH, self._flush(list(counts), wilds)
        elif straight and category < Category.STRAIGHT:
            category, ranks = Category.STRAIGHT, [straight]
        value = int(category)
        for place in range(5):
            value = value << 4 | (ranks[place] if place < len(ranks) else 0)
        return value << 3 | 5 - wilds

    def _flush(self, ranks: list[int], wilds: int) -> list[int]:
        """The ranks of a flush: wild cards are the highest that they may be."""
        free = [_ACE] * wilds
        if not self._duplicates:
            free = [rank for rank in range(_ACE, 1, -1) if rank not in ranks][:wilds]
        return sorted(ranks + free, reverse=True)


def category_of(strength: int) -> Category:
    """The category of a hand of that strength."""
    return Category(strength >> _CATEGORY_SHIFT)


def _straight(bits: int) -> int:
    """The top rank of the best straight that holds all ranks of *bits*, or 0."""
    for high, window in _WINDOWS:
        if bits & ~window == 0:
            return high
    return 0


def _grouped(counts: dict[int, int], wilds: int) -> tuple[Category, list[int]]:
    """The best hand made of equal ranks."""
    if wilds == 5:
        return Category.FIVE_OF_A_KIND, [_ACE]
    # Wild cards join the largest group, the highest of them; never jokers that are no wild cards.
    own = sorted(counts, key=lambda rank: (rank != _TOP, counts[rank], rank), reverse=True)
    if wilds and own[0] != _TOP:
        counts = {**counts, own[0]: counts[own[0]] + wilds}
    elif wilds:
        counts = {**counts, _ACE: wilds}
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = [counts[rank] for rank in ranks]
    return _SHAPES[tuple(shape)], ranks


_SHAPES: Final = {
    (5,): Category.FIVE_OF_A_KIND,
    (4, 1): Category.FOUR_OF_A_KIND,
    (3, 2): Category.FULL_HOUSE,
    (3, 1, 1): Category.THREE_OF_A_KIND,
    (2, 2, 1): Category.TWO_PAIR,
    (2, 1, 1, 1): Category.PAIR,
    (1, 1, 1, 1, 1): Category.HIGH_CARD,
}
