"""A network between clients and one server: calls of gRPC whose bytes take their time and get lost.

The server's side of a call is a stand-in for gRPC's context, so what runs behind it is what runs
behind gRPC: interceptors, checks, statuses and all. Bytes of one direction of a call keep their
order, as HTTP/2 has it; calls overtake each other. A reader that does not read fills a window, and
then whoever writes to it waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

import grpc

from croupier_server.rpc.errors import DETAILS_KEY
from tests.sim.loop import START_MS, VirtualLoop

Metadata = tuple[tuple[str, str], ...]
OK: Final = grpc.StatusCode.OK
UNAVAILABLE: Final = grpc.StatusCode.UNAVAILABLE


class End(NamedTuple):
    """How a call ended: status, message, and the serialised ``google.rpc.Status`` if there is one.

    *is_lost*: it was not the server that ended it.
    """

    code: grpc.StatusCode
    message: str = ""
    details: bytes = b""
    is_lost: bool = False


Landed = Callable[[], None]


class Pipe:
    """One direction of a call.

    Args:
        loop: the time.
        delay: milliseconds that the next message takes.
        window: so many bytes may be on their way before the writer has to wait.
        arrive: called with each message, and with when it was sent, in order.
    """

    __slots__ = (
        "_arrive",
        "_bytes",
        "_delay",
        "_flying",
        "_last",
        "_loop",
        "_room",
        "_timer",
        "_window",
        "is_closed",
        "is_held",
    )

    def __init__(
        self,
        loop: VirtualLoop,
        delay: Callable[[], float],
        window: int,
        arrive: Callable[[bytes | End, float, Landed | None], None],
    ) -> None:
        self._loop = loop
        self._delay = delay
        self._window = window
        self._arrive = arrive
        self._flying: deque[tuple[float, float, bytes | End, Landed | None]] = deque()
        self._last = 0.0
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._room: asyncio.Future[None] | None = None
        self.is_held = False
        self.is_closed = False

    def put(self, data: bytes | End, landed: Landed | None = None) -> None:
        """Send *data*; *landed* is called when it has come, before it is read."""
        if self.is_closed:
            return
        now = self._loop.time()
        self._last = max(self._last, now + self._delay() / 1000)
        self._flying.append((self._last, now, data, landed))
        self._bytes += len(data) if isinstance(data, bytes) else 0
        self._wait()

    async def room(self) -> None:
        """Return when more may be sent."""
        while self._bytes > self._window and not self.is_closed:
            self._room = self._loop.create_future()
            await self._room

    def hold(self, *, is_held: bool) -> None:
        """Have the reader stop reading, or go on."""
        self.is_held = is_held
        self._wait()

    def close(self) -> None:
        """Whatever is on its way is lost."""
        self.is_closed = True
        self._flying.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._make_room()

    def _make_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def _wait(self) -> None:
        if self._timer is None and self._flying and not self.is_held:
            at = max(self._flying[0][0], self._loop.time())
            self._timer = self._loop.call_at(at, self._land)

    def _land(self) -> None:
        self._timer = None
        now = self._loop.time()
        while self._flying and not self.is_held and self._flying[0][0] <= now:
            _, sent, data, landed = self._flying.popleft()
            if isinstance(data, bytes):
                self._bytes -= len(data)
            self._arrive(data, sent, landed)
        if self._bytes <= self._window:
            self._make_room()
        self._wait()


class Aborted(Exception):
    """A handler has ended its call with a status, as gRPC's context has it."""

    def __init__(self, end: End) -> None:
        super().__init__(end.message)
        self.end = end


class Context:
    """What a handler knows of its call: stands in for ``grpc.aio.ServicerContext``."""

    def __init__(self, loop: VirtualLoop, metadata: Metadata, out: Pipe) -> None:
        self._loop = loop
        self._metadata = metadata
        self._out = out
        self._in: deque[bytes | None] = deque()
        self._reader: asyncio.Future[None] | None = None

    def invocation_metadata(self) -> Metadata:
        """What came with the call."""
        return self._metadata

    def time_remaining(self) -> float | None:
        """Calls here have no deadline."""
        return None

    def peer(self) -> str:
        """Where the call came from."""
        return "ipv4:127.0.0.1:1"

    def auth_context(self) -> dict[str, Iterable[bytes]]:
        """No certificate."""
        return {}

    def set_trailing_metadata(self, metadata: Metadata) -> None:
        """Nothing here reads trailers but those of a refusal."""

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: Iterable[Any] = ()
    ) -> None:
        """End the call with a status."""
        found = [bytes(value) for key, value in trailing_metadata if key == DETAILS_KEY]
        raise Aborted(End(code, details, found[0] if found else b""))

    async def write(self, data: bytes) -> None:
        """Send a message; done when there is room for the next one."""
        self._out.put(data)
        await self._out.room()

    async def read(self) -> object:
        """The next message; something else than bytes when the client has ended its side."""
        while not self._in:
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._in.popleft()

    def arrive(self, data: bytes | None) -> None:
        """A message of the client, or the end of its side."""
        self._in.append(data)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


class Server(Protocol):
    """Where calls go."""

    def method(self, path: str) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """The method at *path*; None while nobody listens."""
        ...

    def run(self, work: Any) -> asyncio.Task[None]:
        """Run a call as a task that dies with the server."""
        ...


