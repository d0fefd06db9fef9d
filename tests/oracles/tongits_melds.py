"""Melds and deadwood of Tong-its (G-3, G-5.4): every way to take melds out of a hand.

A direct transcription of the rules page, over names of cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

Names = tuple[str, ...]

RANKS = "A23456789TJQK"


class MeldRules(NamedTuple):
    """The options of G-3.1."""

    runs: bool = True
    ace_high_runs: bool = False


def points(card: str) -> int:
    """G-1.1."""
    return min(RANKS.index(card[0]) + 1, 10)


def is_set(cards: Names) -> bool:
    """G-3.1: three or four of a rank; in one pack they differ in suit."""
    return len(cards) in (3, 4) and len({card[0] for card in cards}) == 1


def is_run(cards: Names, rules: MeldRules) -> bool:
    """G-3.1: three or more consecutive cards of a suit."""
    if not rules.runs or len(cards) < 3 or len({card[1] for card in cards}) != 1:
        return False
    ranks = {card[0] for card in cards}
    line = RANKS + "A" if rules.ace_high_runs else RANKS
    starts = range(len(line) - len(cards) + 1)
    # A stretch of the line that held both aces would be longer than the suit.
    return len(ranks) == len(cards) and any(
        set(line[at : at + len(cards)]) == ranks for at in starts
    )


def is_meld(cards: Names, rules: MeldRules) -> bool:
    """G-3.1."""
    return is_set(cards) or is_run(cards, rules)


def melds_of(hand: Names, rules: MeldRules) -> Iterator[Names]:
    """Every meld in *hand*, its cards in the order of the hand.

    Tries the subsets of a rank and of a suit: every meld is in one of them.
    """
    for rank in RANKS:
        same = [card for card in hand if card[0] == rank]
        for size in (3, 4):
            yield from combinations(same, size)
    for suit in "SHDC":
        same = [card for card in hand if card[1] == suit]
        for size in range(3, len(same) + 1):
            yield from (cards for cards in combinations(same, size) if is_run(cards, rules))


@lru_cache(1 << 16)
def _melds(hand: Names, rules: MeldRules) -> tuple[Names, ...]:
    return tuple(melds_of(hand, rules))


def deadwood(hand: Names, rules: MeldRules) -> int:
    """G-5.4: the fewest points left after taking out melds."""
    return _least(hand, _melds(tuple(sorted(hand)), rules))


def _least(hand: Names, melds: tuple[Names, ...]) -> int:
    """The first card of *hand* stays, or goes with a meld that lies in what is left."""
    if not hand:
        return 0
    first, *rest = hand
    least = points(first) + _least(tuple(rest), melds)
    for meld in melds:
        if first in meld and set(meld) <= set(hand):
            left = tuple(card for card in hand if card not in meld)
            least = min(least, _least(left, melds))
    return least
