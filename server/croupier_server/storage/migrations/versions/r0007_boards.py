"""What the tables of a board agree on."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0007"
down_revision: Final = "0006"
branch_labels: Final = None
depends_on: Final = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the table anew: a board that still waits did not store it, so it is given up."""
    op.drop_table("board_tables")
    op.create_table(
        "board_tables",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("board", sa.LargeBinary, nullable=False),
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("sat", sa.Text, nullable=False),
        sa.Column("watched", sa.Text, nullable=False),
        sa.Column("tables", sa.BigInteger, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_board_tables"),
        sa.UniqueConstraint("table_id", name="uq_board_tables_table_id"),
    )
    op.create_index("ix_board_tables_board", "board_tables", ["board"])
