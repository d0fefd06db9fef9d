"""What both databases do to carry out jobs in one transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection

from croupier_server.storage.base import FinishedMatch, NoRows
from croupier_server.storage.codec import record_of_bodies
from croupier_server.storage.jobs import Append, Committed, Job
from croupier_server.storage.packing import Piece, bodies
from croupier_server.storage.records import keep_record


class LiveTable(NamedTuple):
    """A row of ``live_tables``; see ``schema.py``."""

    number: int
    table_id: str
    epoch: int
    carried: bytes | None


@dataclass(slots=True)
class Numbers:
    """The numbers that a database uses.

    Attributes:
        tables: number of each live table, by id.
        next_table: next free number of a table.
        next_piece: next free number of a piece.
    """

    tables: dict[str, int]
    next_table: int
    next_piece: int

    def copy(self) -> Numbers:
        """The same numbers, independent of these."""
        return Numbers(self.tables.copy(), self.next_table, self.next_piece)

    def live_tables(self, pieces: Iterable[Piece]) -> list[LiveTable]:
        """The tables in *pieces* that are new, which get a number, or begin a deal."""
        found: dict[str, LiveTable] = {}
        for piece in pieces:
            number = self.tables.get(piece.table_id)
            if number is None:
                number = self.tables[piece.table_id] = self.next_table
                self.next_table += 1
            elif not piece.deals:
                continue
            carried = piece.carried or None
            found[piece.table_id] = LiveTable(number, piece.table_id, piece.epoch, carried)
        return list(found.values())

    def deals(self, pieces: Iterable[Piece]) -> list[tuple[int, int, bytes]]:
        """The deals that begin in *pieces*: number of the table, sequence and results."""
        return [(self.tables[one.table_id], *deal) for one in pieces for deal in one.deals]


class Change(ABC):
    """One transaction.

    Args:
        connection: runs it.
        numbers: in use before it.

    Attributes:
        numbers: in use when it is committed.
    """

    def __init__(self, connection: Connection, numbers: Numbers) -> None:
        self._connection = connection
        self._pieces: list[Piece] = []
        self._has_shown = False
        self.numbers = numbers.copy()

    def do(self, jobs: Sequence[Job]) -> Committed:
        """Do *jobs* in their order."""
        errors = [self._do(job) for job in jobs]
        self._flush()
        return Committed(errors, self._has_shown)

    def _do(self, job: Job) -> Exception | None:
        """Do *job*; returns why it alone was left out. Pieces wait for `_flush`."""
        if isinstance(job, Append):
            self._pieces += job.pieces
            return None
        self._flush()
        return self._finish(job.match)

    def _flush(self) -> None:
        if self._pieces:
            self._insert(self._pieces)
            self._pieces = []

    def _finish(self, match: FinishedMatch) -> Exception | None:
        number = self.numbers.tables.get(match.table_id)
        if number is None:
            return NoRows(match.table_id)
        record = b""
        if match.leaves_record:
            packed = self._packed(number)
            try:
                record = self._record(match, packed)
            except Exception as error:  # nothing has been changed for it yet
                return error
        if keep_record(self._connection, match, record):
            self._has_shown = True
        del self.numbers.tables[match.table_id]
        self._delete(number)
        return None

    def _record(self, match: FinishedMatch, packed: bytes) -> bytes:
        """The record of *match*, whose rows are *packed*."""
        return record_of_bodies(match, bodies(packed))

    @abstractmethod
    def _insert(self, pieces: Sequence[Piece]) -> None:
        """Insert *pieces*, their deals, and the tables that are new."""

    @abstractmethod
    def _packed(self, number: int) -> bytes:
        """All pieces of a table, joined."""

    @abstractmethod
    def _delete(self, number: int) -> None:
        """Delete a table, its deals and its pieces; some of the latter may be left to be swept."""
