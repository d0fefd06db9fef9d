"""The log in SQLite, without threads: whoever calls, waits.

Python gives up its lock at each step of a statement, and a busy loop is slow to give it back. So a
batch is one statement, whatever is in it, and what is read comes back as one row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from croupier_server.storage.base import FilesReplaced
from croupier_server.storage.change import Change, Numbers
from croupier_server.storage.jobs import (
    Append,
    Committed,
    Job,
    StoreTrouble,
)
from croupier_server.storage.packing import Piece

_SWEPT_AT_ONCE: Final = 512
"""Pieces that are deleted in one transaction, so that commits do not wait for long."""

_INSERTED_AT_ONCE: Final = 1_000
"""Pieces that one statement inserts at most; SQLite takes 32,766 values."""

_INSERT: Final = (
    "INSERT INTO log_pieces (number, table_number, epoch, last_sequence, packed) VALUES "
)
_VALUES: Final = "(?, ?, ?, ?, ?)"

_PACKED: Final = """
SELECT coalesce(group_concat(hex(packed), ''), '')
FROM (SELECT packed FROM log_pieces WHERE table_number = ? ORDER BY number)
"""

_LIVE: Final = """
INSERT INTO live_tables (number, table_id, epoch, carried) VALUES (?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET carried = excluded.carried
"""

_MARK: Final = "INSERT INTO deals (table_number, sequence, results) VALUES (?, ?, ?)"

_SWEEP: Final = """
DELETE FROM log_pieces
WHERE number IN (SELECT number FROM log_pieces WHERE table_number = ? LIMIT ?)
"""

_GARBAGE: Final = """
WITH RECURSIVE found (number) AS (
    SELECT min(table_number) FROM log_pieces
    UNION ALL
    SELECT (SELECT min(table_number) FROM log_pieces WHERE table_number > found.number)
    FROM found WHERE found.number IS NOT NULL
)
SELECT number FROM found
WHERE number IS NOT NULL AND number NOT IN (SELECT number FROM live_tables)
"""
"""Tables with pieces that are not live. Goes from table to table in the index."""


class SqliteCore:
    """Writes to one file.

    Args:
        raw: a connection that nobody else writes with, and that begins no transaction by itself.
        connection: SQLAlchemy's view of the same one.
        name: of the file, for messages.
        files: the file and those beside it, which all exist while it is open.
    """

    def __init__(
        self,
        raw: sqlite3.Connection,
        connection: Connection,
        name: str,
        files: Sequence[Path] = (),
    ) -> None:
        self._raw = raw
        self._connection = connection
        self._name = name
        tables = dict(raw.execute("SELECT table_id, number FROM live_tables").fetchall())
        self._garbage: list[int] = [number for (number,) in raw.execute(_GARBAGE)]
        last_table = max([0, *tables.values(), *self._garbage])
        (last_piece,) = raw.execute("SELECT coalesce(max(number), 0) FROM log_pieces").fetchone()
        self._numbers = Numbers(tables, last_table + 1, last_piece + 1)
        self._files = {path: _identity(path) for path in files}

    def commit(self, jobs: Sequence[Job]) -> Committed:
        """See `Core.commit`."""
        pieces: list[Piece] = []
        for job in jobs:
            if type(job) is not Append:
                return self._commit_mixed(jobs)
            pieces += job.pieces
        tables = self._numbers.tables
        if len(pieces) > _INSERTED_AT_ONCE or not all(
            one.table_id in tables and not one.deals for one in pieces
        ):
            return self._commit_mixed(jobs)
        with self._trouble():
            _insert(self._raw, pieces, self._numbers)
        self._numbers.next_piece += len(pieces)
        return Committed([None] * len(jobs))

    def _commit_mixed(self, jobs: Sequence[Job]) -> Committed:
        """The same in a transaction of several statements."""
        change = _Change(self._raw, self._connection, self._numbers)
        with self._trouble():
            try:
                self._raw.execute("BEGIN IMMEDIATE")
                committed = change.do(jobs)
                self._raw.execute("COMMIT")
            except BaseException:
                if self._raw.in_transaction:
                    self._raw.execute("ROLLBACK")
                raise
        self._numbers = change.numbers
        self._garbage += change.garbage
        return committed

    def check(self) -> None:
        """See `Core.check`.

        Raises:
            FilesReplaced: a file was removed or replaced.
        """
        for path, identity in self._files.items():
            found = _identity(path)
            if found != identity:
                what = "removed" if found is None else "replaced"
                raise FilesReplaced(f"{path} was {what} while the server had it open")

    def sweep(self) -> bool:
        """See `Core.sweep`."""
        if self._garbage:
            with self._trouble():
                swept = self._raw.execute(_SWEEP, (self._garbage[0], _SWEPT_AT_ONCE)).rowcount
            if swept < _SWEPT_AT_ONCE:
                del self._garbage[0]
        return bool(self._garbage)

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What a file fails with is trouble that may pass; anything else is a fault of ours."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
                raise
            raise StoreTrouble(f"{self._name}: {error}") from error
        except DBAPIError as error:
            if type(error) not in (DatabaseError, OperationalError):
                raise
            raise StoreTrouble(f"{self._name}: {error.orig}") from error


class _Change(Change):
    """One transaction in the file.

    Attributes:
        garbage: tables with pieces that are left to be swept.
    """

    def __init__(self, raw: sqlite3.Connection, connection: Connection, numbers: Numbers) -> None:
        super().__init__(connection, numbers)
        self._raw = raw
        self.garbage: list[int] = []

    def _insert(self, pieces: Sequence[Piece]) -> None:
        numbers = self.numbers
        self._raw.executemany(_LIVE, numbers.live_tables(pieces))
        for place in range(0, len(pieces), _INSERTED_AT_ONCE):
            part = pieces[place : place + _INSERTED_AT_ONCE]
            _insert(self._raw, part, numbers)
            numbers.next_piece += len(part)
        self._raw.executemany(_MARK, numbers.deals(pieces))

    def _packed(self, number: int) -> bytes:
        (packed,) = self._raw.execute(_PACKED, (number,)).fetchone()
        return bytes.fromhex(packed)

    def _delete(self, number: int) -> None:
        self._raw.execute("DELETE FROM live_tables WHERE number = ?", (number,))
        self._raw.execute("DELETE FROM deals WHERE table_number = ?", (number,))
        swept = self._raw.execute(_SWEEP, (number, _SWEPT_AT_ONCE)).rowcount
        if swept == _SWEPT_AT_ONCE:
            self.garbage.append(number)


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at *path* from any other that takes its place; None: there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _insert(raw: sqlite3.Connection, pieces: Sequence[Piece], numbers: Numbers) -> None:
    """Insert *pieces* of known tables in one statement."""
    values: list[object] = []
    tables = numbers.tables
    first = numbers.next_piece
    for number, (table_id, epoch, last_sequence, packed, *_) in enumerate(pieces, first):
        values += (number, tables[table_id], epoch, last_sequence, packed)
    if values:
        raw.execute(_insert_of(len(pieces)), values)


@lru_cache
def _insert_of(count: int) -> str:
    """The statement that inserts so many pieces."""
    return _INSERT + ", ".join([_VALUES] * count)
