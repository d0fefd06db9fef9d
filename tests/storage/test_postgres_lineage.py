"""A PostgreSQL store notices that it serves from another copy of its database."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from croupier_server.storage.base import StoredTable
from croupier_server.storage.opening import open_store
from tests.storage.postgres import Cluster, running, skipped_where_missing, standby
from tests.storage.test_postgres import Appends

pytestmark = pytest.mark.fault

FENCE = "SELECT lineage FROM writer"
LINEAGE = "SELECT value FROM counters WHERE name = 'lineage'"
FORBID = "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"


async def served(url: str, events: int = 0) -> StoredTable | None:
    """Serve from the store for as long as *events* more of one table take; what it has of that
    table at the start."""
    store = await open_store(url)
    try:
        found = await store.log.load("a")
        appends = Appends(store)
        appends._sequence = len(found.rows) if found is not None else 0
        appends.done = list(range(1, appends._sequence + 1))
        appends.more(events)
        await appends.settled()
        assert not appends.errors
        return found
    finally:
        await store.close()


async def lineage(cluster: Cluster, url: str, query: str = FENCE) -> str | None:
    connection = await cluster.connect(url)
    try:
        found: str | None = await connection.fetchval(query)
        return found
    finally:
        await connection.close()


@pytest.mark.more
async def test_durable_a_standby_that_lagged_begins_new_lives() -> None:
    """What it lost was seen by clients. An ordinary restart begins none, before and after."""
    with skipped_where_missing(), running() as primary:
        url = await primary.create()
        await served(url, 2)
        again = await served(url)
        assert again is not None
        assert again.epoch == 1
        before = await lineage(primary, url)
        followed = await lineage(primary, url, LINEAGE)
        with standby(primary) as other:
            await served(url, 3)
            primary.crash()
            other.start()
            other.promote()
            copy = other.url(url.partition("?")[0].rpartition("/")[2])
            with capture_logs() as said:
                found = await served(copy, 1)
            assert found is not None
            assert len(found.rows) == 2
            assert found.epoch > 1_000_000_000
            assert await lineage(other, copy, LINEAGE) != followed
            after = await lineage(other, copy)
            assert after != before
            assert said == [
                {
                    "event": "another copy of the database",
                    "log_level": "warning",
                    "was": before,
                    "now": after,
                    "tables": 1,
                }
            ]
            last = await served(copy)
            assert last is not None
            assert last.epoch == found.epoch


@pytest.mark.more
async def test_durable_a_server_that_crashed_is_the_same_copy(mortal_cluster: Cluster) -> None:
    url = await mortal_cluster.create()
    await served(url, 1)
    before = await lineage(mortal_cluster, url)
    mortal_cluster.crash()
    mortal_cluster.start()
    found = await served(url)
    assert found is not None
    assert found.epoch == 1
    assert await lineage(mortal_cluster, url) == before


@pytest.mark.parametrize("may_ask", [True, False])
async def test_a_role_without_rights_serves_too(cluster: Cluster, may_ask: bool) -> None:
    url = await cluster.create()
    owner = await cluster.connect(url)
    name = url.partition("?")[0].rpartition("/")[2]
    try:
        await owner.execute(f"CREATE ROLE plain_{name} LOGIN")
        await owner.execute(f"GRANT ALL ON SCHEMA public TO plain_{name}")
        if not may_ask:
            await owner.execute(FORBID)
        with capture_logs() as said:
            await served(url.replace("croupier@", f"plain_{name}@"), 1)
    finally:
        await owner.close()
    assert [one["event"] for one in said] == ["copy of the database unknown"] * (not may_ask)
    assert bool(await lineage(cluster, url)) is may_ask


async def test_durable_a_store_that_knew_no_copy_begins_no_new_lives(cluster: Cluster) -> None:
    """One of an earlier version, or of a role that may ask from now on."""
    url = await cluster.create()
    await served(url, 1)
    connection = await cluster.connect(url)
    try:
        await connection.execute("UPDATE writer SET lineage = NULL")
        found = await served(url)
        assert found is not None
        assert found.epoch == 1
        assert await connection.fetchval(FENCE)
        await connection.execute("UPDATE writer SET lineage = '1/00000001'")
        found = await served(url)
        assert found is not None
        assert found.epoch > 1
    finally:
        await connection.close()
