"""What live tables are read with: one statement a question, and one row that answers it.

Python gives up its lock at each row of a statement in SQLite, and a busy loop is slow to give it
back; each statement of PostgreSQL is a round trip. So what has many rows comes back as one text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Protocol

from croupier_server.storage.base import LogRow, StoredDeal, StoredTable
from croupier_server.storage.database import Database
from croupier_server.storage.packing import since_last_deals, unpack


class Statements(NamedTuple):
    """The statements for one kind of database; `read` and `load` take the id of a table."""

    tables: str
    read: str
    load: str


class LogDatabase(Database, Protocol):
    """A database that live tables are read from."""

    @property
    def statements(self) -> Statements:
        """In its own SQL."""
        ...

    async def ask(self, statement: str, *values: str) -> list[Any]:
        """The rows of one of its `statements`."""
        ...


_TABLES: Final = "SELECT table_id FROM live_tables ORDER BY number"

_READ: Final = """
SELECT (
    SELECT {joined}(epoch || ':' || {packed} {separator}) FROM (
        SELECT epoch, packed FROM log_pieces
        WHERE table_number = live_tables.number ORDER BY log_pieces.number
    ) AS piece
) FROM live_tables WHERE table_id = {table_id}
"""

_LOAD: Final = """
WITH
    live (number, epoch, carried) AS (
        SELECT number, epoch, carried FROM live_tables WHERE table_id = {table_id}
    ),
    needed (sequence) AS (
        SELECT coalesce((
            SELECT sequence FROM deals WHERE table_number = (SELECT number FROM live)
            ORDER BY sequence DESC LIMIT 1 OFFSET 1
        ), 1)
    ),
    begins (number) AS (
        SELECT coalesce((
            SELECT number FROM log_pieces WHERE table_number = (SELECT number FROM live)
                AND last_sequence >= (SELECT sequence FROM needed)
            ORDER BY last_sequence LIMIT 1
        ), 0)
    )
SELECT live.epoch, live.carried,
    (
        SELECT {joined}(sequence || ':' || {results} {separator}) FROM (
            SELECT sequence, results FROM deals WHERE table_number = live.number ORDER BY sequence
        ) AS deal
    ),
    (
        SELECT epoch || ':' || {packed} FROM log_pieces
        WHERE table_number = live.number AND last_sequence > 0
        ORDER BY last_sequence LIMIT 1
    ),
    (
        SELECT {joined}(epoch || ':' || {packed} {separator}) FROM (
            SELECT epoch, packed FROM log_pieces
            WHERE table_number = live.number
                AND (last_sequence >= (SELECT sequence FROM needed) OR last_sequence = 0)
                AND number + 0 >= (SELECT number FROM begins)
            ORDER BY number
        ) AS piece
    )
FROM live
"""
"""The ``+ 0`` keeps databases from going through the pieces of all tables."""


def _statements(**words: str) -> Statements:
    return Statements(_TABLES, _READ.format(**words), _LOAD.format(**words))


SQLITE: Final = _statements(
    table_id="?",
    joined="group_concat",
    separator="",
    packed="hex(packed)",
    results="hex(results)",
)
POSTGRESQL: Final = _statements(
    table_id="$1",
    joined="string_agg",
    separator=", ','",
    packed="encode(packed, 'hex')",
    results="encode(results, 'hex')",
)


async def tables(database: LogDatabase) -> list[str]:
    """See `TableLog.tables`."""
    return [table_id for (table_id,) in await database.ask(database.statements.tables)]


async def read(database: LogDatabase, table_id: str) -> list[LogRow]:
    """See `TableLog.read`."""
    found = await database.ask(database.statements.read, table_id)
    return list(_rows(table_id, found[0][0])) if found else []


async def load(database: LogDatabase, table_id: str) -> StoredTable | None:
    """See `TableLog.load`."""
    found = await database.ask(database.statements.load, table_id)
    if not found:
        return None
    epoch, carried, marks, first, pieces = found[0]
    deals = tuple(
        StoredDeal(int(sequence), bytes.fromhex(results)) for sequence, results in _pairs(marks)
    )
    rows = since_last_deals(_rows(table_id, pieces), deals)
    first_row = next(_rows(table_id, first), None) or rows[0]
    return StoredTable(table_id, epoch, first_row, deals, carried or b"", rows)


def _rows(table_id: str, pieces: str | None) -> Iterator[LogRow]:
    for epoch, packed in _pairs(pieces):
        yield from unpack(table_id, int(epoch), bytes.fromhex(packed))


def _pairs(joined: str | None) -> Iterator[tuple[str, str]]:
    """Numbers and what belongs to them in hexadecimal, joined by a statement above."""
    for pair in joined.split(",") if joined else ():
        number, _, data = pair.partition(":")
        yield number, data
