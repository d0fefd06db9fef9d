"""The web port: Connect, gRPC-Web and JSON over HTTP/1.1, from the process of the gRPC server.

connectrpc speaks the protocols and uvicorn speaks HTTP; no other module imports either. Calls are
carried out by the `Service` objects that gRPC uses, so callers, rights, limits, refusals and the
log are the same. What HTTP adds is bounded here: who may call from a page (``Origin``), the names
that the server answers to (``Host``), sizes, open connections, and slow clients in both directions.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import grpc
import structlog
from connectrpc.code import Code
from connectrpc.errors import ConnectError, ErrorDetail
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf import any_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from google.rpc import status_pb2
from protobuf import wkt
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from croupier_server.config import Settings
from croupier_server.errors import CroupierError, InvalidRequest, Reason
from croupier_server.logging import fault
from croupier_server.rpc.errors import DETAILS_KEY, code_of, to_status
from croupier_server.rpc.interceptors import Calls, Context, Data, Service, host_of
from croupier_server.rpc.server import CannotListen
from croupier_server.rpc.tls import Certificates
from croupier_server.rpc.validate import too_long

_log = structlog.get_logger(__name__)

T = TypeVar("T")

Scope = dict[str, Any]
Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

REQUEST_SECONDS: Final = 10.0
"""Time for the headers of a request, and again for its body. The rest of a TLS handshake has as
long."""

STALLED_SECONDS: Final = 30.0
STALLED_BYTES: Final = 1 << 16
"""A client that takes fewer bytes in this time, while more than a buffer full waits for it, loses
its connection."""

JSON_BYTES_MAX: Final = 1 << 15
"""Longest request in JSON, which costs far more to read than the wire format."""

HEADER_BYTES_MAX: Final = 16_384
_HEADER_BYTES: Final = 32
"""What a header counts for besides its bytes, as in HTTP/2."""
_IDLE_SECONDS: Final = 5
_PREFLIGHT_SECONDS: Final = 7_200

_ASKED: Final = (
    b"authorization, connect-protocol-version, connect-timeout-ms, content-type, "
    b"croupier-host-ticket, croupier-invite, croupier-ticket, grpc-timeout, x-grpc-web, "
    b"x-user-agent"
)
_TOLD: Final = b"grpc-message, grpc-status, grpc-status-details-bin"
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class WebDoor:
    """A web port that is listening.

    Attributes:
        address: where, with its port.
    """

    def __init__(self, server: asyncio.Server, state: ServerState, address: str) -> None:
        self._server = server
        self._state = state
        self.address = address

    @property
    def connections(self) -> int:
        """Connections that are open."""
        return len(self._state.connections)

    async def stop(self, grace_ms: int) -> None:
        """Take no more calls, and cut those that are left after *grace_ms*."""
        self._server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        if self._state.tasks:
            await asyncio.wait(list(self._state.tasks), timeout=grace_ms / 1000)
        left = list(self._state.tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for connection in list(self._state.connections):
            connection.transport.abort()


async def start(settings: Settings, calls: Calls, certificates: Certificates | None) -> WebDoor:
    """Listen as *settings* say and serve the services of *calls*, which have all been made.

    Raises:
        CannotListen: the port is taken, or the address is not of this machine.
    """
    host, wanted = settings.web_address
    name = f"[{host}]" if ":" in host else host
    door = _Door(calls, settings.web_origin_list)
    config = Config(
        door,
        loop="none",
        http=_Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        h11_max_incomplete_event_size=HEADER_BYTES_MAX,
    )
    config.load()
    state = ServerState()
    context = None if certificates is None else certificates.context()
    try:
        server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(config, state, {}, connections_max=settings.web_connections_max),
            host,
            wanted,
            ssl=context,
            ssl_handshake_timeout=None if context is None else REQUEST_SECONDS,
        )
    except OSError:
        raise CannotListen(
            f"cannot listen on {name}:{wanted}: already in use, or not an address of this machine"
        ) from None
    port = server.sockets[0].getsockname()[1]
    names = own_names(host, port, is_encrypted=context is not None)
    door.hosts = settings.web_host_list | names
    return WebDoor(server, state, f"{name}:{port}")


def own_names(host: str, port: int, *, is_encrypted: bool) -> frozenset[str]:
    """The values of ``Host`` by which a browser means an address itself.

    No page can make a name of its own stand for them, so they need not be listed.
    """
    names = {f"[{host}]" if ":" in host else host}
    if host in ("localhost", "127.0.0.1", "::1"):
        names |= {"localhost", "127.0.0.1", "[::1]"}
    usual = 443 if is_encrypted else 80
    return frozenset(
        {f"{name}:{port}" for name in names} | (names if port == usual else frozenset())
    )


# Connections --------------------------------------------------------------------------------------


class _Connection(H11Protocol):
    """A connection that is closed when its client is too slow, or when there are too many."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections_max: int = 1,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._connections_max = connections_max
        self._expiry: asyncio.TimerHandle | None = None
        """Ends the connection unless a request begins before."""
        self._stall: asyncio.TimerHandle | None = None
        self._waiting = 0
        """Bytes that waited for the client when its stall was last looked at."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._connections_max:
            transport.write(_FULL)
            transport.close()
            return
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # a client that has vanished keeps no seat
            connection.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(STALLED_SECONDS * 1000)
            )
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect_request()
        if not self._is_idle and self.cycle.more_body:
            self.flow.pause_reading()  # the rest of a body waits until somebody asks for it

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset_keepalive_if_required()
        for timer in (self._expiry, self._stall):
            if timer is not None:
                timer.cancel()
        self._expiry = self._stall = None
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _expect_request(self) -> None:
        if not self._is_idle:
            if self._expiry is not None:
                self._expiry.cancel()
                self._expiry = None
        elif self._expiry is None and not self.transport.is_closing():
            self._expiry = self.loop.call_later(REQUEST_SECONDS, self._expired)

    def _expired(self) -> None:
        self._expiry = None
        if self._is_idle:
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._waiting = self.transport.get_write_buffer_size()
        if self._stall is None:
            self._stall = self.loop.call_later(STALLED_SECONDS, self._stalled)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _stalled(self) -> None:
        before, self._waiting = self._waiting, self.transport.get_write_buffer_size()
        if before - self._waiting < STALLED_BYTES:
            self._stall = None
            self.transport.abort()
        else:
            self._stall = self.loop.call_later(STALLED_SECONDS, self._stalled)


# Requests -----------------------------------------------------------------------------------------


class _Door:
    """The ASGI application: what HTTP asks for, before connectrpc reads anything.

    Attributes:
        hosts: values of ``Host`` that are answered.
    """

    def __init__(self, calls: Calls, origins: frozenset[str]) -> None:
        self.hosts: frozenset[str] = frozenset()
        self._origins = {origin.encode() for origin in origins}
        self._reads = calls.reads
        self._throttle = calls.throttle
        self._bytes_max = calls.requests.bytes_max
        self._sessions = {
            f"/{name}/{method}"
            for name, service in calls.services.items()
            for method in service.sessions
        }
        endpoints: dict[str, Any] = {
            f"/{name}/{endpoint.method.name}": endpoint
            for name, service in calls.services.items()
            for endpoint in _endpoints(name, service)
        }
        self._app = _Application(
            service=None,
            endpoints=lambda _: endpoints,
            read_max_bytes=None,  # the body is bounded while it is read
            compressions=(),
            codecs=(_Codec("proto", lambda data, _: data), _Codec("json", _Json)),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers: Headers = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        turn = partial(self._reads.turn, _flow(scope["client"]))
        body = _Body(receive, self._length_max(headers), turn)
        reply = _Reply(send, body)
        size = sum(len(name) + len(value) + _HEADER_BYTES for name, value in headers)
        if size > HEADER_BYTES_MAX:
            await reply.refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                Code.RESOURCE_EXHAUSTED,
                f"headers may have up to {HEADER_BYTES_MAX} bytes",
            )
            return
        if not all(name.isascii() and value.isascii() for name, value in headers):
            await reply.refuse(
                HTTPStatus.BAD_REQUEST, Code.INVALID_ARGUMENT, "headers must be ASCII"
            )
            return
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
            reply.headers += [(b"connection", b"close")]  # RFC 9112, 6.1
            await reply.refuse(
                HTTPStatus.BAD_REQUEST,
                Code.INVALID_ARGUMENT,
                "a request has either Content-Length or Transfer-Encoding",
            )
            return
        if len(hosts) != 1 or hosts[0].decode().lower() not in self.hosts:
            await reply.refuse(
                HTTPStatus.MISDIRECTED_REQUEST,
                Code.PERMISSION_DENIED,
                "Host not allowed; the operator can add it to web_hosts",
            )
            return
        if origins and (len(origins) != 1 or origins[0] not in self._origins):
            await reply.refuse(
                HTTPStatus.FORBIDDEN,
                Code.PERMISSION_DENIED,
                "Origin not allowed; the operator can add it to web_origins",
            )
            return
        if origins:
            reply.headers += _cross_origin(origins[0])
        if scope["method"] == "OPTIONS" and origins:
            await reply.preflight()
        elif scope["path"] in self._sessions:
            await reply.refuse(
                HTTPStatus.NOT_IMPLEMENTED,
                Code.UNIMPLEMENTED,
                "a session needs gRPC; here call WatchTables and SubmitMove",
            )
        elif _is_grpc(headers):
            await reply.refuse(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                Code.UNIMPLEMENTED,
                "gRPC has a port of its own; this one serves Connect, gRPC-Web and JSON",
            )
        else:
            await self._answer(scope, body, reply)

    def _length_max(self, headers: Headers) -> int:
        is_json = any(name == b"content-type" and b"json" in value for name, value in headers)
        return min(self._bytes_max, JSON_BYTES_MAX) if is_json else self._bytes_max

    async def _answer(self, scope: Scope, body: _Body, reply: _Reply) -> None:
        try:
            await self._app(scope, body, reply)
        except Exception as error:
            if self._throttle.admit(host_of(_flow(scope["client"]))) is not None:
                _log.error("web request failed", path=scope["path"], **fault(error))
            raise


class _Application(ConnectASGIApplication[None]):
    """connectrpc's application, with every service of ours on one path each."""

    path = ""


