"""The server's process in a simulation: the real shard and services, which may die any time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from random import Random
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import grpc

from croupier_server.app import Sources, table_ids
from croupier_server.config import Settings
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.logging import Throttle
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.record_service import RecordService
from croupier_server.rpc.server import Backing, services_of
from croupier_server.rpc.validate import Requests
from croupier_server.storage.base import Store
from croupier_server.tables.limits import Limits
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.shard.shard import HouseSeat, Shard
from tests.sim.disk import AnyDisk
from tests.sim.loop import VirtualClock, VirtualLoop

SETTINGS: Final = Settings.model_validate({"streams_max": 10_000, "record_bytes_max": 1 << 16})
GAME_ENTRIES: Final = {kind: GameEntry(GAMES[wire.name], wire) for kind, wire in WIRES.items()}

_GRACE_S: Final = 2.0
"""How long calls may go on when the server goes down in order."""

Method: TypeAlias = "grpc.RpcMethodHandler[bytes, bytes]"


class _Details(NamedTuple):
    """What a generic handler wants to know of a call: stands in for gRPC's own."""

    method: str
    invocation_metadata: tuple[()] = ()


class HouseBots(Protocol):
    """Bots of the server's own, which live no longer than it does."""

    def sit(self, seat: HouseSeat) -> None:
        """A seat is for one of them."""
        ...

    def stop(self) -> None:
        """The server is gone."""
        ...


class Machine:
    """A server that can be started, stopped and killed, on a disk that stays.

    Args:
        loop: the time.
        disk: where it keeps things.
        rng: source of its secrets.
        limits: what callers are held to.

    Attributes:
        house: the house bots; None: there are none.
        is_up: somebody listens.
        shard: of this life.
        lives: how often it was started.
    """

    def __init__(
        self,
        loop: VirtualLoop,
        disk: AnyDisk,
        rng: Random,
        limits: Limits,
    ) -> None:
        self._loop = loop
        self._disk = disk
        self._rng = rng
        self._limits = limits
        self._clock = VirtualClock(loop)
        self._handlers: list[grpc.GenericRpcHandler] = []
        self._tasks: dict[asyncio.Task[None], None] = {}  # in an order that is ever the same
        self._records: RecordService | None = None
        self.house: HouseBots | None = None
        self.shard: Shard | None = None
        self.is_up = False
        self.lives = 0

    def start(self) -> None:
        """Start on what the disk holds."""
        assert self.shard is None
        store = self._disk.mount()
        self.shard = Shard(
            clock=self._clock,
            secrets=self._rng.randbytes,
            ids=table_ids(Sources(self._clock, self._rng.randbytes)),
            log=store.log,
            games=GAME_ENTRIES,
            limits=self._limits,
            records=store.records,
            house=self.house.sit if self.house is not None else None,
        )
        self.run(self._serve(self.shard, store))

    async def _serve(self, shard: Shard, store: Store) -> None:
        """Listen, and take up the tables that there are."""
        await shard.begin()
        pages = PageTokens(self._rng.randbytes(32), size_max=SETTINGS.page_size_max)
        settings = SETTINGS.model_copy(update={"heartbeat_ms": self._limits.heartbeat_ms})
        backing = Backing(
            shard, store.records, self._clock.now_ms, self._rng.randbytes, frozenset({"random"})
        )
        self._records = RecordService(
            store.records, pages, self._clock.now_ms, self._limits.heartbeat_ms
        )
        calls = Calls(
            Requests(SETTINGS.record_bytes_max),
            SETTINGS.streams_max,
            used_s=lambda: 0.0,  # how long work takes differs from run to run
            throttle=Throttle(seconds=lambda: self._clock.now_ms() / 1_000),
        )
        services = services_of(settings, backing, pages, self._records, calls)
        self._handlers = [calls.serve(service) for service in services]
        self.is_up = True
        self.lives += 1
        shard.run()
        await shard.recover()

    def method(self, path: str) -> Method | None:
        """See `network.Server.method`."""
        if not self.is_up:
            return None
        for handler in self._handlers:
            details: Any = _Details(path)
            found = handler.service(details)
            if found is not None:
                return found
        raise AssertionError(f"no method {path}")

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """See `network.Server.run`."""
        task = self._loop.create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._loop.call_exception_handler({"message": "a call failed", "exception": error})

    def crash(self) -> None:
        """Die: whatever it still does is nobody's business any more."""
        self.is_up = False
        self._disk.pull()
        if self.shard is not None:
            self.shard.stop()
            self.shard = None
        if self.house is not None:
            self.house.stop()
        for task in list(self._tasks):
            task.cancel()
        self._tasks.clear()

    async def drain(self) -> None:
        """Go down in order, as at a SIGTERM."""
        if not self.is_up or self.shard is None or self._records is None:
            return
        self.is_up = False
        self._records.drain()
        self.shard.drain()
        await asyncio.sleep(_GRACE_S)
        await self._disk.close()
        self.crash()
