"""Stores that keep everything in memory, for as long as the process lives.

Must not be put here: anything on disk.
"""

from __future__ import annotations

import marshal
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from croupier_server.storage.base import NO_PRIVATE, Done, FinishedMatch, LogRow, RecordEntry
from croupier_server.storage.codec import record_bytes

_RECENT: Final = 256
"""About as many rows as a table keeps for its readers, who share them with the log."""

_PACKED: Final = 64
"""So many older rows are packed together."""


class _Rows:
    """The rows of one table. A row that nobody else holds takes a third of the room as part of a
    packed piece, and long matches have many."""

    __slots__ = ("_packed", "recent", "table_id")

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self._packed: list[bytes] = []
        self.recent: list[LogRow] = []

    def pack(self) -> None:
        """Put the oldest recent rows together."""
        rows = [
            (epoch, sequence, public, dict(private) if private else None, cause)
            for _, epoch, sequence, public, private, cause in self.recent[:_PACKED]
        ]
        self._packed.append(marshal.dumps(rows))
        del self.recent[:_PACKED]

    def __iter__(self) -> Iterator[LogRow]:
        for piece in self._packed:
            for epoch, sequence, public, private, cause in marshal.loads(piece):  # noqa: S302 - ours
                yield LogRow(self.table_id, epoch, sequence, public, private or NO_PRIVATE, cause)
        yield from self.recent


class MemoryLog:
    """A `TableLog` in memory. What is appended is stored at once."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[str, _Rows] = {}

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        tables = self._tables
        for row in rows:
            kept = tables.get(row[0])
            if kept is None:
                kept = tables[row[0]] = _Rows(row[0])
            recent = kept.recent
            recent.append(row)
            if len(recent) >= _RECENT + _PACKED:
                kept.pack()
        done(None)

    def read(self, table_id: str, after: int = 0) -> Iterator[LogRow]:
        """See `TableLog.read`."""
        rows = list(self._tables.get(table_id, ()))
        start = 0
        if after:
            last = [place for place, row in enumerate(rows) if row.sequence == after]
            start = last[0] + 1 if last else len(rows)
        return iter(rows[start:])

    def tables(self) -> tuple[str, ...]:
        """See `TableLog.tables`."""
        return tuple(self._tables)

    def forget(self, table_id: str) -> None:
        """See `TableLog.forget`."""
        self._tables.pop(table_id, None)


class MemoryRecords:
    """A `RecordStore` in memory.

    Args:
        records_max: the newest so many are kept.
        bytes_max: the newest are kept that together are no longer than this, and one in any case.
    """

    __slots__ = ("_by_table", "_bytes", "_bytes_max", "_head", "_max", "_newest", "_wakes")

    def __init__(self, records_max: int = 1_000, bytes_max: int = 1 << 30) -> None:
        self._max = records_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._head = 0
        self._by_table: dict[str, RecordEntry] = {}
        self._newest: list[RecordEntry] = []
        """By position; the newest is the last."""
        self._wakes: dict[object, Callable[[], None]] = {}

    def put(self, match: FinishedMatch) -> RecordEntry:
        """See `RecordStore.put`."""
        record = record_bytes(match)
        old = self._by_table.get(match.table_id)
        if old is not None:
            self._drop(self._after(old.position - 1))
        self._head += 1
        entry = RecordEntry(
            self._head,
            match.table_id,
            match.kind,
            match.players,
            match.result,
            match.ended_ms,
            record,
        )
        self._by_table[match.table_id] = entry
        self._newest.append(entry)
        self._bytes += len(record)
        while len(self._newest) > self._max or (
            self._bytes > self._bytes_max and len(self._newest) > 1
        ):
            self._drop(0)
        for wake in tuple(self._wakes.values()):
            wake()
        return entry

    def _drop(self, place: int) -> None:
        entry = self._newest.pop(place)
        del self._by_table[entry.table_id]
        self._bytes -= len(entry.record)

    def _after(self, position: int) -> int:
        """Place in `_newest` of the first record behind *position*."""
        return bisect_right(self._newest, position, key=lambda entry: entry.position)

    def get(self, table_id: str) -> RecordEntry | None:
        """See `RecordStore.get`."""
        return self._by_table.get(table_id)

    def newest(self, *, before: int | None, limit: int, kind: int = 0) -> list[RecordEntry]:
        """See `RecordStore.newest`."""
        end = len(self._newest) if before is None else self._after(before - 1)
        found = (self._newest[place] for place in reversed(range(end)))
        return list(islice((entry for entry in found if kind in (0, entry.kind)), limit))

    def since(self, position: int, limit: int) -> list[RecordEntry]:
        """See `RecordStore.since`."""
        start = self._after(position)
        return self._newest[start : start + limit]

    def head(self) -> int:
        """See `RecordStore.head`."""
        return self._head

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """See `RecordStore.subscribe`."""
        key = object()
        self._wakes[key] = wake
        return lambda: self._wakes.pop(key, None) and None
