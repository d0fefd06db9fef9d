"""A store that keeps everything in memory, for as long as the process lives."""

from __future__ import annotations

import marshal
import secrets
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from croupier_server.storage.base import (
    ENDED_REQUESTS_MAX,
    NO_PRIVATE,
    AuditEntry,
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    KeyExists,
    LogRow,
    NoRows,
    RecordEntry,
    Store,
    StoredDeal,
    StoredKey,
    StoredTable,
)
from croupier_server.storage.codec import record_bytes
from croupier_server.storage.held import HeldRecords
from croupier_server.storage.packing import since_last_deals

_RECENT: Final = 256
"""About as many rows as a table keeps for its readers, who share them with the log."""

_PACKED: Final = 64
"""So many older rows are packed together."""


class _Rows:
    """The rows of one table. A row that nobody else holds takes a third of the room as part of a
    packed piece, and long matches have many."""

    __slots__ = ("_packed", "carried", "deals", "recent", "table_id")

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.deals: list[StoredDeal] = []
        self.carried = b""
        self._packed: list[bytes] = []
        self.recent: list[LogRow] = []

    def pack(self) -> None:
        """Put the oldest recent rows together."""
        rows = [
            (epoch, sequence, public, dict(private) if private else None, cause, kept)
            for _, epoch, sequence, public, private, cause, kept, _ in self.recent[:_PACKED]
        ]
        self._packed.append(marshal.dumps(rows))
        del self.recent[:_PACKED]

    def __iter__(self) -> Iterator[LogRow]:
        for piece in self._packed:
            for epoch, sequence, public, private, *rest in marshal.loads(piece):  # noqa: S302 - ours
                yield LogRow(self.table_id, epoch, sequence, public, private or NO_PRIVATE, *rest)
        yield from self.recent


class MemoryRecords:
    """A `RecordStore` in memory.

    Args:
        records_max: the newest so many are kept.
        bytes_max: the newest are kept that together are no longer than this, and one in any case.
    """

    __slots__ = (
        "_by_table",
        "_bytes",
        "_bytes_max",
        "_head",
        "_held",
        "_lineage",
        "_max",
        "_newest",
        "_voidings",
        "_wakes",
    )

    def __init__(self, records_max: int = 1_000, bytes_max: int = 1 << 30) -> None:
        self._max = records_max
        self._bytes_max = bytes_max
        self._bytes = 0
        self._head = 0
        self._lineage = secrets.token_bytes(8)
        self._by_table: dict[str, RecordEntry] = {}
        self._newest: list[RecordEntry] = []
        """By position; the newest is the last."""
        self._voidings: dict[str, int] = {}
        """Positions, by table and in their order."""
        self._held = HeldRecords()
        self._wakes: dict[object, Callable[[], None]] = {}

    def keep(self, match: FinishedMatch, record: bytes | None) -> None:
        """Show the record of *match* now, or with its board; None: it leaves none."""
        if record is not None:
            self._show(self._held.add(match, _entry(match, record)))

    def board_tables(self) -> list[BoardTable]:
        """See `TableLog.board_tables`."""
        return self._held.board_tables()

    def _show(self, entries: Sequence[RecordEntry]) -> None:
        for held in entries:
            old = self._by_table.get(held.table_id)
            if old is not None:
                self._drop(self._after(old.position - 1))
            self._head += 1
            entry = held._replace(position=self._head)
            self._by_table[entry.table_id] = entry
            self._newest.append(entry)
            self._bytes += len(entry.record)
        while len(self._newest) > self._max or (
            self._bytes > self._bytes_max and len(self._newest) > 1
        ):
            self._drop(0)
        if entries:
            self._wake()

    def _wake(self) -> None:
        for wake in tuple(self._wakes.values()):
            wake()

    def _drop(self, place: int) -> None:
        entry = self._newest.pop(place)
        del self._by_table[entry.table_id]
        self._voidings.pop(entry.table_id, None)
        self._bytes -= len(entry.record)

    def _after(self, position: int) -> int:
        """Place in `_newest` of the first record behind *position*."""
        return bisect_right(self._newest, position, key=lambda entry: entry.position)

    async def get(self, table_id: str) -> RecordEntry | None:
        """See `RecordStore.get`."""
        return self._by_table.get(table_id)

    async def newest(
        self, *, before: int | None, limit: int, kind: int = 0, is_public: bool = False
    ) -> list[RecordEntry]:
        """See `RecordStore.newest`."""
        end = len(self._newest) if before is None else self._after(before - 1)
        found = (self._newest[place] for place in reversed(range(end)))
        wanted = (
            entry
            for entry in found
            if kind in (0, entry.kind) and not (is_public and entry.readers is not None)
        )
        return [entry._replace(record=b"") for entry in islice(wanted, limit)]

    async def since(self, position: int, limit: int) -> list[RecordEntry]:
        """See `RecordStore.since`."""
        start = self._after(position)
        voidings = (
            self._by_table[table_id]._replace(position=place, record=b"", is_voiding=True)
            for table_id, place in self._voidings.items()
            if place > position
        )
        found = [*self._newest[start : start + limit], *islice(voidings, limit)]
        return sorted(found, key=lambda entry: entry.position)[:limit]

    async def head(self) -> int:
        """See `RecordStore.head`."""
        return self._head

    async def lineage(self) -> bytes:
        """See `RecordStore.lineage`."""
        return self._lineage

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """See `RecordStore.subscribe`."""
        key = object()
        self._wakes[key] = wake
        return lambda: self._wakes.pop(key, None) and None

    async def void(self, table_id: str) -> bool:
        """See `RecordStore.void`."""
        entry = self._by_table.get(table_id)
        if entry is None:
            return self._held.void(table_id)
        if entry.voided:
            return True
        self._head += 1
        self._voidings[table_id] = self._head
        voided = entry._replace(voided=True)
        self._by_table[table_id] = voided
        self._newest[self._after(entry.position - 1)] = voided
        self._wake()
        return True

    async def purge(self, before_ms: int) -> int:
        """See `RecordStore.purge`."""
        places = [place for place, entry in enumerate(self._newest) if entry.ended_ms < before_ms]
        for place in reversed(places):
            self._drop(place)
        return len(places) + self._held.purge(before_ms)


