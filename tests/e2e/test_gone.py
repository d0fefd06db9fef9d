"""A server whose store is another's now drains and ends by itself, and says what to do."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from croupier import Client
from croupier.v1 import table_pb2
from croupier.v1 import table_service_pb2 as tables
from croupier.v1 import table_service_pb2_grpc as tables_grpc
from croupier_server.app import StoreGone, _until
from croupier_server.storage.base import Superseded
from croupier_server.storage.opening import open_store
from tests.conformance.test_every_store import row
from tests.e2e.serving import Served, served
from tests.storage.postgres import Cluster
from tests.storage.test_sqlite import FullLog
from tests.storage.wire_cutter import wire_to


async def next_of(lobby: Any) -> tables.WatchLobbyResponse:
    """What a lobby's stream says next."""
    said = await lobby.read()
    assert isinstance(said, tables.WatchLobbyResponse)
    return said


@pytest.mark.more
async def test_a_server_that_was_followed_by_another_drains_and_ends(cluster: Cluster) -> None:
    url = await cluster.create()
    async with wire_to(url) as (near, wire), AsyncExitStack() as stack:

        async def start(store: str) -> Served:
            serving = served("--store", store, "--log-format", "json", "--log-level", "warning")
            server = await asyncio.to_thread(serving.__enter__)
            stack.push_async_callback(asyncio.to_thread, serving.__exit__, None, None, None)
            return server

        first = await start(near)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(first.address))
        client = await stack.enter_async_context(Client(first.address, patience=0))
        made = await client.create_table("pokex", seats=["reserved"] * 4)
        lobby = tables_grpc.TableServiceStub(channel).WatchLobby(
            tables.WatchLobbyRequest(follow=True)
        )
        while not (await next_of(lobby)).HasField("caught_up"):
            pass
        wire.is_up = False
        wire.cut()
        second = await start(url)
        wire.is_up = True
        end = (await next_of(lobby)).end
        assert end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
        assert end.retry_after.ToMilliseconds() > 0
        status, log = await asyncio.to_thread(first.end)
        assert status == 3, log
        lines = [json.loads(line) for line in log.splitlines()]
        (gone,) = [one for one in lines if one["event"] == "store lost"]
        assert gone["why"] == "another server has taken over the database"
        assert gone["do"] == (
            "stop the server that has the database now, or if the database has lost data, find "
            "out why; then start this server again"
        )
        assert {one["event"] for one in lines} <= {
            "store failing",
            "store lost",
            "store does not answer",
            "keys unreadable",
        }
        async with Client(second.address) as other:
            table = await other.get_table(made.table_id)
            assert table.table_id == made.table_id
        assert second.process.poll() is None


async def test_a_mistake_of_ours_ends_it_with_another_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a start mends it."""
    store = await open_store(f"sqlite:{tmp_path / 'croupier.db'}")
    ending = asyncio.create_task(_until(asyncio.Event(), store.log))
    monkeypatch.setattr("croupier_server.storage.writer._log", FullLog())
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    store.log.append([row("a", 1)._replace(table_id=None)], lambda _: None)  # type: ignore[arg-type]
    gone = await ending
    assert gone is not None
    assert gone.status == 4
    assert gone.status != StoreGone(Superseded()).status
    await store.close()


async def test_a_store_that_is_well_does_not_end_the_server(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:{tmp_path / 'croupier.db'}")
    stop = asyncio.Event()
    ending = asyncio.create_task(_until(stop, store.log))
    await asyncio.sleep(0)
    assert not ending.done()
    stop.set()
    assert await ending is None
    await store.close()