class _Body:
    """The body of a request, bounded in size and time.

    Each part of it takes a turn: to read a long one takes longer than most calls do.
    """

    def __init__(
        self, receive: Receive, bytes_max: int, turn: Callable[[], Awaitable[None]]
    ) -> None:
        self._receive = receive
        self._turn = turn
        self._bytes_max = bytes_max
        self._seconds = REQUEST_SECONDS
        """Time that is left to the client; that of its turns is not counted."""
        self._size = 0
        self.is_read = False

    async def __call__(self) -> Event:
        """The next part; after the last one, the end of the connection."""
        if self.is_read:
            return await self._receive()
        await self._turn()
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(self._seconds):
                event = await self._receive()
        except TimeoutError:
            raise _connect_error(
                InvalidRequest(
                    Reason.MALFORMED_REQUEST,
                    f"the request did not arrive within {REQUEST_SECONDS:.0f} seconds",
                )
            ) from None
        self._seconds -= loop.time() - began
        self._size += len(event.get("body", b""))
        # Streams put five bytes before the message.
        if self._size > self._bytes_max + 5:
            raise _connect_error(too_long(self._size, self._bytes_max))
        self.is_read = not event.get("more_body", False)
        return event


class _Reply:
    """What is sent, with the headers that every response has.

    Attributes:
        headers: those of this response.
    """

    def __init__(self, send: Send, body: _Body) -> None:
        self._send = send
        self._body = body
        self.headers: Headers = [
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-accel-buffering", b"no"),
            (b"vary", b"Origin"),
        ]

    async def __call__(self, event: Event) -> None:
        """Send *event*; a connection on which part of the request is unread is closed after it."""
        if event["type"] == "http.response.start":
            more = [] if self._body.is_read else [(b"connection", b"close")]
            event = {**event, "headers": [*event.get("headers", ()), *self.headers, *more]}
        await self._send(event)

    async def refuse(self, status: HTTPStatus, code: Code, message: str) -> None:
        """Answer with an error in Connect's form, before any protocol is known."""
        text = json.dumps({"code": code.value, "message": message}).encode()
        await self._whole(status, [(b"content-type", b"application/json")], text)

    async def preflight(self) -> None:
        """Answer a browser that asks what a page may send, and keep its connection."""
        self._body.is_read = True
        headers = [
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", _ASKED),
            (b"access-control-max-age", str(_PREFLIGHT_SECONDS).encode()),
        ]
        await self._whole(HTTPStatus.NO_CONTENT, headers, b"")

    async def _whole(self, status: HTTPStatus, headers: Headers, body: bytes) -> None:
        if body:
            headers = [*headers, (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status.value, "headers": headers})
        await self({"type": "http.response.body", "body": body})


