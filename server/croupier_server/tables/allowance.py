"""How much each principal may have stored for tables at which no match is played.

Every call that writes rows before a match is charged for them: making a table, sitting down,
leaving, opening a nonce. A match that is played gives its tables' charges back. One that ends
before that costs whoever ended it the rest of its rows. So a principal that plays is never held
up, and one that makes tables for nothing can fill the disk only so fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from croupier_server.errors import Exhausted, Reason
from croupier_server.games.base import EndReason, Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import LogRow
from croupier_server.tables.table import Table

DAY_MS: Final = 86_400_000
PLAYED_EVENTS: Final = 64
"""A match with at least this many events was played, however it ended."""

_ROW_BYTES: Final = 64
"""What a row takes besides what is in it, in a store and its indexes."""

_MEGABYTE: Final = 1 << 20


def size_of(rows: Iterable[LogRow]) -> int:
    """Bytes that *rows* take in a store, approximately."""
    return sum(
        _ROW_BYTES
        + len(row.public)
        + len(row.input)
        + len(row.kept)
        + sum(map(len, row.private.values()))
        for row in rows
    )


class Allowances:
    """A bucket of bytes for each principal, which fills within a day.

    The buckets are in memory: a restart fills them. Buckets may be overdrawn by what is charged
    and never refused, such as taking a seat again while a match is on.

    Args:
        per_day: bytes that a bucket holds and gets in a day; 0: there is no limit.
        now_ms: the time.
    """

    __slots__ = ("_buckets", "_held", "_now_ms", "_per_day")

    def __init__(self, per_day: int, now_ms: Callable[[], int]) -> None:
        self._per_day = per_day
        self._now_ms = now_ms
        self._buckets: dict[str, tuple[float, int]] = {}
        """What was left by principal, and when."""
        self._held: dict[str, dict[Seat | None, tuple[str, int]]] = {}
        """By table, what is given back if a match is played: to whom and how much, by seat, and for
        the table itself by None."""

    def expect(self, principal: str) -> None:
        """Raise if the bucket of *principal* is empty.

        Raises:
            Exhausted: RATE_LIMITED; waiting as long as it says helps.
        """
        left = self._left(principal)
        if left <= 0:
            raise Exhausted(
                Reason.RATE_LIMITED,
                f"your tables without a played match have used up the {self._per_day // _MEGABYTE} "
                "MB of rows that a principal may write a day; wait, or play",
                retry_ms=int((1 - left) * DAY_MS / self._per_day) + 1,
            )

    def charge(
        self, principal: str, table_id: str, rows: Iterable[LogRow], seat: Seat | None = None
    ) -> None:
        """Take *rows* of a table out of the bucket of *principal*; only the last charge of each
        seat is given back when a match is played."""
        if self._per_day and principal != HOUSE:
            size = size_of(rows)
            self._take(principal, size)
            self._held.setdefault(table_id, {})[seat] = (principal, size)

    def add(self, principal: str, table_id: str, rows: Iterable[LogRow], seat: Seat) -> None:
        """As `charge`, but given back together with the last charge of the seat."""
        before = self._held.get(table_id, {}).get(seat)
        self.charge(principal, table_id, rows, seat)
        held = self._held.get(table_id)
        if held is not None and before is not None and before[0] == principal:
            held[seat] = (principal, before[1] + held[seat][1])

    def ended(self, table: Table) -> None:
        """Settle what *table*, whose match has ended, was charged."""
        held = self._held.pop(table.spec.table_id, {})
        if not self._per_day:
            return
        if was_played(table):
            for principal, size in held.values():
                self._take(principal, -size)
            return
        assert table.ending is not None
        seat, began_at = table.ending.seat, table.opening.began_at
        owner = table.opening.creation.principal if seat is None else table.seats[seat].owner
        if began_at is not None and owner not in ("", HOUSE):
            self._take(owner, size_of(row for row in table.journal.kept if row.sequence > began_at))

    def forget(self, table: Table) -> None:
        """*table* was given up: nothing of it was stored."""
        for principal, size in self._held.pop(table.spec.table_id, {}).values():
            self._take(principal, -size)

    def _left(self, principal: str) -> float:
        found = self._buckets.get(principal)
        if found is None:
            return float(self._per_day or 1)
        left, seen_ms = found
        came = max(self._now_ms() - seen_ms, 0) * self._per_day / DAY_MS
        return min(left + came, float(self._per_day))

    def _take(self, principal: str, size: int) -> None:
        left = max(self._left(principal) - size, -float(self._per_day))
        self._buckets[principal] = (min(left, float(self._per_day)), self._now_ms())


def was_played(table: Table) -> bool:
    """Whether the match of *table*, which has ended, was more than begun, or stopped for no fault
    of its players."""
    assert table.ending is not None
    began_at = table.opening.began_at
    if began_at is None:
        return table.ending.reason is EndReason.HALTED
    if table.ending.reason in (EndReason.FINISHED, EndReason.ADJUDICATED, EndReason.HALTED):
        return True
    return table.journal.sequence - began_at >= PLAYED_EVENTS
