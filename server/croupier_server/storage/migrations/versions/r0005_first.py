"""The first schema."""

from __future__ import annotations

import secrets
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0005"
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make all tables."""
    _make_logs()
    _make_records()
    _make_the_rest()


def _make_logs() -> None:
    op.create_table(
        "live_tables",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_live_tables"),
        sa.UniqueConstraint("table_id", name="uq_live_tables_table_id"),
    )
    op.create_table(
        "log_pieces",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("table_number", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("last_sequence", sa.BigInteger, nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_log_pieces"),
    )
    op.create_index("ix_log_pieces_table_number", "log_pieces", ["table_number", "last_sequence"])
    op.create_table(
        "checkpoints",
        sa.Column("table_number", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("after", sa.BigInteger, nullable=False),
        sa.Column("kept_from", sa.BigInteger, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_number", name="pk_checkpoints"),
    )


def _make_records() -> None:
    op.create_table(
        "board_tables",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("board", sa.LargeBinary, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("sat", sa.Text, nullable=False),
        sa.Column("watched", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_board_tables"),
        sa.UniqueConstraint("table_id", name="uq_board_tables_table_id"),
    )
    op.create_index("ix_board_tables_board", "board_tables", ["board"])
    op.create_table(
        "records",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("position", sa.BigInteger),
        sa.Column("kind", sa.BigInteger, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("voided", sa.Boolean, nullable=False),
        sa.Column("voided_position", sa.BigInteger),
        sa.Column("readers", sa.Text),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_records"),
        sa.UniqueConstraint("table_id", name="uq_records_table_id"),
        sa.UniqueConstraint("position", name="uq_records_position"),
        sa.UniqueConstraint("voided_position", name="uq_records_voided_position"),
    )
    op.create_index("ix_records_ended_ms", "records", ["ended_ms"])
    op.create_table(
        "ended_requests",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("key", sa.LargeBinary, nullable=False),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_ended_requests"),
    )


def _make_the_rest() -> None:
    op.create_table(
        "api_keys",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_ms", sa.BigInteger),
        sa.Column("revoked_ms", sa.BigInteger),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_api_keys"),
        sa.UniqueConstraint("key_id", name="uq_api_keys_key_id"),
    )
    op.create_table(
        "audit_entries",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("time_ms", sa.BigInteger, nullable=False),
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit_entries"),
    )
    counters = op.create_table(
        "counters",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    first = {"records": 0, "keys": 0, "lineage": secrets.randbits(63)}
    op.bulk_insert(counters, [{"name": name, "value": value} for name, value in first.items()])
    writer = op.create_table(
        "writer",
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("last_batch", sa.BigInteger, nullable=False),
        sa.Column("lineage", sa.Text),
    )
    op.bulk_insert(writer, [{"fence": 0, "last_batch": 0}])
