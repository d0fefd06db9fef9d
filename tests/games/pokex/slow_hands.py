"""The best poker hand with wild cards by trying every card that each of them could be.

Written from P-3 and P-5 to be read, not to be fast: the oracle of `test_pokerhands`. Cards are
names here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

RANKS = "23456789TJQKA"
PACK = tuple(rank + suit for suit in "SHDC" for rank in RANKS)
JOKERS = ("BJ", "RJ")


class Rules(NamedTuple):
    """What hands are read by; ``wild_rank`` is a letter, or empty for none."""

    wild_rank: str = ""
    joker: str = "wild"
    flush_duplicates: bool = False
    wild_as_self_free: bool = True


Hand = tuple[int, tuple[int, ...], int]
"""Category 1 to 10, ranks, and wild cards used."""


def best(cards: list[str], rules: Rules) -> Hand:
    """The best hand of five *cards*."""
    wilds = [card for card in cards if is_wild(card, rules)]
    natural = [card for card in cards if not is_wild(card, rules)]
    found: Hand | None = None
    for stand_for in substitutes(len(wilds), natural):
        category, ranks = worth([*natural, *stand_for], rules)
        used = len(wilds)
        if rules.wild_as_self_free:
            used -= sum(card in stand_for for card in wilds)
        if found is None or (category, ranks, -used) > (*found[:2], -found[2]):
            found = (category, ranks, used)
    assert found is not None
    return found


def substitutes(number: int, natural: list[str]) -> Iterator[tuple[str, ...]]:
    """Every choice of cards for *number* wild cards. Four and more are five of a kind with the
    card that is left, if there is one and it is no joker; then cards of its rank will do, and
    otherwise those of the highest ranks."""
    pack = PACK
    if number >= 4:
        ranks = {card[0] for card in natural if card not in JOKERS} or {"A"}
        pack = tuple(card for card in PACK if card[0] in ranks)
    return combinations_with_replacement(pack, number)


def is_wild(card: str, rules: Rules) -> bool:
    """P-3: jokers unless they are the top card, and cards of the rank that was named."""
    return rules.joker == "wild" if card in JOKERS else card[0] == rules.wild_rank


def worth(cards: list[str], rules: Rules) -> tuple[int, tuple[int, ...]]:
    """P-5.1: category and ranks of five cards, none of which is wild any more."""
    ranks = [15 if card in JOKERS else RANKS.index(card[0]) + 2 for card in cards]
    groups = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    shape = [n for n, _ in groups]
    by_group = tuple(rank for _, rank in groups)
    is_one_suit = not set(cards) & set(JOKERS) and len({card[1] for card in cards}) == 1
    is_flush = is_one_suit and (rules.flush_duplicates or len(set(cards)) == 5)
    top = straight_top(set(ranks))
    if shape == [5]:
        return 10, by_group
    if is_flush and top:
        return 9, (top,)
    if shape == [4, 1]:
        return 8, by_group
    if shape == [3, 2]:
        return 7, by_group
    if is_flush:
        return 6, tuple(sorted(ranks, reverse=True))
    if top:
        return 5, (top,)
    return {(3, 1, 1): 4, (2, 2, 1): 3, (2, 1, 1, 1): 2, (1, 1, 1, 1, 1): 1}[tuple(shape)], by_group


def straight_top(ranks: set[int]) -> int:
    """The top of the straight that five different *ranks* are, or 0."""
    if ranks == {14, 2, 3, 4, 5}:
        return 5
    is_run = len(ranks) == 5 and max(ranks) - min(ranks) == 4 and max(ranks) < 15
    return max(ranks) if is_run else 0
