"""The log in PostgreSQL when its connection is cut, its server dies, or another one takes over."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import asyncpg
import pytest

from croupier_server.errors import Reason, Unavailable
from croupier_server.storage import postgres_session
from croupier_server.storage.base import LogRow, Store, StoreError, Superseded
from croupier_server.storage.jobs import StoreClosed
from croupier_server.storage.opening import open_store
from tests.conformance.test_every_store import finish, match
from tests.storage.postgres import Cluster
from tests.storage.wire_cutter import Cut, WireCutter, wire_to

HOLDER = """
SELECT max(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

REFUSE_A = """
ALTER TABLE records ADD CONSTRAINT nobody_wants_a CHECK (table_id <> 'a')
"""

END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def row(sequence: int, table_id: str = "a") -> LogRow:
    return LogRow(table_id, 1, sequence, b"public %d" % sequence, input=b"input")


class Appends:
    """Rows appended one after the other to one table, and what was said of each."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sequence = 0
        self.done: list[int] = []
        self.errors: list[Exception] = []
        self._settled = asyncio.Event()

    def more(self, number: int = 1) -> None:
        for _ in range(number):
            self._sequence += 1
            sequence = self._sequence

            def is_done(error: Exception | None, sequence: int = sequence) -> None:
                self.done.append(sequence)
                self.errors += [error] if error is not None else []
                self._settled.set()

            self._store.log.append([row(sequence)], is_done)

    async def settled(self) -> None:
        """Return when all were told of."""
        while len(self.done) < self._sequence:
            self._settled.clear()
            await self._settled.wait()

    async def all_are_stored_once(self) -> None:
        await self.settled()
        assert self.errors == []
        assert self.done == list(range(1, self._sequence + 1))
        found = await self._store.log.read("a")
        assert [one.sequence for one in found] == self.done


async def in_trouble(store: Store, *, is_in: bool = True) -> str:
    """The trouble of a store once it is in it, or out of it again."""
    changed = asyncio.Event()
    store.log.watch(changed.set)
    while bool(store.log.trouble) is not is_in:
        changed.clear()
        await changed.wait()
    return store.log.trouble


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Store]:
    """The store at *url*, closed at the end."""
    store = await open_store(url)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def beside(cluster: Cluster, url: str) -> AsyncIterator[asyncpg.Connection]:
    """A session of our own in the database at *url*."""
    connection = await cluster.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def wired(cluster: Cluster) -> AsyncIterator[tuple[Store, WireCutter, str]]:
    """A store behind a wire, and the URL of the database without one."""
    url = await cluster.create()
    async with wire_to(url) as (near, wire), opened(near) as store:
        yield store, wire, url


# Lost connections -------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("when", Cut)
async def test_durable_a_batch_without_an_answer_is_stored_once(
    cluster: Cluster, when: Cut
) -> None:
    """Whether it was the request or the answer that got lost."""
    async with wired(cluster) as (store, wire, _):
        appends = Appends(store)
        for after in range(4):
            for _ in range(3):  # after the first ones the statement is prepared
                appends.more()
                await appends.settled()
            wire.cut_at(when, after)
            appends.more(3)
            await wire.was_cut.wait() if not after else await appends.settled()
            wire.cut()
            appends.more(3)
            await appends.settled()
        await appends.all_are_stored_once()
        assert store.log.trouble == ""


@pytest.mark.more
@pytest.mark.parametrize("when", Cut)
async def test_durable_a_match_is_put_away_once(cluster: Cluster, when: Cut) -> None:
    """Wherever the wire is cut meanwhile."""
    async with wired(cluster) as (store, wire, _):
        names: list[str] = []
        while not (names and wire.is_waiting):
            names.append(f"t{len(names)}")
            wire.cut_at(when, len(names) - 1)
            assert await finish(store, match(names[-1])) == names[-1:]
        wire.cut()
        await in_trouble(store, is_in=False)
        found = await store.records.since(0, 999)
        assert [one.table_id for one in found] == names
        assert [one.position for one in found] == list(range(1, len(names) + 1))
        assert b"" not in [one.record for one in found]
        assert list(await store.log.tables()) == []


@pytest.mark.more
async def test_durable_rows_wait_while_there_is_no_connection(cluster: Cluster) -> None:
    async with wired(cluster) as (store, wire, _):
        appends = Appends(store)
        appends.more()
        await appends.settled()
        wire.is_up = False
        wire.cut()
        assert "PostgreSQL" in await in_trouble(store)
        appends.more(5)
        with pytest.raises(Unavailable) as refusal:
            await store.log.read("a")
        assert refusal.value.reason is Reason.STORE_UNAVAILABLE
        assert appends.done == [1]
        wire.is_up = True
        await in_trouble(store, is_in=False)
        await appends.all_are_stored_once()


@pytest.mark.more
async def test_a_lost_connection_is_noticed_without_anything_to_store(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock has gone with it, so it is wanted back at once."""
    monkeypatch.setattr(postgres_session, "HELD_S", 0)
    async with wired(cluster) as (_, wire, url), beside(cluster, url) as other:
        first = await other.fetchval(HOLDER)
        wire.cut()
        while await other.fetchval(HOLDER) in (first, None):
            pass
        with pytest.raises(StoreError, match="another server holds this database"):
            await open_store(url)


@pytest.mark.more
async def test_durable_a_session_that_the_server_ends_is_followed_by_another(
    cluster: Cluster,
) -> None:
    url = await cluster.create()
    async with opened(url) as store, beside(cluster, url) as other:
        appends = Appends(store)
        for _ in range(5):
            appends.more(20)
            await other.execute(END_ALL)
            appends.more(20)
            await appends.settled()
        await appends.all_are_stored_once()


@pytest.mark.more
async def test_durable_nothing_is_lost_or_doubled_when_the_server_dies(
    mortal_cluster: Cluster,
) -> None:
    """It is killed in mid-commit again and again, and started again."""
    async with opened(await mortal_cluster.create()) as store:
        appends = Appends(store)
        for waiting in range(4):
            feeding = asyncio.create_task(_feed(appends))
            await asyncio.to_thread(mortal_cluster.crash)
            await in_trouble(store)
            appends.more(waiting)
            await asyncio.to_thread(mortal_cluster.start)
            feeding.cancel()
            await in_trouble(store, is_in=False)
        await appends.all_are_stored_once()


async def _feed(appends: Appends) -> None:
    """Append without a pause, but never more than the store keeps up with, until cancelled."""
    while True:
        appends.more(10)
        await appends.settled()


async def test_a_database_that_may_only_be_read_is_trouble(cluster: Cluster) -> None:
    """As after a switch to a standby: the server answers, but stores nothing."""
    url = await cluster.create()
    async with opened(url) as store, beside(cluster, url) as other:
        name = await other.fetchval("SELECT current_database()")
        await other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        await other.execute(END_ALL)
        appends = Appends(store)
        appends.more(3)
        assert "PostgreSQL" in await in_trouble(store)
        assert appends.done == []
        await other.execute("SET default_transaction_read_only = off")
        await other.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        await other.execute(END_ALL)
        await in_trouble(store, is_in=False)
        await appends.all_are_stored_once()


# Two servers ------------------------------------------------------------------------------------


async def test_a_second_server_is_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_session, "HELD_S", 0)
    url = await cluster.create()
    async with opened(url) as store:
        with pytest.raises(
            StoreError, match=r"another server holds this database: croupier .*:\d+"
        ):
            await open_store(url)
        appends = Appends(store)
        appends.more(3)
        await appends.all_are_stored_once()
    async with opened(url) as again:
        assert [one.sequence for one in await again.log.read("a")] == [1, 2, 3]


