"""The composition root: the one place where clock, ids, secrets, store, shard and services meet."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import secrets as system_secrets
import shlex
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import thread_time
from typing import Final, NamedTuple

import structlog
from prometheus_client import CollectorRegistry

from croupier_server import house
from croupier_server.config import Settings, without_password
from croupier_server.errors import CroupierError, Unavailable
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.identity.keyring import KeyRing
from croupier_server.identity.keys import HOUSE, Scope
from croupier_server.identity.quota import Quotas
from croupier_server.logging import loop_fault
from croupier_server.metrics import CallMeter, Source, new_registry, page
from croupier_server.rpc import admin_server
from croupier_server.rpc import server as rpc_server
from croupier_server.rpc.admin_service import Operated
from croupier_server.rpc.callers import Gate
from croupier_server.rpc.door import Door
from croupier_server.rpc.server import Backing, RunningServer
from croupier_server.rpc.tls import Certificates, Files
from croupier_server.storage.base import FilesReplaced, Store, Superseded, TableLog
from croupier_server.storage.opening import open_store
from croupier_server.storage.upkeep import purge_records
from croupier_server.tables.clocks.clock import Clock, SystemClock
from croupier_server.tables.shard.shard import GameEntry, Limits, Shard
from croupier_server.tables.spec import Status

Secrets = Callable[[int], bytes]
"""So many random bytes."""

_log = structlog.get_logger(__name__)

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BYTES: Final = 10
_ID_CHARACTERS: Final = 26
_SECOND_SIGNAL: Final = 128
_SUPERSEDED: Final = 3
"""Status of a server that another one has followed. The unit for systemd does not start it again:
it could not take the store from the other while that has its lock, but would at the first
connection that the other loses, and tables would go back and forth between two addresses."""

_WRITER_FAILED: Final = 4
_FILES_REPLACED: Final = 5
"""Status of a server whose store was removed or replaced. The unit for systemd does not start it
again: it would begin with an empty store, or with whatever lies there now."""

_SWITCH_S: Final = 0.001
"""A thread waits so long for a busy loop: those of the store do, several times a commit."""

_COLLECT_AFTER: Final = (2_000, 5, 400)
"""Objects, and collections of the younger generation, after which the garbage collector runs. With
ten times as many of either, collections held up the loop for up to 80 ms beside 900 calls at once
(`scripts/attack/legal.py`)."""


class StoreGone(Exception):
    """Nothing will ever be stored again by this process, so it has drained and is to end.

    Attributes:
        status: which it ends with.
        do: what its operator does.
    """

    def __init__(self, error: Exception) -> None:
        if isinstance(error, Superseded):
            self.status = _SUPERSEDED
            self.do = (
                "stop the server that has the database now, or if the database has lost data, find "
                "out why; then start this server again"
            )
        elif isinstance(error, FilesReplaced):
            self.status = _FILES_REPLACED
            self.do = (
                "find out what removed or replaced the files; restore a backup if data is gone; "
                "then start the server again"
            )
        else:
            self.status = _WRITER_FAILED
            self.do = "start the server again, as every acknowledged move is stored; report this"
        super().__init__(self.do)


class Sources(NamedTuple):
    """What comes from outside; equal sources make equal runs.

    Attributes:
        clock: the time.
        secrets: random bytes.
        used_s: seconds of processor time that this thread has used.
    """

    clock: Clock
    secrets: Secrets
    used_s: Callable[[], float] = thread_time


def system_sources() -> Sources:
    """The machine's clock and the operating system's random bytes."""
    return Sources(SystemClock(), system_secrets.token_bytes)


def table_ids(sources: Sources) -> Callable[[], str]:
    """Makes ids of tables: 48 bits of time and 80 random bits, so that they sort by time of
    making and cannot be guessed."""

    def make() -> str:
        time = sources.clock.now_ms() & ((1 << 48) - 1)
        number = time << 8 * _RANDOM_BYTES | int.from_bytes(sources.secrets(_RANDOM_BYTES), "big")
        return "".join(
            _ALPHABET[number >> 5 * digit & 31] for digit in reversed(range(_ID_CHARACTERS))
        )

    return make


class OperatorPorts(NamedTuple):
    """Where operators find the server; empty where they do not."""

    admin: str = ""
    metrics: str = ""


class App(NamedTuple):
    """A running server and what it stands on.

    Attributes:
        server: what listens.
        shard: the tables.
        store: where they are kept.
        house: the house bots, if there are any.
        door: who may come in.
        stopping: set when an operator wants the server to stop.
        meter: counts the calls.
        operators: where operators find it.
    """

    server: RunningServer
    shard: Shard
    store: Store
    house: house.HouseBots | None
    door: Door
    stopping: asyncio.Event
    meter: CallMeter
    operators: OperatorPorts

    async def drain(self) -> None:
        """Report NOT_SERVING and end every stream with SERVER_DRAINING."""
        await self.server.drain()
        self.shard.drain()


@asynccontextmanager
async def running(
    settings: Settings, sources: Sources | None = None, stop: asyncio.Event | None = None
) -> AsyncIterator[App]:
    """A server that is listening; it is stopped at the end.

    Args:
        settings: all that can be set.
        sources: what comes from outside.
        stop: set when an operator wants it to end.

    Raises:
        StoreError: the store cannot be opened.
        CannotListen, CannotShowMetrics: a port is taken, or the address is not of this machine.
        CertificateError: there are certificates to be used, and they cannot be.
    """
    sources = sources or system_sources()
    store = await open_store(
        settings.store_url,
        durability=settings.durability,
        records_max=settings.records_max,
        records_bytes_max=settings.records_mb_max << 20,
    )
    try:
        async with _running(settings, sources, store, stop or asyncio.Event()) as app:
            yield app
    finally:
        await store.close()


@asynccontextmanager
async def _running(
    settings: Settings, sources: Sources, store: Store, stop: asyncio.Event
) -> AsyncIterator[App]:
    certificates = _certificates(settings)
    registry = new_registry()
    meter = CallMeter(registry)
    keys = KeyRing(store.keys, sources.clock.now_ms)
    bots = house.HouseBots(
        lambda table_id: _is_on(shard, table_id), key=_house_key(settings, keys, sources)
    )
    shard = _shard(settings, sources, store, bots)
    door = Door(keys, certificates)
    await keys.refresh()
    if settings.asks_for_keys and keys.is_empty:
        do = f"croupier keys create NAME --scope play --scope host{_store_option(settings)}"
        _log.warning("no keys exist", do=do)
    with _private_socket(certificates) as socket:
        backing = Backing(
            shard,
            store.records,
            sources.clock.now_ms,
            sources.secrets,
            house.BOTS if settings.house_bots else frozenset(),
            meter,
            sources.used_s,
            gate=_gate(settings, keys, sources),
            certificates=certificates,
            socket=socket,
        )
        await shard.begin()
        server = await rpc_server.start(settings, backing)
        shard.run()
        recovering = asyncio.create_task(_recover(shard), name="recovery")
        upkeep = asyncio.create_task(_upkeep(settings, store, sources.clock), name="upkeep")
        looking = asyncio.create_task(door.run(), name="door")
        if settings.house_bots:
            bots.start(f"unix:{socket}" if socket else _dialled(server.address))
        dwellers = bots if settings.house_bots else None
        app = App(server, shard, store, dwellers, door, stop, meter, OperatorPorts())
        try:
            async with _operated(settings, app, keys, registry, sources, certificates) as ports:
                yield app._replace(operators=ports)
        finally:
            await _stopped(recovering)
            await _stopped(upkeep)
            await app.drain()
            async with asyncio.TaskGroup() as group:
                group.create_task(server.stop(settings.shutdown_grace_ms))
                group.create_task(bots.stop())
            await _stopped(looking)


def _shard(settings: Settings, sources: Sources, store: Store, bots: house.HouseBots) -> Shard:
    return Shard(
        clock=sources.clock,
        secrets=sources.secrets,
        ids=table_ids(sources),
        log=store.log,
        games={kind: GameEntry(GAMES[wire.name], wire) for kind, wire in WIRES.items()},
        limits=_limits(settings),
        house=bots.sit if settings.house_bots else None,
        records=store.records,
    )


@asynccontextmanager
async def _operated(
    settings: Settings,
    app: App,
    keys: KeyRing,
    registry: CollectorRegistry,
    sources: Sources,
    certificates: Certificates | None,
) -> AsyncIterator[OperatorPorts]:
    """The ports of the operators, as the settings want them."""
    admin = metrics = ""
    server, shard, now_ms = app.server, app.shard, sources.clock.now_ms
    async with contextlib.AsyncExitStack() as stack:
        if settings.metrics_port is not None:
            host = settings.metrics_host
            deaths = app.house.count_deaths if app.house is not None else int
            source = Source(shard, app.store, lambda: server.streams, deaths)
            port = await stack.enter_async_context(
                page(registry, host, settings.metrics_port, source)
            )
            metrics = f"{host}:{port}"
        if settings.admin_port is not None:
            operated = Operated(shard, app.store, now_ms, lambda: server.streams, app.stopping.set)
            admin = await stack.enter_async_context(
                admin_server.listening(
                    settings.admin_host,
                    settings.admin_port,
                    operated,
                    gate=Gate(keys, Quotas(0, 1, now_ms)),
                    certificates=certificates,
                    secrets=sources.secrets,
                    meter=app.meter,
                )
            )
        yield OperatorPorts(admin, metrics)


async def _upkeep(settings: Settings, store: Store, clock: Clock) -> None:
    """What records need from time to time, until cancelled."""
    if settings.records_days:
        await purge_records(store.records, settings.records_days, clock.now_ms)


def _certificates(settings: Settings) -> Certificates | None:
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return Certificates(Files(settings.tls_cert, settings.tls_key, settings.tls_client_ca))


def _gate(settings: Settings, keys: KeyRing, sources: Sources) -> Gate:
    quotas = Quotas(
        settings.calls_limit, settings.calls_burst, sources.clock.now_ms, sources.used_s
    )
    return Gate(keys if settings.asks_for_keys else None, quotas)


def _store_option(settings: Settings) -> str:
    """What commands need to find the store; nothing for one that they find by themselves, or whose
    password they have to get in another way."""
    url = settings.store_url
    is_found = not (settings.store or settings.data_dir)
    return "" if is_found or without_password(url) != url else f" --store {shlex.quote(url)}"


def _house_key(settings: Settings, keys: KeyRing, sources: Sources) -> str:
    """A key for the server's own bots; empty where they need none."""
    if not (settings.house_bots and settings.asks_for_keys):
        return ""
    return keys.make_own(HOUSE, [Scope.PLAY], sources.secrets).text


