"""The log in SQLite, without threads: whoever calls, waits.

Python gives up its lock at each step of a statement, and a busy loop is slow to give it back. So a
batch is one statement, whatever is in it, and what is read comes back as one row.

Must not be put here: who calls when (``writer.py``); opening files (``sqlite.py``); queries that
PostgreSQL shares (``queries.py``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from croupier_server.storage.base import FilesReplaced, FinishedMatch, NoRows
from croupier_server.storage.codec import record_of_bodies
from croupier_server.storage.jobs import (
    Append,
    Committed,
    Job,
    StoreTrouble,
)
from croupier_server.storage.packing import Piece, bodies
from croupier_server.storage.queries import keep_record

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

_CARRY: Final = "UPDATE live_tables SET carried = ? WHERE number = ?"

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
        self._numbers: dict[str, int] = dict(
            raw.execute("SELECT table_id, number FROM live_tables").fetchall()
        )
        self._garbage: list[int] = [number for (number,) in raw.execute(_GARBAGE)]
        self._next_table = max([0, *self._numbers.values(), *self._garbage]) + 1
        (last,) = raw.execute("SELECT coalesce(max(number), 0) FROM log_pieces").fetchone()
        self._next_piece: int = last + 1
        self._files = {path: _identity(path) for path in files}

    def commit(self, jobs: Sequence[Job]) -> Committed:
        """See `Core.commit`."""
        pieces: list[Piece] = []
        for job in jobs:
            if type(job) is not Append:
                return self._commit_mixed(jobs)
            pieces += job.pieces
        numbers = self._numbers
        if len(pieces) > _INSERTED_AT_ONCE or not all(
            one.table_id in numbers and not one.deals for one in pieces
        ):
            return self._commit_mixed(jobs)
        with self._trouble():
            _insert(self._raw, pieces, numbers, self._next_piece)
        self._next_piece += len(pieces)
        return Committed([None] * len(jobs))

    def _commit_mixed(self, jobs: Sequence[Job]) -> Committed:
        """The same in a transaction of several statements."""
        change = _Change(self._raw, self._connection, self._numbers.copy())
        change.next_table, change.next_piece = self._next_table, self._next_piece
        with self._trouble():
            try:
                self._raw.execute("BEGIN IMMEDIATE")
                errors = [change.do(job) for job in jobs]
                change.flush()
                self._raw.execute("COMMIT")
            except BaseException:
                if self._raw.in_transaction:
                    self._raw.execute("ROLLBACK")
                raise
        self._numbers = change.numbers
        self._next_table, self._next_piece = change.next_table, change.next_piece
        self._garbage += change.garbage
        return Committed(errors, change.has_shown)

    def expect_files(self) -> None:
        """See `Core.expect_files`."""
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


class _Change:
    """One transaction.

    Attributes:
        numbers: of the live tables, when it is committed.
        next_table, next_piece: the next free numbers then.
        garbage: tables with pieces that are left to be swept.
        has_shown: records have come to be shown.
    """

    def __init__(
        self, raw: sqlite3.Connection, connection: Connection, numbers: dict[str, int]
    ) -> None:
        self._raw = raw
        self._connection = connection
        self._pieces: list[Piece] = []
        self.numbers = numbers
        self.next_table = 0
        self.next_piece = 0
        self.garbage: list[int] = []
        self.has_shown = False

    def do(self, job: Job) -> Exception | None:
        """Do *job*; returns why it alone was left out. Pieces wait for `flush`."""
        if isinstance(job, Append):
            self._pieces += job.pieces
            return None
        self.flush()
        return self._finish(job.match)

    def flush(self) -> None:
        """Insert the pieces, and before them the tables that are new."""
        pieces = self._pieces
        if not pieces:
            return
        for piece in pieces:
            if piece.table_id not in self.numbers:
                self._raw.execute(
                    "INSERT INTO live_tables (number, table_id, epoch) VALUES (?, ?, ?)",
                    (self.next_table, piece.table_id, piece.epoch),
                )
                self.numbers[piece.table_id] = self.next_table
                self.next_table += 1
        for place in range(0, len(pieces), _INSERTED_AT_ONCE):
            part = pieces[place : place + _INSERTED_AT_ONCE]
            _insert(self._raw, part, self.numbers, self.next_piece)
            self.next_piece += len(part)
        marks = [(self.numbers[one.table_id], *deal) for one in pieces for deal in one.deals]
        self._raw.executemany(_MARK, marks)
        carried = [(one.carried, self.numbers[one.table_id]) for one in pieces if one.deals]
        self._raw.executemany(_CARRY, carried)
        self._pieces = []

    def _finish(self, match: FinishedMatch) -> Exception | None:
        number = self.numbers.get(match.table_id)
        if number is None:
            return NoRows(match.table_id)
        record = b""
        if match.leaves_record:
            (packed,) = self._raw.execute(_PACKED, (number,)).fetchone()
            try:
                record = record_of_bodies(match, bodies(bytes.fromhex(packed)))
            except Exception as error:  # nothing has been changed for it yet
                return error
        if keep_record(self._connection, match, record):
            self.has_shown = True
        self._let_go(match.table_id)
        return None

    def _let_go(self, table_id: str) -> None:
        number = self.numbers.pop(table_id)
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


def _insert(
    raw: sqlite3.Connection, pieces: Sequence[Piece], numbers: Mapping[str, int], first: int
) -> None:
    """Insert *pieces* with the numbers from *first* on, in one statement."""
    values: list[object] = []
    for number, (table_id, epoch, last_sequence, packed, *_) in enumerate(pieces, first):
        values += (number, numbers[table_id], epoch, last_sequence, packed)
    if values:
        raw.execute(_insert_of(len(pieces)), values)


@lru_cache
def _insert_of(count: int) -> str:
    """The statement that inserts so many pieces."""
    return _INSERT + ", ".join([_VALUES] * count)
