"""What stands between gRPC and every handler: the caller, the checked request, the status, the log.

Each call of a service is carried out by the method of a `Servant` that has its name in snake case;
its request and its kind follow from the contract. Handlers are registered with generic handlers of
our own, so that bytes that are no request get a reason as any other refusal does, and so that
replies may be bytes that were encoded before.

The log of requests names the method, the status, the time, the table and the id of the key; never a
key or a ticket, never a card, never the text of a request.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import aclosing, contextmanager
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar

import grpc
import structlog
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message

from croupier_server.errors import CroupierError, Exhausted, InvalidRequest, Reason
from croupier_server.identity.keyring import TurnedAway
from croupier_server.identity.quota import READ_FREE_MAX, UNLIMITED, Quota
from croupier_server.identity.rights import Right, right_of
from croupier_server.logging import Throttle, fault
from croupier_server.rpc.callers import Gate
from croupier_server.rpc.errors import DETAILS_KEY, code_of, internal, to_refusal, to_status
from croupier_server.rpc.tls import Certificates, expect_client_certificate
from croupier_server.rpc.turns import READS_MAX, REST_S, SHOWS_MAX, Crowd, Metered, Turns
from croupier_server.rpc.validate import REQUEST_BYTES_MAX, Form, Requests, too_long
from croupier_server.tables.caller import Caller

FRAME_BYTES_MAX: Final = 1 << 18
"""Longest frame of a client on a session."""

_FORM_FACTOR: Final = 4
"""A byte of another form takes so much longer to read than one in the wire format."""

F = TypeVar("F", bound=Callable[..., object])
Q = TypeVar("Q")
T = TypeVar("T")
R = TypeVar("R", bound=Message)
Reply: TypeAlias = Message | bytes
"""What a handler answers: a message, or the bytes of one."""

GrpcContext: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
Data: TypeAlias = bytes | Form
"""A request as it came."""

Handler: TypeAlias = Callable[[Q, GrpcContext], Awaitable[T]]
"""What carries out a call of gRPC."""

_log = structlog.get_logger(__name__)

_RETRY_MS: Final = 1_000
_LOGGED_ID_MAX: Final = 64


class Context(Protocol):
    """A call, as far as its caller and its end are concerned."""

    def invocation_metadata(self) -> Iterable[tuple[str, str | bytes]] | None:
        """What came with the call."""
        ...

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """What is known of the connection; see `expect_client_certificate`."""
        ...

    def peer(self) -> str:
        """The address of the client."""
        ...

    def time_remaining(self) -> float | None:
        """Seconds up to the deadline of the call; None: it has none."""
        ...

    async def abort(
        self, code: grpc.StatusCode, details: str, trailing_metadata: tuple[tuple[str, bytes], ...]
    ) -> NoReturn:
        """End the call with a status, by an exception."""
        ...


class Link(Protocol):
    """Both directions of a session, as its handler sees them."""

    async def read(self) -> bytes | None:
        """The next message of the client; None when it has ended its side."""
        ...

    def write(self, data: bytes, /) -> Awaitable[None]:
        """Send a message; done when there is room for the next one."""
        ...


class Meter(Protocol):
    """Counts calls for the operator."""

    def ended(self, method: str, code: str, seconds: float, *, is_stream: bool) -> None:
        """A call of *method* has ended."""
        ...

    def refused(self, reason: str) -> None:
        """A call or a move was refused."""
        ...


class Unmetered:
    """A `Meter` that nobody reads."""

    def ended(self, method: str, code: str, seconds: float, *, is_stream: bool) -> None:
        """See `Meter.ended`."""

    def refused(self, reason: str) -> None:
        """See `Meter.refused`."""


class Servant(Protocol):
    """Carries out the calls of a service, each by the method with its name in snake case."""

    @property
    def service(self) -> str:
        """Full name of the service in the contract."""
        ...


class How(NamedTuple):
    """How a call is wrapped.

    Attributes:
        frequent: log it at debug level unless it is refused.
        pays_itself: its handler takes the token that the call costs, or finds that it is free. It
            takes its turns apart from the caller's other calls, so as not to wait for them.
        bytes_max: see `Requests.reader`.
        is_show: the messages of its stream take turns in `Calls.shows`.
    """

    frequent: bool = False
    pays_itself: bool = False
    bytes_max: int | None = REQUEST_BYTES_MAX
    is_show: bool = False


_USUAL: Final = How()


def wrapped(how: How) -> Callable[[F], F]:
    """Decorates the method of a `Servant` whose call is wrapped in another way."""

    def decorate(handle: F) -> F:
        handle.how = how  # type: ignore[attr-defined]
        return handle

    return decorate


TurnAway: TypeAlias = Callable[[str, TurnedAway], Awaitable[None]]
"""Is told the method and the refusal of somebody known, before they are."""


class Calls:
    """Wraps the handlers of a server.

    Args:
        requests: reads and checks requests.
        streams_max: streams that one principal may have open.
        gate: tells callers apart; None: everybody is `local`.
        rights: returns what a method takes.
        meter: counts the calls.
        turned_away: is told of those who have a key but not the right; None: nobody is.
        certificates: of the port; None: it is not encrypted.
        used_s: seconds of processor time that the thread of the loop has used.
        throttle: bounds the lines of the log that refused and unauthenticated calls cause.

    Attributes:
        turns: shares the loop between callers, for answers and streams.
        reads: the same for all other calls, which answers do not wait for.
        shows: the same for messages to spectators and to the lobby; a caller may have thousands of
            such streams, whose messages would delay the calls of everybody else by seconds.
        services: those that were made, by name.
    """

    def __init__(
        self,
        requests: Requests,
        streams_max: int,
        gate: Gate | None = None,
        rights: Callable[[str], Right] = right_of,
        meter: Meter | None = None,
        turned_away: TurnAway | None = None,
        certificates: Certificates | None = None,
        used_s: Callable[[], float] = time.thread_time,
        throttle: Throttle | None = None,
    ) -> None:
        self.requests = requests
        crowd = Crowd()
        self.turns = Turns(used_s, crowd)
        self.reads = Turns(used_s, crowd, REST_S, READS_MAX)
        self.shows = Turns(used_s, crowd, REST_S, SHOWS_MAX)
        self.meter = meter or Unmetered()
        self.gate = gate or Gate()
        self._rights = rights
        self._turned_away = turned_away
        self._checks_peers = certificates is not None and certificates.asks_clients
        self._streams_max = streams_max
        self.throttle = throttle or Throttle()
        self.services: dict[str, Service] = {}
        self._streams: Counter[str] = Counter()

    def service(self, name: str) -> Service:
        """An empty service; *name* is its full name in the contract."""
        service = self.services[name] = Service(name, self)
        return service

    def serve(self, servant: Servant) -> grpc.GenericRpcHandler:
        """The service whose calls *servant* carries out, as gRPC's server wants it."""
        service = self.service(servant.service)
        described: Any = descriptor_pool.Default().FindServiceByName(servant.service)
        for method in described.methods:
            handle = getattr(servant, re.sub(r"\B(?=[A-Z])", "_", method.name).lower())
            how = getattr(handle, "how", _USUAL)
            request = message_factory.GetMessageClass(method.input_type)
            if method.client_streaming:
                service.session(method.name, handle)
            elif method.server_streaming:
                service.stream(method.name, request, handle, how)
            else:
                service.unary(method.name, request, handle, how)
        return service.handler()

    def refusal(self, error: CroupierError) -> bytes:
        """Payload of the ``Refusal`` that a stream sends for *error*, which is counted."""
        self.meter.refused(error.reason.value)
        return to_refusal(error).SerializeToString()

    def admission(self, path: str) -> Callable[[Context], Awaitable[Caller]]:
        """Who makes a call of the method *path*, if it may.

        Raises:
            KeyError: no right is defined for the method.
        """
        scope, admit, turned_away = self._rights(path).scope, self.gate.admit, self._turned_away

        async def admission(context: Context) -> Caller:
            if self._checks_peers:
                expect_client_certificate(context.auth_context())
            try:
                return admit(context.invocation_metadata(), scope, context.peer)
            except TurnedAway as error:
                if turned_away is not None:
                    await turned_away(path, error)
                raise

        return admission

    async def begin(self, caller: Caller) -> None:
        """Take a token for a call of *caller*, and wait for its turn.

        Raises:
            Exhausted: RATE_LIMITED, its principal has no token.
        """
        quota = caller.quota
        if quota.is_empty:  # refused before it queues, and again after that
            raise quota.refusal()
        await self.reads.turn(caller.flow)
        quota.spend()

    def read_request(self, caller: Caller, read: Callable[[Data], R], data: Data) -> R:
        """Read the request in *data* with *read*; charge *caller* for it if it is long.

        Raises:
            Exhausted: RATE_LIMITED, *data* is long, and its principal has no token.
            InvalidRequest: *data* is malformed.
        """
        quota = caller.quota
        size = len(data) if isinstance(data, bytes) else _FORM_FACTOR * data.size
        if size <= READ_FREE_MAX:
            return read(data)
        if quota.is_empty:
            raise quota.refusal()
        with quota.measured():
            return read(data)

    def written(self, caller: Caller, data: Data, reply: Reply) -> bytes:
        """A further *reply* to *data*, after *caller* was charged for what another form cost."""
        if isinstance(data, bytes):
            return _reply(data, reply)
        with caller.quota.measured(paid=0):
            return _reply(data, reply)

    async def charged(self, caller: Caller, work: Coroutine[object, object, bytes]) -> bytes:
        """The result of *work*, after *caller* was charged for what it cost."""
        quota = caller.quota
        if not quota.is_limited:
            return await work
        metered, size = Metered(work, quota.stopwatch), 0
        try:
            reply = await metered
            size = len(reply)
        finally:
            quota.charge_work(metered.seconds, size)
        return reply

    @property
    def streams(self) -> int:
        """Streams that are open."""
        return self._streams.total()

    @contextmanager
    def stream_slot(self, caller: Caller) -> Iterator[None]:
        """Counts a stream of *caller* while it lasts.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        who = caller.principal
        if self._streams[who] >= self._streams_max:
            raise Exhausted(
                Reason.TOO_MANY_STREAMS,
                f"you already have {self._streams_max} open streams, the maximum",
                retry_ms=_RETRY_MS,
            )
        self._streams[who] += 1
        try:
            yield
        finally:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]


class Service:
    """The methods of one service, wrapped for gRPC.

    Attributes:
        unaries: carry out unary calls, by method; for ports that speak something else.
        streams: the same for server streams.
        sessions: names of the bidirectional streams.
    """

    def __init__(self, name: str, calls: Calls) -> None:
        self._name = name
        self._calls = calls
        self.unaries: dict[str, Callable[[Data, Context], Awaitable[bytes]]] = {}
        self.streams: dict[str, Callable[[Data, Context], AsyncGenerator[bytes, None]]] = {}
        self.sessions: set[str] = set()
        self._methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {}

    def unary(
        self,
        method: str,
        request: type[R],
        handle: Callable[[Caller, R], Coroutine[object, object, Reply]],
        how: How = _USUAL,
    ) -> None:
        """Add the unary call *method*, which *handle* carries out."""
        read = self._calls.requests.reader(request, how.bytes_max)
        path = f"{self._name}/{method}"
        calls = self._calls
        admit = calls.admission(path)

        async def carry_out(caller: Caller, call: _Call, data: Data) -> bytes:
            message = read(data)
            call.about(message)
            return _reply(data, await handle(caller, message))

        async def run(data: Data, context: Context) -> bytes:
            async with _Call(path, context, calls, frequent=how.frequent) as call:
                caller = await admit(context)
                call.by(caller)
                if not how.pays_itself:
                    await calls.begin(caller)
                    return await calls.charged(caller, carry_out(caller, call, data))
                await calls.turns.turn(caller.flow)
                try:
                    message = calls.read_request(caller, read, data)
                except InvalidRequest:
                    caller.quota.spend()
                    raise
                call.about(message)
                return _reply(data, await handle(caller, message))

        self.unaries[method] = run
        self._methods[method] = grpc.unary_unary_rpc_method_handler(_let_go(run))

    def stream(
        self,
        method: str,
        request: type[R],
        handle: Callable[[Caller, R], AsyncGenerator[Reply, None]],
        how: How = _USUAL,
    ) -> None:
        """Add a server stream; *handle* is an async generator and is always closed."""
        read = self._calls.requests.reader(request)
        path = f"{self._name}/{method}"
        calls = self._calls
        turns = calls.shows if how.is_show else calls.turns
        admit = calls.admission(path)

        async def replies(data: Data, context: Context) -> AsyncGenerator[bytes, None]:
            async with _Call(path, context, calls, is_stream=True) as call:
                caller = await admit(context)
                call.by(caller)
                await calls.begin(caller)
                message = calls.read_request(caller, read, data)
                call.about(message)
                with calls.stream_slot(caller):
                    async with aclosing(handle(caller, message)) as found:
                        first = await calls.charged(caller, _first(data, found))
                        if first:
                            yield first
                        async for reply in found:
                            await turns.turn(caller.flow)
                            yield calls.written(caller, data, reply)

        async def run(data: bytes, context: GrpcContext) -> None:
            async with aclosing(replies(data, context)) as found:
                async for reply in found:
                    await context.write(reply)

        self.streams[method] = replies
        self._methods[method] = grpc.unary_stream_rpc_method_handler(_let_go(run))

    def session(self, method: str, handle: Callable[[Caller, Link], Awaitable[None]]) -> None:
        """Add a bidirectional stream, whose handler reads and writes frames itself."""
        path = f"{self._name}/{method}"
        calls = self._calls
        admit = calls.admission(path)

        async def run(_requests: AsyncIterator[bytes], context: GrpcContext) -> None:
            async with _Call(path, context, calls, is_stream=True) as call:
                caller = await admit(context)
                call.by(caller)
                await calls.begin(caller)
                with calls.stream_slot(caller):
                    await handle(
                        caller,
                        _ContextLink(context, min(calls.requests.bytes_max, FRAME_BYTES_MAX)),
                    )

        self.sessions.add(method)
        self._methods[method] = grpc.stream_stream_rpc_method_handler(_let_go(run))

    def handler(self) -> grpc.GenericRpcHandler:
        """The service as the server wants it."""
        return grpc.method_handlers_generic_handler(self._name, self._methods)


def _let_go(run: Handler[Q, T]) -> Handler[Q, T]:
    """*run*, so that a call that was refused keeps nothing.

    gRPC holds on to the exception that ended a call. Its frames hold the request, and the call
    itself: a cycle, which stays until the garbage collector goes through everything, and by then
    gigabytes may have gathered. So the exception leaves here without frames.
    """

    async def handle(request: Q, context: GrpcContext) -> T:
        work = run(request, context)
        del request, context
        try:
            return await work
        except BaseException as error:
            del work
            error.__context__ = None
            raise error.with_traceback(None) from None

    return handle


def _reply(data: Data, reply: Reply) -> bytes:
    """*reply* in the form of the request *data*."""
    found = reply if isinstance(reply, bytes) else reply.SerializeToString()
    return found if isinstance(data, bytes) else data.write(found)


async def _first(data: Data, replies: AsyncIterator[Reply]) -> bytes:
    """The first of *replies* to *data*; empty if there is none."""
    async for reply in replies:
        return _reply(data, reply)
    return b""


class _ContextLink:
    """A `Link` over gRPC's context; a message that is too long ends the stream."""

    __slots__ = ("_bytes_max", "_context", "write")

    def __init__(self, context: GrpcContext, bytes_max: int) -> None:
        self._context = context
        self._bytes_max = bytes_max
        self.write: Callable[[bytes], Awaitable[None]] = context.write

    async def read(self) -> bytes | None:
        # At the end of the stream gRPC gives a mark of its own; its types do not say so.
        data: object = await self._context.read()
        if not isinstance(data, bytes):
            return None
        if len(data) > self._bytes_max:
            raise too_long(len(data), self._bytes_max)
        return data


