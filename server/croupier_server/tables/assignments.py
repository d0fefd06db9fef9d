"""Seats by the principals that they are assigned to, and the streams that report them.

Only principals with keys are here: without keys all callers are one principal. The index follows
what is stored, so nobody learns of a seat before it is durable. Must not be put here: who may take
a seat (``tickets.py``).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from croupier_server.games.base import Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.tables import updates
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.feed import Feed, Owner
from croupier_server.tables.spec import Status
from croupier_server.tables.table import Table
from croupier_server.wire.encode import field_bytes, field_number, field_text

CAUGHT_UP: Final = field_bytes(3, b"")
"""``WatchSeatsResponse``: all seats were sent."""

SLICE: Final = 64
"""Maximum number of tables that a stream reports before other work gets its turn."""

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


def assignment(table: Table, seat: Seat, state: State, principal: str) -> bytes:
    """Payload of ``SeatAssignment``."""
    host = table.opening.creation.principal
    is_reserved = table.spec.seats[seat].player_id == principal and host != LOCAL
    return (
        field_bytes(1, table.seat_resource())
        + field_number(2, seat)
        + field_number(3, state)
        + field_text(4, host if is_reserved else "")
    )


class SeatAssignmentsFeed(Feed):
    """The seats of one principal as they come, change and go: payloads of ``WatchSeatsResponse``.

    It holds no queue: like the lobby it goes through the tables that were there at its start, and
    keeps the set of those that have changed since.

    Args:
        owner: whom it belongs to.
        assignments: the seats of every principal.
        principal: who reads it.
        kind: only seats at tables of this game; 0: all.
    """

    __slots__ = (
        "_assignments",
        "_is_ready",
        "_kind",
        "_last",
        "_pending",
        "_position",
        "_sent",
        "principal",
    )
    _END = 5

    def __init__(
        self, owner: Owner, assignments: SeatAssignments, principal: str, *, kind: int = 0
    ) -> None:
        super().__init__(owner)
        self.principal = principal
        self._assignments = assignments
        self._kind = kind
        self._position = 0
        """Number of the last table that was looked at, of those that were there at the start."""
        self._last = assignments.newest(principal)
        self._pending: dict[str, Table] = {}
        self._sent: dict[str, States] = {}
        """By table, the seats that the reader knows."""
        self._is_ready = False

    @property
    def has_more(self) -> bool:
        """See `Feed.has_more`."""
        return not self._is_ready

    def show(self, table: Table) -> None:
        """Seats or status of *table* have changed."""
        is_to_come = self._position < table.number <= self._last
        if self._kind in (0, table.spec.kind) and not is_to_come:
            self._pending[table.spec.table_id] = table
            self.wake()

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`. The first part of it, where there is much."""
        if self.is_done:
            return []
        out: list[bytes] = []
        if not self._is_ready:
            self._take_present(out)
        if self._is_ready:
            for table_id in list(islice(self._pending, SLICE)):
                self._take_table(out, self._pending.pop(table_id))
        if self._is_beating and self._is_ready:
            self._is_beating = False
            out.append(field_bytes(4, updates.time_heartbeat(now)))
        if self._ending:
            self._end(out, self._ending)
        return out

    def _take_present(self, out: list[bytes]) -> None:
        """Seats that were assigned at the start, and still are."""
        tables = self._assignments.tables_behind(self.principal, self._position, SLICE)
        for table in tables:
            if table.number > self._last:
                break
            self._position = table.number
            if self._kind in (0, table.spec.kind):
                self._take_table(out, table)
        if len(tables) < SLICE or tables[-1].number >= self._last:
            self._is_ready = True
            out.append(CAUGHT_UP)

    def _take_table(self, out: list[bytes], table: Table) -> None:
        """The seats at *table*: those that are assigned, and those that no longer are."""
        table_id = table.spec.table_id
        now = self._assignments.at(table, self.principal)
        for seat in self._sent.pop(table_id, _NONE):
            if seat not in now:
                out.append(field_bytes(2, field_text(1, table_id) + field_number(2, seat)))
        for seat, state in now.items():
            out.append(field_bytes(1, assignment(table, seat, state, self.principal)))
        if now:
            self._sent[table_id] = now
