"""A real store that neither stores nor fails, under real tables: it is trouble, and passes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from croupier_server.errors import Reason, Unavailable
from croupier_server.storage.base import TableLog
from croupier_server.storage.jobs import Committed, Core, Job
from croupier_server.storage.log import StoredLog
from croupier_server.storage.opening import open_store
from croupier_server.storage.sqlite import SqliteDatabase
from croupier_server.storage.sqlite_file import SqliteFile
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.shard.upkeep import HANGS_MS, PERIOD_MS
from tests.storage.postgres import Cluster
from tests.tables.toy_game import KIND
from tests.tables.world import ENTRY, START_MS, known_ids, known_secrets, request


class Stuck:
    """A database whose disk answers when it is let."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def commit(self, jobs: Sequence[Job]) -> Committed:
        self.may_go_on.wait()
        return self._core.commit(jobs)

    def check(self) -> None:
        self._core.check()

    def sweep(self) -> bool:
        return self._core.sweep()


class Tables:
    """Real tables on a store, and time that the test makes."""

    def __init__(self, log: TableLog) -> None:
        self._clock = ManualClock(START_MS)
        self._log = log
        self.shard = Shard(
            clock=self._clock,
            secrets=known_secrets(),
            ids=known_ids(),
            log=log,
            games={KIND: ENTRY},
        )

    def make(self) -> None:
        """Make a table, which has to be stored."""
        self.shard.create_table(Caller(), request())

    async def live(self, milliseconds: int) -> None:
        """Let time pass, with a loop that is never late."""
        for _ in range(milliseconds // PERIOD_MS):
            self._clock.advance(PERIOD_MS)
            await asyncio.sleep(0)
            self.shard.loop_is_alive()

    async def are_refused_after_a_while(self) -> None:
        """What is made now hangs, and then nothing more is taken."""
        self.make()
        await self.live(HANGS_MS)
        assert self.shard.upkeep.trouble == ""
        await self.live(2 * PERIOD_MS)
        assert self.shard.upkeep.trouble == "it hangs: nothing stored for 3 s"
        assert (self._log.trouble, self._log.gone) == ("", None)
        with pytest.raises(Unavailable) as refusal:
            self.make()
        assert refusal.value.reason is Reason.STORE_UNAVAILABLE

    async def are_well_again(self) -> None:
        """What hung is stored now, and more is taken."""
        while self.shard.upkeep.trouble:  # noqa: ASYNC110 - there is no event that stands for it
            await asyncio.sleep(0.001)
        self.make()
        await self.shard.committed()


async def test_fair_a_file_whose_disk_hangs_is_trouble(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "data" / "croupier.db", "power")
    core, database = Stuck(file.core), SqliteDatabase(file.engine)
    log = StoredLog(core, database, lambda: None)
    tables = Tables(log)
    tables.make()
    await tables.shard.committed()
    core.may_go_on.clear()
    try:
        await tables.are_refused_after_a_while()
        core.may_go_on.set()
        await tables.are_well_again()
        assert await log.tables() == ["table-1", "table-2", "table-3"]
    finally:
        core.may_go_on.set()
        await log.close()
        await database.close()
        file.close()


@pytest.mark.more
async def test_fair_a_database_that_hangs_is_trouble(cluster: Cluster) -> None:
    """Somebody has locked what every batch changes."""
    url = await cluster.create()
    store = await open_store(url)
    beside = await cluster.connect(url)
    try:
        tables = Tables(store.log)
        tables.make()
        await tables.shard.committed()
        async with beside.transaction():
            await beside.execute("SELECT FROM writer FOR UPDATE")
            await tables.are_refused_after_a_while()
        await tables.are_well_again()
        assert await store.log.tables() == ["table-1", "table-2", "table-3"]
    finally:
        await beside.close()
        await store.close()