def _flow(client: tuple[str, object] | None) -> str:
    """The peer of a request, and the flow that it belongs to until its caller is known.

    A client may use any number of connections, so all of a host are one flow.
    """
    return f"{client[0]}:web" if client else ""


def _cross_origin(origin: bytes) -> Headers:
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _TOLD),
    ]


def _is_grpc(headers: Headers) -> bool:
    """Whether a request is native gRPC, which needs trailers and so HTTP/2."""
    kinds = [value for name, value in headers if name == b"content-type"]
    return any(kind.startswith(b"application/grpc") and b"-web" not in kind for kind in kinds)


# Calls --------------------------------------------------------------------------------------------


class _Shapes(NamedTuple):
    """The messages of a call; stands where connectrpc has the class of the request."""

    request: type[Message]
    reply: type[Message]


class _Codec:
    """Hands requests and replies on as they are: `Requests` reads them, after the rights."""

    def __init__(self, name: str, request: Callable[[bytes, _Shapes], object]) -> None:
        self._name = name
        self._request = request

    def name(self) -> str:
        """As in the content type."""
        return self._name

    def encode(self, message: bytes) -> bytes:
        """A reply, which `Form.write` has written."""
        return message

    def decode(self, data: bytes | bytearray, message_class: Any) -> Any:
        """A request that is still to be read."""
        return self._request(bytes(data), message_class)


