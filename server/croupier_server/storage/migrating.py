"""Brings a database to the newest schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text

from croupier_server.storage.schema import METADATA, REVISION, make_tables

if TYPE_CHECKING:
    from alembic.config import Config

_VERSION_TABLE: Final = "alembic_version"


class WrongSchema(Exception):
    """A database that is not ours, or of a version that this one cannot read; the text is one
    line."""


def upgrade(connection: Connection) -> None:
    """Run the revisions that *connection*'s database has not seen, in its transaction; an empty
    database gets the tables as they are now.

    Raises:
        WrongSchema: written by a version that this one cannot read, or by something else.
    """
    current = expect_known(connection)
    if current == REVISION:
        return
    # Alembic is slow to load, and few starts need it.
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    if current is None:
        make_tables(connection)
        command.stamp(config, REVISION)
    else:
        command.upgrade(config, REVISION)


def expect_newest(connection: Connection) -> bool:
    """Whether the database has our tables; those of an older schema are left as they are, as a
    server may be using them.

    Raises:
        WrongSchema: written by another version of Croupier, or by something else.
    """
    current = expect_known(connection)
    if current not in (None, REVISION):
        raise WrongSchema(
            f"written by another version of Croupier (schema {current}; this one has {REVISION})"
        )
    return current is not None


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
        which = "a later version of Croupier"
        if current < REVISION:
            which = "an earlier version of Croupier, whose matches this one cannot continue"
        raise WrongSchema(
            f"written by {which} (schema {current}; this one reads {REVISION}); use the version "
            "that wrote it, or name another store with --store"
        )


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config
