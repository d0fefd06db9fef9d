"""What the writer of PostgreSQL sends: batches, each of them one statement.

Numbers of tables, pieces and batches are given here, so that a batch sent twice is the same bytes
twice. Must not be put here: sessions, and what happens when one is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from croupier_server.storage.jobs import Append, Finish, Job
from croupier_server.storage.packing import Piece

JOBS_MAX: Final = 4_096
"""Jobs that go into one batch at most, so that a backlog does not become one huge statement."""

_INSERT: Final = """
    INSERT INTO log_pieces (number, table_number, epoch, last_sequence, packed)
    SELECT $3::bigint + place, table_number, epoch, last_sequence, packed FROM held,
      unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
      WITH ORDINALITY AS piece (table_number, epoch, last_sequence, packed, place)
"""

_PIECES: Final = f"""
WITH held AS (UPDATE writer SET last_batch = $1 WHERE fence = $2 RETURNING fence),
  pieces AS (
    {_INSERT})
SELECT fence FROM held
"""  # noqa: S608 - the parts are above

_ALL: Final = f"""
WITH held AS (UPDATE writer SET last_batch = $1 WHERE fence = $2 RETURNING fence),
  pieces AS (
    {_INSERT}),
  made AS (
    INSERT INTO live_tables (number, table_id, epoch, carried)
    SELECT made.* FROM held, unnest($8::bigint[], $9::text[], $10::bigint[], $11::bytea[]) AS made),
  carried AS (
    UPDATE live_tables SET carried = new.carried
    FROM held, unnest($12::bigint[], $13::bytea[]) AS new (number, carried)
    WHERE live_tables.number = new.number),
  marks AS (
    INSERT INTO deals (table_number, sequence, results)
    SELECT mark.* FROM held, unnest($14::bigint[], $15::bigint[], $16::bytea[]) AS mark)
SELECT fence FROM held
"""  # noqa: S608 - the parts are above


class Batch(NamedTuple):
    """What is stored at once.

    Attributes:
        number: counts those of this fence, from 1.
        statement: what is sent; it returns the fence, or nothing under another one.
        arguments: of the statement.
        jobs: what it does, in order.
        made: ids of the tables that are new in it.
    """

    number: int
    statement: str
    arguments: tuple[object, ...]
    jobs: tuple[Job, ...]
    made: tuple[str, ...]


class Batches:
    """Makes batches of jobs.

    Args:
        fence: that they go by.
        tables: number of each live table, by id.
        last_table: largest number that a table of the database has or had.
        last_piece: largest number of a piece.
    """

    def __init__(
        self, fence: int, tables: dict[str, int], last_table: int, last_piece: int
    ) -> None:
        self._fence = fence
        self._tables = tables
        self._last_table = last_table
        self._last_piece = last_piece
        self.last_batch = 0
        """Number of the newest batch."""

    def take(self, jobs: deque[Job], at_most: int = JOBS_MAX) -> Batch | None:
        """A batch of the first of *jobs*, which are taken away; None when a `Finish` is first, or
        nothing."""
        taken: list[Job] = []
        while jobs and len(taken) < at_most and not isinstance(jobs[0], Finish):
            taken.append(jobs.popleft())
        return self._batch(taken) if taken else None

    def undo(self, batch: Batch) -> None:
        """The newest batch was refused, and none of it is stored."""
        assert batch.number == self.last_batch
        self.last_batch -= 1
        for table_id in batch.made:
            del self._tables[table_id]

    def release(self, table_id: str) -> int | None:
        """The number of a table that is live no more, if it was."""
        return self._tables.pop(table_id, None)

    def restore(self, table_id: str, number: int) -> None:
        """Take back that a table is live no more."""
        self._tables.setdefault(table_id, number)

    def _batch(self, jobs: Sequence[Job]) -> Batch:
        pieces = _joined(piece for job in jobs if isinstance(job, Append) for piece in job.pieces)
        made: dict[str, tuple[int, str, int, bytes]] = {}
        carried: list[tuple[int, bytes]] = []
        for piece in pieces:
            if piece.table_id not in self._tables:
                self._last_table += 1
                self._tables[piece.table_id] = self._last_table
                made[piece.table_id] = self._last_table, piece.table_id, piece.epoch, piece.carried
            elif piece.deals:
                carried.append((self._tables[piece.table_id], piece.carried))
        marks = [(self._tables[piece.table_id], *deal) for piece in pieces for deal in piece.deals]
        before = self._last_piece
        self._last_piece += len(pieces)
        self.last_batch += 1
        statement = _PIECES
        arguments: tuple[object, ...] = (
            self.last_batch,
            self._fence,
            before,
            [self._tables[piece[0]] for piece in pieces],
            [piece[1] for piece in pieces],
            [piece[2] for piece in pieces],
            [piece[3] for piece in pieces],
        )
        if made or marks:
            statement = _ALL
            columns = _columns(made.values(), 4), _columns(carried, 2), _columns(marks, 3)
            arguments += tuple(chain(*columns))
        return Batch(self.last_batch, statement, arguments, tuple(jobs), tuple(made))


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """One piece for each table and epoch, as pieces of one batch cost less together."""
    found: dict[tuple[str, int], list[Piece]] = {}
    for piece in pieces:
        found.setdefault((piece.table_id, piece.epoch), []).append(piece)
    return [_join(own) if len(own) > 1 else own[0] for own in found.values()]


def _join(pieces: list[Piece]) -> Piece:
    first = pieces[0]
    last_sequence = max(piece.last_sequence for piece in pieces)
    packed = b"".join(piece.packed for piece in pieces)
    deals = tuple(deal for piece in pieces for deal in piece.deals)
    carried = next((piece.carried for piece in reversed(pieces) if piece.deals), b"")
    return Piece(first.table_id, first.epoch, last_sequence, packed, deals, carried)


def _columns(rows: Iterable[tuple[object, ...]], width: int) -> list[list[object]]:
    """*rows* of so many values each, turned on their side."""
    columns: list[list[object]] = [[] for _ in range(width)]
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    return columns
