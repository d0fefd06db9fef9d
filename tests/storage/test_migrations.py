"""The revisions make exactly the schema, in any database that is not somebody else's."""

from __future__ import annotations

import gzip
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
    writer,
)
from tests.storage.stores.make import HERE


def statements(connection: Connection) -> list[str]:
    """What the tables were made with, but for Alembic's own and for spaces."""
    found = connection.execute(
        text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'")
    )
    return sorted(re.sub(r"\s+([,)])", r"\1", " ".join(sql.split())) for sql in found.scalars())


def test_an_empty_database_gets_the_schema(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'new.db'}")
    for _ in range(2):
        with engine.begin() as connection:
            upgrade(connection)
    with engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert context.get_current_revision() == REVISION
        assert compare_metadata(context, METADATA) == []
        found = dict(map(tuple, connection.execute(counters.select())))
        assert found == dict.fromkeys(COUNTERS, 0) | {"lineage": found["lineage"]}
        assert found["lineage"] > 0
        assert connection.execute(writer.select()).all() == [(0, 0, None)]
    engine.dispose()


def test_the_revisions_make_exactly_the_schema(tmp_path: Path) -> None:
    """From the oldest store there is."""
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((HERE / "3c4b901.db.gz").read_bytes()))
    old, new = create_engine(f"sqlite:///{path}"), create_engine("sqlite://")
    with old.begin() as connection:
        assert expect_known(connection) == "0007"
        upgrade(connection)
        assert expect_known(connection) == REVISION
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        made = statements(connection)
    with new.begin() as connection:
        METADATA.create_all(connection)
        assert statements(connection) == made
    old.dispose()
    new.dispose()


def test_the_newest_revision_is_the_one_that_the_schema_names() -> None:
    folder = Path(migrations.__file__).parent
    assert ScriptDirectory(str(folder)).get_heads() == [REVISION]


@pytest.mark.parametrize(
    ("revision", "which"),
    [
        ("0006", "an earlier version of Croupier, whose matches this one cannot continue"),
        ("9999", "a later version of Croupier"),
    ],
)
def test_a_schema_of_another_version_is_refused(tmp_path: Path, revision: str, which: str) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    with engine.begin() as connection:
        upgrade(connection)
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    wanted = rf"written by {which} \(schema {revision}; this one reads"
    with engine.begin() as connection, pytest.raises(WrongSchema, match=wanted):
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