def _entry(match: FinishedMatch, record: bytes) -> RecordEntry:
    return RecordEntry(
        0,
        match.table_id,
        match.kind,
        match.players,
        match.result,
        match.ended_ms,
        record,
        readers=match.readers,
    )


class MemoryLog:
    """A `TableLog` in memory. What is appended is stored at once.

    Attributes:
        records: where finished matches go.
    """

    __slots__ = ("_requests", "_tables", "records")

    trouble: Final = ""
    gone: Final = None

    def __init__(self, records: MemoryRecords | None = None) -> None:
        self._tables: dict[str, _Rows] = {}
        self._requests: deque[EndedRequest] = deque(maxlen=ENDED_REQUESTS_MAX)
        self.records = MemoryRecords() if records is None else records

    def watch(self, changed: Callable[[], None]) -> None:
        """Nothing ever goes wrong with memory."""

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        tables = self._tables
        for row in rows:
            kept = tables.get(row[0])
            if kept is None:
                kept = tables[row[0]] = _Rows(row[0])
            if row.deal is not None:
                kept.deals.append(StoredDeal(row.sequence, row.deal.results))
                kept.carried = row.deal.carried
                row = row._replace(deal=None)  # noqa: PLW2901
            recent = kept.recent
            recent.append(row)
            if len(recent) >= _RECENT + _PACKED:
                kept.pack()
        done(None)

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """See `TableLog.finish`."""
        rows = self._tables.get(match.table_id)
        if rows is None:
            done(NoRows(match.table_id))
            return
        try:
            self.records.keep(match, record_bytes(match, rows) if match.leaves_record else None)
        except Exception as error:  # the caller says what became of it
            done(error)
            return
        del self._tables[match.table_id]
        if (request := match.ended_request) is not None:
            self._requests.append(request)
        done(None)

    async def tables(self) -> tuple[str, ...]:
        """See `TableLog.tables`."""
        return tuple(self._tables)

    async def board_tables(self) -> list[BoardTable]:
        """See `TableLog.board_tables`."""
        return self.records.board_tables()

    async def ended_requests(self) -> list[EndedRequest]:
        """See `TableLog.ended_requests`."""
        return list(self._requests)

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        kept = self._tables.get(table_id)
        if kept is None:
            return None
        rows = list(kept)
        deals = tuple(kept.deals)
        since = since_last_deals(rows, deals)
        return StoredTable(table_id, rows[-1].epoch, rows[0], deals, kept.carried, since)

    async def read(self, table_id: str) -> list[LogRow]:
        """See `TableLog.read`."""
        return list(self._tables.get(table_id, ()))

    async def close(self) -> None:
        """There is nothing to wait for."""


class MemoryKeys:
    """A `KeyStore` in memory."""

    def __init__(self) -> None:
        self._keys: dict[str, StoredKey] = {}
        self._version = 0

    async def add(self, key: StoredKey) -> None:
        """See `KeyStore.add`."""
        if key.key_id in self._keys:
            raise KeyExists(key.key_id)
        self._keys[key.key_id] = key
        self._version += 1

    async def all(self) -> list[StoredKey]:
        """See `KeyStore.all`."""
        return list(self._keys.values())

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        """See `KeyStore.revoke`."""
        key = self._keys.get(key_id)
        if key is None or key.revoked_ms is not None:
            return False
        self._keys[key_id] = key._replace(revoked_ms=now_ms)
        self._version += 1
        return True

    async def version(self) -> int:
        """See `KeyStore.version`."""
        return self._version


class MemoryAudit:
    """An `AuditLog` in memory."""

    def __init__(self) -> None:
        self._entries: list[AuditEntry] = []

    async def add(self, entry: AuditEntry) -> None:
        """See `AuditLog.add`."""
        self._entries.append(entry)

    async def newest(self, before: int | None, limit: int) -> list[tuple[int, AuditEntry]]:
        """See `AuditLog.newest`."""
        end = len(self._entries) if before is None else max(before - 1, 0)
        found = list(enumerate(self._entries[:end], 1))
        return found[::-1][:limit]


def memory_store(records_max: int = 1_000, bytes_max: int = 1 << 30) -> Store:
    """A `Store` in memory; see `MemoryRecords`."""
    records = MemoryRecords(records_max, bytes_max)

    async def shut() -> None:
        """Memory holds nothing open."""

    return Store(MemoryLog(records), records, MemoryKeys(), MemoryAudit(), "memory", shut)
