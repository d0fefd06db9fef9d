"""Poker hands of five cards with wild cards, exact for every combination of them (P-3, P-5).

A hand is read as a sum of one number a card (`HandRules.features`): counts of ranks, counts of
suits, and which wild cards there are. What the ranks make, in one suit or not, is worked out once
and kept: at most 12,000 entries whatever is played, as there are no more sets of ranks. How many
wild cards were needed is arithmetic on top of that.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from croupier_server.games.cards import BLACK_JOKER, CARD_MAX, Cards, rank, suit

CARDS_IN_HAND: Final = 5
TWO: Final = 2
FIVE: Final = 5
ACE: Final = 14
TOP: Final = 15
"""The rank of a joker that is the top card (P-3.1)."""


class PokexCategory(IntEnum):
    """Categories, rising (P-5.1); the numbers are those of the contract."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIR = 3
    THREE_OF_A_KIND = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    FIVE_OF_A_KIND = 10


class PokerHand(NamedTuple):
    """The best hand that five cards make.

    ``category`` is a number of `PokexCategory`; ``ranks`` decide within it, groups before side
    cards and one rank for a straight, 15 for a joker that is the top card; ``wilds_used`` is the
    least number over all ways to make this hand (P-5.3).
    """

    category: int
    ranks: tuple[int, ...]
    wilds_used: int


class Ranked(NamedTuple):
    """A poker hand and its ``strength``: the stronger of two is the greater, and the lowest
    `WILDS_BITS` bits say how few wild cards were used."""

    strength: int
    hand: PokerHand


WILDS_BITS: Final = 3

# The sum of a hand, from its lowest bits: for each rank 2 to 15 how many cards have it (3 bits a
# rank), for each suit how many cards that are not wild have it (3 bits a suit), one bit for the
# card of the wild rank of each suit, and the number of wild jokers.
_COUNT_BITS: Final = 3
_SUITS_SHIFT: Final = _COUNT_BITS * (TOP - TWO + 1)
_WILDS_SHIFT: Final = _SUITS_SHIFT + _COUNT_BITS * 4
_RANKS_MASK: Final = (1 << _SUITS_SHIFT) - 1
_SUITS_MASK: Final = (1 << _COUNT_BITS * 4) - 1
_WILD_RANK_MASK: Final = 15
_JOKER: Final = 1 << _WILDS_SHIFT + 4

_SUIT_OF: Final = {
    number << _COUNT_BITS * suit: suit
    for suit in range(4)
    for number in range(1, CARDS_IN_HAND + 1)
}
"""The suit of all cards that are not wild, by their counts of suits, where there is one."""

_WILDS: Final = tuple(
    (wilds & _WILD_RANK_MASK).bit_count() + (wilds >> 4) for wilds in range(1 << 6)
)
"""Number of wild cards by the highest bits of a sum."""


class _Made(NamedTuple):
    """What some ranks and wild cards make.

    ``fill`` says how many wild cards stand for each rank, four bits a rank; category and ranks
    leave no choice in that. ``is_flush`` says that all five are of one suit, and ``by_wilds`` is
    the hand by the number of wild cards used.
    """

    is_flush: bool
    fill: int
    by_wilds: tuple[Ranked, ...]


_plain: Final[dict[int, _Made]] = {}
"""What hands of several suits make, by the counts of ranks; filled on demand."""
_suited: Final[tuple[dict[int, _Made], dict[int, _Made]]] = ({}, {})
"""The same of hands in one suit, without and with ``flush_duplicates``."""


class HandRules:
    """How hands of one deal are read and compared.

    Attributes:
        features: by card, what it adds to the sum of a hand.
        ignored_bits: by how many bits strengths are shifted before they are compared (P-5.3).
    """

    __slots__ = (
        "_duplicates",
        "_is_self_free",
        "_suited",
        "_wild_shift",
        "features",
        "ignored_bits",
    )

    def __init__(
        self,
        wild_rank: int,
        joker: str,
        flush_duplicates: bool,
        wild_as_self_free: bool,
        tie_break_fewer_wilds: bool,
    ) -> None:
        self.features = tuple(_feature(card, wild_rank, joker) for card in range(CARD_MAX + 1))
        self.ignored_bits = 0 if tie_break_fewer_wilds else WILDS_BITS
        self._duplicates = flush_duplicates
        self._is_self_free = wild_as_self_free and wild_rank > 0
        self._suited = _suited[flush_duplicates]
        self._wild_shift = 4 * wild_rank

    # Bit 4c of a hand stands for card c: its highest and its lowest bit tell two cards at once.

    def sum_of(self, pair: Cards) -> int:
        """What the two different cards of a play add to the sum of a hand."""
        features = self.features
        return features[pair.bit_length() >> 2] + features[(pair & -pair).bit_length() >> 2]

    def best(self, cards: Cards) -> Ranked:
        """The best hand of five different *cards*."""
        features, total = self.features, 0
        while cards:
            lowest = cards & -cards
            total += features[lowest.bit_length() >> 2]
            cards ^= lowest
        return self.best_of_sum(total)

    def best_of_sum(self, total: int) -> Ranked:
        """The best hand of five cards by the sum of their features."""
        ranks = total & _RANKS_MASK
        suit = _SUIT_OF.get(total >> _SUITS_SHIFT & _SUITS_MASK)
        made = _plain.get(ranks) if suit is None else self._suited.get(ranks)
        if made is None:
            made = self._make(ranks, suit is not None)
        wilds = total >> _WILDS_SHIFT
        if not wilds:
            return made.by_wilds[0]
        used = _WILDS[wilds]
        own = wilds & _WILD_RANK_MASK
        if own and self._is_self_free:
            # Cards of the wild rank stand for themselves where the hand has that rank. In a flush
            # that is the one of its suit alone.
            wanted = made.fill >> self._wild_shift & 15
            if wanted:
                if made.is_flush:
                    assert suit is not None
                    used -= own >> suit & 1
                else:
                    used -= min(own.bit_count(), wanted)
        return made.by_wilds[used]

    def _make(self, ranks: int, is_suited: bool) -> _Made:
        table = self._suited if is_suited else _plain
        made = table[ranks] = _make(ranks, is_suited, self._duplicates)
        return made


