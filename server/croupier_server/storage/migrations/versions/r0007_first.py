"""The schema of the first stores that later versions open; see ``schema.make_tables``."""

from __future__ import annotations

from typing import Final

revision: Final = "0007"
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    """Nothing: every database that is upgraded has this schema already."""
