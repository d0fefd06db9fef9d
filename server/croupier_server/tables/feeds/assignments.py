"""Streams of the seats that are assigned to one principal."""

from __future__ import annotations

from itertools import islice
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.directory.assignments import SeatAssignments, State, States
from croupier_server.tables.feeds.feed import Feed, Owner
from croupier_server.tables.match import updates
from croupier_server.tables.match.table import Table
from croupier_server.wire.encode import field_bytes, field_number, field_text

CAUGHT_UP: Final = field_bytes(3, b"")
"""``WatchSeatsResponse``: all seats were sent."""

SLICE: Final = 64
"""Maximum number of tables that a stream reports before other work gets its turn."""


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
        for seat in self._sent.pop(table_id, ()):
            if seat not in now:
                out.append(field_bytes(2, field_text(1, table_id) + field_number(2, seat)))
        for seat, state in now.items():
            out.append(field_bytes(1, assignment(table, seat, state, self.principal)))
        if now:
            self._sent[table_id] = now
