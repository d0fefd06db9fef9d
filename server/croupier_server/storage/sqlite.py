"""A store in one SQLite file.

The file is held by a lock beside it for as long as the store is open: one server a file. It is
written to by the thread of ``writer.py`` and read by threads of its own.

Must not be put here: statements (``sqlite_core.py``, ``sqlite_reading.py``, ``queries.py``).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from croupier_server.storage import queries, sqlite_reading
from croupier_server.storage.base import (
    BoardTable,
    Done,
    Durability,
    EndedRequest,
    FinishedMatch,
    LogRow,
    Store,
    StoredTable,
)
from croupier_server.storage.jobs import (
    Append,
    Committed,
    Core,
    Finish,
    Job,
)
from croupier_server.storage.packing import pieces
from croupier_server.storage.sql import SqlAudit, SqlKeys, SqlRecords
from croupier_server.storage.sqlite_file import SqliteFile
from croupier_server.storage.writer import Writer

T = TypeVar("T")

_log = structlog.get_logger(__name__)

_READERS: Final = 2


class JobWriter(Protocol):
    """Commits jobs; see `Writer`."""

    @property
    def trouble(self) -> str:
        """See `TableLog.trouble`."""
        ...

    @property
    def gone(self) -> Exception | None:
        """See `TableLog.gone`."""
        ...

    def put(self, job: Job) -> None:
        """Have *job* done after all before it."""
        ...

    async def close(self) -> None:
        """Return when all jobs are done or never will be."""
        ...


MakeWriter = Callable[
    [Core, Callable[[Sequence[Job], Committed], None], Callable[[], None]], JobWriter
]


class SqliteDatabase:
    """Runs queries on threads of their own; see `sql.Database`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="store reader")

    async def read(self, query: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, query)

    async def write(self, query: Callable[[Connection], T]) -> T:
        """See `Database.write`."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._write, query)

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """What *question* finds with the driver's own connection.

        Raises:
            OSError: nothing, as the file cannot be read now.
        """
        try:
            return await self.read(lambda connection: question(_driver(connection)))
        except (sqlite3.OperationalError, OperationalError) as error:
            raise OSError(str(error)) from error

    def _read(self, query: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            return query(connection)

    def _write(self, query: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            found = query(connection)
            connection.commit()
        return found

    async def close(self) -> None:
        """Let go of threads and connections, after the queries under way."""
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()


class SqliteLog:
    """A `TableLog` in a file.

    Args:
        core: writes to it.
        database: reads from it.
        has_shown: called when records have come to be shown.
        make_writer: has the core do its work, where and when it will.
    """

    def __init__(
        self,
        core: Core,
        database: SqliteDatabase,
        has_shown: Callable[[], None],
        make_writer: MakeWriter = Writer,
    ) -> None:
        self._database = database
        self._has_shown = has_shown
        self._watchers: list[Callable[[], None]] = []
        self._writer = make_writer(core, self._settle, self._changed)

    @property
    def trouble(self) -> str:
        """See `TableLog.trouble`."""
        return self._writer.trouble

    @property
    def gone(self) -> Exception | None:
        """See `TableLog.gone`."""
        return self._writer.gone

    def watch(self, changed: Callable[[], None]) -> None:
        """See `TableLog.watch`."""
        self._watchers.append(changed)

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        self._writer.put(Append(pieces(rows), done))

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """See `TableLog.finish`."""
        self._writer.put(Finish(match, done))

    async def tables(self) -> list[str]:
        """See `TableLog.tables`."""
        return await self._database.ask(sqlite_reading.tables)

    async def board_tables(self) -> list[BoardTable]:
        """See `TableLog.board_tables`."""
        return await self._database.read(queries.ended_of_boards)

    async def ended_requests(self) -> list[EndedRequest]:
        """See `TableLog.ended_requests`."""
        return await self._database.read(queries.requests_of_ended)

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        return await self._database.ask(partial(sqlite_reading.load, table_id=table_id))

    async def read(self, table_id: str) -> list[LogRow]:
        """See `TableLog.read`."""
        return await self._database.ask(partial(sqlite_reading.read, table_id=table_id))

    async def close(self) -> None:
        """See `TableLog.close`."""
        await self._writer.close()

    def _settle(self, jobs: Sequence[Job], committed: Committed) -> None:
        """Say what came of *jobs*."""
        for job, error in zip(jobs, committed.errors, strict=True):
            try:
                job.done(error)
            except Exception as fault:  # of whoever was told; the others are told nevertheless
                _log.error("commit not heard of", error=repr(fault))
        if committed.has_shown:
            self._has_shown()

    def _changed(self) -> None:
        for changed in self._watchers:
            changed()


async def open_sqlite(path: str, durability: Durability) -> Store:
    """The store in the file *path*, which is made if there is none.

    Raises:
        StoreError: it is held by another server, no file of ours, or cannot be opened.
    """
    file = await asyncio.to_thread(lambda: SqliteFile(Path(path).expanduser(), durability))
    database = SqliteDatabase(file.engine)
    records = SqlRecords(database)

    async def shut() -> None:
        await database.close()
        await asyncio.to_thread(file.close)

    log = SqliteLog(file.core, database, records.shown)
    return Store(log, records, SqlKeys(database), SqlAudit(database), "sqlite", shut)


def _driver(connection: Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
