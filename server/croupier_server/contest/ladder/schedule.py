"""The tables of a board: who sits where, from who meets on it. Pure.

A board is a list of groups. The entrants of a group meet at tables of their own; those of different
groups do not meet, but play the same cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeAlias

from croupier_server.contest.ladder.spec import Form
from croupier_server.contest.pairing import Match, seated, seatings

Group: TypeAlias = tuple[int, ...]
"""Entrants who meet: two; three of a game with three sides; or the whole field."""

Groups: TypeAlias = tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Roster:
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
    _seated: dict[Group, tuple[tuple[int, ...], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def sides(self) -> int:
        """How many sides the game has."""
        return max(self.teams) + 1

    def substitute(self, entrant: int, bot: int) -> Roster:
        """The same with *bot* in the place of all bots of *entrant*."""
        bots = (*self.bots[:entrant], (bot,), *self.bots[entrant + 1 :])
        return Roster(self.teams, self.form, bots, self.house)

    def has_tables(self, groups: Groups) -> bool:
        """Whether a board with *groups* has any tables; byes have none."""
        return any(len(group) > (self.form is not Form.FIELD) for group in groups)

    def tables(self, board: int, groups: Groups) -> list[Match]:
        """All matches of board number *board*."""
        found: list[Match] = []

        def add(players: tuple[int, ...], seating: int) -> None:
            found.append(Match(len(found), board, self.teams, players, seating))

        for group in groups:
            if self.form is Form.FIELD:
                seat = board % len(self.teams)
                for entrant in group:
                    opposition = [self.house] * len(self.teams)
                    opposition[seat] = self.bots[entrant][0]
                    add(tuple(opposition), 0)  # the house has the same chance at all tables
                continue
            if len(group) == 1:
                continue  # a bye
            ways = self._ways(group)
            if self.form is Form.INDEPENDENT:
                number = board % len(ways)
                add(ways[number], number)
            else:
                for number, players in enumerate(ways):
                    add(players, number)
        return found

    def _ways(self, group: Group) -> tuple[tuple[int, ...], ...]:
        """The bot in each seat, for every way in which *group* can sit down."""
        found = self._seated.get(group)
        if found is None:  # a group meets on many boards
            if len(group) == self.sides:
                ways = [tuple(order[team] for team in self.teams) for order in permutations(group)]
            else:
                ways = [seated(group, way, self.teams) for way in seatings(self.teams)]
            found = self._seated[group] = tuple(map(self._bots, ways))
        return found

    def _bots(self, entrants: Sequence[int]) -> tuple[int, ...]:
        """The bot in each seat."""
        taken = dict.fromkeys(entrants, 0)
        found: list[int] = []
        for entrant in entrants:
            own = self.bots[entrant]
            found.append(own[taken[entrant] % len(own)])
            taken[entrant] += 1
        return tuple(found)
