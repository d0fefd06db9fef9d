"""`croupier.run(..., standby=True)`: a bot that waits for calls, on real servers with keys."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import croupier
from croupier import Bot, Client, Decision, EndReason, Move, NewTable, Results
from croupier.bots import RandomBot
from croupier.views import View
from croupier_server.app import App, running
from croupier_server.config import Settings
from croupier_server.identity.keys import Scope, new_key
from croupier_server.storage.base import StoredKey
from croupier_server.tables.spec import Status
from tests.clients.conftest import RealServer
from tests.clients.proxy import CuttingProxy

SECONDS = 300.0
SHORT = {"max_hands": 1}


class Server:
    """A server with keys on a store that outlives it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.address = app.server.address

    async def key(self, principal: str, scope: Scope = Scope.PLAY) -> str:
        made = new_key(secrets.token_bytes)
        scopes = frozenset({scope})
        await self.app.store.keys.add(StoredKey(made.key_id, principal, scopes, made.hash, 0, None))
        await self.app.door.look()
        return made.text

    async def revoke(self, key: str) -> None:
        await self.app.store.keys.revoke(key.split("_")[1], 0)
        await self.app.door.look()


@asynccontextmanager
async def keyed(store: str = "memory:", port: int = 0, **changes: object) -> AsyncIterator[Server]:
    """A server that asks for keys; *changes* are settings."""
    settings = Settings.model_validate(
        {
            "port": port,
            "house_bots": False,
            "shutdown_grace_ms": 100,
            "log_level": "error",
            "auth": "keys",
            "store": store,
        }
        | changes
    )
    async with running(settings) as app:
        yield Server(app)


class Gate:
    """Has bots answer no more at a table once they have answered *free* questions there, until it
    is opened; `reached` is set when *tables* tables wait for it."""

    def __init__(self, free: int, tables: int = 1) -> None:
        self._free = free
        self._tables = tables
        self._asked: Counter[str] = Counter()
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    def bot(self) -> Bot:
        return Gated(self)

    async def through(self, table_id: str) -> None:
        self._asked[table_id] += 1
        if self._asked[table_id] > self._free:
            if sum(asked > self._free for asked in self._asked.values()) == self._tables:
                self.reached.set()
            await self.opened.wait()


class Gated(Bot):
    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def decide(self, view: View, decision: Decision) -> Move:
        await self._gate.through(decision.table_id)
        return decision.fallback


def host(address: str, key: str) -> Client:
    return Client(address, credentials=croupier.Credentials(key=key))


async def call(client: Client, *seats: str, **changes: object) -> NewTable:
    """A table of Tong-its for three."""
    return await client.create_table("tongits", seats=seats, options=SHORT, **changes)  # type: ignore[arg-type]


def wait(
    make: Callable[[], Bot] | Bot, address: str, key: str, **changes: object
) -> asyncio.Task[Results]:
    """A bot in standby."""
    work = croupier.run_async(make, address, key=key, standby=True, **changes)  # type: ignore[arg-type]
    return asyncio.create_task(work)


async def join(server: Server, name: str, table_id: str) -> asyncio.Task[Results]:
    """A bot with a key that joins a table by itself."""
    key = await server.key(name)
    work = croupier.run_async(RandomBot, server.address, table=table_id, key=key)
    return asyncio.create_task(work)


async def ended(*tasks: asyncio.Task[Results]) -> list[Results]:
    return await asyncio.gather(*tasks)


PLAYERS = ("ann", "bob", "cy")
CALLED = ["@ann", "@bob", "@cy"]


@pytest.mark.more
async def test_bots_sit_down_wherever_they_are_called_over_a_restart(tmp_path: Path) -> None:
    """Two tables at once; the server goes down in the middle of both and comes back."""
    store = f"sqlite:{tmp_path / 'store.db'}"
    gate = Gate(4, tables=2)
    async with keyed(store) as server:
        keys = [await server.key(name) for name in PLAYERS]
        hal = await server.key("hal", Scope.HOST)
        bots = [wait(gate.bot, server.address, key, matches=3, patience=SECONDS) for key in keys]
        async with host(server.address, hal) as client:
            first = [(await call(client, *CALLED)).table_id for _ in range(2)]
        await gate.reached.wait()
        statuses = [server.app.shard.table(one).status for one in first]
        assert statuses == [Status.PLAYING] * 2
        port = int(server.address.rpartition(":")[2])
    gate.opened.set()
    async with keyed(store, port) as server:
        async with host(server.address, hal) as client:
            third = (await call(client, *CALLED)).table_id
        found = await ended(*bots)
    for seat, results in enumerate(found):
        assert {result.table_id for result in results} == {*first, third}
        assert {result.seat for result in results} == {seat}
        assert all(result.reason is EndReason.FINISHED for result in results)


async def test_lines_that_are_cut_cost_a_bot_in_standby_nothing() -> None:
    async with keyed() as server:
        keys = [await server.key(name) for name in PLAYERS]
        async with (
            CuttingProxy(server.address, lambda chunk, total: chunk >= 6 and total < 120) as proxy,
            host(server.address, await server.key("hal", Scope.HOST)) as client,
        ):
            bots = [wait(RandomBot, proxy.address, key, matches=2) for key in keys]
            tables = {(await call(client, *CALLED)).table_id for _ in range(2)}
            found = await ended(*bots)
        assert proxy.cuts > 5
    assert [{result.table_id for result in results} for results in found] == [tables] * 3


