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
    expect_known(connection)
    config = _config()
    if _current(connection) != ScriptDirectory.from_config(config).get_current_head():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def expect_known(connection: Connection) -> None:
    """See that we know the schema of the database; one without a version has none of our tables.
    Others are none of our business, unless they have our names.

    Raises:
        WrongSchema: written by a later version of Croupier, or by something else.
    """
    current = _current(connection)
    if current is None:
        taken = set(inspect(connection).get_table_names()) & set(METADATA.tables)
        if taken:
            raise WrongSchema(f"has a table {min(taken)} that is not Croupier's")
        return
    scripts = ScriptDirectory.from_config(_config())
    if current not in {script.revision for script in scripts.walk_revisions()}:
        raise WrongSchema(
            f"written by a later version of Croupier (schema {current}; "
            f"this one knows {scripts.get_current_head()})"
        )


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
