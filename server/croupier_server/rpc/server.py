"""Builds, starts and stops the gRPC server around one shard."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import thread_time
from typing import TYPE_CHECKING, Final

import grpc

from croupier.v1 import system_service_pb2
from croupier_server.config import Settings
from croupier_server.logging import Throttle
from croupier_server.rpc import reflection
from croupier_server.rpc.callers import Gate
from croupier_server.rpc.catalog_service import CatalogService
from croupier_server.rpc.health import Health
from croupier_server.rpc.interceptors import Calls, Meter, Servant, Unmetered
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.play_service import PlayService
from croupier_server.rpc.record_service import RECORD_STREAMS_MAX, RecordService
from croupier_server.rpc.seat_service import SeatService
from croupier_server.rpc.session_service import SessionService
from croupier_server.rpc.spectate_service import SpectateService
from croupier_server.rpc.system_service import SystemService
from croupier_server.rpc.table_service import TableService
from croupier_server.rpc.tls import Certificates
from croupier_server.rpc.validate import Requests
from croupier_server.storage.records import RecordStore
from croupier_server.tables.feeds.readers import SEAT_STREAMS_MAX
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.moves import LISTED_MAX

if TYPE_CHECKING:
    from croupier_server.rpc.web import WebDoor

# Requests are measured by us, so that one that is too long gets a reason; this bound keeps gRPC
# from buffering much more than that.
_WIRE_FACTOR: Final = 4
STREAMS_PER_CONNECTION: Final = 1_000
"""Calls and streams that one connection may have open; a client that opens more waits or is told
REFUSED_STREAM. Without the limit one client fills the queue of calls that all of them share."""

_PENDING_MAX: Final = 50_000
"""Calls that may wait for the event loop. gRPC cancels calls beyond, whoever made them, and by
itself begins at 1,000: fewer than the streams that clients open again after a restart."""

_HEALTH_SECONDS: Final = 1.0
_KEEPALIVE_MS: Final = 30_000
_PING_TIMEOUT_MS: Final = 10_000
"""A connection that does not answer a ping for so long is closed. gRPC has two such timeouts, and
the longer one wins: `ping_timeout_ms`, a minute unless set, and `keepalive_timeout_ms`."""
_PING_MIN_MS: Final = 5_000


class CannotListen(Exception):
    """The address cannot be listened on."""


@dataclass(frozen=True, slots=True)
class Backing:
    """What the services stand on.

    Attributes:
        shard: owner of the tables.
        records: finished matches.
        now_ms: the server's clock.
        secrets: random bytes, so many.
        house_bots: names of the house bots that a seat may have.
        meter: counts the calls.
        used_s: seconds of processor time that this thread has used.
        throttle: bounds the lines of the log that refused and unauthenticated calls cause.
        gate: tells callers apart.
        certificates: what the port is encrypted with; None: it is not.
        socket: path of a Unix socket to listen on too, unencrypted; empty: none.
    """

    shard: Shard
    records: RecordStore
    now_ms: Callable[[], int]
    secrets: Callable[[int], bytes]
    house_bots: frozenset[str]
    meter: Meter = field(default_factory=Unmetered)
    used_s: Callable[[], float] = thread_time
    throttle: Throttle = field(default_factory=Throttle)
    gate: Gate = field(default_factory=Gate)
    certificates: Certificates | None = None
    socket: str = ""


class RunningServer:
    """A server that is listening.

    Attributes:
        address: where, with its port.
        web: the web port; None: there is none.
    """

    def __init__(
        self,
        server: grpc.aio.Server,
        health: Health,
        records: RecordService,
        address: str,
        calls: Calls,
        web: WebDoor | None = None,
    ) -> None:
        self._server = server
        self._health = health
        self._records = records
        self._calls = calls
        self.address = address
        self.web = web

    @property
    def streams(self) -> int:
        """Streams that are open."""
        return self._calls.streams

    async def drain(self) -> None:
        """Say NOT_SERVING and end the streams of records; the shard ends those of tables."""
        # A watcher that does not read could hold this up.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HEALTH_SECONDS):
                await self._health.drain()
        self._records.drain()

    async def stop(self, grace_ms: int) -> None:
        """Take no more calls, and cut those that are left after *grace_ms*."""
        async with asyncio.TaskGroup() as group:
            group.create_task(_stopped(self._server, grace_ms))
            if self.web is not None:
                group.create_task(self.web.stop(grace_ms))

    async def wait(self) -> None:
        """Return when the server has stopped."""
        await self._server.wait_for_termination()


async def start(settings: Settings, backing: Backing) -> RunningServer:
    """Listen and serve as *settings* say.

    Raises:
        CannotListen: the port is taken, or the address is not of this machine.
    """
    certificates = backing.certificates
    calls = Calls(
        Requests(settings.record_bytes_max),
        settings.streams_max,
        backing.gate,
        meter=backing.meter,
        certificates=certificates,
        used_s=backing.used_s,
        throttle=backing.throttle,
    )
    server = grpc.aio.server(options=options(settings.record_bytes_max))
    pages = PageTokens(backing.secrets(32), size_max=settings.page_size_max)
    records = RecordService(backing.records, pages, backing.now_ms, settings.heartbeat_ms)
    services = services_of(settings, backing, pages, records, calls)
    server.add_generic_rpc_handlers([calls.serve(service) for service in services])
    health = Health(calls.services)
    health.add_to(server)
    if settings.reflection:
        reflection.add_to(server, calls.services)
    address = open_port(server, settings.host, settings.port, certificates)
    if backing.socket:
        server.add_insecure_port(f"unix:{backing.socket}")
    await server.start()
    web = None
    if settings.web:
        from croupier_server.rpc.web import start as start_web

        try:
            web = await start_web(settings, calls, certificates)
        except CannotListen:
            await server.stop(None)
            raise
    await health.serving()
    return RunningServer(server, health, records, address, calls, web)


async def _stopped(server: grpc.aio.Server, grace_ms: int) -> None:
    await server.stop(grace_ms / 1000)


def open_port(
    server: grpc.aio.Server, host: str, port: int, certificates: Certificates | None
) -> str:
    """Have *server* listen; the address with its port.

    Raises:
        CannotListen: the port is taken, or the address is not of this machine.
    """
    name = f"[{host}]" if ":" in host else host
    wanted = f"{name}:{port}"
    try:
        if certificates is not None:
            found = server.add_secure_port(wanted, certificates.credentials())
        else:
            found = server.add_insecure_port(wanted)
    except RuntimeError:
        found = 0
    if not found:
        raise CannotListen(
            f"cannot listen on {wanted}: already in use, or not an address of this machine"
        )
    return f"{name}:{found}"


def services_of(
    settings: Settings, backing: Backing, pages: PageTokens, records: RecordService, calls: Calls
) -> Sequence[Servant]:
    """Every service of the contract, for *calls* to serve."""
    shard = backing.shard
    capabilities = system_service_pb2.ServerCapabilities(
        session=True,
        records=True,
        lobby=True,
        reflection=settings.reflection,
        house_bots=bool(backing.house_bots),
        seats=backing.gate.asks_for_keys,
        view_delta=True,
    )
    return (
        SystemService(
            _limits(settings),
            capabilities,
            settings.heartbeat_ms,
            backing.now_ms,
            backing.house_bots,
        ),
        CatalogService(pages),
        TableService(shard, pages, backing.house_bots),
        PlayService(shard, pages, calls),
        SeatService(shard, pages),
        SessionService(shard, capabilities, calls),
        SpectateService(shard, pages),
        records,
    )


def _limits(settings: Settings) -> system_service_pb2.ServerLimits:
    """The limits as GetServerInfo tells them."""
    return system_service_pb2.ServerLimits(
        tables_max=settings.tables_max,
        streams_max=settings.streams_max,
        session_channels_max=settings.session_channels_max,
        record_bytes_max=settings.record_bytes_max,
        legal_list_max=LISTED_MAX,
        page_size_max=settings.page_size_max,
        calls_per_second=settings.calls_limit,
        calls_burst=settings.calls_burst if settings.calls_limit else 0,
        house_seats_max=settings.house_seats_max if settings.asks_for_keys else 0,
        house_tables_max=settings.house_tables_max if settings.asks_for_keys else 0,
        watchers_max=settings.watchers_max,
        seat_streams_max=SEAT_STREAMS_MAX,
        record_streams_max=RECORD_STREAMS_MAX,
        own_tables_max=settings.own_tables_max if settings.asks_for_keys else 0,
    )


def options(record_bytes_max: int) -> Sequence[tuple[str, int]]:
    """Options of gRPC: one server a port, bounded requests, and clients that vanish are noticed."""
    return (
        ("grpc.so_reuseport", 0),
        ("grpc.max_concurrent_streams", STREAMS_PER_CONNECTION),
        ("grpc.server.max_pending_requests", _PENDING_MAX),
        ("grpc.server.max_pending_requests_hard_limit", _PENDING_MAX),
        ("grpc.max_receive_message_length", _WIRE_FACTOR * record_bytes_max),
        ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", _PING_TIMEOUT_MS),
        ("grpc.http2.ping_timeout_ms", _PING_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", _PING_MIN_MS),
    )
