"""Opening the file of a store: lock, schema, and whether it is ours and whole."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, QueuePool, StaticPool, create_engine
from sqlalchemy.exc import DBAPIError

from croupier_server.storage.base import Durability, StoreError
from croupier_server.storage.file_lock import FileLock, HeldElsewhere
from croupier_server.storage.migrating import WrongSchema, expect_known, upgrade
from croupier_server.storage.sqlite_core import SqliteCore

APPLICATION: Final = int.from_bytes(b"Crpr", "big")
"""The SQLite application id of a store."""

BACKUP: Final = int.from_bytes(b"Crpb", "big")
"""That of a backup, from which nobody serves as it is."""

_OLDEST: Final = (3, 35, 0)
"""Has RETURNING."""

_BUSY_S: Final = 10.0
"""So long one waits for another that writes, such as a command that purges."""

_CHECKED_BYTES: Final = 64 << 20
"""A file of this size is checked in a fraction of a second; larger ones are not gone through."""

_WAL_BYTES: Final = 64 << 20
"""To which the log of changes shrinks again after it had to grow."""

_SYNCHRONOUS: Final = {"power": "FULL", "process": "NORMAL"}


class SqliteFile:
    """A file that is open, and held.

    Attributes:
        core: writes to it.
        engine: for everything else.

    Raises:
        StoreError: it is held by another server, no file of ours, or cannot be opened.
    """

    def __init__(self, path: Path, durability: Durability) -> None:
        if sqlite3.sqlite_version_info < _OLDEST:
            raise StoreError(
                f"store: SQLite {sqlite3.sqlite_version} is too old; at least 3.35 is required"
            )
        self._path = path
        self._durability = durability
        with contextlib.ExitStack() as stack, told(path):
            _make(path)
            self._lock = hold(path)
            stack.callback(self._lock.release)
            self.engine = self._engine()
            stack.callback(self.engine.dispose)
            self._prepare()
            self._raw = self._connect()
            stack.callback(self._raw.close)
            own = create_engine(
                "sqlite://", hide_parameters=True, creator=lambda: self._raw, poolclass=StaticPool
            )
            connection = stack.enter_context(own.connect())
            self.core = SqliteCore(self._raw, connection, str(path), _files(path))
            self._closing = stack.pop_all()

    def close(self) -> None:
        """Let go of the file."""
        self._closing.close()

    def _connect(self) -> sqlite3.Connection:
        raw = sqlite3.connect(
            self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        raw.execute(f"PRAGMA synchronous={_SYNCHRONOUS[self._durability]}")
        raw.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
        return raw

    def _engine(self) -> Engine:
        return create_engine(
            "sqlite://", hide_parameters=True, creator=self._connect, poolclass=QueuePool
        )

    def _prepare(self) -> None:
        """See that the file is ours and whole, and bring it to the newest schema."""
        with self.engine.connect() as connection:
            if connection.exec_driver_sql("PRAGMA schema_version").scalar_one():
                self._expect_ours(connection)
            mode = connection.exec_driver_sql("PRAGMA journal_mode=WAL").scalar_one()
            if mode != "wal":
                raise StoreError(f"store: {self._path}: its file system does not allow WAL")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
            upgrade(connection)
            connection.commit()

    def _expect_ours(self, connection: Connection) -> None:
        """Nothing is changed in a file that is somebody else's, or damaged."""
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        if mark == BACKUP:
            raise StoreError(
                f"store: {self._path} is a backup; make a store of it with `croupier restore`"
            )
        if mark != APPLICATION:
            raise StoreError(f"store: {self._path} belongs to another program")
        expect_known(connection)
        if self._path.stat().st_size <= _CHECKED_BYTES:
            fault = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if fault != "ok":
                raise StoreError(f"store: {self._path} is damaged: {' '.join(fault.split())}")


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """What goes wrong, on one line."""
    try:
        yield
    except HeldElsewhere as error:
        who = f"process {error.pid}" if error.pid else "another process"
        raise StoreError(
            f"store: {path} is in use by {who}; only one server may use a file"
        ) from None
    except WrongSchema as error:
        raise StoreError(f"store: {path} {error}") from None
    except OSError as error:
        raise StoreError(f"store: {error.filename or path}: {error.strerror or error}") from None
    except sqlite3.Error as error:
        raise StoreError(f"store: {path}: {error}") from None
    except DBAPIError as error:
        raise StoreError(f"store: {path}: {error.orig}") from None


def _make(path: Path) -> None:
    """Folder and file, for our eyes only. What is there is not changed."""
    with contextlib.suppress(FileExistsError):  # a folder, or opening says what it is
        path.parent.mkdir(mode=0o700, parents=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _files(path: Path) -> list[Path]:
    """The files that an open store consists of."""
    return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", ".lock")]


def hold(path: Path) -> FileLock:
    """Take the lock of the store in *path*.

    Raises:
        HeldElsewhere: somebody serves from it.
    """
    return FileLock(path.with_name(path.name + ".lock"))
