"""A store in one SQLite file.

The file is held by a lock beside it for as long as the store is open: one server a file. It is
written to by the thread of ``writer.py`` and read by threads of its own.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import Durability, Store
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.log import StoredLog
from croupier_server.storage.reading import SQLITE
from croupier_server.storage.records import RecordStore
from croupier_server.storage.sqlite_file import SqliteFile

T = TypeVar("T")

_READERS: Final = 2


class SqliteDatabase:
    """A `LogDatabase` that runs queries on threads of their own."""

    statements = SQLITE

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="store reader")

    async def read(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, query)

    async def write(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._write, query)

    async def ask(self, statement: str, *values: str) -> list[Any]:
        """See `LogDatabase.ask`; by the driver's own connection.

        Raises:
            OSError: the file cannot be read now.
        """
        try:
            return await self.read(
                lambda connection: _driver(connection).execute(statement, values).fetchall()
            )
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


async def open_sqlite(path: str, durability: Durability) -> Store:
    """The store in the file *path*, which is made if there is none.

    Raises:
        StoreError: it is held by another server, no file of ours, or cannot be opened.
    """
    file = await asyncio.to_thread(lambda: SqliteFile(Path(path).expanduser(), durability))
    database = SqliteDatabase(file.engine)
    records = RecordStore(database)

    async def shut() -> None:
        await database.close()
        await asyncio.to_thread(file.close)

    log = StoredLog(file.core, database, records.shown)
    return Store(log, records, KeyStore(database), AuditLog(database), "sqlite", shut)


def _driver(connection: Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
