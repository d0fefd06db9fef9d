"""The tables of a board: who sits where, from who meets on it. Pure.

A board is a list of groups. The entrants of a group meet at tables of their own; those of different
groups do not meet, but play the same cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from croupier_server.contest.ladder.spec import Form
from croupier_server.contest.pairing import Match, seated, seatings

Group: TypeAlias = tuple[int, ...]
"""Entrants who meet: two; three of a game with three sides; or the whole field."""

Groups: TypeAlias = tuple[Group, ...]


class Roster(NamedTuple):
    """Who plays for whom.

    Attributes:
        teams: team of each seat.
        form: how boards are used.
        bots: numbers of the bots of each entrant, in the order of the seats of a side.
        house: number of the bot that plays the other seats of a field.
    """

    teams: tuple[int, ...]
    form: Form
    bots: tuple[tuple[int, ...], ...]
    house: int = -1

    @property
    def sides(self) -> int:
        """How many sides the game has."""
        return max(self.teams) + 1

    def entrant_of(self, bot: int) -> int | None:
        """The entrant that *bot* plays for; None for the house."""
        for entrant, bots in enumerate(self.bots):
            if bot in bots:
                return entrant
        return None

    def tables(self, board: int, groups: Groups) -> list[Match]:
        """All matches of board number *board*."""
        found: list[Match] = []

        def add(players: tuple[int, ...], seating: int) -> None:
            found.append(Match(len(found), board, self.teams, players, seating))

        for group in groups:
            if self.form is Form.FIELD:
                seat = board % len(self.teams)
                for entrant in group:
                    players = [self.house] * len(self.teams)
                    players[seat] = self.bots[entrant][0]
                    add(tuple(players), 0)  # the house has the same chance at all tables
                continue
            if len(group) == 1:
                continue  # a bye
            ways = self._seatings(group)
            if self.form is Form.INDEPENDENT:
                number = board % len(ways)
                add(self._bots(ways[number]), number)
            else:
                for number, way in enumerate(ways):
                    add(self._bots(way), number)
        return found

    def _seatings(self, group: Group) -> list[tuple[int, ...]]:
        """The entrant in each seat, for every way in which *group* can sit down."""
        if len(group) == self.sides:
            return [tuple(order[team] for team in self.teams) for order in permutations(group)]
        return [seated(group, way, self.teams) for way in seatings(self.teams)]

    def _bots(self, entrants: Sequence[int]) -> tuple[int, ...]:
        """The bot in each seat."""
        taken = dict.fromkeys(entrants, 0)
        found: list[int] = []
        for entrant in entrants:
            own = self.bots[entrant]
            found.append(own[taken[entrant] % len(own)])
            taken[entrant] += 1
        return tuple(found)
