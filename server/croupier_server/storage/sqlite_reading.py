"""What the log in SQLite is read with: one statement and one row a question, see ``sqlite_core``.

Must not be put here: anything that changes a file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from croupier_server.storage.base import Checkpoint, LogRow, StoredTable
from croupier_server.storage.packing import behind, unpack

_READ: Final = """
SELECT (
    SELECT group_concat(epoch || ':' || hex(packed)) FROM (
        SELECT epoch, packed FROM log_pieces
        WHERE table_number = live_tables.number AND (last_sequence >= ?1 OR last_sequence = 0)
        ORDER BY log_pieces.number
    )
) FROM live_tables WHERE table_id = ?2
"""

_LOAD: Final = """
SELECT live_tables.epoch, checkpoints.after, checkpoints.kept_from, checkpoints.data,
    (
        SELECT epoch || ':' || hex(packed) FROM log_pieces
        WHERE table_number = live_tables.number AND last_sequence > 0
        ORDER BY last_sequence LIMIT 1
    ),
    (
        SELECT group_concat(epoch || ':' || hex(packed)) FROM (
            SELECT epoch, packed FROM log_pieces
            WHERE table_number = live_tables.number
                AND (last_sequence >= coalesce(checkpoints.kept_from, 1) - 1 OR last_sequence = 0)
            ORDER BY log_pieces.number
        )
    )
FROM live_tables LEFT JOIN checkpoints ON checkpoints.table_number = live_tables.number
WHERE table_id = ?
"""


def tables(raw: sqlite3.Connection) -> list[str]:
    """See `TableLog.tables`."""
    return [
        table_id for (table_id,) in raw.execute("SELECT table_id FROM live_tables ORDER BY number")
    ]


def read(raw: sqlite3.Connection, table_id: str, after: int) -> list[LogRow]:
    """See `TableLog.read`."""
    found = raw.execute(_READ, (after, table_id)).fetchone()
    return [] if found is None else behind(_rows(table_id, found[0]), after)


def load(raw: sqlite3.Connection, table_id: str) -> StoredTable | None:
    """See `TableLog.load`."""
    found = raw.execute(_LOAD, (table_id,)).fetchone()
    if found is None:
        return None
    epoch, after, kept_from, data, first, pieces = found
    checkpoint = None if data is None else Checkpoint(after, kept_from, data)
    rows = behind(_rows(table_id, pieces), checkpoint.kept_from - 1 if checkpoint else 0)
    first_row = next(_rows(table_id, first), None) or rows[0]
    return StoredTable(table_id, epoch, first_row, checkpoint, rows)


def _rows(table_id: str, pieces: str | None) -> Iterator[LogRow]:
    for piece in pieces.split(",") if pieces else ():
        epoch, _, packed = piece.partition(":")
        yield from unpack(table_id, int(epoch), bytes.fromhex(packed))
