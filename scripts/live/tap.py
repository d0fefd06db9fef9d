"""A channel for clients of the SDK that notes what they send and what they are told, byte for byte.

The SDK is given it in the place of its own channel and knows nothing of it. It can also have a seat
carried with events in the place of views; a bot that looks at its legal moves alone can play so.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from typing import Any, Final, Generic, TypeVar, cast

import grpc
from google.protobuf.message import Message

from croupier.credentials import Credentials
from croupier.v1 import (
    game_pb2,
    play_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier.views import WholeViews
from scripts.live.notes import Notes
from tests.sim.promises.judge import reason_of, status_of
from tests.sim.promises.observed import (
    Acknowledged,
    Answered,
    Broken,
    Closed,
    Created,
    Opened,
    Refused,
    Seated,
    Shown,
    Stream,
)

M = TypeVar("M", bound=Message)

_STATUS: Final = "grpc-status-details-bin"


class Tapped(Credentials):
    """No credentials, and channels that put down into `notes` what goes through them."""

    __slots__ = ("notes", "seats")
    notes: Notes
    seats: dict[str, tuple[str, int]]

    def __init__(self, notes: Notes, key: str = "") -> None:
        super().__init__(key)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "seats", {})

    def channel(self, address: str, options: Any = ()) -> grpc.aio.Channel:
        """See `Credentials.channel`."""
        channel = _Channel(super().channel(address, options), self.notes, self.seats)
        return cast("grpc.aio.Channel", channel)


def exactly(message: type[M], data: bytes) -> M:
    """*data* as a message.

    Raises:
        Broken: it holds something that the contract does not have.
    """
    found = message.FromString(data)
    found.DiscardUnknownFields()
    if found.SerializeToString(deterministic=True) != data:
        name = message.DESCRIPTOR.name
        raise Broken("Private", "", f"a {name} holds what the contract does not have")
    return found


class _Channel:
    """A channel in the place of gRPC's.

    Args:
        channel: gRPC's.
        notes: where to put down what goes through it.
        seats: table and seat by ticket; streams go through other channels than JoinTable.
    """

    def __init__(
        self, channel: grpc.aio.Channel, notes: Notes, seats: dict[str, tuple[str, int]]
    ) -> None:
        self._channel = channel
        self._notes = notes
        self._seats = seats

    def __getattr__(self, name: str) -> Any:
        """Whatever else a channel has."""
        return getattr(self._channel, name)

    def unary_unary(self, path: str, *more: Any, **named: Any) -> Any:
        """See `grpc.aio.Channel`."""
        call = self._channel.unary_unary(path, *more, **named)
        name = path.rpartition("/")[2]

        async def tapped(request: Any, *, metadata: Any = (), **rest: Any) -> Any:
            table_id, seat = self._seat(request, metadata)
            if name == "SubmitMove":
                self._answered(table_id, seat, request.decision_id, request.move)
            try:
                answer = await call(request, metadata=metadata, **rest)
            except grpc.aio.AioRpcError as error:
                status = _status(error)
                if status and table_id:
                    self._refused(name, table_id, seat, request, status)
                raise
            self._took(name, table_id, seat, request, answer)
            return answer

        return tapped

    def _seat(self, request: Any, metadata: Any) -> tuple[str, int | None]:
        """The table that a request names, and the seat whose ticket goes with it."""
        ticket = dict(metadata or ()).get("croupier-ticket", "")
        _, seat = self._seats.get(ticket, ("", None))
        return getattr(request, "table_id", ""), seat

    def _answered(
        self, table_id: str, seat: int | None, decision_id: str, move: game_pb2.Move
    ) -> None:
        data = move.SerializeToString(deterministic=True)
        assert seat is not None
        self._notes.put(table_id, Answered(Notes.now_ms(), table_id, seat, decision_id, data))

    def _refused(
        self, name: str, table_id: str, seat: int | None, request: Any, status: bytes
    ) -> None:
        move, decision_id = b"", ""
        if name == "SubmitMove":
            move = request.move.SerializeToString(deterministic=True)
            decision_id = request.decision_id
        seen = Refused(Notes.now_ms(), table_id, seat, name, status, move, 0, True, decision_id)
        self._notes.put(table_id, seen)

    def _took(self, name: str, table_id: str, seat: int | None, request: Any, answer: Any) -> None:
        now, notes = Notes.now_ms(), self._notes
        match answer:
            case play_service_pb2.SubmitMoveResponse() if seat is not None:
                move = request.move.SerializeToString(deterministic=True)
                number = answer.accepted.sequence
                decision_id = request.decision_id
                notes.put(table_id, Acknowledged(now, table_id, seat, decision_id, move, number))
            case table_service_pb2.JoinTableResponse():
                self._seats[answer.ticket] = (table_id, answer.seat)
                notes.put(table_id, Seated(now, table_id, answer.seat, True, True))
            case table_service_pb2.CreateTableResponse():
                made = answer.table.table_id
                tables = answer.table.spec.deal_source.board.table_count or 1
                notes.put(made, Created(now, made, tables))
            case table_service_pb2.GetTableResponse():
                data = answer.SerializeToString(deterministic=True)
                notes.put(table_id, Shown(now, table_id, None, name, data))

    def unary_stream(
        self, path: str, request_serializer: Any, response_deserializer: Any, **more: Any
    ) -> Any:
        """See `grpc.aio.Channel`."""
        name = path.rpartition("/")[2]
        kinds: dict[str, Any] = {
            "WatchTable": play_service_pb2.WatchTableResponse,
            "SpectateTable": spectate_service_pb2.SpectateTableResponse,
        }
        kind = kinds.get(name)
        if kind is None:
            return self._channel.unary_stream(
                path, request_serializer, response_deserializer, **more
            )
        call: Any = self._channel.unary_stream(path, request_serializer, None, **more)

        def tapped(request: Any, *, metadata: Any = (), **rest: Any) -> Any:
            table_id, seat = self._seat(request, metadata)
            stream = self._notes.new_stream(table_id, seat)
            if seat is not None and stream.sees_events:
                request.view_mode = table_pb2.VIEW_MODE_EVENTS
            opened = Opened(Notes.now_ms(), stream, request.table_epoch, request.after_sequence)
            self._notes.put(table_id, opened)
            talk = call(request, metadata=metadata, **rest)
            return _Watch(talk, kind, _Line(self._notes, stream, request.after_sequence), name)

        return tapped

    def stream_stream(
        self, path: str, request_serializer: Any, response_deserializer: Any, **more: Any
    ) -> Any:
        """See `grpc.aio.Channel`."""
        assert path.endswith("/Session"), path
        call: Any = self._channel.stream_stream(path, request_serializer, None, **more)

        def tapped(requests: AsyncIterable[Any] | None = None, **rest: Any) -> _Session:
            return _Session(call(requests, **rest), self._notes, self._seats, self._answered)

        return tapped


class _Line(Generic[M]):
    """One stream of a table, noted to its end."""

    def __init__(self, notes: Notes, stream: Stream, after: int) -> None:
        self.notes = notes
        self.stream = stream
        self._after = after
        self._is_over = False
        self._whole = WholeViews()

    def told(self, update: table_pb2.TableUpdate) -> None:
        """An update came; what the SDK is to see of it is left in *update*.

        Views of the mode DELTA are noted whole, as the seat sees them.
        """
        noted = update
        if update.HasField("decision"):
            noted = table_pb2.TableUpdate.FromString(update.SerializeToString())
            self._whole.restore(noted.decision)
        self.notes.told(self.stream, noted)
        match update.WhichOneof("update"):
            case "end":
                self._is_over = True
            case "decision" if self.stream.sees_events:
                game = update.decision.kind.WhichOneof("game")
                getattr(update.decision.view, game or "").SetInParent()

    def refused(self, call: str, status: bytes) -> None:
        """The stream could not be opened or was broken off."""
        table_id, seat = self.stream.table_id, self.stream.seat
        now = Notes.now_ms()
        self.notes.put(table_id, Refused(now, table_id, seat, call, status, b"", self._after))

    def closed(self) -> None:
        """The stream is gone."""
        if not self._is_over:
            self._is_over = True
            self.notes.put(self.stream.table_id, Closed(Notes.now_ms(), self.stream))


class _Watch:
    """A stream of one table, in the place of gRPC's call."""

    def __init__(self, call: Any, kind: Any, line: _Line[Any], name: str) -> None:
        self._call = call
        self._kind = kind
        self._line = line
        self._name = name

    async def read(self) -> Any:
        """See `grpc.aio.UnaryStreamCall`."""
        try:
            data = await self._call.read()
        except grpc.aio.AioRpcError as error:
            status = _status(error)
            if status:
                self._line.refused(self._name, status)
            self._line.closed()
            raise
        if not isinstance(data, bytes):
            self._line.closed()
            return data
        message = exactly(self._kind, data)
        self._line.told(message.update)
        return message

    def cancel(self) -> bool:
        """See `grpc.aio.Call`."""
        self._line.closed()
        return bool(self._call.cancel())


