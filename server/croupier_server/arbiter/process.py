"""The arbiter as a process: keys, store, tournaments and the port on which they are served."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import grpc
import structlog

from croupier.v1 import system_service_pb2
from croupier_server.app import announce
from croupier_server.arbiter.rating_service import RatingService
from croupier_server.arbiter.store import ArbiterStore
from croupier_server.arbiter.tournament_service import TournamentService
from croupier_server.arbiter.tournaments import Tournaments
from croupier_server.config import CALLS_PER_SECOND
from croupier_server.identity.keyring import KeyRing
from croupier_server.identity.quota import Quotas
from croupier_server.logging import loop_fault
from croupier_server.rpc import reflection
from croupier_server.rpc.callers import Gate
from croupier_server.rpc.door import Door
from croupier_server.rpc.health import Health
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.server import open_port, options
from croupier_server.rpc.system_service import SystemService
from croupier_server.rpc.tls import Certificates, Files
from croupier_server.rpc.validate import REQUEST_BYTES_MAX, Requests
from croupier_server.storage.beside import beside
from croupier_server.storage.file_lock import FileLock, HeldElsewhere

_log = structlog.get_logger(__name__)

STORE: Final = "arbiter.sqlite"
KEYS: Final = "keys.db"
_LOCK: Final = "arbiter.lock"

_CALLS_BURST: Final = 2_000
_STREAMS_MAX: Final = 256
_PAGE_SIZE_MAX: Final = 1_000
_HEARTBEAT_MS: Final = 10_000
_GRACE_S: Final = 2.0
_SECOND_SIGNAL: Final = 128


class FolderInUse(Exception):
    """Another arbiter has the folder; the text says so."""


class ArbiterSettings(NamedTuple):
    """Settings of an arbiter.

    Attributes:
        server: address of the server of tables.
        folder: holds its store, and a folder for each tournament.
        keys: the store of the keys that it takes; empty: one in *folder*.
        host, port: where to listen; port 0: any that is free.
        tls: what the port is encrypted with; None: it is not.
        tables: at a time, for each tournament.
        heartbeat_ms: time between heartbeats.
    """

    server: str
    folder: Path
    keys: str = ""
    host: str = "127.0.0.1"
    port: int = 0
    tls: Files | None = None
    tables: int = 32
    heartbeat_ms: int = _HEARTBEAT_MS

    @property
    def keys_url(self) -> str:
        """URL of the store of keys."""
        return self.keys or f"sqlite:{self.folder / KEYS}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def running(settings: ArbiterSettings) -> AsyncIterator[str]:
    """An arbiter that is listening; gives its address, and is stopped at the end.

    Raises:
        CannotListen: the port is taken, or the address is not of this machine.
        CertificateError: the certificates cannot be used.
        FolderInUse: another arbiter has the folder.
        LogError: the log of a tournament cannot be read.
        StoreError: the store of keys cannot be opened.
    """
    settings.folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(settings.folder / _LOCK)
    except HeldElsewhere as held:
        raise FolderInUse(
            f"{settings.folder} is in use by another arbiter (process {held.pid})"
        ) from None
    try:
        certificates = Certificates(settings.tls) if settings.tls is not None else None
        async with beside(settings.keys_url, may_make=True) as keys:
            ring = KeyRing(keys.keys, _now_ms)
            door = Door(ring, certificates)
            await ring.refresh()
            if ring.is_empty:
                do = f"croupier keys create NAME --scope organise --store {settings.keys_url}"
                _log.warning("no keys exist", do=do)
            async with _serving(settings, ring, certificates) as address:
                looking = asyncio.create_task(door.run(), name="door")
                try:
                    yield address
                finally:
                    looking.cancel()
                    await asyncio.gather(looking, return_exceptions=True)
    finally:
        lock.release()


@asynccontextmanager
async def _serving(
    settings: ArbiterSettings, ring: KeyRing, certificates: Certificates | None
) -> AsyncIterator[str]:
    store = ArbiterStore(settings.folder / STORE)
    tournaments = Tournaments(
        store, settings.folder, settings.server, settings.tables, ring.knows, _now_ms
    )
    pages = PageTokens(secrets.token_bytes(32), size_max=_PAGE_SIZE_MAX)
    service = TournamentService(tournaments, pages, settings.heartbeat_ms, _now_ms)
    calls = Calls(
        Requests(REQUEST_BYTES_MAX),
        _STREAMS_MAX,
        Gate(ring, Quotas(CALLS_PER_SECOND, _CALLS_BURST, _now_ms)),
        certificates=certificates,
    )
    server = grpc.aio.server(options=options(REQUEST_BYTES_MAX))
    servants = (_system(settings.heartbeat_ms), service, RatingService(store, pages))
    server.add_generic_rpc_handlers([calls.serve(servant) for servant in servants])
    health = Health(calls.services)
    health.add_to(server)
    reflection.add_to(server, calls.services)
    address = open_port(server, settings.host, settings.port, certificates)
    try:
        await tournaments.open()
        await server.start()
        await health.serving()
        yield address
    finally:
        await health.drain()
        service.drain()
        await server.stop(_GRACE_S)
        await tournaments.close()
        store.close()


def _system(heartbeat_ms: int) -> SystemService:
    """What an arbiter says of itself."""
    limits = system_service_pb2.ServerLimits(
        streams_max=_STREAMS_MAX,
        page_size_max=_PAGE_SIZE_MAX,
        calls_per_second=CALLS_PER_SECOND,
        calls_burst=_CALLS_BURST,
    )
    capabilities = system_service_pb2.ServerCapabilities(reflection=True, tournaments=True)
    return SystemService(limits, capabilities, heartbeat_ms, _now_ms, ())


async def serve(
    settings: ArbiterSettings, announce_fd: int | None = None, until_fd: int | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; a second one ends the process at once.

    Args:
        settings: address, folder, keys and limits.
        announce_fd: gets one line of JSON with ``address`` and ``pid`` when it listens.
        until_fd: end of a pipe; when its other end is closed, the arbiter stops.

    Raises:
        Exception: see `running`.
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
            stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    if until_fd is not None:
        loop.add_reader(until_fd, on_left_alone, until_fd)
    loop.set_exception_handler(loop_fault)
    async with running(settings) as address:
        _log.info("listening", address=address, server=settings.server)
        if announce_fd is not None:
            announce(announce_fd, address, {})
        await stop.wait()
    _log.info("stopped")
