"""A store that an earlier version wrote opens, and its matches go on to their ends.

``stores/make.py`` made the stores.
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from structlog.testing import capture_logs

from croupier_server.storage.opening import open_store
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.feeds.snapshots import seat_results
from croupier_server.tables.match import match
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.spec import Status
from croupier_server.verify.checks import verify
from tests.storage.stores.make import DEALS, HERE, START_MS, new_shard, play, seen
from tests.tables.answering import submit


@pytest.fixture(autouse=True)
def _every_deal_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CARRY_EVENTS", 0)


STORES = sorted(path.name.partition(".")[0] for path in HERE.glob("*.db.gz"))


async def up(shard: Shard) -> dict[str, Table]:
    """The live tables of a shard that has just started."""
    await shard.begin()
    await shard.recover()
    return {table.spec.table_id: table for table in shard.directory if table.status < Status.ENDED}


class OldStore(NamedTuple):
    """A copy of a store.

    Attributes:
        url: of the copy.
        told: what `seen` was at each table, and answers that were ``given`` there.
    """

    url: str
    told: dict[str, Any]


@pytest.fixture(params=STORES)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> OldStore:
    path = tmp_path / "croupier.db"
    path.write_bytes(gzip.decompress((HERE / f"{request.param}.db.gz").read_bytes()))
    return OldStore(f"sqlite:{path}", json.loads((HERE / f"{request.param}.json").read_text()))


@pytest.mark.more
async def test_durable_a_store_of_an_earlier_version_goes_on(old: OldStore) -> None:
    store = await open_store(old.url)
    clock = ManualClock(START_MS + 1_000_000)
    shard = new_shard(store, clock)
    tables = await up(shard)
    assert tables.keys() == old.told.keys()
    for table_id, table in tables.items():
        given = old.told[table_id].pop("given")
        assert json.loads(json.dumps(seen(table))) == old.told[table_id]
        for seat, decision_id, move, sequence in given:
            assert submit(shard, table, seat, decision_id, int(move)) == sequence
    rng = random.Random(1)
    for table in tables.values():
        while len(seat_results(table)) < DEALS:
            await play(shard, table, clock, rng)
    before = {table_id: seen(table) for table_id, table in tables.items()}
    with capture_logs() as log:
        shard = new_shard(store, clock)
        tables = await up(shard)
    assert [entry["event"] for entry in log] == ["tables restored"]
    assert {table_id: seen(table) for table_id, table in tables.items()} == before
    for table_id, table in tables.items():
        stored = await store.log.load(table_id)
        assert stored is not None
        assert bool(stored.deals) is (table.delayed is None), "resumed from its newest deal"
        while table.status is Status.PLAYING:
            await play(shard, table, clock, rng)
        await shard.committed()
    for table_id in old.told:
        entry = await store.records.get(table_id)
        assert entry is not None
        assert verify(entry.record).verified
    await store.close()
