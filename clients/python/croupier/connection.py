"""The channels to one server: stubs, unary calls that survive a lost connection, pauses.

Every unary call of the contract is safe to repeat (a request id, or a decision that remembers its
answer), so a call whose connection broke is simply made again.

Unary calls have a channel of their own. A server limits the streams of one HTTP/2 connection, and
gRPC holds calls beyond that limit back without a word: a move would wait for a watched table to
end.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import grpc

from croupier.credentials import Credentials, encryption_advice
from croupier.errors import ConnectionFailed, Refused, from_rpc_error
from croupier.record.v1 import record_service_pb2_grpc
from croupier.v1 import (
    catalog_service_pb2_grpc,
    play_service_pb2_grpc,
    seat_service_pb2_grpc,
    session_service_pb2_grpc,
    spectate_service_pb2_grpc,
    system_service_pb2,
    system_service_pb2_grpc,
    table_service_pb2_grpc,
)

__all__ = ["Backoff", "Connection", "StreamChannels", "Stubs", "is_lost", "is_worth_waiting"]

Request = TypeVar("Request")
Response = TypeVar("Response")

DEFAULT_ADDRESS: Final = "127.0.0.1:7421"
PATIENCE_SECONDS: Final = 120.0
"""Longer than a machine takes to start again, and than the ``away_ms`` that servers have."""

CALL_SECONDS: Final = 30.0
_HELLO_SECONDS: Final = 10.0
_HELLO_ATTEMPTS: Final = 5
_PAUSE_SECONDS_MIN: Final = 0.02
_PAUSE_SECONDS_MAX: Final = 0.4
"""Short, because a clock may be running; and a call that waits longer than the stream beside it
would lose every round on a line that is cut again and again."""
_TOLD_SECONDS: Final = 2.0
"""An outage of so many seconds is told of: whoever watches a bot do nothing wants to know why."""

_TOLD_AGAIN_SECONDS: Final = 60.0

STREAMS_PER_CHANNEL: Final = 500
"""Half of what servers allow on a connection."""

_FRAME_BYTES_MAX: Final = 256 * 1024 * 1024

_PING_MS: Final = 30_000
_PING_TIMEOUT_MS: Final = 10_000
"""A connection with a call that answers no ping for so long is lost, and opened again. gRPC waits
for the longer of two timeouts, of which one is a minute unless it is set."""

_OPTIONS: Final = (
    ("grpc.max_receive_message_length", _FRAME_BYTES_MAX),
    ("grpc.max_send_message_length", _FRAME_BYTES_MAX),
    ("grpc.initial_reconnect_backoff_ms", 50),
    # Despite its name the time that one attempt to connect may take.
    ("grpc.min_reconnect_backoff_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.keepalive_time_ms", _PING_MS),
    ("grpc.keepalive_timeout_ms", _PING_TIMEOUT_MS),
    ("grpc.http2.ping_timeout_ms", _PING_TIMEOUT_MS),
    # Every channel is a connection of its own; gRPC would let channels of one address share one.
    ("grpc.use_local_subchannel_pool", 1),
)

_log = logging.getLogger("croupier")

_LOST: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    }
)


def is_lost(error: Refused) -> bool:
    """Whether *error* says that the connection broke: gRPC said it, not the server."""
    return error.code in _LOST and error.reason == error.code.name


def is_worth_waiting(error: Refused) -> bool:
    """Whether the same call may succeed before patience ends; a quarantine may last for hours."""
    if error.reason == "TABLE_QUARANTINED":
        return False
    return is_lost(error) or error.retry_after is not None or error.reason == "SERVER_DRAINING"


class Outage:
    """Says in the log what is waited for, once for all who wait."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._told: float | None = None

    def tell(self, why: str, left: float) -> None:
        """Nobody answers because of *why*; it is tried again for *left* seconds."""
        now = time.monotonic()
        if self._told is None or now - self._told > _TOLD_AGAIN_SECONDS:
            self._told = now
            _log.warning("%s: %s; trying again for %.0f seconds", self._address, why, left)


class Backoff:
    """Growing pauses between attempts, with chance in them so that many bots do not come at once.

    Raises `ConnectionFailed` from `pause` when there was no success for *patience* seconds.

    Args:
        address: of the server.
        patience: seconds.
        outage: told of pauses that become long; None: nobody is.
    """

    def __init__(self, address: str, patience: float, outage: Outage | None = None) -> None:
        self._address = address
        self._patience = patience
        self._outage = outage
        self.succeeded()

    def succeeded(self) -> None:
        """Something worked: start again with short pauses."""
        self._last_success = time.monotonic()
        self._pause = _PAUSE_SECONDS_MIN

    async def pause(self, why: str, at_least: float | None = None) -> None:
        """Wait before the next attempt, at least so many seconds.

        Raises:
            ConnectionFailed: nothing worked for too long.
        """
        waited = time.monotonic() - self._last_success
        if waited > self._patience:
            raise ConnectionFailed(
                f"gave up on {self._address} after {self._patience:g} seconds: {why}"
            )
        if self._outage is not None and waited > _TOLD_SECONDS:
            self._outage.tell(why, self._patience - waited)
        spread = 0.5 + secrets.randbelow(1000) / 1000
        await asyncio.sleep(max(self._pause * spread, at_least or 0.0))
        self._pause = min(self._pause * 2, _PAUSE_SECONDS_MAX)


