"""A durable store for a command that works beside the server: records, keys and audit, but no log.

The server need not run, and is not disturbed if it does; it finds what has changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection

from croupier_server.config import without_password
from croupier_server.errors import Unavailable
from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import StoreError
from croupier_server.storage.database import Database
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.migrating import WrongSchema, expect_newest, upgrade
from croupier_server.storage.opening import split_url
from croupier_server.storage.records import RecordStore

_BUSY_S: Final = 10.0
"""So long a command waits for the server to have written."""


class Beside(NamedTuple):
    """What a command may work on while somebody serves from the same store."""

    records: RecordStore
    keys: KeyStore
    audit: AuditLog


@asynccontextmanager
async def beside(url: str, *, may_make: bool = False) -> AsyncIterator[Beside]:
    """The store that *url* names, for as long as the context lasts.

    A database that is still empty gets its tables; one of another version is left alone, since a
    server of that version may be using it. A file is made where it *may_make* one.

    Raises:
        StoreError: it is in memory, is not there, cannot be opened, or is not of this version.
    """
    kind, place = split_url(url)
    if kind == "memory":
        raise StoreError("store: a store in memory is accessible only to its own server")
    opened = _sqlite(place, may_make=may_make) if kind == "sqlite" else _postgres(url)
    async with opened as database:
        yield Beside(RecordStore(database), KeyStore(database), AuditLog(database))


@asynccontextmanager
async def _sqlite(place: str, *, may_make: bool) -> AsyncIterator[Database]:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError

    from croupier_server.storage.sqlite import SqliteDatabase
    from croupier_server.storage.sqlite_file import SqliteFile

    path = Path(place).expanduser()  # noqa: ASYNC240 - a command has nothing else to do
    if not (path.is_file() and path.stat().st_size):
        if not may_make:
            raise StoreError(f"store: there is no store in {path}")
        SqliteFile(path, "power").close()  # nobody can be serving from it

    def connect() -> sqlite3.Connection:
        raw = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        raw.execute("PRAGMA synchronous=FULL")
        return raw

    database = SqliteDatabase(create_engine("sqlite://", hide_parameters=True, creator=connect))
    try:
        await database.write(_prepare)
        yield database
    except WrongSchema as error:
        raise StoreError(f"store: {path} {error}") from None
    except (sqlite3.Error, DBAPIError) as error:
        raise StoreError(f"store: {path}: {getattr(error, 'orig', error)}") from None
    finally:
        await database.close()


@asynccontextmanager
async def _postgres(url: str) -> AsyncIterator[Database]:
    from croupier_server.storage.postgres_pool import PostgresPool, pooled
    from croupier_server.storage.postgres_session import LOST, plain

    name = without_password(url)
    engine = pooled(url)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_prepare)
        yield PostgresPool(engine, fence=None)
    except WrongSchema as error:
        raise StoreError(f"store {name}: {error}") from None
    except (ValueError, *LOST) as error:  # the former: the URL cannot be read
        raise StoreError(f"store {name}: {plain(error)}") from None
    except Unavailable as error:
        raise StoreError(f"store {name}: {error.message}") from None
    finally:
        await engine.dispose()


def _prepare(connection: Connection) -> None:
    """Make sure of the newest schema; an empty database gets its tables."""
    if not expect_newest(connection):
        upgrade(connection)