class _Json:
    """A `Form`: ProtoJSON, with fields that have their default value written out."""

    __slots__ = ("_shapes", "_text")

    def __init__(self, text: bytes, shapes: _Shapes) -> None:
        self._text = text
        self._shapes = shapes

    @property
    def size(self) -> int:
        return len(self._text)

    def read(self, bytes_max: int) -> bytes:
        if len(self._text) > 4 * bytes_max:
            raise too_long(len(self._text), 4 * bytes_max)
        message = self._shapes.request()
        try:
            json_format.Parse(self._text or b"{}", message)
        except (ValueError, TypeError, OverflowError, RecursionError, json_format.Error) as error:
            why = str(error).partition("\n")[0]
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST,
                f"the body is not a valid {message.DESCRIPTOR.name} in JSON: {why}",
            ) from None
        return message.SerializeToString()

    def write(self, reply: bytes) -> bytes:
        message = self._shapes.reply.FromString(reply)
        text = json_format.MessageToJson(
            message, indent=None, always_print_fields_with_no_presence=True
        )
        return text.encode()


class _Context:
    """A `Context` over HTTP."""

    __slots__ = ("_request",)

    def __init__(self, request: RequestContext[Any, Any]) -> None:
        self._request = request

    def invocation_metadata(self) -> Iterable[tuple[str, str | bytes]]:
        """The headers; nothing is ever read from the query."""
        return tuple(self._request.request_headers.allitems())

    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """Nothing: this port asks for no client certificates."""
        return {}

    def peer(self) -> str:
        """The host alone, as connections are made for a request or two."""
        host, _, port = (self._request.client_address or "").rpartition(":")
        return _flow((host, port))

    def time_remaining(self) -> float | None:
        left = self._request.timeout_ms
        return None if left is None else left / 1000

    async def abort(
        self, code: grpc.StatusCode, details: str, trailing_metadata: tuple[tuple[str, bytes], ...]
    ) -> NoReturn:
        status = status_pb2.Status.FromString(dict(trailing_metadata)[DETAILS_KEY])
        raise ConnectError(Code[code.name], details, [_Detail(one) for one in status.details])


class _Detail(ErrorDetail):
    """A detail of a status, which Connect also shows in words."""

    def __init__(self, packed: any_pb2.Any) -> None:
        super().__init__(wkt.Any(type_url=packed.type_url, value=packed.value))
        told = json_format.MessageToDict(packed)
        del told["@type"]
        self._told = wkt.Struct.from_json(json.dumps(told))

    def value(self, *_: object) -> Any:
        """The detail as JSON."""
        return self._told


def _connect_error(error: CroupierError) -> ConnectError:
    """A refusal that comes before the call."""
    status = to_status(error)
    details = [_Detail(one) for one in status.details]
    return ConnectError(Code[code_of(status).name], status.message, details)


def _endpoints(name: str, service: Service) -> Iterable[Endpoint[Any, Any]]:
    """The calls of *service* but for sessions."""
    described = descriptor_pool.Default().FindServiceByName(name)
    for method in described.methods:
        shapes: Any = _Shapes(
            message_factory.GetMessageClass(method.input_type),
            message_factory.GetMessageClass(method.output_type),
        )
        info = partial(
            MethodInfo,
            name=method.name,
            service_name=name,
            input=shapes,
            output=bytes,
            idempotency_level=IdempotencyLevel.UNKNOWN,  # so every call is a POST
        )
        if method.name in service.unaries:
            unary = partial(_call, service.unaries[method.name])
            yield Endpoint.unary(info(stream_type=StreamType.UNARY), unary)
        elif method.name in service.streams:
            stream = partial(_call, service.streams[method.name])
            yield Endpoint.server_stream(info(stream_type=StreamType.SERVER_STREAM), stream)


def _call(run: Callable[[Data, Context], T], data: Data, request: RequestContext[Any, Any]) -> T:
    return run(data, _Context(request))
