"""Seats by the principals that they are assigned to.

Only principals with keys are here: without keys all callers are one principal. The index follows
what is stored, so nobody learns of a seat before it is durable.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from enum import IntEnum
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from croupier_server.games.base import Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Status

_number = attrgetter("number")


class State(IntEnum):
    """Who plays an assigned seat now; the numbers are those of ``SeatAssignmentState``."""

    RESERVED = 1
    SEATED = 2
    SUBSTITUTED = 3


States: TypeAlias = Mapping[Seat, State]
"""The seats of one principal at one table."""

_NONE: Final[States] = {}


def assigned(table: Table) -> dict[str, dict[Seat, State]]:
    """The seats of each principal at *table*."""
    found: dict[str, dict[Seat, State]] = {}
    if table.status is Status.ENDED:
        return found
    for seat, (spec, state) in enumerate(zip(table.spec.seats, table.seats, strict=True)):
        who, now = state.owner, State.SUBSTITUTED if state.relieved else State.SEATED
        if not who and spec.player_id not in table.opening.withholders:
            who, now = spec.player_id, State.RESERVED
        if who not in ("", LOCAL, HOUSE):
            found.setdefault(who, {})[seat] = now
    return found


class SeatAssignments:
    """The seats of every principal, as they are stored."""

    __slots__ = ("_at", "_of")

    def __init__(self) -> None:
        self._at: dict[str, dict[str, dict[Seat, State]]] = {}
        """By table, the seats of each principal."""
        self._of: dict[str, list[Table]] = {}
        """By principal, its tables in the order of their numbers."""

    def update(self, table: Table) -> set[str]:
        """Take *table* as it is now; returns the principals that it concerns."""
        table_id = table.spec.table_id
        before, now = self._at.pop(table_id, {}), assigned(table)
        if now:
            self._at[table_id] = now
        for who in now.keys() - before.keys():
            insort(self._of.setdefault(who, []), table, key=_number)
        for who in before.keys() - now.keys():
            tables = self._of[who]
            del tables[bisect_left(tables, table.number, key=_number)]
            if not tables:
                del self._of[who]
        return before.keys() | now.keys()

    def at(self, table: Table, principal: str) -> States:
        """The seats of *principal* at *table*."""
        return self._at.get(table.spec.table_id, {}).get(principal, _NONE)

    def tables_behind(self, principal: str, number: int, limit: int) -> Sequence[Table]:
        """Tables of *principal* with greater numbers than *number*, at most *limit*."""
        tables = self._of.get(principal, [])
        place = bisect_left(tables, number + 1, key=_number)
        return tables[place : place + limit]

    def newest(self, principal: str) -> int:
        """The greatest number of a table of *principal*; 0: it has none."""
        tables = self._of.get(principal)
        return tables[-1].number if tables else 0

    def page(self, principal: str, *, kind: int, before: Place | None, limit: int) -> SeatPage:
        """Seats of *principal*, those of the newest table first.

        Args:
            principal: whose they are.
            kind: only those at tables of this game; 0: all.
            before: the last seat of the page before; None: start with the newest table.
            limit: maximum number of seats.
        """
        tables = self._of.get(principal, [])
        first = (
            len(tables) if before is None else bisect_left(tables, before.number + 1, key=_number)
        )
        found: list[tuple[Table, Seat, State]] = []
        for table in reversed(tables[:first]):
            if kind not in (0, table.spec.kind):
                continue
            for seat, state in self.at(table, principal).items():
                if before is not None and (table.number, -seat) >= (before.number, -before.seat):
                    continue
                if len(found) == limit:
                    last = found[-1]
                    return SeatPage(found, Place(last[0].number, last[1]))
                found.append((table, seat, state))
        return SeatPage(found, None)


class Place(NamedTuple):
    """A place in a list of seats.

    Attributes:
        number: number of the table of the last seat before it.
        seat: that seat.
    """

    number: int
    seat: Seat


class SeatPage(NamedTuple):
    """A part of a list of seats.

    Attributes:
        seats: those on it.
        last: the list goes on after this place; None: it is at its end.
    """

    seats: list[tuple[Table, Seat, State]]
    last: Place | None