class Call:
    """A call under way, as its client sees it. Its first message goes with it.

    Args:
        line: whose it is.
        path: ``/package.Service/Method``.
        metadata: what goes with it.
        on_message: called with each message and when it was sent, in milliseconds of Unix time.
        on_end: called once, when the call has ended, but not after `cancel`.
    """

    def __init__(
        self,
        line: Line,
        path: str,
        metadata: Metadata,
        on_message: Callable[[bytes, int], None],
        on_end: Callable[[End], None],
    ) -> None:
        self.line = line
        self.path = path
        self.is_open = True
        self._metadata = metadata
        self._on_message = on_message
        self._on_end = on_end
        self._out = Pipe(line.loop, line.delay, line.window, self._reach_server)
        self.incoming = Pipe(line.loop, line.delay, line.window, self._reach_client)
        self._context: Context | None = None
        self._task: asyncio.Task[None] | None = None
        line.calls.append(self)

    # The client's side ----------------------------------------------------------------------------

    def send(self, data: bytes, landed: Landed | None = None) -> None:
        """Send a message; *landed*: see `Pipe.put`."""
        self._out.put(data, landed)

    def half_close(self) -> None:
        """No more messages will be sent."""
        self._out.put(End(OK))

    def cancel(self, server_notices_ms: float = 0.0) -> None:
        """Let go of the call; the server hears of it some time later."""
        if self.is_open:
            self._close()
            task = self._task
            if task is not None:
                self.line.loop.call_later(server_notices_ms / 1000, task.cancel)

    def cut(self, client_notices_ms: float, server_notices_ms: float) -> None:
        """What is on its way is lost, and so is the call as soon as somebody notices."""
        self._out.close()
        self.incoming.close()
        loop = self.line.loop
        if self._task is not None:
            loop.call_later(server_notices_ms / 1000, self._task.cancel)
        loop.call_later(client_notices_ms / 1000, self.lose, "connection lost")

    def lose(self, message: str) -> None:
        """The connection is gone, and the client notices."""
        if self.is_open:
            self._close()
            self._on_end(End(UNAVAILABLE, message, is_lost=True))

    def _close(self) -> None:
        self.is_open = False
        self._out.close()
        self.incoming.close()
        self.line.calls.remove(self)

    def _reach_client(self, data: bytes | End, sent: float, _landed: Landed | None) -> None:
        if isinstance(data, bytes):
            self._on_message(data, START_MS + round(sent * 1_000_000) // 1_000)
        elif self.is_open:
            self._close()
            self._on_end(data)

    # The server's side ----------------------------------------------------------------------------

    def _reach_server(self, data: bytes | End, _sent: float, landed: Landed | None) -> None:
        server = self.line.server
        if self._context is None:
            method = server.method(self.path)
            if method is None:
                self.lose("connection refused")
                return
            self._context = Context(self.line.loop, self._metadata, self.incoming)
            first = data if isinstance(data, bytes) else b""
            if not method.request_streaming:
                if landed is not None:
                    landed()
                self._task = server.run(self._serve(method, first, self._context))
                return
            self._task = server.run(self._serve(method, None, self._context))
        if landed is not None:
            landed()
        self._context.arrive(data if isinstance(data, bytes) else None)

    async def _serve(
        self, method: grpc.RpcMethodHandler[bytes, bytes], first: bytes | None, context: Context
    ) -> None:
        """Run the handler, and send how it ended."""
        handler: Any = method
        try:
            if not method.response_streaming:
                self.incoming.put(await handler.unary_unary(first, context))
            elif first is not None:
                await handler.unary_stream(first, context)
            else:
                await handler.stream_stream(None, context)
        except Aborted as aborted:
            self.incoming.put(aborted.end)
        else:
            self.incoming.put(End(OK))


class Line:
    """A client's connection to the server.

    Args:
        loop: the time.
        server: the other end.
        delay: milliseconds that a message takes, drawn for each.
        window: see `Pipe`.

    Attributes:
        calls: those under way.
        extra_ms: that every message takes longer for now.
        is_up: whether new calls get anywhere.
    """

    def __init__(
        self, loop: VirtualLoop, server: Server, delay: Callable[[], float], window: int
    ) -> None:
        self.loop = loop
        self.window = window
        self.server = server
        self.calls: list[Call] = []
        self.extra_ms = 0.0
        self.is_up = True
        self._delay = delay

    def delay(self) -> float:
        """What the next message takes, in milliseconds."""
        return self._delay() + self.extra_ms

    def call(
        self,
        path: str,
        metadata: Metadata,
        on_message: Callable[[bytes, int], None],
        on_end: Callable[[End], None],
    ) -> Call:
        """Start a call."""
        call = Call(self, path, metadata, on_message, on_end)
        if not self.is_up:
            self.loop.call_soon(call.lose, "no route")
        return call

    def unary(
        self,
        path: str,
        request: bytes,
        metadata: Metadata,
        done: Callable[[bytes | None, End], None],
        landed: Landed | None = None,
    ) -> Call:
        """A call of one message each way; *done* gets the answer, or None, and how it ended."""
        found: list[bytes] = []
        call = self.call(
            path,
            metadata,
            lambda data, _sent: found.append(data),
            lambda end: done(found[0] if found else None, end),
        )
        call.send(request, landed)
        return call

    def cut(self, client_notices_ms: float, server_notices_ms: float) -> None:
        """Lose every call, and all that is on its way; each side notices in its own time."""
        for call in list(self.calls):
            call.cut(client_notices_ms, server_notices_ms)
