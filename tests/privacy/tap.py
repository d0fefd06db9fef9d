"""A client that writes down all that it receives: messages, metadata, statuses, byte by byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import grpc
from google.protobuf.message import Message

from croupier.record.v1.record_service_pb2 import StreamRecordsResponse
from croupier.v1 import game_pb2, play_service_pb2, session_service_pb2, table_pb2
from croupier.v1.table_service_pb2 import WatchLobbyResponse
from tests.privacy.witness import Leak, Seen

Wanted = Callable[[table_pb2.TableUpdate], bool]
Metadata = tuple[tuple[str, str], ...]
SECONDS: Final = 300.0
"""Ends a call that hangs; no verdict depends on it."""

CHANNEL: Final = 7

WITH_CURSORS: Final[Mapping[str, type[WatchLobbyResponse] | type[StreamRecordsResponse]]] = {
    "WatchLobby": WatchLobbyResponse,
    "StreamRecords": StreamRecordsResponse,
}
"""Streams of which each item has a cursor."""


class Tap:
    """A client that keeps what it receives, in order, by stream.

    Attributes:
        seen: what it has received.
        called: full names of the methods that it has called.
    """

    def __init__(self, channel: grpc.aio.Channel, ticket: str = "") -> None:
        self.channel = channel
        self.metadata: Metadata = ()
        self.seen: dict[str, list[Seen]] = {}
        self.called: set[str] = set()
        self.step = 0
        if ticket:
            self.hold(ticket)

    def hold(self, ticket: str) -> None:
        """Send *ticket* with every call from now on."""
        self.metadata = (("croupier-ticket", ticket),)

    def note(self, stream: str, what: str, content: object) -> None:
        """Write down something received."""
        self.seen.setdefault(stream, []).append(Seen(self.step, f"{stream} {what}", content))

    async def call(self, method: str, request: Message, metadata: Metadata | None = None) -> bytes:
        """A unary call, with its metadata and status; no answer is empty bytes."""
        make: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(
            f"/{method}"
        )
        self.called.add(method)
        held = self.metadata if metadata is None else metadata
        call = make(request.SerializeToString(), metadata=held, timeout=SECONDS)
        name = method.rpartition("/")[2]
        answer = b""
        try:
            answer = await call
            self.note(name, "answer", answer)
        except grpc.aio.AioRpcError:
            pass
        await self.note_end(name, call)
        return answer

    async def stream(self, method: str, request: Message) -> None:
        """A server stream that ends by itself, or is refused."""
        await Watch(self, method, request).close()

    async def note_end(self, stream: str, call: grpc.aio.Call) -> None:
        """Write down metadata and status of a call that has ended."""
        self.note(stream, "initial metadata", tuple(await call.initial_metadata() or ()))
        self.note(stream, "trailing metadata", tuple(await call.trailing_metadata() or ()))
        self.note(stream, "status", (await call.code(), await call.details()))


class Stream(Protocol):
    """A stream of the audience, read when the driver says so.

    Attributes:
        decisions: ids of the decisions that came.
        sequence: number of the last event that it told of.
    """

    decisions: set[str]
    sequence: int

    async def until(self, is_there: Wanted) -> None:
        """Read on until an update comes that is wanted."""
        ...

    async def close(self) -> None:
        """Read to the end."""
        ...

    def cut(self) -> None:
        """Lose it."""
        ...


class Watch:
    """A server stream of `TableUpdate`."""

    def __init__(self, tap: Tap, method: str, request: Message) -> None:
        self.decisions: set[str] = set()
        self.sequence = 0
        make: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = tap.channel.unary_stream(
            f"/{method}"
        )
        tap.called.add(method)
        self._tap = tap
        self._name = method.rpartition("/")[2]
        self._call = make(request.SerializeToString(), metadata=tap.metadata, timeout=SECONDS)

    async def take(self) -> None:
        """Read one message, of whatever kind."""
        data = await self._call.read()
        assert isinstance(data, bytes), "the stream ended"
        self._note(data)

    async def until(self, is_there: Wanted) -> None:
        while True:
            data = await self._call.read()
            assert isinstance(data, bytes), "the stream ended"
            found = False
            for update, own in self._updates(data):
                self.decisions.add(update.decision.decision_id)
                self.sequence = max(self.sequence, sequence_of(update))
                note_update(self._tap, self._name, update, own)
                found = found or is_there(update)
            if found:
                return

    def _updates(self, data: bytes) -> list[tuple[table_pb2.TableUpdate, bytes]]:
        """The updates of a message, each with the bytes that it is compared by."""
        # Field 1 of both responses is the update.
        return [(play_service_pb2.WatchTableResponse.FromString(data).update, data)]

    async def close(self) -> None:
        try:
            while isinstance(data := await self._call.read(), bytes):
                self._note(data)
        except grpc.aio.AioRpcError:
            pass
        await self._tap.note_end(self._name, self._call)

    def _note(self, data: bytes) -> None:
        """Write a message down. Cursors are random, so of them only the length is compared, and how
        many heartbeats fit in between is time."""
        kind = WITH_CURSORS.get(self._name)
        if kind is not None:
            item = kind.FromString(data)
            if item.HasField("heartbeat"):
                return
            item.cursor = bytes(len(item.cursor))
            data = item.SerializeToString(deterministic=True)
        self._tap.note(self._name, "message", data)

    def cut(self) -> None:
        self._call.cancel()


class WatchSeats(Watch):
    """One seat on `WatchTables`. Which items share a message is time, their order is not."""

    def _updates(self, data: bytes) -> list[tuple[table_pb2.TableUpdate, bytes]]:
        items = play_service_pb2.WatchTablesResponse.FromString(data).items
        return [(item.update, item.SerializeToString()) for item in items]


class SessionStream:
    """One channel on a session; every frame is acknowledged when it is read."""

    def __init__(
        self,
        tap: Tap,
        table_id: str,
        ticket: str,
        view_mode: int,
        epoch: int = 0,
        after: int = 0,
    ) -> None:
        method = "croupier.v1.SessionService/Session"
        make: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = tap.channel.stream_stream(
            f"/{method}"
        )
        tap.called.add(method)
        self.decisions: set[str] = set()
        self.sequence = 0
        self._tap = tap
        self._call = make(timeout=SECONDS)
        self._opening = session_service_pb2.SessionRequest(
            hello=session_service_pb2.SessionHello(client="tests"),
            opens=[
                session_service_pb2.ChannelOpen(
                    channel=CHANNEL,
                    table_id=table_id,
                    ticket=ticket,
                    table_epoch=epoch,
                    after_sequence=after,
                    view_mode=view_mode,  # type: ignore[arg-type]
                )
            ],
        )

    async def open(self) -> None:
        """Say hello and open the channel."""
        await self._call.write(self._opening.SerializeToString())

    async def submit(self, decision_id: str, move: game_pb2.Move) -> None:
        """Answer a decision; the reply comes as an update."""
        answer = session_service_pb2.ChannelMove(
            channel=CHANNEL, decision_id=decision_id, move=move
        )
        frame = session_service_pb2.SessionRequest(moves=[answer])
        await self._call.write(frame.SerializeToString())

    async def until(self, is_there: Wanted) -> None:
        found = False
        while not found:
            data = await self._call.read()
            assert isinstance(data, bytes), "the session ended"
            frame = session_service_pb2.SessionResponse.FromString(data)
            self._note(frame)
            found = any(is_there(item.update) for item in frame.items)
            ack = session_service_pb2.SessionRequest(acknowledged=frame.frame)
            await self._call.write(ack.SerializeToString())

    async def refused(self) -> None:
        """Read the refusal of a channel."""
        data = await self._call.read()
        assert isinstance(data, bytes), "the session ended"
        frame = session_service_pb2.SessionResponse.FromString(data)
        assert any(item.HasField("refusal") for item in frame.items)
        self._note(frame)

    async def close(self) -> None:
        await self._call.done_writing()
        while isinstance(data := await self._call.read(), bytes):
            self._note(session_service_pb2.SessionResponse.FromString(data))
        await self._tap.note_end("Session", self._call)

    def cut(self) -> None:
        self._call.cancel()

    def _note(self, frame: session_service_pb2.SessionResponse) -> None:
        """Write a frame down item by item: which items share one is time, their order is not."""
        for item in frame.items:
            self.decisions.add(item.update.decision.decision_id)
            self.sequence = max(self.sequence, sequence_of(item.update))
            note_update(self._tap, "Session", item.update, item.SerializeToString())
        rest = session_service_pb2.SessionResponse()
        rest.CopyFrom(frame)
        rest.ClearField("items")
        rest.ClearField("frame")
        if rest.ByteSize():
            self._tap.note("Session beats", "frame", rest.SerializeToString())
        elif not frame.items:
            raise Leak(Seen(self._tap.step, "Session frame", "with nothing in it"), None)


def note_update(tap: Tap, name: str, update: table_pb2.TableUpdate, data: bytes) -> None:
    """Write an update down, heartbeats apart: where they fall among the others is time."""
    if update.HasField("heartbeat"):
        tap.note(f"{name} beats", "message", data)
    else:
        tap.note(name, "message", data)


def sequence_of(update: table_pb2.TableUpdate) -> int:
    """The number of the last event that *update* tells of."""
    kind = update.WhichOneof("update")
    if kind in ("event", "snapshot", "resumed", "heartbeat"):
        found: int = getattr(update, kind).sequence
        return found
    return 0
