"""Streams and sessions end with the key that they were opened with; rates are held."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import grpc
import pytest
import structlog
import structlog.testing
from google.protobuf.message import Message

from croupier.record.v1 import record_service_pb2
from croupier.v1 import (
    cards_pb2,
    play_service_pb2,
    session_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier_server.identity.keys import Scope
from croupier_server.rpc.record_service import RECORD_STREAMS_MAX
from croupier_server.tables.feeds.readers import SEAT_STREAMS_MAX
from tests.rpc.calls import Caller, on_stream, refusal
from tests.rpc.conftest import server
from tests.rpc.hostile import PLAY, RECORDS, SESSION, SPECTATE, TABLES, WATCH_TABLES
from tests.rpc.keyed import Keyed, keyed
from tests.rpc.players import Seats, first_move, ticket_of

SECONDS = 300.0


@pytest.fixture
async def live() -> AsyncIterator[Keyed]:
    async with keyed() as found:
        yield found


async def last(stream: AsyncIterator[Message], first: asyncio.Event) -> Message:
    """The last message of a stream; *first* is set when the first has come."""
    found: list[Message] = []
    async for message in stream:
        found.append(message)
        first.set()
    return found[-1]


@pytest.mark.parametrize("how", ["revoked", "expired"])
async def test_streams_end_with_their_key(live: Keyed, how: str) -> None:
    ann = await live.key("ann", [Scope.PLAY], lasts_ms=60_000)
    eve = await live.key("eve", [Scope.SPECTATE], lasts_ms=60_000)
    live.texts["ann", frozenset({Scope.PLAY})] = ann
    seats = await live.table()
    other = await live.table()
    opening = session_service_pb2.ChannelOpen(channel=1, table_id=other.id, ticket=other.tickets[0])
    follow = table_service_pb2.WatchLobbyRequest(follow=True)
    streams = [
        live.caller(ann).stream(
            f"{PLAY}/WatchTable",
            play_service_pb2.WatchTableRequest(table_id=seats.id),
            play_service_pb2.WatchTableResponse,
            ticket_of(seats.tickets[0]),
        ),
        live.caller(ann).stream(
            WATCH_TABLES,
            play_service_pb2.WatchTablesRequest(opens=[opening]),
            play_service_pb2.WatchTablesResponse,
        ),
        live.caller(eve).stream(
            SPECTATE,
            spectate_service_pb2.SpectateTableRequest(table_id=seats.id),
            spectate_service_pb2.SpectateTableResponse,
        ),
        live.caller(eve).stream(
            f"{TABLES}/WatchLobby", follow, table_service_pb2.WatchLobbyResponse
        ),
    ]
    begun = [asyncio.Event() for _ in streams]
    ends = asyncio.gather(*map(last, streams, begun))
    for event in begun:
        await event.wait()
    if how == "revoked":
        for key in (ann, eve):
            await live.revoke(key)
    else:
        live.running.clock.advance(60_000)
        await live.running.app.door.look()
    watched, together, spectated, lobby = await ends
    fault = {"revoked": "the key was revoked", "expired": "the key has expired"}[how]
    seat = together.items[-1].update  # type: ignore[attr-defined]
    for end in (watched.update.end, seat.end, spectated.update.end, lobby.end):  # type: ignore[attr-defined]
        assert end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED
        assert end.detail == fault
    refused = await live.caller(ann).refused(f"{TABLES}/ListTables", b"")
    assert (refused.reason, refused.message) == ("UNAUTHENTICATED", fault)


async def test_a_stream_of_records_ends_with_its_key(live: Keyed) -> None:
    key = await live.good("eve", Scope.SPECTATE)
    call = live.caller(key)
    request = record_service_pb2.StreamRecordsRequest(follow=True)
    stream = call.stream(
        f"{RECORDS}/StreamRecords", request, record_service_pb2.StreamRecordsResponse
    )
    assert (await anext(stream)).HasField("caught_up")
    await live.revoke(key)
    (end,) = [item.end async for item in stream]
    assert (end.reason, end.detail) == (
        table_pb2.STREAM_END_REASON_KEY_REVOKED,
        "the key was revoked",
    )


class Talk:
    """A session, frame by frame."""

    def __init__(self, call: Caller) -> None:
        open_session: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
        open_session = call.channel.stream_stream(f"/{SESSION}")
        self.stream = open_session(metadata=call.own, timeout=SECONDS)
        self.frames = 0

    async def say(self, **fields: object) -> None:
        frame = session_service_pb2.SessionRequest(acknowledged=self.frames, **fields)  # type: ignore[arg-type]
        await self.stream.write(frame.SerializeToString())

    async def hear(self) -> session_service_pb2.SessionResponse:
        data = await self.stream.read()
        assert isinstance(data, bytes)
        self.frames += 1
        return session_service_pb2.SessionResponse.FromString(data)

    async def sit(self, seats: Seats, seat: int) -> table_pb2.Decision | None:
        """Open a channel; the decision that comes with it, if any."""
        opening = session_service_pb2.ChannelOpen(
            channel=1, table_id=seats.id, ticket=seats.tickets[seat]
        )
        await self.say(hello=session_service_pb2.SessionHello(), opens=[opening])
        while True:
            frame = await self.hear()
            kinds = [item.update.WhichOneof("update") for item in frame.items]
            if "decision" in kinds:
                return frame.items[kinds.index("decision")].update.decision
            if "snapshot" in kinds:
                return None


async def test_a_session_ends_with_its_key(live: Keyed) -> None:
    seats = await live.table()
    key = live.texts["ann", frozenset({Scope.PLAY})]
    talk = Talk(live.caller(key))
    await talk.sit(seats, 0)
    await live.revoke(key)
    while not (frame := await talk.hear()).HasField("end"):
        pass
    assert frame.end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED
    assert not isinstance(await talk.stream.read(), bytes)


async def test_the_log_names_the_id_of_a_key_and_never_the_key(live: Keyed) -> None:
    key, expired = await live.key("eve", [Scope.SPECTATE]), await live.key("eve", ends="expired")
    wrong = key[:-4] + "aaaa"
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    with structlog.testing.capture_logs() as refused:
        for text in (key, expired, wrong, "nonsense"):
            await live.caller(text).refused(f"{TABLES}/CreateTable", b"")
    assert [line["reason"] for line in refused] == ["PERMISSION_DENIED"] + 3 * ["UNAUTHENTICATED"]
    with structlog.testing.capture_logs() as lines:
        await live.caller(key).unary(
            f"{TABLES}/ListTables", b"", table_service_pb2.ListTablesResponse
        )
        await live.caller(key).refused(f"{TABLES}/GetTable", b"")
    assert [line["key_id"] for line in lines] == [key.split("_")[1]] * 2
    for secret in (key, expired, wrong, "nonsense"):
        assert secret.rpartition("_")[2] not in repr(refused + lines)


async def test_another_key_of_the_same_principal_holds_the_seat(live: Keyed) -> None:
    seats = await live.table()
    await live.revoke(live.texts["ann", frozenset({Scope.PLAY})])
    again = live.caller(await live.key("ann"))
    seats.call = again
    assert (await seats.view(0)).snapshot.table.table_id == seats.id


# Rates --------------------------------------------------------------------------------------------


async def test_calls_beyond_the_rate_are_refused_and_say_when_to_come_back() -> None:
    async with keyed(calls_per_second=10, calls_burst=30) as live:
        call = live.caller(await live.good("eve", Scope.SPECTATE))
        answer = table_service_pb2.ListTablesResponse
        for _ in range(30):
            await call.unary(f"{TABLES}/ListTables", b"", answer)
        refused = await call.refused(f"{TABLES}/ListTables", b"")
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "RATE_LIMITED",
        )
        other = live.caller(await live.good("mal", Scope.SPECTATE))
        await other.unary(f"{TABLES}/ListTables", b"", answer)
        live.running.clock.advance(refused.retry_ms)
        await call.unary(f"{TABLES}/ListTables", b"", answer)
        await call.refused(f"{TABLES}/ListTables", b"")


async def test_garbage_costs_as_much_as_a_call() -> None:
    async with keyed(calls_per_second=1, calls_burst=5) as live:
        call = live.caller(await live.good("eve", Scope.PLAY))
        found = [(await call.refused(f"{PLAY}/SubmitMove", b"\xff")).reason for _ in range(8)]
        assert found == ["MALFORMED_REQUEST"] * 5 + ["RATE_LIMITED"] * 3


def asked(live: Keyed, seats: Seats) -> table_pb2.Decision:
    """The open decision, asked for without spending anybody's tokens."""
    shard = live.running.app.shard
    table = shard.table(seats.id)
    decision = next(one for one in table.match.decisions if one and one.answer is None)
    payload = table.match.decision_payload(decision, shard.now_ms(), None)
    return table_pb2.Decision.FromString(payload)


