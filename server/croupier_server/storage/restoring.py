"""Putting a backup back.

Moves that were made after the backup are lost, and clients may have seen them. So every live table
begins a new life: its epoch rises above any that it ever had, and who comes with an older one gets
a reset. So does who follows the records, as the store has a new lineage. Keys that were revoked
since stay revoked.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, case, func, select, text, update
from sqlalchemy.exc import DBAPIError

from croupier_server.storage.backup import (
    COPIED,
    copy_rows,
    expect_backup,
    opened,
    sync,
)
from croupier_server.storage.base import StoreError
from croupier_server.storage.migrating import upgrade
from croupier_server.storage.opening import split_url
from croupier_server.storage.records import renew_lineage
from croupier_server.storage.schema import api_keys, counters, live_tables
from croupier_server.storage.sqlite_file import APPLICATION, BACKUP, hold, told

_MAGIC: Final = b"SQLite format 3\0"
_COUNTED: Final = tuple(
    table for table in COPIED if "number" in table.c and table.c.number.autoincrement is True
)
"""Tables of which PostgreSQL itself numbers the rows."""

Revoked = Mapping[str, int]
"""When keys were revoked, by id."""


async def restore(file: Path, url: str, *, replace: bool, now_ms: int) -> int:
    """Make the store at *url* what it was when the backup *file* was made.

    Args:
        file: the backup.
        url: the store; it is made if there is none.
        replace: what is in it is lost; else it must be empty.
        now_ms: the time; epochs are made of it, as two restores must not give the same.

    Returns:
        Number of live tables.

    Raises:
        StoreError: somebody serves from the store, it is not empty, or the file is no backup.
    """
    kind, place = split_url(url)
    if kind == "memory":
        raise StoreError("store: a store in memory cannot be restored")
    expect_backup(file)
    if kind == "sqlite":
        return _restore_file(file, Path(place), replace, now_ms)
    with tempfile.TemporaryDirectory(prefix="croupier-restore-") as folder:
        copy = Path(folder) / "copy"
        with told(copy):
            shutil.copyfile(file, copy)
            tables = _renew(copy, now_ms)
            await _restore_postgres(copy, url, replace)
    return tables


def _renew(copy: Path, now_ms: int) -> int:
    """Bring a copy of a backup to the newest schema and begin new lives; returns how many."""
    epoch = now_ms // 1_000
    with told(copy), opened(copy) as connection:
        upgrade(connection)
        renew_lineage(connection)
        old = live_tables.c.epoch
        risen = case((old >= epoch, old + 1), else_=epoch)
        return connection.execute(update(live_tables).values(epoch=risen)).rowcount


def _revoke(connection: Connection, revoked: Revoked) -> None:
    """Keys that had been revoked stay so."""
    for key_id, time in revoked.items():
        chosen = update(api_keys).where(api_keys.c.key_id == key_id)
        connection.execute(chosen.where(api_keys.c.revoked_ms.is_(None)).values(revoked_ms=time))
    connection.execute(
        update(counters).where(counters.c.name == "keys").values(value=counters.c.value + 1)
    )


def _revoked(connection: Connection) -> Revoked:
    chosen = select(api_keys.c.key_id, api_keys.c.revoked_ms)
    found = connection.execute(chosen.where(api_keys.c.revoked_ms.is_not(None)))
    return {row.key_id: row.revoked_ms for row in found}


def _expect_empty(connection: Connection, name: str) -> None:
    for table in COPIED:
        if table is not counters and connection.execute(select(table).limit(1)).first():
            raise StoreError(f"store: {name} is not empty; pass --replace to overwrite it")


# SQLite -----------------------------------------------------------------------------------------


def _restore_file(file: Path, path: Path, replace: bool, now_ms: int) -> int:
    path = path.expanduser()
    with told(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = hold(path)
        draft = path.with_name(path.name + ".restoring")
        try:
            revoked = _clear(path, replace)
            draft.touch(mode=0o600)
            shutil.copyfile(file, draft)
            tables = _renew(draft, now_ms)
            with opened(draft) as connection:
                _revoke(connection, revoked)
                connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
            sync(draft)
            for rest in ("-wal", "-shm"):
                path.with_name(path.name + rest).unlink(missing_ok=True)
            draft.replace(path)
            sync(path.absolute().parent)
        finally:
            draft.unlink(missing_ok=True)
            lock.release()
    return tables


def _clear(path: Path, replace: bool) -> Revoked:
    """See that the file may be lost, and have it hold all that it has, without its log of changes
    beside it; returns what is still wanted of it."""
    if not (path.is_file() and path.stat().st_size):
        return {}
    try:
        with contextlib.closing(sqlite3.connect(path)) as raw:
            (mark,) = raw.execute("PRAGMA application_id").fetchone()
            if mark == BACKUP:
                raise StoreError(f"store: {path} is a backup itself; name another store")
            if mark != APPLICATION:
                raise StoreError(f"store: {path} belongs to another program")
            raw.execute("PRAGMA journal_mode=DELETE")
        with opened(path) as connection:
            upgrade(connection)
            if not replace:
                _expect_empty(connection, str(path))
            return _revoked(connection)
    except (sqlite3.DatabaseError, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if type(cause) is not sqlite3.DatabaseError or not replace:
            raise
        if not _is_database(path):
            raise StoreError(f"store: {path} is not a database; move it away first") from None
        return {}  # damaged, which may be why it is being restored


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


# PostgreSQL -------------------------------------------------------------------------------------


async def _restore_postgres(copy: Path, url: str, replace: bool) -> None:
    from croupier_server.config import without_password
    from croupier_server.storage.postgres import opening
    from croupier_server.storage.postgres_pool import pooled
    from croupier_server.storage.postgres_session import EXCLUDE_OTHERS, WriterSession

    def put(connection: Connection) -> None:
        connection.execute(text(EXCLUDE_OTHERS))
        if not replace:
            _expect_empty(connection, without_password(url))
        revoked = _revoked(connection)
        _copy(copy, connection)
        _revoke(connection, revoked)

    session = WriterSession(url, "power")
    async with opening(url):
        await session.open()
        engine = pooled(url, answer_s=None)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
            await session.claim()  # whoever served before and comes back stores nothing more
            async with engine.begin() as connection:
                await connection.run_sync(put)
        finally:
            await engine.dispose()
            await session.close()


def _copy(copy: Path, target: Connection) -> None:
    """Put what is in a file in place of what is in PostgreSQL."""
    with opened(copy) as source:
        copy_rows(source, target)
    for table in _COUNTED:
        newest = select(func.coalesce(func.max(table.c.number), 0) + 1).scalar_subquery()
        sequence = func.pg_get_serial_sequence(table.name, "number")
        target.execute(select(func.setval(sequence, newest, False)))