async def test_the_session_of_a_server_that_has_just_gone_is_waited_for(cluster: Cluster) -> None:
    """PostgreSQL may still be busy with what a killed server asked of it."""
    url = await cluster.create()
    async with beside(cluster, url) as gone, beside(cluster, url) as other:
        await gone.fetchval(postgres_session.TRY_LOCK, postgres_session.LOCK)
        dying = asyncio.create_task(gone.close())
        async with opened(url) as store:
            await dying
            assert store.log.trouble == ""
            assert await other.fetchval(HOLDER) is not None


@pytest.mark.more
async def test_a_server_that_was_followed_by_another_stores_nothing_more(
    cluster: Cluster,
) -> None:
    async with wired(cluster) as (store, wire, url):
        appends = Appends(store)
        appends.more(2)
        await appends.settled()
        wire.is_up = False
        wire.cut()
        await in_trouble(store)
        appends.more(2)
        async with opened(url) as second:
            wire.is_up = True
            await appends.settled()
            assert [type(error) for error in appends.errors] == [Superseded, Superseded]
            assert "another server has taken over the database" in store.log.trouble
            assert type(store.log.gone) is Superseded
            appends.more()
            await appends.settled()
            assert len(appends.errors) == 3
            assert [one.sequence for one in await second.log.read("a")] == [1, 2]


