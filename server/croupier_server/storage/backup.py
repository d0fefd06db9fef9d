"""Backups: all that a store keeps, in one SQLite file, whichever store it is.

The file has the tables of the schema, but not the mark of a store, so that nobody serves from it as
it is: a table that goes on from a backup must begin a new life, see ``restoring.py``.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Select,
    StaticPool,
    Table,
    create_engine,
    delete,
    insert,
    select,
)

from croupier_server.storage.base import StoreError
from croupier_server.storage.migrating import WrongSchema, expect_known, expect_newest, upgrade
from croupier_server.storage.opening import split_url
from croupier_server.storage.schema import METADATA, live_tables, log_pieces, writer
from croupier_server.storage.sqlite_file import APPLICATION, BACKUP, told

COPIED: Final = tuple(table for table in METADATA.sorted_tables if table is not writer)
"""Tables of a backup. Who may write is no part of it."""

_ROWS_AT_ONCE: Final = 500


async def back_up(url: str, file: Path, *, replace: bool) -> int:
    """Write a backup of the store at *url*, while somebody serves from it or not.

    What was acknowledged before is in it, and nothing by halves. The file appears when it is whole.

    Args:
        url: the store.
        file: gets the backup.
        replace: what *file* was is lost; else it must not exist.

    Returns:
        Bytes of the file.

    Raises:
        StoreError: there is no such store, or the file cannot be written.
    """
    kind, place = split_url(url)
    if kind == "memory":
        raise StoreError("store: a store in memory cannot be backed up")
    with told(file), _written_whole(file, replace) as draft:
        if kind == "sqlite":
            _copy_file(Path(place), draft)
        else:
            await _copy_postgres(url, draft)
        return draft.stat().st_size


def _copy_file(path: Path, draft: Path) -> None:
    """Copy a file that others may be writing to: everything as it is now."""
    path = path.expanduser()
    if not (path.is_file() and path.stat().st_size):
        raise StoreError(f"store: there is no store in {path}")
    with (
        told(path),
        closing(sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)) as source,
    ):
        (mark,) = source.execute("PRAGMA application_id").fetchone()
        if mark != APPLICATION:
            raise StoreError(f"store: {path} is not a store")
        with closing(sqlite3.connect(draft)) as target:
            source.backup(target)
    with told(path), opened(draft) as connection:
        expect_known(connection)
        connection.exec_driver_sql(f"PRAGMA application_id={BACKUP}")
    with closing(sqlite3.connect(draft, isolation_level=None)) as target:
        target.execute("PRAGMA journal_mode=DELETE")
        (fault,) = target.execute("PRAGMA quick_check(1)").fetchone()
        if fault != "ok":
            raise StoreError(f"store: {path} is damaged: {' '.join(fault.split())}")


async def _copy_postgres(url: str, draft: Path) -> None:
    """Copy everything as it is at one moment."""
    from croupier_server.storage.postgres import opening
    from croupier_server.storage.postgres_pool import pooled

    async with opening(url):
        engine = pooled(url, answer_s=None)
        try:
            async with engine.connect() as plain:
                source = await plain.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
                if not await source.run_sync(expect_newest):
                    raise WrongSchema("is empty")
                with opened(draft) as target:
                    upgrade(target)
                    target.exec_driver_sql(f"PRAGMA application_id={BACKUP}")
                    await source.run_sync(copy_rows, target)
        finally:
            await engine.dispose()


def copy_rows(source: Connection, target: Connection) -> None:
    """Put the rows of *source* in place of those of *target*, a few at a time."""
    for table in reversed(COPIED):
        target.execute(delete(table))
    for table in COPIED:
        found = source.execute(_rows_of(table), execution_options={"yield_per": _ROWS_AT_ONCE})
        for some in found.mappings().partitions():
            target.execute(insert(table), [dict(row) for row in some])


def _rows_of(table: Table) -> Select[Any]:
    """All rows of *table*, but for the garbage of the logs."""
    chosen = select(table)
    if table is log_pieces:
        chosen = chosen.where(table.c.table_number.in_(select(live_tables.c.number)))
    return chosen


@contextmanager
def opened(path: Path) -> Iterator[Connection]:
    """A file in one transaction, which is committed at the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA synchronous=FULL")
        engine = create_engine(
            "sqlite://", hide_parameters=True, creator=lambda: raw, poolclass=StaticPool
        )
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()


@contextmanager
def _written_whole(file: Path, replace: bool) -> Iterator[Path]:
    """A draft beside *file*, for our eyes only, that takes its place when it is done."""
    if file.exists() and not replace:
        raise StoreError(f"{file} exists; pass --replace to overwrite it")
    draft = file.with_name(f"{file.name}.{os.getpid()}.draft")
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        yield draft
        sync(draft)
        draft.replace(file)
        sync(file.absolute().parent)
    finally:
        draft.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Return when a file or folder is on the disk."""
    opened_path = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened_path)
    finally:
        os.close(opened_path)


def expect_backup(file: Path) -> None:
    """See that *file* is a backup.

    Raises:
        StoreError: it is not, or is damaged.
    """
    with told(file):
        if not file.is_file():
            raise StoreError(f"{file}: there is no such file")
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as raw:
            (mark,) = raw.execute("PRAGMA application_id").fetchone()
            if mark != BACKUP:
                raise StoreError(f"{file} is not a backup")
            (fault,) = raw.execute("PRAGMA quick_check(1)").fetchone()
            if fault != "ok":
                raise StoreError(f"{file} is damaged: {' '.join(fault.split())}")
