"""Brings a database to the newest schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text

from croupier_server.storage.schema import METADATA, REVISION

if TYPE_CHECKING:
    from alembic.config import Config

_VERSION_TABLE: Final = "alembic_version"


class WrongSchema(Exception):
    """A database that is not ours, or of a version that this one cannot read; the text is one
    line."""


def upgrade(connection: Connection, revision: str = REVISION) -> None:
    """Run the revisions up to *revision* that *connection*'s database has not seen, in its
    transaction.

    Raises:
        WrongSchema: written by a version that this one cannot read, or by something else.
    """
    if expect_known(connection) == revision:
        return
    # Alembic is slow to load, and few starts need it.
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def expect_known(connection: Connection) -> str | None:
    """The revision of the database; None: it has none of our tables. Others are none of our
    business, unless they have our names.

    Raises:
        WrongSchema: written by a version that this one cannot read, or by something else.
    """
    names = set(inspect(connection).get_table_names())
    current = None
    if _VERSION_TABLE in names:
        current = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if current is None:
        if taken := names & set(METADATA.tables):
            raise WrongSchema(f"has a table {min(taken)} that is not Croupier's")
        return None
    if current != REVISION:
        _expect_upgradable(str(current))
    return str(current)


def _expect_upgradable(current: str) -> None:
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_config())
    if current not in {script.revision for script in scripts.walk_revisions()}:
        which = "an earlier" if current < REVISION else "a later"
        raise WrongSchema(
            f"written by {which} version of Croupier (schema {current}; this one reads {REVISION})"
        )


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
