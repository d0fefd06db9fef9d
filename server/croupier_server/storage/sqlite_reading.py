"""What the log in SQLite is read with: a statement and a row a question, see ``sqlite_core``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from croupier_server.storage.base import LogRow, StoredDeal, StoredTable
from croupier_server.storage.packing import since_last_deals, unpack

_READ: Final = """
SELECT (
    SELECT group_concat(epoch || ':' || hex(packed)) FROM (
        SELECT epoch, packed FROM log_pieces
        WHERE table_number = live_tables.number ORDER BY log_pieces.number
    )
) FROM live_tables WHERE table_id = ?
"""

_LOAD: Final = """
WITH
    live (number, epoch, carried) AS (
        SELECT number, epoch, carried FROM live_tables WHERE table_id = ?
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
        SELECT group_concat(sequence || ':' || hex(results)) FROM (
            SELECT sequence, results FROM deals WHERE table_number = live.number ORDER BY sequence
        )
    ),
    (
        SELECT epoch || ':' || hex(packed) FROM log_pieces
        WHERE table_number = live.number AND last_sequence > 0
        ORDER BY last_sequence LIMIT 1
    ),
    (
        SELECT group_concat(epoch || ':' || hex(packed)) FROM (
            SELECT epoch, packed FROM log_pieces
            WHERE table_number = live.number
                AND (last_sequence >= (SELECT sequence FROM needed) OR last_sequence = 0)
                AND +number >= (SELECT number FROM begins)
            ORDER BY number
        )
    )
FROM live
"""
"""The ``+`` keeps SQLite from going through the pieces of all tables."""


def tables(raw: sqlite3.Connection) -> list[str]:
    """See `TableLog.tables`."""
    return [
        table_id for (table_id,) in raw.execute("SELECT table_id FROM live_tables ORDER BY number")
    ]


def read(raw: sqlite3.Connection, table_id: str) -> list[LogRow]:
    """See `TableLog.read`."""
    found = raw.execute(_READ, (table_id,)).fetchone()
    return [] if found is None else list(_rows(table_id, found[0]))


def load(raw: sqlite3.Connection, table_id: str) -> StoredTable | None:
    """See `TableLog.load`."""
    found = raw.execute(_LOAD, (table_id,)).fetchone()
    if found is None:
        return None
    epoch, carried, marks, first, pieces = found
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