async def test_answers_to_open_decisions_are_free_and_refused_ones_are_not() -> None:
    async with keyed(calls_per_second=1, calls_burst=4) as live:
        names = ("ann", "bob", "cy", "di")
        seats = await live.table()
        callers = [await live.player(name) for name in names]
        for caller in callers:  # nobody has a token left
            for _ in range(10):
                await caller.refused(f"{PLAY}/WatchTable", b"\xff")
        answered = decision = asked(live, seats)
        for _ in range(20):
            answered, seats.call = decision, callers[decision.seat]
            await seats.submit(answered, first_move(answered))
            decision = asked(live, seats)
        again = play_service_pb2.SubmitMoveRequest(
            table_id=seats.id, decision_id=answered.decision_id, move=first_move(answered)
        )
        ticket = ticket_of(seats.tickets[answered.seat])
        repeated = await seats.call.refused(f"{PLAY}/SubmitMove", again, ticket)
        assert repeated.reason == "RATE_LIMITED"
        live.running.clock.advance(1_000)
        decision = asked(live, seats)
        caller, ticket = callers[decision.seat], ticket_of(seats.tickets[decision.seat])
        wrong = play_service_pb2.SubmitMoveRequest(
            table_id=seats.id, decision_id=decision.decision_id
        )
        wrong.move.tractor.play.cards.extend([cards_pb2.CARD_TWO_OF_SPADES] * 2)
        live.running.clock.advance(1_000)
        refused = [
            (await caller.refused(f"{PLAY}/SubmitMove", wrong, ticket)).reason for _ in range(3)
        ]
        assert "RATE_LIMITED" not in refused
        limited = await caller.refused(f"{TABLES}/ListTables", b"")
        assert (limited.reason, limited.retry_ms > 1_000) == ("RATE_LIMITED", True)
        seats.call = caller
        await seats.submit(decision, first_move(decision))


