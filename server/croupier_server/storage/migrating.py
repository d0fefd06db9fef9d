"""Brings a database to the newest schema.

Must not be put here: the schema; its revisions.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from croupier_server.storage.schema import METADATA


class WrongSchema(Exception):
    """A database that is not ours, or of a later version; the text is one line."""


def upgrade(connection: Connection) -> None:
    """Run the revisions that *connection*'s database has not seen, in its transaction.

    Raises:
        WrongSchema: written by a later version of Croupier, or by something else.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    newest = scripts.get_current_head()
    current = MigrationContext.configure(connection).get_current_revision()
    if current == newest:
        return
    if current is None:
        _expect_empty(connection)
    elif current not in {script.revision for script in scripts.walk_revisions()}:
        raise WrongSchema(
            f"written by a later version of Croupier (schema {current}; this one knows {newest})"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _expect_empty(connection: Connection) -> None:
    """A database without a version has none of our tables; others are none of our business, unless
    they have our names."""
    taken = set(inspect(connection).get_table_names()) & set(METADATA.tables)
    if taken:
        raise WrongSchema(f"has a table {min(taken)} that is not Croupier's")