@contextmanager
def _private_socket(certificates: Certificates | None) -> Iterator[str]:
    """Path of a socket that this user alone can open; empty where there is no encryption.

    The certificate is for names that others call us by, and may ask clients for theirs: house bots
    go round it.
    """
    if certificates is None:
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="croupier-") as folder:
        yield str(Path(folder, "house"))


async def _recover(shard: Shard) -> None:
    """Take up the tables of the store. None of it is garbage, so nobody looks for any meanwhile."""
    gc.disable()
    try:
        await shard.recover()
    finally:
        gc.freeze()
        gc.enable()


async def _stopped(task: asyncio.Task[None]) -> None:
    """Stop *task*; what it failed with comes out here."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def serve(
    settings: Settings, announce_fd: int | None = None, until_fd: int | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; a second one ends the process at once.

    Args:
        settings: all that can be set.
        announce_fd: gets one line of JSON with ``address`` and ``pid`` when the server listens, and
            with the addresses of ``web``, ``admin`` and ``metrics`` where there are such ports.
        until_fd: end of a pipe whose other end somebody else holds; without that one we stop too.

    Raises:
        StoreError: the store cannot be opened.
        StoreGone: nothing will ever be stored again; every stream has ended with SERVER_DRAINING.
        CannotListen: the port is taken, or the address is not of this machine.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: int) -> None:
        if stop.is_set():
            os._exit(_SECOND_SIGNAL + number)
        _log.info("stopping", signal=signal.Signals(number).name)
        stop.set()

    def on_left_alone(fd: int) -> None:
        if not os.read(fd, 1024):
            loop.remove_reader(fd)
            _log.info("stopping", signal=None)
            stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    if until_fd is not None:
        loop.add_reader(until_fd, on_left_alone, until_fd)
    loop.set_exception_handler(loop_fault)
    _tame_collector()
    sys.setswitchinterval(_SWITCH_S)
    async with running(settings, stop=stop) as app:
        web = app.server.web
        found = {"web": "" if web is None else web.address, **app.operators._asdict()}
        ports = {name: at for name, at in found.items() if at}
        _log.info("listening", address=app.server.address, loop=type(loop).__module__, **ports)
        if announce_fd is not None:
            announce(announce_fd, app.server.address, ports)
        gone = await _until(stop, app.store.log)
    if gone is not None:
        raise gone
    _log.info("stopped")


async def _until(stop: asyncio.Event, log: TableLog) -> StoreGone | None:
    """Wait until the server is to stop; returns why, if it is the store."""

    def changed() -> None:
        if log.gone is not None:
            stop.set()

    log.watch(changed)
    changed()
    await stop.wait()
    if log.gone is None:
        return None
    gone = StoreGone(log.gone)
    _log.error("store lost", why=log.trouble, do=gone.do, status=gone.status)
    return gone


def _tame_collector() -> None:
    """Look for cycles less often: play makes none, and tables keep a great many objects that would
    be gone through again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)


def announce(fd: int, address: str, ports: Mapping[str, str]) -> None:
    """Write the line that tells whoever started us where we listen; nobody reading is no error."""
    line = json.dumps({"address": address, "pid": os.getpid(), **ports}) + "\n"
    with contextlib.suppress(BrokenPipeError), os.fdopen(fd, "w") as out:
        out.write(line)


def _dialled(address: str) -> str:
    """Where this machine itself reaches a server at *address*, which may stand for all of its
    addresses."""
    host, _, port = address.rpartition(":")
    loopback = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - read only
    return f"{loopback}:{port}"


def _is_on(shard: Shard, table_id: str) -> bool:
    try:
        return shard.table(table_id).status is not Status.ENDED
    except Unavailable:  # it is still to be taken up
        return True
    except CroupierError:
        return False


def _limits(settings: Settings) -> Limits:
    """The limits, most of which have the names of their settings."""
    same = {name: getattr(settings, name) for name in Limits._fields if hasattr(settings, name)}
    return Limits(**same, lag_max=settings.feed_lag_max, channels_max=settings.session_channels_max)
