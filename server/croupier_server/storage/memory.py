"""A store that keeps everything in memory, for as long as the process lives.

The log of live tables is a dictionary, as every move goes there; all else is in SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine, StaticPool, create_engine

from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import (
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    LogRow,
    NoRows,
    Store,
    StoredDeal,
    StoredTable,
)
from croupier_server.storage.codec import record_of_bodies, row_body
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.packing import Piece, bodies, pieces, since_last_deals, unpack
from croupier_server.storage.records import (
    RecordStore,
    drop_record,
    ended_of_boards,
    keep_record,
    requests_of_ended,
    sizes_of_records,
)
from croupier_server.storage.schema import make_tables

T = TypeVar("T")

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
        self._packed: list[Piece] = []
        self.recent: list[LogRow] = []

    def pack(self) -> None:
        """Put the oldest recent rows together."""
        self._packed += pieces(self.recent[:_PACKED])
        del self.recent[:_PACKED]

    def __iter__(self) -> Iterator[LogRow]:
        for piece in self._packed:
            yield from unpack(self.table_id, piece.epoch, piece.packed)
        yield from self.recent

    def bodies(self) -> Iterator[bytes]:
        """The rows as a record wants them."""
        for piece in self._packed:
            yield from bodies(piece.packed)
        yield from map(row_body, self.recent)


class MemoryDatabase:
    """A `Database` in memory, made when it is first used; whoever asks, waits."""

    @cached_property
    def _engine(self) -> Engine:
        engine = create_engine(
            "sqlite://",
            hide_parameters=True,
            poolclass=StaticPool,
            connect_args={"check_same_thread": False},
        )
        with engine.begin() as connection:
            make_tables(connection)
        return engine

    def run(self, query: Callable[[Connection], T]) -> T:
        """What *query* finds, in a transaction."""
        with self._engine.begin() as connection:
            return query(connection)

    async def read(self, query: Callable[[Connection], T]) -> T:
        return self.run(query)

    async def write(self, query: Callable[[Connection], T]) -> T:
        return self.run(query)


class MemoryRecords(RecordStore):
    """The records in memory; the oldest make room for new ones.

    Args:
        records_max: the newest so many are kept.
        bytes_max: the newest are kept that together are no longer than this, and one in any case.

    Attributes:
        database: has them.
    """

    def __init__(self, records_max: int = 1_000, bytes_max: int = 1 << 30) -> None:
        self.database = MemoryDatabase()
        super().__init__(self.database)
        self._max = records_max
        self._bytes_max = bytes_max
        self._sizes: dict[str, int] = {}
        """Bytes of each record, by table, the oldest first."""
        self._bytes = 0

    def keep(self, match: FinishedMatch, record: bytes) -> None:
        """Keep what is left of *match*."""

        def keep(connection: Connection) -> bool:
            has_shown = keep_record(connection, match, record)
            if match.leaves_record:
                self._make_room(connection, match.table_id, len(record))
            return has_shown

        if self.database.run(keep):
            self.shown()

    def _make_room(self, connection: Connection, table_id: str, size: int) -> None:
        """Drop the oldest records, and give up the boards that they are held for."""
        self._bytes += size - self._sizes.pop(table_id, 0)
        self._sizes[table_id] = size
        while len(self._sizes) > self._max or (
            self._bytes > self._bytes_max and len(self._sizes) > 1
        ):
            oldest = next(iter(self._sizes))
            self._bytes -= self._sizes.pop(oldest)
            drop_record(connection, oldest)

    async def purge(self, before_ms: int) -> int:
        number = await super().purge(before_ms)
        self._sizes = dict(self.database.run(sizes_of_records))
        self._bytes = sum(self._sizes.values())
        return number


class MemoryLog:
    """A `TableLog` in memory. What is appended is stored at once.

    Attributes:
        records: where finished matches go.
    """

    __slots__ = ("_tables", "records")

    trouble: Final = ""
    gone: Final = None

    def __init__(self, records: MemoryRecords | None = None) -> None:
        self._tables: dict[str, _Rows] = {}
        self.records = MemoryRecords() if records is None else records

    def watch(self, changed: Callable[[], None]) -> None:
        """Nothing ever goes wrong with memory."""

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
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
        rows = self._tables.get(match.table_id)
        if rows is None:
            done(NoRows(match.table_id))
            return
        try:
            record = record_of_bodies(match, rows.bodies()) if match.leaves_record else b""
            self.records.keep(match, record)
        except Exception as error:  # the caller says what became of it
            done(error)
            return
        del self._tables[match.table_id]
        done(None)

    async def tables(self) -> tuple[str, ...]:
        return tuple(self._tables)

    async def board_tables(self) -> list[BoardTable]:
        return self.records.database.run(ended_of_boards)

    async def ended_requests(self) -> list[EndedRequest]:
        return self.records.database.run(requests_of_ended)

    async def load(self, table_id: str) -> StoredTable | None:
        kept = self._tables.get(table_id)
        if kept is None:
            return None
        rows = list(kept)
        deals = tuple(kept.deals)
        since = since_last_deals(rows, deals)
        return StoredTable(table_id, rows[-1].epoch, rows[0], deals, kept.carried, since)

    async def read(self, table_id: str) -> list[LogRow]:
        return list(self._tables.get(table_id, ()))

    async def close(self) -> None:
        """There is nothing to wait for."""


def memory_store(records_max: int = 1_000, bytes_max: int = 1 << 30) -> Store:
    """A `Store` in memory; see `MemoryRecords`."""
    records = MemoryRecords(records_max, bytes_max)

    async def shut() -> None:
        """Memory holds nothing open."""

    keys, audit = KeyStore(records.database), AuditLog(records.database)
    return Store(MemoryLog(records), records, keys, audit, "memory", shut)
