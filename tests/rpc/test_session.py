"""SessionService on a real server: whole matches on one stream, and how a stream ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from tests.rpc.calls import SECONDS
from tests.rpc.conftest import Running
from tests.rpc.players import Seats, first_move, make_full

HELLO = pb.SessionHello(client="test")


class Stream:
    """A session as a client sees it."""

    def __init__(self, call: grpc.aio.StreamStreamCall[bytes, bytes]) -> None:
        self.call = call

    async def say(self, frame: pb.SessionRequest) -> None:
        await self.call.write(frame.SerializeToString())

    async def hear(self) -> pb.SessionResponse:
        data: object = await self.call.read()
        assert isinstance(data, bytes)
        return pb.SessionResponse.FromString(data)


@asynccontextmanager
async def session(whole: Running) -> AsyncIterator[Stream]:
    """A session that is cancelled in the end."""
    method: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = whole.call.channel.stream_stream(
        "/croupier.v1.SessionService/Session"
    )
    call = method(timeout=SECONDS)
    try:
        yield Stream(call)
    finally:
        call.cancel()


def opens(tables: list[Seats]) -> list[pb.ChannelOpen]:
    """A channel for every seat, numbered from 1."""
    seats = [(table.id, ticket) for table in tables for ticket in table.tickets]
    return [
        pb.ChannelOpen(channel=number, table_id=table_id, ticket=ticket)
        for number, (table_id, ticket) in enumerate(seats, 1)
    ]


async def test_many_matches_on_one_stream(whole: Running) -> None:
    tables = [await make_full(whole.call) for _ in range(5)]
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO, opens=opens(tables)))
        ended: dict[int, int] = {}
        numbers = []
        while len(ended) < 20:
            frame = await stream.hear()
            numbers.append(frame.frame)
            answers = pb.SessionRequest(acknowledged=frame.frame)
            for item in frame.items:
                assert not item.HasField("refusal")
                update = item.update
                assert not update.HasField("move_refused"), update
                if update.HasField("decision"):
                    answers.moves.add(
                        channel=item.channel,
                        decision_id=update.decision.decision_id,
                        move=first_move(update.decision),
                    )
                elif update.HasField("end"):
                    ended[item.channel] = update.end.reason
            await stream.say(answers)
        assert set(ended.values()) == {table_pb2.STREAM_END_REASON_MATCH_ENDED}
        assert numbers == list(range(1, len(numbers) + 1))
    for table in tables:
        assert (await table.table()).status == table_pb2.TABLE_STATUS_ENDED


async def test_a_session_that_is_cut_is_taken_up_by_the_next(whole: Running) -> None:
    table = await make_full(whole.call)
    before = None
    for _ in range(3):
        async with session(whole) as stream:
            await stream.say(pb.SessionRequest(hello=HELLO, opens=opens([table])))
            frame = await stream.hear()
            decision = next(
                item.update.decision for item in frame.items if item.update.HasField("decision")
            )
            assert decision.decision_id != before
            before = decision.decision_id
            move = pb.ChannelMove(
                channel=decision.seat + 1, decision_id=before, move=first_move(decision)
            )
            await stream.say(pb.SessionRequest(acknowledged=1, moves=[move]))
            answer = await stream.hear()
            kinds = [item.update.WhichOneof("update") for item in answer.items]
            assert "move_accepted" in kinds


async def test_a_client_that_ends_its_side_gets_the_end(whole: Running) -> None:
    table = await make_full(whole.call)
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO, opens=opens([table])))
        await stream.call.done_writing()
        frames = [pb.SessionResponse.FromString(data) async for data in stream.call]
        assert frames[-1].end.reason == table_pb2.STREAM_END_REASON_CLIENT_CLOSED
        assert await stream.call.code() == grpc.StatusCode.OK
        assert sum(item.update.HasField("snapshot") for f in frames for item in f.items) == 4
    assert whole.app.shard.table(table.id).seat_watchers == [None] * 4


async def test_garbage_ends_the_session_and_harms_no_table(whole: Running) -> None:
    table = await make_full(whole.call)
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO, opens=opens([table])))
        await stream.hear()
        await stream.call.write(b"\xff\xff\xff\xff")
        frame = await stream.hear()
        assert frame.end.reason == table_pb2.STREAM_END_REASON_PROTOCOL_ERROR
        assert await stream.call.code() == grpc.StatusCode.OK
    await table.finish()


async def test_draining_ends_sessions_and_streams(whole: Running) -> None:
    table = await make_full(whole.call)
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO, opens=opens([table])))
        await stream.hear()
        await whole.app.drain()
        frame = await stream.hear()
        assert frame.end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
        assert frame.end.HasField("retry_after")


async def test_heartbeats_reach_a_session(whole: Running) -> None:
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO))
        assert (await stream.hear()).HasField("welcome")
        whole.app.shard.heartbeat()
        frame = await stream.hear()
        assert frame.heartbeat.heartbeat_id == 1
        await stream.say(pb.SessionRequest(acknowledged=frame.frame, heartbeat_echo=1))


async def test_many_frames_in_flight_are_answered_in_order(whole: Running) -> None:
    """A client may write ahead of what it hears."""
    tables = [await make_full(whole.call) for _ in range(3)]
    async with session(whole) as stream:
        await stream.say(pb.SessionRequest(hello=HELLO))
        for opening in opens(tables):
            await stream.say(pb.SessionRequest(opens=[opening]))
        seen: set[int] = set()
        while len(seen) < 12:
            frame = await stream.hear()
            seen |= {item.channel for item in frame.items}
            await stream.say(pb.SessionRequest(acknowledged=frame.frame))
