"""Where deals begin, in the place of checkpoints."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0006"
down_revision: Final = "0005"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Replace the table of checkpoints, which the logs can do without."""
    op.drop_table("checkpoints")
    op.add_column("live_tables", sa.Column("carried", sa.LargeBinary))
    op.create_table(
        "deals",
        sa.Column("table_number", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("sequence", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("results", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_number", "sequence", name="pk_deals"),
    )
