"""The session of the SDK on a line that the test holds in its hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any, cast

import grpc
import pytest

import croupier
from croupier.background import Background
from croupier.bot import Bot
from croupier.connection import Backoff, Connection
from croupier.randomness import SeatRandom
from croupier.seat import Seat, Ticket, Workplace
from croupier.session import Session
from croupier.threads import Threads
from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from tests.clients.fake_server import refused

End = table_pb2.StreamEnd


class Call:
    """One stream: what the client wrote, and what it is to read."""

    def __init__(self) -> None:
        self.written: asyncio.Queue[pb.SessionRequest] = asyncio.Queue()
        self.to_read: asyncio.Queue[pb.SessionResponse | Exception | None] = asyncio.Queue()

    async def write(self, frame: pb.SessionRequest) -> None:
        self.written.put_nowait(frame)

    async def read(self) -> object:
        frame = await self.to_read.get()
        if isinstance(frame, Exception):
            raise frame
        return grpc.aio.EOF if frame is None else frame

    def cancel(self) -> None:
        self.to_read.put_nowait(None)


class Line:
    """A connection and a loop whose timers wait for the test."""

    def __init__(self) -> None:
        self.streams = self
        self.sessions = self
        self.calls: asyncio.Queue[Call] = asyncio.Queue()
        self.timers: list[Callable[[], None]] = []

    def backoff(self) -> Backoff:
        return Backoff("nowhere", 5.0)

    def stream(self) -> AbstractContextManager[Line]:
        return nullcontext(self)

    def Session(self) -> Call:  # noqa: N802
        call = Call()
        self.calls.put_nowait(call)
        return call

    def call_later(self, _delay: float, call: Callable[..., None], *args: object) -> None:
        self.timers.append(lambda: call(*args))


@asynccontextmanager
async def sitting(
    silence_seconds: float = 60.0, mode: table_pb2.ViewMode.ValueType = table_pb2.VIEW_MODE_FULL
) -> AsyncIterator[tuple[Line, Seat]]:
    """A seat on a session."""
    loop = asyncio.get_running_loop()
    line = Line()
    session = Session(cast("Connection", line), "test", cast("Any", line), silence_seconds, mode)
    workplace = Workplace(loop, Background(), Threads(1))
    ticket = Ticket(table_pb2.Table(table_id="t", table_epoch=1), 0, 1, "secret", bytes(32))
    seat = Seat(ticket, Bot(), SeatRandom(1, "t", 0), workplace)
    session.add(seat)
    running = asyncio.create_task(session.run())
    try:
        yield line, seat
    finally:
        running.cancel()
        await asyncio.wait([running])


def ended(reason: table_pb2.StreamEndReason.ValueType) -> pb.SessionResponse:
    """A frame that ends channel 1."""
    update = table_pb2.TableUpdate(end=End(reason=reason))
    return pb.SessionResponse(frame=1, items=[pb.ChannelItem(channel=1, update=update)])


def failed(*reasons: str) -> pb.SessionResponse:
    """A frame that refuses what was sent on channel 1."""
    items = [pb.ChannelItem(channel=1, refusal=refused(reason)) for reason in reasons]
    return pb.SessionResponse(frame=1, items=items)


async def opens(call: Call) -> list[int]:
    """Channels that the next frame of the client opens."""
    return [opened.channel for opened in (await call.written.get()).opens]


async def test_a_channel_that_waits_to_be_opened_again_is_opened_once_on_a_new_stream() -> None:
    for broken in (ended(table_pb2.STREAM_END_REASON_SLOW_CONSUMER), failed("TOO_MANY_STREAMS")):
        async with sitting() as (line, seat):
            first = await line.calls.get()
            assert await opens(first) == [1]
            first.to_read.put_nowait(broken)
            first.to_read.put_nowait(None)
            second = await line.calls.get()
            assert await opens(second) == [2]
            for timer in line.timers:
                timer()
            second.to_read.put_nowait(pb.SessionResponse(frame=1))
            assert await opens(second) == []
            assert not seat.done.done()


async def test_a_server_without_the_mode_delta_is_asked_for_whole_views() -> None:
    refusal = refused("MALFORMED_REQUEST")
    refusal.field = "view_mode"
    item = pb.ChannelItem(channel=1, refusal=refusal)
    async with sitting(mode=table_pb2.VIEW_MODE_DELTA) as (line, seat):
        call = await line.calls.get()
        (first,) = (await call.written.get()).opens
        assert first.view_mode == table_pb2.VIEW_MODE_DELTA
        call.to_read.put_nowait(pb.SessionResponse(frame=1, items=[item]))
        (again,) = (await call.written.get()).opens
        assert (again.channel, again.view_mode) == (2, table_pb2.VIEW_MODE_FULL)
        assert not seat.done.done()


NEW = b"\xea\x04\x00"
"""A field, or an arm of a oneof, that no stub of today has."""


async def test_what_a_newer_server_adds_is_passed_over() -> None:
    item = pb.ChannelItem(channel=1, update=table_pb2.TableUpdate.FromString(NEW))
    items = [item, pb.ChannelItem.FromString(b"\x08\x01" + NEW), pb.ChannelItem(channel=99)]
    frame = pb.SessionResponse(frame=1, items=items).SerializeToString() + NEW
    async with sitting() as (line, seat):
        call = await line.calls.get()
        assert await opens(call) == [1]
        call.to_read.put_nowait(pb.SessionResponse.FromString(frame))
        assert (await call.written.get()).acknowledged == 1
        assert not seat.done.done()
        assert line.calls.empty()


async def test_an_end_for_a_new_reason_is_final_unless_it_says_when_to_come_back() -> None:
    frame = ended(cast("table_pb2.StreamEndReason.ValueType", 999))
    async with sitting() as (line, seat):
        call = await line.calls.get()
        assert await opens(call) == [1]
        call.to_read.put_nowait(frame)
        with pytest.raises(croupier.Error, match="reason 999"):
            await seat.done
    frame.items[0].update.end.retry_after.FromMilliseconds(1)
    async with sitting() as (line, seat):
        call = await line.calls.get()
        assert await opens(call) == [1]
        call.to_read.put_nowait(frame)
        call.to_read.put_nowait(None)
        assert await opens(await line.calls.get()) == [2]
        assert not seat.done.done()


async def test_what_was_sent_on_a_channel_before_its_refusal_came_is_no_loss_of_the_seat() -> None:
    """The refusal of the opening, and then that of the answer that went after it: the channel has
    another number by then, whether it was opened again already or not."""
    cases: list[tuple[str, list[int]]] = [("TABLE_RECOVERING", []), ("SEQUENCE_AHEAD", [2])]
    for reason, opened in cases:
        frame = failed(reason, "NOT_FOUND")
        async with sitting() as (line, seat):
            call = await line.calls.get()
            assert await opens(call) == [1]
            call.to_read.put_nowait(frame)
            assert await opens(call) == opened
            assert not seat.done.done()
            for timer in line.timers:
                timer()
                assert await opens(call) == [2]


async def test_a_channel_that_the_server_gives_up_is_opened_again_on_the_same_stream() -> None:
    for reason in (
        table_pb2.STREAM_END_REASON_SLOW_CONSUMER,
        table_pb2.STREAM_END_REASON_SERVER_DRAINING,
    ):
        async with sitting() as (line, seat):
            call = await line.calls.get()
            assert await opens(call) == [1]
            call.to_read.put_nowait(ended(reason))
            assert await opens(call) == []
            (timer,) = line.timers
            timer()
            assert await opens(call) == [2]
            assert not seat.done.done()


async def test_a_stream_whose_end_was_lost_is_opened_again() -> None:
    """gRPC says INTERNAL when the client writes just as the server ends the stream."""
    none = grpc.aio.Metadata()
    broken = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, none, none, "failed to write")
    async with sitting() as (line, seat):
        first = await line.calls.get()
        assert await opens(first) == [1]
        first.to_read.put_nowait(broken)
        assert await opens(await line.calls.get()) == [1]
        assert not seat.done.done()


@pytest.mark.fault
async def test_a_session_whose_server_is_silent_is_opened_again() -> None:
    """Every stream has heartbeats, so silence means that the line is dead."""
    async with sitting(silence_seconds=0.01) as (line, _):
        first = await line.calls.get()
        assert await opens(first) == [1]
        second = await line.calls.get()
        assert await opens(second) == [1]
