"""A server of PostgreSQL notices that its database is another copy than before."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0003"
down_revision: Final = "0002"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Have the writer note it."""
    op.add_column("writer", sa.Column("lineage", sa.Text))
