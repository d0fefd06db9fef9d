"""Who plays whom, on which board, in which seats. Pure.

Must not be put here: results, and anything that runs a match.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple


class Pairing(NamedTuple):
    """Two entrants by number, the first one being whose side results are told from."""

    first: int
    second: int


class Match(NamedTuple):
    """One match to play.

    Attributes:
        number: its place in the schedule, from 0.
        pairing: who plays.
        board: number of the board.
        is_swapped: the second entrant has team 0.
    """

    number: int
    pairing: Pairing
    board: int
    is_swapped: bool

    def entrant_of_team(self, team: int) -> int:
        """The entrant that plays for *team*, 0 or 1."""
        return self.pairing[team ^ self.is_swapped]


def round_robin(entrants: int) -> list[Pairing]:
    """Every pair of *entrants* once.

    >>> [tuple(pairing) for pairing in round_robin(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    return [Pairing(first, second) for first, second in combinations(range(entrants), 2)]


def schedule(entrants: int, matches: int, both_seatings: bool) -> list[Match]:
    """*matches* matches for every pairing, board by board.

    With *both_seatings* a board is played twice in a row, the entrants changing sides; an odd
    number leaves the last board with one seating. Otherwise the sides alternate from board to
    board, so that neither entrant always sits first.
    """
    planned: list[Match] = []
    for index in range(matches):
        board = index // 2 if both_seatings else index
        for pairing in round_robin(entrants):
            planned.append(Match(len(planned), pairing, board, bool(index % 2)))
    return planned
