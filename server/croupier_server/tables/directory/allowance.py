"""Daily allowances of rows that principals may write without playing a match.

Every call that writes rows before a match is charged for them: making a table, sitting down,
leaving, opening a nonce. A match that is played gives its table's charges back. If it ends too
early to count as played, whoever ended it pays for its rows too. So a principal that plays is never
limited, and one that makes tables without playing cannot fill the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from croupier_server.errors import Exhausted, Reason
from croupier_server.games.base import EndReason, Seat
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import LogRow
from croupier_server.tables.match.table import Table

DAY_MS: Final = 86_400_000
PLAYED_EVENTS: Final = 64
"""A match with at least this many events was played, however it ended."""

_ROW_BYTES: Final = 64
"""Overhead of a row in a store and its indexes."""

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
    """A bucket of bytes for each principal, which refills within a day.

    The buckets are in memory, so a restart refills them. Charges that are never refused, such as
    retaking a seat during a match, may overdraw a bucket.

    Args:
        per_day: bytes that a bucket holds and gains a day; 0: no limit.
        now_ms: the time.
    """

    __slots__ = ("_buckets", "_held", "_now_ms", "_per_day")

    def __init__(self, per_day: int, now_ms: Callable[[], int]) -> None:
        self._per_day = per_day
        self._now_ms = now_ms
        self._buckets: dict[str, tuple[float, int]] = {}
        """Bytes left when a bucket last changed, and that time, by principal."""
        self._held: dict[str, dict[Seat | None, tuple[str, int]]] = {}
        """Charges that are given back if the match is played, by table and seat (None: the table
        itself): the principal and the bytes."""

    def expect(self, principal: str) -> None:
        """Raise if the bucket of *principal* is empty.

        Raises:
            Exhausted: RATE_LIMITED; retry after its delay.
        """
        left = self._left(principal)
        if left <= 0:
            raise Exhausted(
                Reason.RATE_LIMITED,
                f"your tables without a played match have used up the {self._per_day // _MEGABYTE} "
                "MB of rows that a principal may write per day; wait for the retry delay, or play "
                "a match",
                retry_ms=int((1 - left) * DAY_MS / self._per_day) + 1,
            )

    def charge(
        self, principal: str, table_id: str, rows: Iterable[LogRow], seat: Seat | None = None
    ) -> None:
        """Charge *principal* for *rows* of a table; only the last charge of each seat is given back
        when a match is played."""
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
        """Give back all charges of *table*, of which nothing was stored."""
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
    """Whether the match of *table*, which has ended, counts as played: it finished, had
    `PLAYED_EVENTS`, or was halted through no fault of its players."""
    assert table.ending is not None
    began_at = table.opening.began_at
    if began_at is None:
        return table.ending.reason is EndReason.HALTED
    if table.ending.reason in (EndReason.FINISHED, EndReason.ADJUDICATED, EndReason.HALTED):
        return True
    return table.journal.sequence - began_at >= PLAYED_EVENTS
