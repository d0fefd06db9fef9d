"""Poker hands of Pokex (P-3, P-5): every wild card tried as every card.

A direct transcription of the rules page. Nothing is clever: five plain cards are ranked by the
definitions of P-5.1, and a hand with wild cards is the best of what it can be turned into. A hand
of four wild cards has 292,825 readings, one of five 3,819,816.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

Plain = tuple[int, str]
"""Rank 2..14 (15: a joker that is the top card) and suit (empty for a joker)."""

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT = 1, 2, 3, 4, 5
FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, FIVE = 6, 7, 8, 9, 10

PACK: tuple[Plain, ...] = tuple((rank, suit) for suit in "SHDC" for rank in range(2, 15))
TOP: Plain = (15, "")


class Wilds(NamedTuple):
    """What P-3 and P-5 make of the options, and the rank that was named, if any."""

    named: int | None = None
    jokers_are_wild: bool = True
    flush_duplicates: bool = False
    self_is_free: bool = True


class Found(NamedTuple):
    """The best hand; compared as it stands, wild cards last and by their absence."""

    category: int
    ranks: tuple[int, ...]
    wilds_used: int


def plain(name: str) -> Plain:
    """The card written *name*; a joker as the top card."""
    return TOP if name in ("BJ", "RJ") else ("23456789TJQKA".index(name[0]) + 2, name[1])


def is_wild(name: str, wilds: Wilds) -> bool:
    """P-3.1, P-3.2."""
    if name in ("BJ", "RJ"):
        return wilds.jokers_are_wild
    return plain(name)[0] == wilds.named


@cache
def by_ranks(ranks: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """What five cards of falling *ranks* are, suits left aside (P-5.1)."""
    groups = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    sizes = tuple(n for n, _ in groups)
    deciding = tuple(rank for _, rank in groups)
    if sizes == (1, 1, 1, 1, 1):
        if ranks == (14, 5, 4, 3, 2):
            return STRAIGHT, (5,)
        if ranks[0] <= 14 and ranks[0] - ranks[4] == 4:
            return STRAIGHT, (ranks[0],)
        return HIGH_CARD, deciding
    kinds = {(2, 1, 1, 1): PAIR, (2, 2, 1): TWO_PAIR, (3, 1, 1): THREE, (3, 2): FULL_HOUSE}
    return {**kinds, (4, 1): FOUR, (5,): FIVE}[sizes], deciding


def of_plain(cards: Sequence[Plain], flush_duplicates: bool) -> tuple[int, tuple[int, ...]]:
    """What five plain cards are at their best."""
    ranks = tuple(sorted([rank for rank, _ in cards], reverse=True))
    category, deciding = by_ranks(ranks)
    suit = cards[0][1]
    if not suit or any(other != suit for _, other in cards):
        return category, deciding
    if category == STRAIGHT:
        return STRAIGHT_FLUSH, deciding
    if category < FLUSH and (flush_duplicates or len(set(cards)) == 5):
        return FLUSH, ranks
    return category, deciding


def best(hand: Sequence[str], wilds: Wilds) -> Found:
    """The best of all readings of five cards, and the fewest wild cards for it (P-5.2, P-5.3).

    A reading gives a multiset of cards to the wild cards together. Who stands for which matters
    for the count alone: every wild-rank card that is in the multiset itself can stand for itself.
    """
    fixed = [plain(name) for name in hand if not is_wild(name, wilds)]
    wild = [name for name in hand if is_wild(name, wilds)]
    can_be_free = [plain(name) for name in wild if plain(name) != TOP and wilds.self_is_free]
    found: tuple[int, tuple[int, ...]] = (0, ())
    used = 0
    for stand_ins in combinations_with_replacement(PACK, len(wild)):
        made = of_plain((*fixed, *stand_ins), wilds.flush_duplicates)
        if made >= found:
            now = len(wild) - sum(card in stand_ins for card in can_be_free)
            used = now if made > found else min(used, now)
            found = made
    return Found(*found, used)


def better(a: Found, b: Found, fewer_wilds: bool = True) -> int:
    """1 if *a* beats *b*, -1 if *b* beats *a*, 0 if they are level (P-5.3)."""
    left, right = a[:2], b[:2]
    if left == right and fewer_wilds:
        return (a.wilds_used < b.wilds_used) - (a.wilds_used > b.wilds_used)
    return (left > right) - (left < right)