async def test_a_session_that_floods_is_refused_and_then_ended() -> None:
    async with keyed(calls_per_second=1, calls_burst=20) as live:
        seats = await live.table()
        talk = Talk(await live.player("ann"))
        await talk.sit(seats, 0)
        nothing = [session_service_pb2.ChannelMove(channel=7) for _ in range(25)]
        await talk.say(moves=nothing)
        frame = await talk.hear()
        reasons = [
            on_stream(item.refusal).reason for item in frame.items if item.HasField("refusal")
        ]
        assert reasons.count("NOT_FOUND") + reasons.count("RATE_LIMITED") == 25
        assert reasons.count("RATE_LIMITED") > 5
        await talk.say(moves=nothing)
        while not (frame := await talk.hear()).HasField("end"):
            pass
        assert frame.end.reason == table_pb2.STREAM_END_REASON_RATE_LIMITED
        wait = frame.end.retry_after.ToMilliseconds()
        assert wait >= 20_000
        live.running.clock.advance(wait + 5_000)
        again = Talk(await live.player("ann"))
        await again.sit(seats, 0)


async def test_play_on_a_session_costs_nothing() -> None:
    async with keyed(calls_per_second=1, calls_burst=6) as live:
        seats = await live.table()
        callers = [await live.player(name) for name in ("ann", "bob", "cy", "di")]
        talks = [Talk(caller) for caller in callers]
        for seat, talk in enumerate(talks):
            await talk.sit(seats, seat)
        for _ in range(40):
            decision = asked(live, seats)
            talk = talks[decision.seat]
            move = session_service_pb2.ChannelMove(
                channel=1, decision_id=decision.decision_id, move=first_move(decision)
            )
            await talk.say(moves=[move])
            while True:
                frame = await talk.hear()
                kinds = [item.update.WhichOneof("update") for item in frame.items]
                assert "move_refused" not in kinds
                if "move_accepted" in kinds:
                    break


async def test_limits_are_told_and_local_callers_have_none() -> None:
    method, answer = (
        "croupier.v1.SystemService/GetServerInfo",
        (system_service_pb2.GetServerInfoResponse),
    )
    async with keyed() as live:
        limits = (await live.running.call.unary(method, b"", answer)).limits
        assert (limits.calls_per_second, limits.calls_burst) == (200, 2_000)
        assert limits.seat_streams_max == SEAT_STREAMS_MAX
        assert limits.record_streams_max == RECORD_STREAMS_MAX
    async with server() as running:
        limits = (await running.call.unary(method, b"", answer)).limits
        assert (limits.calls_per_second, limits.calls_burst) == (0, 0)
    async with server(calls_per_second=5, calls_burst=7, watchers_max=3) as running:
        limits = (await running.call.unary(method, b"", answer)).limits
        assert (limits.calls_per_second, limits.calls_burst) == (5, 7)
        assert limits.watchers_max == 3


async def test_a_principal_has_so_many_tables(live: Keyed) -> None:
    async with keyed(own_tables_max=2) as few:
        seats = [await few.table(players=()) for _ in range(2)]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await few.table(players=())
        assert refusal(caught.value).reason == "TOO_MANY_TABLES"
        await few.abort(seats[0])
        await few.table(players=())
