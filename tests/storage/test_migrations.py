"""The revisions make exactly the schema, in any database that is not somebody else's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

from croupier_server.storage import migrations
from croupier_server.storage.migrating import WrongSchema, expect_known, upgrade
from croupier_server.storage.schema import (
    COUNTERS,
    METADATA,
    REVISION,
    counters,
    live_tables,
    writer,
)


def statements(connection: Connection) -> list[str]:
    """What the tables were made with, but for Alembic's own and for spaces."""
    found = connection.execute(
        text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'")
    )
    return sorted(re.sub(r"\s+([,)])", r"\1", " ".join(sql.split())) for sql in found.scalars())


def test_the_revisions_make_exactly_the_schema(tmp_path: Path) -> None:
    migrated = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    with migrated.begin() as connection:
        upgrade(connection)
    with migrated.begin() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        made = statements(connection)
        assert connection.execute(counters.select()).all() == [(name, 0) for name in COUNTERS]
        assert connection.execute(writer.select()).all() == [(0, 0, None)]
    fresh = create_engine("sqlite://")
    with fresh.begin() as connection:
        METADATA.create_all(connection)
        assert statements(connection) == made
    migrated.dispose()
    fresh.dispose()


def test_a_store_of_any_earlier_version_becomes_one_of_this_and_keeps_what_it_has(
    tmp_path: Path,
) -> None:
    folder = str(Path(migrations.__file__).parent)
    earlier = [script.revision for script in ScriptDirectory(folder).walk_revisions()][1:]
    assert earlier[-1] == "0001"
    for revision in earlier:
        engine = create_engine(f"sqlite:///{tmp_path / revision}.db")
        with engine.begin() as connection:
            upgrade(connection, revision)
            connection.execute(text("INSERT INTO live_tables VALUES (7, 'table', 1)"))
        with engine.begin() as connection:
            assert expect_known(connection) == revision
            upgrade(connection)
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, METADATA) == []
            assert connection.execute(live_tables.select()).all() == [(7, "table", 1)]
        engine.dispose()


def test_the_newest_revision_is_the_one_that_the_schema_names() -> None:
    folder = Path(migrations.__file__).parent
    assert ScriptDirectory(str(folder)).get_heads() == [REVISION]


def test_a_later_schema_is_refused(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'later.db'}")
    with engine.begin() as connection:
        upgrade(connection)
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with engine.begin() as connection, pytest.raises(WrongSchema, match=r"later version.*9999"):
        upgrade(connection)
    engine.dispose()


def test_tables_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE records (title TEXT)"))
    with engine.begin() as connection, pytest.raises(WrongSchema, match="table records"):
        upgrade(connection)
    with engine.begin() as connection:
        assert statements(connection) == ["CREATE TABLE records (title TEXT)"]
    engine.dispose()
