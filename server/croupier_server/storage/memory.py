"""Stores that keep everything in memory, for as long as the process lives.

Must not be put here: anything on disk.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from croupier_server.storage.base import Done, FinishedMatch, LogRow, RecordEntry
from croupier_server.storage.codec import record_bytes


class MemoryLog:
    """A `TableLog` in memory. What is appended is stored at once."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[str, list[LogRow]] = {}

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        tables = self._rows
        for row in rows:
            kept = tables.get(row[0])
            if kept is None:
                kept = tables[row[0]] = []
            kept.append(row)
        done(None)

    def read(self, table_id: str, after: int = 0) -> Iterator[LogRow]:
        """See `TableLog.read`."""
        rows = self._rows.get(table_id, [])
        start = 0
        if after:
            last = [place for place, row in enumerate(rows) if row.sequence == after]
            start = last[0] + 1 if last else len(rows)
        return iter(rows[start:])

    def tables(self) -> tuple[str, ...]:
        """See `TableLog.tables`."""
        return tuple(self._rows)

    def forget(self, table_id: str) -> None:
        """See `TableLog.forget`."""
        self._rows.pop(table_id, None)


class MemoryRecords:
    """A `RecordStore` in memory.

    Args:
        records_max: the newest so many are kept.
    """

    __slots__ = ("_by_table", "_head", "_max", "_wakes")

    def __init__(self, records_max: int = 1_000) -> None:
        self._max = records_max
        self._head = 0
        self._by_table: OrderedDict[str, RecordEntry] = OrderedDict()
        self._wakes: dict[object, Callable[[], None]] = {}

    def put(self, match: FinishedMatch) -> RecordEntry:
        """See `RecordStore.put`."""
        self._head += 1
        entry = RecordEntry(
            self._head,
            match.table_id,
            match.kind,
            match.players,
            match.result,
            match.ended_ms,
            record_bytes(match),
        )
        self._by_table.pop(match.table_id, None)
        self._by_table[match.table_id] = entry
        while len(self._by_table) > self._max:
            self._by_table.popitem(last=False)
        for wake in tuple(self._wakes.values()):
            wake()
        return entry

    def get(self, table_id: str) -> RecordEntry | None:
        """See `RecordStore.get`."""
        return self._by_table.get(table_id)

    def newest(self, *, before: int | None, limit: int, kind: int = 0) -> list[RecordEntry]:
        """See `RecordStore.newest`."""
        found = (
            entry
            for entry in reversed(self._by_table.values())
            if (before is None or entry.position < before) and kind in (0, entry.kind)
        )
        return list(islice(found, limit))

    def since(self, position: int, limit: int) -> list[RecordEntry]:
        """See `RecordStore.since`."""
        found: list[RecordEntry] = []
        for entry in reversed(self._by_table.values()):
            if entry.position <= position:
                break
            found.append(entry)
        return found[::-1][:limit]

    def head(self) -> int:
        """See `RecordStore.head`."""
        return self._head

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """See `RecordStore.subscribe`."""
        key = object()
        self._wakes[key] = wake
        return lambda: self._wakes.pop(key, None) and None