@pytest.mark.more
async def test_a_server_that_comes_back_last_stores_nothing_either(cluster: Cluster) -> None:
    """The second one has gone again, so there is nothing but its fence to notice it by."""
    async with wired(cluster) as (store, wire, url):
        wire.is_up = False
        wire.cut()
        await in_trouble(store)
        await (await open_store(url)).close()
        appends = Appends(store)
        appends.more()
        wire.is_up = True
        await appends.settled()
        assert [type(error) for error in appends.errors] == [Superseded]


@pytest.mark.more
async def test_a_database_that_has_lost_what_it_stored_is_noticed(cluster: Cluster) -> None:
    """As when a standby takes over that had not got everything."""
    url = await cluster.create()
    async with opened(url) as store, beside(cluster, url) as other:
        appends = Appends(store)
        for _ in range(3):
            appends.more()
            await appends.settled()
        await other.execute("DELETE FROM log_pieces WHERE last_sequence = 3")
        await other.execute("UPDATE writer SET last_batch = 2")
        await other.execute(END_ALL)
        await in_trouble(store)
        appends.more()
        await appends.settled()
        assert [type(error) for error in appends.errors] == [Superseded]
        assert "has lost what it had stored after batch 2" in store.log.trouble


# Opening and closing ----------------------------------------------------------------------------


@pytest.mark.more
async def test_closing_gives_up_what_cannot_be_stored(cluster: Cluster) -> None:
    async with wired(cluster) as (store, wire, _):
        wire.is_up = False
        wire.cut()
        await in_trouble(store)
        appends = Appends(store)
        appends.more(2)
        await store.log.close()
        appends.more()
        await appends.settled()
        assert [type(error) for error in appends.errors] == [StoreClosed] * 3
        assert store.log.gone is None


async def test_isolated_a_match_that_is_refused_holds_up_no_other(cluster: Cluster) -> None:
    """Its rows are kept."""
    url = await cluster.create()
    store = await open_store(url)
    async with beside(cluster, url) as beside_it:
        await beside_it.execute(REFUSE_A)
    told: dict[str, str] = {}
    all_told = asyncio.Event()
    names = ("a", "b", "c")
    for name in names:
        store.log.append([row(1, name)], lambda _: None)

    def is_done(name: str, error: Exception | None) -> None:
        told[name] = str(error)
        if len(told) == 3:
            all_told.set()

    for name in names:
        store.log.finish(match(name), partial(is_done, name))
    await all_told.wait()
    assert told == {"a": "CheckViolationError (23514)", "b": "None", "c": "None"}
    assert {one.table_id for one in await store.records.since(0, 9)} == {"b", "c"}
    await store.close()
    async with opened(url) as again:
        assert list(await again.log.tables()) == ["a"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://me:s3cret@127.0.0.1:1/none", "postgresql://me:***@127.0.0.1:1/none"),
        ("postgresql://me@/none?host=/no/such/folder&password=s3cret", "PostgreSQL: "),
        ("postgresql:none", "must be memory:, sqlite:PATH or postgresql://"),
        ("postgresql://me:s3cret@127.0.0.1:port/none", "PostgreSQL: "),
    ],
)
async def test_a_database_that_is_not_there_is_one_line(url: str, words: str) -> None:
    with pytest.raises(StoreError) as refusal:
        await open_store(url)
    text = str(refusal.value)
    assert text.startswith("store")
    assert words in text
    assert "\n" not in text
    assert "s3cret" not in text


async def test_two_servers_may_have_a_schema_each(cluster: Cluster) -> None:
    url = await cluster.create()
    async with beside(cluster, url) as other:
        await other.execute("CREATE SCHEMA one")
    async with opened(url) as store, opened(f"{url}&search_path=one") as second:
        appends = Appends(store)
        appends.more()
        await appends.settled()
        assert (await store.log.tables(), await second.log.tables()) == (["a"], [])
        with pytest.raises(StoreError, match="search_path does not name a schema of this database"):
            await open_store(f"{url}&search_path=none")


async def test_tables_of_somebody_else_are_left_alone(cluster: Cluster) -> None:
    url = await cluster.create()
    async with beside(cluster, url) as other:
        await other.execute("CREATE TABLE records (mine integer)")
        with pytest.raises(StoreError, match="has a table records that is not Croupier's"):
            await open_store(url)
        assert await other.fetchval("SELECT count(*) FROM records") == 0


async def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StoreError, match=r"needs the extra `postgres`: pip install"):
        await open_store("postgresql://127.0.0.1/none")