def host_of(peer: str) -> str:
    """The host of gRPC's *peer*, whose every connection has another port."""
    return peer.rpartition(":")[0] or peer


class _Call:
    """One call under way: how it ends, and its line in the log."""

    __slots__ = (
        "_context",
        "_frequent",
        "_is_stream",
        "_key_id",
        "_meter",
        "_method",
        "_quota",
        "_started",
        "_table_id",
        "_throttle",
    )

    def __init__(
        self,
        method: str,
        context: Context,
        calls: Calls,
        *,
        frequent: bool = False,
        is_stream: bool = False,
    ) -> None:
        self._method = method
        self._context = context
        self._meter = calls.meter
        self._throttle = calls.throttle
        self._frequent = frequent
        self._is_stream = is_stream
        self._table_id = ""
        self._key_id = ""
        self._quota: Quota = UNLIMITED
        self._started = time.perf_counter()

    async def __aenter__(self) -> _Call:
        return self

    async def __aexit__(
        self, _kind: object, error: BaseException | None, _traceback: object
    ) -> None:
        if error is None:
            self._done()
        elif isinstance(error, (asyncio.CancelledError, GeneratorExit)):
            self._cancelled()
        elif isinstance(error, Exception):
            await self._refuse(error)

    def by(self, caller: Caller) -> None:
        """Note the id of the caller's key, and the quota that pays for the call."""
        self._quota = caller.quota
        if caller.key is not None:
            self._key_id = caller.key.key_id

    def about(self, request: Message) -> None:
        """Take the table from a request that has been checked."""
        self._table_id = str(getattr(request, "table_id", ""))[:_LOGGED_ID_MAX]

    def _done(self) -> None:
        """It went well."""
        self._ended("OK")
        if not self._frequent:
            self._log("OK")
        elif _log.is_enabled_for(logging.DEBUG):
            _log.debug("call", code="OK", **self._facts())

    def _cancelled(self) -> None:
        """The client went away, or its deadline has passed."""
        left: float | None = self._context.time_remaining()
        code = "DEADLINE_EXCEEDED" if left is not None and left <= 0 else "CANCELLED"
        self._ended(code)
        self._log(code)

    async def _refuse(self, error: Exception) -> NoReturn:
        """End the call with the status of *error*; a fault of ours shows as INTERNAL alone."""
        if not isinstance(error, CroupierError):
            _log.error("call failed", **fault(error), **self._facts())
            error = internal()
        if error.reason is Reason.RATE_LIMITED:
            await asyncio.sleep(self._quota.hold_back(asyncio.get_running_loop().time()))
        status = to_status(error)
        code = code_of(status)
        self._ended(code.name)
        self._meter.refused(error.reason.value)
        self._log(code.name, error.reason)
        await self._context.abort(
            code, status.message, ((DETAILS_KEY, status.SerializeToString()),)
        )
        raise AssertionError("abort returned")

    def _log(self, code: str, reason: Reason | None = None) -> None:
        """Write the line; the throttle may suppress those of refusals and of callers without a
        key."""
        told: dict[str, str | int] = {} if reason is None else {"reason": reason.value}
        if reason is not None or not self._key_id:
            left_out = self._throttle.admit(self._key_id or host_of(self._context.peer()))
            if left_out is None:
                return
            if left_out:
                told["suppressed"] = left_out
        _log.info("call", code=code, **told, **self._facts())

    def _ended(self, code: str) -> None:
        seconds = time.perf_counter() - self._started
        self._meter.ended(self._method, code, seconds, is_stream=self._is_stream)

    def _facts(self) -> dict[str, str | float]:
        facts: dict[str, str | float] = {
            "method": self._method,
            "ms": round((time.perf_counter() - self._started) * 1000, 3),
        }
        if self._table_id:
            facts["table_id"] = self._table_id
        if self._key_id:
            facts["key_id"] = self._key_id
        return facts