class _Session:
    """A session, in the place of gRPC's call."""

    def __init__(
        self,
        call: Any,
        notes: Notes,
        seats: dict[str, tuple[str, int]],
        answered: Callable[[str, int | None, str, game_pb2.Move], None],
    ) -> None:
        self._call = call
        self._notes = notes
        self._seats = seats
        self._answered = answered
        self._lines: dict[int, _Line[Any]] = {}
        self._moves: dict[tuple[int, str], bytes] = {}
        self._frames = 0

    async def write(self, frame: session_service_pb2.SessionRequest) -> None:
        """See `grpc.aio.StreamStreamCall`."""
        for opening in frame.opens:
            seat = self._seats[opening.ticket][1]
            stream = self._notes.new_stream(opening.table_id, seat)
            if stream.sees_events:
                opening.view_mode = table_pb2.VIEW_MODE_EVENTS
            after = opening.after_sequence
            self._lines[opening.channel] = _Line(self._notes, stream, after)
            opened = Opened(Notes.now_ms(), stream, opening.table_epoch, after)
            self._notes.put(opening.table_id, opened)
        for move in frame.moves:
            line = self._lines.get(move.channel)
            if line is not None:
                stream = line.stream
                self._answered(stream.table_id, stream.seat, move.decision_id, move.move)
                data = move.move.SerializeToString(deterministic=True)
                self._moves[move.channel, move.decision_id] = data
        for closing in frame.closes:
            if (gone := self._lines.pop(closing.channel, None)) is not None:
                gone.closed()
        await self._call.write(frame)

    async def read(self) -> Any:
        """See `grpc.aio.StreamStreamCall`."""
        data = await self._call.read()
        if not isinstance(data, bytes):
            return data
        frame = exactly(session_service_pb2.SessionResponse, data)
        self._frames += 1
        if frame.frame != self._frames:
            raise Broken("Gapless", "", f"frame {frame.frame} came as the {self._frames}th")
        for item in frame.items:
            line = self._lines.get(item.channel)
            if line is not None:
                self._item(item, line)
        return frame

    def _item(self, item: session_service_pb2.ChannelItem, line: _Line[Any]) -> None:
        table_id, seat = line.stream.table_id, line.stream.seat
        assert seat is not None
        if item.HasField("refusal"):
            status = status_of(item.refusal)
            line.refused("Session", status)
            if reason_of(status) != "NONCE_NOT_EXPECTED":
                line.closed()
            return
        update = item.update
        line.told(update)
        now = Notes.now_ms()
        if update.HasField("move_accepted"):
            accepted = update.move_accepted
            decision_id, number = accepted.decision_id, accepted.sequence
            move = self._moves[item.channel, decision_id]
            done = Acknowledged(now, table_id, seat, decision_id, move, number)
            self._notes.put(table_id, done)
        elif update.HasField("move_refused"):
            refused = update.move_refused
            move = self._moves[item.channel, refused.decision_id]
            status = status_of(refused.refusal)
            no = Refused(now, table_id, seat, "move", status, move, 0, True, refused.decision_id)
            self._notes.put(table_id, no)

    def cancel(self) -> bool:
        """See `grpc.aio.Call`."""
        for line in self._lines.values():
            line.closed()
        return bool(self._call.cancel())


def _status(error: grpc.aio.AioRpcError) -> bytes:
    """The serialised ``google.rpc.Status`` of an error; empty where the line broke."""
    for key, value in error.trailing_metadata() or ():
        if key == _STATUS:
            return value if isinstance(value, bytes) else value.encode()
    return b""
