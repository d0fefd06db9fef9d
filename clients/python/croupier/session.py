"""The fast transport: one stream for all seats, frames acknowledged on receipt, answers batched.

A `Session` keeps one stream open as long as it has seats. A frame of the server is acknowledged in
the same turn of the event loop in which it came; what bots answer goes out with whatever else is
ready. When the stream breaks it is opened again and every channel resumes where it was; what was
not acknowledged is asked again by the server and answered from the seat's memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Final, NoReturn

import grpc

from croupier.connection import Connection, is_worth_waiting
from croupier.errors import (
    ConnectionFailed,
    Error,
    LimitReached,
    Refused,
    TableMoved,
    Unavailable,
    from_refusal,
    from_rpc_error,
    key_ended,
)
from croupier.seat import Seat, reason_word
from croupier.v1 import game_pb2, session_service_pb2, table_pb2

__all__ = ["Session"]

_Request = session_service_pb2.SessionRequest
_TURN_SECONDS: Final = 0.001
"""Bots that run on the loop are let go on for so long before what they answered is sent."""


class _Lost(Exception):
    """The stream broke or ended in a way that can be mended by opening it again."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait


async def _first_error(*works: Coroutine[object, object, None]) -> BaseException:
    """Run *works* side by side until one raises, end the others, and return what it raised.

    A task group would do, but it loses a cancellation that comes just when one of them fails.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        # Asking for every error also says that none of them was overlooked.
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    return next(
        outcome
        for task, outcome in zip(tasks, outcomes, strict=True)
        if task in done and outcome is not None
    )


class Session:
    """Many seats on one stream. `run` is the task that keeps it going; it ends by cancellation."""

    def __init__(
        self,
        connection: Connection,
        client: str,
        loop: asyncio.AbstractEventLoop,
        silence_seconds: float,
        view_mode: table_pb2.ViewMode.ValueType = table_pb2.VIEW_MODE_FULL,
    ) -> None:
        self._connection = connection
        self._view_mode = view_mode
        self._client = client
        self._loop = loop
        self._silence_seconds = silence_seconds
        self._seats: dict[int, Seat] = {}
        self._channels: dict[Seat, int] = {}
        self._next_channel = 1
        self._opened: set[int] = set()
        self._is_open = False
        self._out = _Request()
        self._wake = asyncio.Event()
        self._wanted = asyncio.Event()
        self._last_frame = 0.0

    # Seats ---------------------------------------------------------------------------------------
    def add(self, seat: Seat) -> None:
        """Carry *seat* from now on."""
        channel = self._number(seat)
        seat.link = self
        self._open(channel)
        self._wanted.set()

    def remove(self, seat: Seat) -> None:
        """Carry *seat* no longer."""
        channel = self._channels.pop(seat, None)
        if channel is None:
            return
        self._seats.pop(channel, None)
        seat.link = None
        if self._is_open and channel in self._opened:
            self._opened.discard(channel)
            self._out.closes.add(channel=channel)
            self._wake.set()
        if not self._seats:
            self._wanted.clear()

    def answer(self, seat: Seat, decision_id: str, move: game_pb2.Move) -> None:
        """Send the answer to a decision with the next frame."""
        if self._is_open and (channel := self._channels.get(seat)) is not None:
            self._out.moves.add(channel=channel, decision_id=decision_id, move=move)
            self._wake.set()

    def open_nonce(self, seat: Seat, nonce: bytes, next_hash: bytes) -> None:
        """Send a nonce of the seat with the next frame."""
        if self._is_open and (channel := self._channels.get(seat)) is not None:
            self._out.nonces.add(channel=channel, nonce=nonce, next_nonce_hash=next_hash)
            self._wake.set()

    def _number(self, seat: Seat) -> int:
        """Give *seat* a channel of a number that none had before."""
        channel = self._next_channel
        self._next_channel += 1
        self._seats[channel] = seat
        self._channels[seat] = channel
        return channel

    def _open(self, channel: int) -> None:
        """Open a channel, if there is a stream, it is not open there yet, and the seat is still
        carried."""
        seat = self._seats.get(channel)
        if seat is None or not self._is_open or channel in self._opened:
            return
        self._opened.add(channel)
        self._out.opens.add(
            channel=channel,
            table_id=seat.ticket.table_id,
            ticket=seat.ticket.secret,
            view_mode=self._view_mode,
            table_epoch=seat.epoch,
            after_sequence=seat.sequence,
        )
        self._wake.set()

    # The stream ----------------------------------------------------------------------------------
    async def run(self) -> None:
        """Keep a stream open while there are seats."""
        while True:
            await self._wanted.wait()
            try:
                await self._serve_until_lost()
            except Error as error:
                for seat in list(self._channels):
                    seat.fail(error)
                    self.remove(seat)

    async def _serve_until_lost(self) -> None:
        """Open the stream again and again.

        Raises:
            Error: it cannot be mended.
        """
        backoff = self._connection.backoff()
        while self._seats:
            began = time.monotonic()
            self._last_frame = began
            try:
                await self._serve()
            except _Lost as lost:
                why, wait = lost.why, lost.wait
            if self._last_frame > began:
                backoff.succeeded()
            await backoff.pause(why, wait)

    async def _serve(self) -> NoReturn:
        """One stream, from `hello` to its end.

        Raises:
            _Lost: it can be opened again.
            Error: it cannot.
        """
        with self._connection.streams.stream() as stubs:
            call = stubs.sessions.Session()
            try:
                self._out = _Request(hello=session_service_pb2.SessionHello(client=self._client))
                self._is_open = True
                self._opened.clear()
                for channel in self._seats:
                    self._open(channel)
                self._wake.set()
                raise await _first_error(self._read(call), self._write(call), self._listen())
            finally:
                self._is_open = False
                call.cancel()

    async def _write(
        self, call: grpc.aio.StreamStreamCall[_Request, session_service_pb2.SessionResponse]
    ) -> None:
        """Send what is ready, whenever something is."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            frame, self._out = self._out, _Request()
            try:
                await call.write(frame)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return  # the reader says why

    async def _listen(self) -> None:
        """Give the stream up when the server is silent for too long: the line may be dead."""
        while True:
            left = self._last_frame + self._silence_seconds - time.monotonic()
            if left <= 0:
                raise _Lost(f"the server was silent for {self._silence_seconds:g} seconds")
            await asyncio.sleep(left)

    async def _read(
        self, call: grpc.aio.StreamStreamCall[_Request, session_service_pb2.SessionResponse]
    ) -> None:
        """Take frames until the stream ends."""
        task = asyncio.current_task()
        assert task is not None
        while True:
            try:
                frame = await call.read()
            except grpc.aio.AioRpcError as error:
                refused = from_rpc_error(error)
                if is_worth_waiting(refused):
                    raise _Lost(refused.message, refused.retry_after) from None
                raise refused from None
            except asyncio.CancelledError:
                if task.cancelling():
                    raise
                raise _Lost("the stream was lost") from None
            if not isinstance(frame, session_service_pb2.SessionResponse):
                raise _Lost("the server closed the stream")
            self._last_frame = time.monotonic()
            await self._receive(frame)

    async def _receive(self, frame: session_service_pb2.SessionResponse) -> None:
        """Acknowledge *frame*, then hand out what is in it.

        The acknowledgement leaves in this turn of the loop, with the answers of bots that needed
        less than a millisecond; those that need longer let it go ahead.
        """
        out = self._out
        out.acknowledged = frame.frame
        if frame.HasField("heartbeat"):
            out.heartbeat_echo = frame.heartbeat.heartbeat_id
        self._wake.set()
        seats = self._seats
        turn_ends = self._last_frame + _TURN_SECONDS
        for item in frame.items:
            seat = seats.get(item.channel)
            if seat is None:
                continue
            update = item.update
            kind = update.WhichOneof("update")
            if kind == "move_accepted":
                continue
            if kind == "end":
                self._channel_ended(item.channel, seat, update.end)
            elif item.HasField("refusal"):
                self._channel_failed(item.channel, seat, from_refusal(item.refusal))
            else:
                seat.receive(update, kind)
            now = time.monotonic()
            if now > turn_ends:
                turn_ends = now + _TURN_SECONDS
                await asyncio.sleep(0)
        if frame.HasField("end"):
            self._stream_ended(frame.end)

    def _channel_ended(self, channel: int, seat: Seat, end: table_pb2.StreamEnd) -> None:
        wait = seat.end(end)
        if wait is None:
            self._forget(channel, seat)
        else:
            self._loop.call_later(wait, self._open, self._renumber(channel, seat))

    def _channel_failed(self, channel: int, seat: Seat, error: Refused) -> None:
        """A channel could not be opened, or something sent on it could not be read."""
        if error.reason == "NONCE_NOT_EXPECTED":
            return
        if error.reason == "SEQUENCE_AHEAD":
            seat.sequence = 0
            self._open(self._renumber(channel, seat))
        elif error.field == "view_mode":  # an older server than the one that we connected to
            self._view_mode = table_pb2.VIEW_MODE_FULL
            self._open(self._renumber(channel, seat))
        elif isinstance(error, LimitReached | Unavailable):
            wait = error.retry_after or 1.0
            self._loop.call_later(wait, self._open, self._renumber(channel, seat))
        elif seat.is_over(error):
            seat.finish(None)
            self._forget(channel, seat)
        else:
            seat.turned_away(error)
            self._forget(channel, seat)

    def _renumber(self, channel: int, seat: Seat) -> int:
        """A new number for the channel of *seat*, which the server has closed: what we had sent on
        the old one by then is refused as well, and that is no matter."""
        self._opened.discard(channel)
        del self._seats[channel]
        return self._number(seat)

    def _forget(self, channel: int, seat: Seat) -> None:
        """The server has closed the channel of a seat that is done."""
        self._opened.discard(channel)
        self._seats.pop(channel, None)
        self._channels.pop(seat, None)
        seat.link = None
        if not self._seats:
            self._wanted.clear()

    def _stream_ended(self, end: table_pb2.StreamEnd) -> None:
        """The server ends the session.

        Raises:
            _Lost: it can be opened again.
            NotAllowed: the key is good no longer.
            TableMoved: all tables of the session are at another server.
            ConnectionFailed: it cannot for another reason.
        """
        if end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED:
            raise key_ended(end.detail)
        if end.reason == table_pb2.STREAM_END_REASON_MOVED:
            raise TableMoved(end.endpoint)
        word = reason_word(end)
        if end.reason == table_pb2.STREAM_END_REASON_PROTOCOL_ERROR:
            raise ConnectionFailed(f"the server ended the session: {word}: {end.detail}")
        wait = end.retry_after.seconds + end.retry_after.nanos / 1e9
        raise _Lost(f"the server ended the session: {word}", wait or None)
