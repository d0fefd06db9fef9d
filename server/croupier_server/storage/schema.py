"""The tables of a durable store: one schema for SQLite and PostgreSQL.

A change here needs a new revision in ``migrations/versions``; a test holds the two together.
"""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    insert,
)

REVISION: Final = "0007"
"""The newest of ``migrations/versions``."""

METADATA: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

Number: Final = BigInteger().with_variant(Integer, "sqlite")
"""A number of our own counting. SQLite stores rows in the order of such a key, if it is called an
INTEGER."""

live_tables: Final = Table(
    "live_tables",
    METADATA,
    # Rises with each table, so it gives their order.
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("table_id", Text, nullable=False, unique=True),
    # Of the table now; restoring a backup raises it.
    Column("epoch", BigInteger, nullable=False),
    # What its last deal takes from all before it; none before the first.
    Column("carried", LargeBinary),
)
"""Tables with rows."""

log_pieces: Final = Table(
    "log_pieces",
    METADATA,
    # Rises with each piece, so that new ones go to the end of the file.
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("table_number", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    # Number of the last event in it; 0: it has none.
    Column("last_sequence", BigInteger, nullable=False),
    # Rows as `packing.pack` packs them.
    Column("packed", LargeBinary, nullable=False),
    Index("ix_log_pieces_table_number", "table_number", "last_sequence"),
)
"""The logs: what one append stored of one table is a piece. One whose table is not live is garbage
that has still to be deleted."""

deals: Final = Table(
    "deals",
    METADATA,
    Column("table_number", BigInteger, primary_key=True, autoincrement=False),
    # Number of its first event.
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    # Of the deals before it, as far as earlier ones do not have them.
    Column("results", LargeBinary, nullable=False),
)
"""Where the deals of the live tables begin."""

board_tables: Final = Table(
    "board_tables",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("board", LargeBinary, nullable=False, index=True),
    Column("table_id", Text, nullable=False, unique=True),
    # Principals who sat at it, and who watched it: lists in JSON.
    Column("sat", Text, nullable=False),
    Column("watched", Text, nullable=False),
    # What the tables of the board agree on.
    Column("tables", BigInteger, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("shared", Boolean, nullable=False),
)
"""Tables that have ended, of boards that are not done: their records are held back."""

ended_requests: Final = Table(
    "ended_requests",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=True),
    # Hashes: of who called with which request_id, and of the call.
    Column("key", LargeBinary, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("table_id", Text, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
)
"""Calls that made tables which have ended; the newest ones."""

records: Final = Table(
    "records",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("table_id", Text, nullable=False, unique=True),
    # Among those that are shown; none for one that is held back.
    Column("position", BigInteger, unique=True),
    Column("kind", BigInteger, nullable=False),
    # A list in JSON.
    Column("players", Text, nullable=False),
    Column("result", LargeBinary, nullable=False),
    Column("ended_ms", BigInteger, nullable=False, index=True),
    Column("voided", Boolean, nullable=False),
    # Among `position`, if it was voided after it had been shown.
    Column("voided_position", BigInteger, unique=True),
    # A list in JSON: who may read it; none: everybody.
    Column("readers", Text),
    # Last, so that the others can be read without it.
    Column("record", LargeBinary, nullable=False),
)
"""Finished matches."""

api_keys: Final = Table(
    "api_keys",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("key_id", Text, nullable=False, unique=True),
    Column("principal", Text, nullable=False),
    # A list in JSON.
    Column("scopes", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("revoked_ms", BigInteger),
    Column("note", Text, nullable=False),
)
"""API keys."""

audit_entries: Final = Table(
    "audit_entries",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=True),
    Column("time_ms", BigInteger, nullable=False),
    Column("principal", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""What operators did."""

counters: Final = Table(
    "counters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
"""Numbers, one row each; see `COUNTERS`."""

COUNTERS: Final = ("records", "keys", "lineage")
"""``records``: the newest position of a record or a voiding. ``keys``: changes of the API keys.
``lineage``: random; see `RecordStore.lineage`. The others only rise."""

LINEAGE_BITS: Final = 63

writer: Final = Table(
    "writer",
    METADATA,
    Column("fence", BigInteger, nullable=False),
    Column("last_batch", BigInteger, nullable=False),
    # Which copy of the database this was written to, if that is known.
    Column("lineage", Text),
)
"""One row: who may write, and what was written last, and where. PostgreSQL alone needs it; a file
is held by a lock."""


def make_tables(connection: Connection) -> None:
    """Make all tables in an empty database."""
    METADATA.create_all(connection)
    first = dict.fromkeys(COUNTERS, 0) | {"lineage": secrets.randbits(LINEAGE_BITS)}
    values = [{"name": name, "value": value} for name, value in first.items()]
    connection.execute(insert(counters), values)
    connection.execute(insert(writer).values(fence=0, last_batch=0))
