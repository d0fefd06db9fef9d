"""Several seats on one server stream, on a real server."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from croupier.v1 import play_service_pb2 as pb
from croupier.v1 import session_service_pb2, table_pb2
from tests.rpc.calls import on_stream
from tests.rpc.conftest import Running
from tests.rpc.hostile import WATCH_TABLES
from tests.rpc.players import Seats, first_move, make_full
from tests.rpc.test_clocks import until
from tests.rpc.test_session import HELLO, opens, session


def watch(
    whole: Running, opening: list[session_service_pb2.ChannelOpen]
) -> AsyncGenerator[pb.WatchTablesResponse, None]:
    request = pb.WatchTablesRequest(opens=opening)
    return whole.call.stream(WATCH_TABLES, request, pb.WatchTablesResponse)


async def test_whole_matches_on_one_stream(whole: Running) -> None:
    tables = [await make_full(whole.call) for _ in range(3)]
    at = dict(enumerate((table for table in tables for _ in range(4)), 1))
    ended = {}
    async for message in watch(whole, opens(tables)):
        for item in message.items:
            assert not item.HasField("refusal")
            decision = item.update.decision
            if decision.decision_id:
                assert decision.seat == (item.channel - 1) % 4
                await at[item.channel].submit(decision, first_move(decision))
            elif item.update.HasField("end"):
                ended[item.channel] = item.update.end.reason
    assert ended == dict.fromkeys(range(1, 13), table_pb2.STREAM_END_REASON_MATCH_ENDED)


async def begun(whole: Running, seats: Seats) -> list[session_service_pb2.ChannelItem]:
    """The items that a stream of all seats begins with."""
    stream = watch(whole, opens([seats]))
    found: list[session_service_pb2.ChannelItem] = []
    while sum(item.update.HasField("snapshot") for item in found) < 4:
        found += (await anext(stream)).items
    await stream.aclose()
    return found


async def test_its_items_are_those_of_a_session(whole: Running) -> None:
    seats = await make_full(whole.call)
    watched = await begun(whole, seats)
    async with session(whole) as stream:
        hello = session_service_pb2.SessionRequest(hello=HELLO, opens=opens([seats]))
        await stream.say(hello)
        assert list((await stream.hear()).items) == watched


async def test_what_cannot_be_opened_is_refused_by_itself(whole: Running) -> None:
    seats = await make_full(whole.call)
    opening = opens([seats])[:3]
    opening[0].ticket = "made up"
    opening[1].view_mode = 9  # type: ignore[assignment]
    found: dict[int, str] = {}
    stream = watch(whole, opening)
    while len(found) < 3:
        for item in (await anext(stream)).items:
            refused = on_stream(item.refusal).reason if item.HasField("refusal") else ""
            found.setdefault(item.channel, refused)
    await stream.aclose()
    assert found == {1: "TICKET_INVALID", 2: "MALFORMED_REQUEST", 3: ""}


async def test_a_stream_on_which_nothing_is_open_ends(whole: Running) -> None:
    opening = session_service_pb2.ChannelOpen(channel=7, table_id="none")
    messages = [message async for message in watch(whole, [opening])]
    ((item,),) = [message.items for message in messages]
    assert (item.channel, item.HasField("refusal")) == (7, True)


async def test_it_is_taken_up_where_it_was(whole: Running) -> None:
    seats = await make_full(whole.call)
    opening = opens([seats])[:1]
    opening[0].view_mode = table_pb2.VIEW_MODE_EVENTS
    stream = watch(whole, opening)
    snapshot = (await anext(stream)).items[0].update.snapshot
    await stream.aclose()
    opening[0].after_sequence = snapshot.sequence
    opening[0].table_epoch = snapshot.table.table_epoch
    stream = watch(whole, opening)
    assert (await anext(stream)).items[0].update.resumed.after_sequence == snapshot.sequence
    await stream.aclose()


async def test_a_stream_that_is_left_holds_no_seat(whole: Running) -> None:
    seats = await make_full(whole.call)
    await begun(whole, seats)
    watchers = whole.app.shard.table(seats.id).seat_watchers
    await until(lambda: not any(watchers))
    assert whole.app.server.streams == 0