async def test_a_bot_that_starts_again_takes_its_seats_back() -> None:
    gate = Gate(5)
    async with keyed() as server:
        keys = [await server.key(name) for name in PLAYERS]
        async with host(server.address, await server.key("hal", Scope.HOST)) as client:
            made = await call(client, *CALLED)
        bots = [wait(gate.bot, server.address, key, matches=1) for key in keys]
        await gate.reached.wait()
        bots[0].cancel()  # its process is stopped: its tickets are lost
        await asyncio.gather(bots[0], return_exceptions=True)
        gate.opened.set()
        bots[0] = wait(RandomBot, server.address, keys[0], matches=1)
        found = await ended(*bots)
    assert [result.table_id for results in found for result in results] == [made.table_id] * 3


async def test_other_tables_of_the_key_and_other_hosts_are_left_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with keyed() as server:
        ann, hal, mal = (
            await server.key("ann"),
            await server.key("hal", Scope.HOST),
            await server.key("mal", Scope.HOST),
        )
        async with host(server.address, mal) as other, host(server.address, ann) as own:
            joined = await own.join((await call(other)).table_id, player="by hand")
            await call(other, "@ann")
            async with host(server.address, hal) as client:
                made = await call(client, "@ann", "open", "open")
                stop = asyncio.Event()
                with caplog.at_level(logging.WARNING, "croupier"):
                    bot = wait(RandomBot, server.address, ann, hosts=["hal"], stop=stop)
                    rivals = [await join(server, name, made.table_id) for name in ("bob", "cy")]
                    await ended(*rivals)
                stop.set()
                ((result,),) = await ended(bot)
                await own.leave(joined)
    assert result.table_id == made.table_id
    assert "a call of mal is not taken" in caplog.text


class Broken(RandomBot):
    def decide(self, view: View, decision: Decision) -> Move:
        raise RuntimeError("no idea")


async def test_a_bot_that_fails_concedes_and_waits_on(caplog: pytest.LogCaptureFixture) -> None:
    bots = iter([Broken(), RandomBot()])
    async with keyed() as server:
        ann, hal = await server.key("ann"), await server.key("hal", Scope.HOST)
        bot = wait(lambda: next(bots), server.address, ann, matches=2)
        async with host(server.address, hal) as client:
            for _ in range(2):
                made = await call(client, "@ann", "open", "open")
                rivals = [await join(server, name, made.table_id) for name in ("bob", "cy")]
                await ended(*rivals)
        ((result,),) = await ended(bot)
    assert result.reason is EndReason.FINISHED
    assert "no idea" in caplog.text


async def test_only_so_many_tables_are_played_at_a_time() -> None:
    gate = Gate(3)
    async with keyed() as server:
        keys = [await server.key(name) for name in PLAYERS]
        async with host(server.address, await server.key("hal", Scope.HOST)) as client:
            tables = [await call(client, *CALLED) for _ in range(3)]
            bots = [wait(gate.bot, server.address, key, matches=3, at_once=1) for key in keys]
            await gate.reached.wait()
            shard = server.app.shard
            begun = [shard.table(made.table_id).status.name for made in tables]
            assert sorted(begun) == ["OPEN", "OPEN", "PLAYING"]
            gate.opened.set()
            found = await ended(*bots)
    assert [len(results) for results in found] == [3, 3, 3]


async def test_a_revoked_key_ends_a_bot_in_standby() -> None:
    async with keyed() as server:
        ann, bob = await server.key("ann"), await server.key("bob")
        called: asyncio.Queue[Bot] = asyncio.Queue()

        def make() -> Bot:
            called.put_nowait(RandomBot())
            return RandomBot()

        bots = [wait(make, server.address, key) for key in (ann, bob)]
        async with host(server.address, await server.key("hal", Scope.HOST)) as client:
            await call(client, "@ann", "@bob", "open")
        for _ in bots:
            await called.get()
        await server.revoke(ann)
        with pytest.raises(croupier.NotAllowed, match="the key was revoked"):
            await ended(bots[0])
        assert not bots[1].done()
        bots[1].cancel()
        await asyncio.gather(bots[1], return_exceptions=True)


async def test_standby_needs_a_server_with_keys_and_no_table(real_server: RealServer) -> None:
    async with real_server() as address:
        with pytest.raises(croupier.UsageError, match="requires no keys"):
            await croupier.run_async(RandomBot, address, standby=True)
    given: Sequence[dict[str, object]] = (
        {"table": "x"},
        {"seats": [0]},
        {"ruleset": "standard"},
        {"clock": croupier.Clock(per_move=1)},
        {"options": SHORT},
    )
    for one in given:
        with pytest.raises(croupier.UsageError, match="in standby the hosts choose"):
            await croupier.run_async(RandomBot, "127.0.0.1:1", standby=True, **one)  # type: ignore[arg-type]
    async with keyed() as server:
        with pytest.raises(croupier.NotAllowed):
            await croupier.run_async(RandomBot, server.address, standby=True)


@pytest.mark.more
async def test_a_worker_in_standby_plays_until_it_is_interrupted() -> None:
    async with keyed() as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "croupier.worker", "--bot", "random", "--standby", server.address),
            stdout=PIPE,
            stderr=PIPE,
            env=os.environ | {"CROUPIER_KEY": await server.key("ann")},
        )
        async with host(server.address, await server.key("hal", Scope.HOST)) as client:
            made = await call(client, "@ann", "open", "open")
        await ended(*[await join(server, name, made.table_id) for name in ("bob", "cy")])
        process.send_signal(signal.SIGINT)
        told, complaints = await process.communicate()
    assert (process.returncode, complaints) == (0, b"")
    assert told.decode().startswith("table ")