@lru_cache(maxsize=256)
def hand_rules(
    wild_rank: int,
    joker: str,
    flush_duplicates: bool,
    wild_as_self_free: bool,
    tie_break_fewer_wilds: bool,
) -> HandRules:
    """The rules with these options and this wild rank, 0 for none; shared."""
    return HandRules(wild_rank, joker, flush_duplicates, wild_as_self_free, tie_break_fewer_wilds)


def _feature(card: int, wild_rank: int, joker: str) -> int:
    if card == 0:
        return 0
    if card >= BLACK_JOKER:
        return 1 << _COUNT_BITS * (TOP - TWO) if joker == "top_card" else _JOKER
    if rank(card) == wild_rank:
        return 1 << _WILDS_SHIFT + suit(card)
    return 1 << _COUNT_BITS * (rank(card) - TWO) | 1 << _SUITS_SHIFT + _COUNT_BITS * suit(card)


# What ranks make ------------------------------------------------------------------------------


def _make(counts: int, is_suited: bool, duplicates: bool) -> _Made:
    """The best that the ranks of *counts* make with as many wild cards as five cards need."""
    natural = [
        held
        for held in range(TOP, TWO - 1, -1)
        for _ in range(counts >> _COUNT_BITS * (held - TWO) & 7)
    ]
    wilds = CARDS_IN_HAND - len(natural)
    ways = [_in_groups(natural, wilds)]
    if TOP not in natural:
        run = _run(natural)
        if run is not None:
            ways.append(_Way(PokexCategory.STRAIGHT, run[:1], run))
        if is_suited:
            if run is not None:
                ways.append(_Way(PokexCategory.STRAIGHT_FLUSH, run[:1], run))
            flush = _flush(natural, duplicates)
            ways.append(_Way(PokexCategory.FLUSH, flush, flush))
    category, deciding, held = max(ways)
    fill = 0
    for made in set(held):
        fill |= held.count(made) - natural.count(made) << 4 * made
    strength = int(category)
    for place in range(CARDS_IN_HAND):
        strength = strength << 4 | (deciding[place] if place < len(deciding) else 0)
    return _Made(
        category in (PokexCategory.FLUSH, PokexCategory.STRAIGHT_FLUSH),
        fill,
        tuple(
            Ranked(
                strength << WILDS_BITS | (1 << WILDS_BITS) - 1 - used,
                PokerHand(int(category), deciding, used),
            )
            for used in range(wilds + 1)
        ),
    )


class _Way(NamedTuple):
    """A hand that can be made: its category, the ranks that decide, and the ranks of its cards."""

    category: PokexCategory
    deciding: tuple[int, ...]
    held: tuple[int, ...]


_RUNS: Final = (
    *(tuple(range(top, top - CARDS_IN_HAND, -1)) for top in range(ACE, FIVE, -1)),
    (FIVE, 4, 3, TWO, ACE),
)
"""The ranks of every run, the best first."""

_GROUPS: Final = {
    (5,): PokexCategory.FIVE_OF_A_KIND,
    (4, 1): PokexCategory.FOUR_OF_A_KIND,
    (3, 2): PokexCategory.FULL_HOUSE,
    (3, 1, 1): PokexCategory.THREE_OF_A_KIND,
    (2, 2, 1): PokexCategory.TWO_PAIR,
    (2, 1, 1, 1): PokexCategory.PAIR,
    (1, 1, 1, 1, 1): PokexCategory.HIGH_CARD,
}


def _in_groups(natural: list[int], wilds: int) -> _Way:
    """The best hand of these ranks, suits and runs left aside. All wild cards join the largest
    group: shared out over two they would make a lower category, and on their own they are aces."""
    numbers = [(natural.count(held), held) for held in set(natural)]
    number, joined = max([pair for pair in numbers if pair[1] != TOP], default=(0, ACE))
    if number:
        numbers.remove((number, joined))
    if wilds or number:
        numbers.append((number + wilds, joined))
    numbers.sort(reverse=True)
    return _Way(
        _GROUPS[tuple([number for number, _ in numbers])],
        tuple([held for _, held in numbers]),
        (*natural, *[joined] * wilds),
    )


def _run(natural: list[int]) -> tuple[int, ...] | None:
    """The highest five consecutive ranks that *natural* are part of, the highest of them first;
    an ace is high, or low below a two."""
    if len(set(natural)) < len(natural):
        return None
    for run in _RUNS:
        if set(natural).issubset(run):
            return run
    return None


def _flush(natural: list[int], duplicates: bool) -> tuple[int, ...]:
    """The ranks of the best flush with these: wild cards are aces, or without *duplicates* the
    highest cards that the flush does not have (P-5.2)."""
    free = [r for r in range(ACE, TWO - 1, -1) if duplicates or r not in natural]
    wilds = CARDS_IN_HAND - len(natural)
    added = [ACE] * wilds if duplicates else free[:wilds]
    return tuple(sorted(natural + added, reverse=True))