class Stubs:
    """The services of the contract on one channel.

    Attributes:
        channel: the channel.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.system = system_service_pb2_grpc.SystemServiceStub(channel)
        self.catalog = catalog_service_pb2_grpc.CatalogServiceStub(channel)
        self.tables = table_service_pb2_grpc.TableServiceStub(channel)
        self.play = play_service_pb2_grpc.PlayServiceStub(channel)
        self.seats = seat_service_pb2_grpc.SeatServiceStub(channel)
        self.sessions = session_service_pb2_grpc.SessionServiceStub(channel)
        self.spectate = spectate_service_pb2_grpc.SpectateServiceStub(channel)
        self.records = record_service_pb2_grpc.RecordServiceStub(channel)


class StreamChannels:
    """Channels for streams alone, opened as they are needed and then reused.

    Args:
        new_channel: opens a channel.
        streams_max: maximum number of streams on a channel.
    """

    def __init__(
        self,
        new_channel: Callable[[], grpc.aio.Channel],
        streams_max: int = STREAMS_PER_CHANNEL,
    ) -> None:
        self._new_channel = new_channel
        self._streams_max = streams_max
        self._open: dict[Stubs, int] = {}

    @contextmanager
    def stream(self) -> Iterator[Stubs]:
        """Stubs with room for one more stream, which must end before the context does."""
        free = (stubs for stubs, streams in self._open.items() if streams < self._streams_max)
        stubs = next(free, None) or Stubs(self._new_channel())
        self._open[stubs] = self._open.get(stubs, 0) + 1
        try:
            yield stubs
        finally:
            self._open[stubs] -= 1

    async def close(self) -> None:
        """Close every channel."""
        for stubs in self._open:
            await stubs.channel.close()


class Connection(Stubs):
    """What leads to *address*: stubs for unary calls, and channels for streams.

    Args:
        address: host and port.
        patience: seconds for which a lost connection is tried again.
        credentials: what the server is shown; None: what the environment says.

    Attributes:
        address: host and port.
        patience: seconds for which a lost connection is tried again.
        streams: channels for streams.
    """

    def __init__(
        self, address: str, patience: float, credentials: Credentials | None = None
    ) -> None:
        self.address = address
        self.patience = patience
        self._outage = Outage(address)
        shown = Credentials.from_environment() if credentials is None else credentials
        super().__init__(shown.channel(address, _OPTIONS))
        self.streams = StreamChannels(lambda: shown.channel(address, _OPTIONS))

    def backoff(self) -> Backoff:
        """For whoever tries again and again on this connection."""
        return Backoff(self.address, self.patience, self._outage)

    async def hello(self) -> system_service_pb2.GetServerInfoResponse:
        """Ask the server what it is; the first call of a client.

        Raises:
            ConnectionFailed: nobody answers there.
        """
        request = system_service_pb2.GetServerInfoRequest()
        backoff, advice = Backoff(self.address, self.patience), ""
        for _ in range(_HELLO_ATTEMPTS):
            try:
                return await self.system.GetServerInfo(request, timeout=_HELLO_SECONDS)
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error)
            if not is_lost(refused):
                raise refused
            # A line that breaks at once may hold the next time; a server that is not there is not.
            advice = encryption_advice(refused.message) or "; start one with `croupier serve`"
            await backoff.pause(refused.message)
        raise ConnectionFailed(f"no Croupier server answers at {self.address}{advice}")

    async def call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        ticket: str = "",
        host_ticket: str = "",
        invite: str = "",
    ) -> Response:
        """Make a unary call, again and again while the connection is lost.

        Raises:
            Refused: the server said no.
            ConnectionFailed: it could not be reached for too long.
        """
        metadata: tuple[tuple[str, str], ...] = ()
        if ticket:
            metadata += (("croupier-ticket", ticket),)
        if host_ticket:
            metadata += (("croupier-host-ticket", host_ticket),)
        if invite:
            metadata += (("croupier-invite", invite),)
        backoff = self.backoff()
        while True:
            try:
                return await method(request, metadata=metadata, timeout=CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error)
            except asyncio.CancelledError:
                # A call that the far side cancelled raises this too.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                refused = Refused(grpc.StatusCode.CANCELLED, "CANCELLED", "the call was cut")
            if not is_worth_waiting(refused):
                raise refused
            await backoff.pause(refused.message, refused.retry_after)

    async def close(self) -> None:
        """Close every channel."""
        await self.streams.close()
        await self.channel.close()
