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
        board: number of the board.
        teams: team of each seat, from 0.
        players: number of the entrant in each seat.
        seating: its place among the tables at which its entrants meet on the board, from 0.
    """

    number: int
    board: int
    teams: tuple[int, ...]
    players: tuple[int, ...]
    seating: int = 0

    @property
    def entrants(self) -> tuple[int, ...]:
        """Who takes part, in rising order."""
        return tuple(sorted(set(self.players)))

    @property
    def pairing(self) -> Pairing:
        """The two entrants of a match that has no more."""
        return Pairing(*self.entrants)

    @property
    def sides(self) -> tuple[int, ...]:
        """The entrant that holds the first seat of each team."""
        return tuple(self.players[self.teams.index(team)] for team in sorted(set(self.teams)))


def seated(pairing: Sequence[int], seating: Seating, teams: Sequence[int]) -> tuple[int, ...]:
    """The entrant in each seat when *seating* says which of *pairing* plays each team."""
    return tuple(pairing[seating[team]] for team in teams)


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
    entrants: int, matches: int, teams: tuple[int, ...], every_seating: bool
) -> list[Match]:
    """*matches* matches for every pairing, board by board.

    With *every_seating* a board is played under all seatings in a row; a number that is no multiple
    of theirs leaves the last board with some of them. Otherwise every match has a board of its own,
    and the seatings take turns, so that neither entrant always sits first.
    """
    ways = seatings(teams)
    planned: list[Match] = []
    for index in range(matches):
        board = index // len(ways) if every_seating else index
        number = index % len(ways)
        for pairing in round_robin(entrants):
            players = seated(pairing, ways[number], teams)
            planned.append(Match(len(planned), board, teams, players, number))
    return planned
