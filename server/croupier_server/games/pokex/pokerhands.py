"""Poker hands of five cards with wild cards (P-3, P-5).

Must not be put here: who plays what, and who takes a tied trick.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class PokexCategory(IntEnum):
    """Categories, rising (P-5.1); the numbers are those of the contract."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIRS = 3
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
