"""Who plays whom, on which board, in which seats. Pure.

Seats of one team play together, so an entrant takes teams. A *seating* says which of the two
entrants of a pairing, 0 or 1, plays each team. Two entrants meet on a board under every seating in
which both take part: with two teams that is both ways round, with three teams (one seat each, as in
Tong-its) six: one of them holds one seat and the other the two others, for each seat and each of
them. Over all seatings of a board both hold every team equally often, so the luck of its cards
falls on both alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

Seating: TypeAlias = tuple[int, ...]
"""Which entrant of a pairing, 0 or 1, plays each team."""


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
        seating: who plays which team.
        seating_number: its place among the seatings of the game, from 0.
    """

    number: int
    pairing: Pairing
    board: int
    seating: Seating = (0, 1)
    seating_number: int = 0

    def entrant_of_team(self, team: int) -> int:
        """The entrant that plays for *team*."""
        return self.pairing[self.seating[team]]


def round_robin(entrants: int) -> list[Pairing]:
    """Every pair of *entrants* once.

    >>> [tuple(pairing) for pairing in round_robin(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    return [Pairing(first, second) for first, second in combinations(range(entrants), 2)]


def seatings(teams: Sequence[int]) -> tuple[Seating, ...]:
    """Every seating in which both entrants take part, for seats that play for *teams*.

    Those in which the first entrant holds more teams come first.

    >>> seatings((0, 1, 0, 1))
    ((0, 1), (1, 0))
    >>> ["".join("AB"[who] for who in seating) for seating in seatings((0, 1, 2))]
    ['AAB', 'ABA', 'BAA', 'ABB', 'BAB', 'BBA']
    """
    every = product((0, 1), repeat=len(set(teams)))
    return tuple(sorted((one for one in every if len(set(one)) == 2), key=lambda one: sum(one)))


def schedule(
    entrants: int, matches: int, ways: Sequence[Seating], every_seating: bool
) -> list[Match]:
    """*matches* matches for every pairing, board by board.

    With *every_seating* a board is played under all of *ways* in a row; a number that is no
    multiple of theirs leaves the last board with some of them. Otherwise every match has a board
    of its own, and the seatings take turns, so that neither entrant always sits first.
    """
    planned: list[Match] = []
    for index in range(matches):
        board = index // len(ways) if every_seating else index
        number = index % len(ways)
        for pairing in round_robin(entrants):
            planned.append(Match(len(planned), pairing, board, ways[number], number))
    return planned
