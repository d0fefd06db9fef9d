"""Faults of ours and of the store: what they cost, and what they must not: promise 6, Isolated."""

from __future__ import annotations

import asyncio

import pytest

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from croupier_server.errors import NotFound, Reason, TableHalted, Unavailable
from croupier_server.games.base import Outcome
from croupier_server.storage.base import FinishedMatch
from croupier_server.storage.memory import MemoryLog, MemoryRecords
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import Access, ClockSpec, SeatSpec, Status
from tests.tables.test_feeds import end_of
from tests.tables.test_session import Client, answer, named, openings
from tests.tables.toy_game import State, Toy
from tests.tables.world import SlowLog, World, now, request

# The store --------------------------------------------------------------------------------------


def test_a_table_that_was_given_up_has_no_record_and_counts_no_more() -> None:
    log = SlowLog()
    world = World(log)
    table, _ = world.start()
    log.store()
    world.step(table)
    world.play(table)
    _, done = log.waiting.pop(0)
    done(OSError("no space left"))
    log.store()
    assert now(world.records.head()) == 0
    assert world.shard.directory.live == 0
    assert world.shard.list_tables().tables == []


def test_a_request_whose_table_could_not_be_stored_is_made_good_when_it_comes_again() -> None:
    log = SlowLog()
    world = World(log)
    wanted = request(request_id="once")
    world.shard.create_table(Caller(), wanted)
    log.fail()
    again = world.shard.create_table(Caller(), wanted)
    log.store()
    assert world.shard.table(again.table.spec.table_id) is again.table
    assert world.shard.create_table(Caller(), wanted).table is again.table


def test_a_request_for_a_table_that_is_long_gone_makes_no_second_one() -> None:
    world = World(ended_max=0)
    wanted = request(request_id="once")
    created = world.shard.create_table(Caller(), wanted)
    world.shard.abort(Caller(host_ticket=created.host_ticket), "table-1", "")
    with pytest.raises(NotFound):
        world.shard.create_table(Caller(), wanted)


def test_nothing_is_kept_of_a_table_that_was_given_up() -> None:
    log = SlowLog()
    world = World(log)
    clock = ClockSpec(base_ms=1_000)
    house = SeatSpec(Access.HOUSE, house_bot="greedy")
    world.create(clock=clock, seats=(house,))
    log.fail()
    assert not world.shard.house._waiting
    table, _ = world.start(clock=clock)
    log.store()
    world.step(table)
    assert world.shard._timers._tables
    log.fail()
    assert not world.shard._timers._tables


def test_a_channel_of_a_table_that_was_given_up_does_nothing_more() -> None:
    log = SlowLog()
    world = World(log)
    table, tickets = world.start()
    log.store()
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    client.hear()
    move = answer(table)
    client.say(acknowledged=1, moves=[move])
    log.fail()
    client.say(acknowledged=1, moves=[move])
    log.store()
    frame = client.hear()
    assert frame is not None
    ends = [item.update.end.reason for item in frame.items if item.update.HasField("end")]
    assert ends == [table_pb2.STREAM_END_REASON_SERVER_DRAINING] * 3
    assert "move_accepted" not in [kind for _, kind in named(frame)]


async def test_what_was_done_behind_a_batch_that_failed_is_not_said_to_be_stored() -> None:
    log = SlowLog()
    world = World(log)
    table, _ = world.start()
    other = world.create()
    log.store()
    world.step(table)
    world.step(table)
    after_fault = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    world.join(other)
    elsewhere = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    _, done = log.waiting.pop(0)
    done(OSError("no space left"))
    log.store()
    with pytest.raises(Unavailable) as error:
        await after_fault
    assert error.value.reason is Reason.STORE_UNAVAILABLE
    await elsewhere
    assert other.journal.committed == other.journal.sequence


class FullRecords(MemoryRecords):
    """A store of records that is full."""

    def keep(self, match: FinishedMatch, record: bytes | None) -> None:
        raise OSError(f"no room for {record!r} of {match.table_id}")


async def test_a_record_that_cannot_be_kept_holds_up_nobody() -> None:
    world = World(MemoryLog(FullRecords()))
    tables = [world.start() for _ in range(2)]
    lobby = world.shard.watch_lobby()
    lobby.take(0)
    feeds = [world.watch(table, tickets[0]) for table, tickets in tables]
    for feed in feeds:
        world.take(feed)
    for table, _ in tables:
        world.shard.concede(table, 0)
        await world.shard.committed()
    for feed in feeds:
        assert end_of(world.take(feed)) == table_pb2.STREAM_END_REASON_MATCH_ENDED
    assert world.shard.directory.live == 0
    assert world.logged() == ("table-1", "table-2")


# The rules --------------------------------------------------------------------------------------


class NoOutcome(Toy):
    """Rules that cannot say how the match ended."""

    def outcome(self, state: State) -> Outcome | None:
        raise AssertionError(f"nobody knows: {state.scores}")


def test_a_fault_at_the_end_of_a_match_halts_that_table_alone() -> None:
    world = World()
    table, tickets = world.start()
    other, others = world.start()
    table.game = NoOutcome()
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    client.say(
        opens=[
            pb.ChannelOpen(channel=seat + 11, table_id="table-2", ticket=ticket)
            for seat, ticket in enumerate(others)
        ]
    )
    client.hear()
    found: list[tuple[int, str]] = []
    while table.status is Status.PLAYING:
        theirs = answer(other)
        theirs.channel += 10
        found = client.talk(moves=[answer(table), theirs])
    assert table.is_halted
    assert not client.session.is_done
    assert "Assertion" in table.fault
    assert "move_accepted" in [kind for channel, kind in found if channel > 10]
    assert "move_refused" in [kind for channel, kind in found if channel < 10]
    world.play(other)
    assert other.result is not None
    assert not other.is_halted


def test_a_fault_while_time_runs_out_leaves_other_clocks_running() -> None:
    world = World()
    clock = ClockSpec(per_move_ms=100)
    tables = [world.start(clock=clock)[0] for _ in range(3)]
    tables[0].game = NoOutcome()
    for _ in range(100):
        world.clock.advance(200)
        world.shard.tick()
    assert [table.status for table in tables] == [Status.ENDED] * 3
    assert [table.is_halted for table in tables] == [True, False, False]


def test_a_move_that_ends_a_match_with_a_fault_is_told_so() -> None:
    world = World()
    table, _ = world.start()
    table.game = NoOutcome()
    with pytest.raises(TableHalted):
        world.play(table)
    assert table.is_halted


# Sessions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["opens", "nonces", "moves", "opening"])
def test_answers_that_nobody_fetches_are_bounded(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("croupier_server.tables.sessions.session.WAITING_MAX", 50)
    world = World()
    table, tickets = world.start()
    client = Client(world)
    client.say(hello={})
    client.hear()
    client.session.beat()
    client.hear()
    if kind == "opening":
        client.say(opens=openings(table, tickets))
    frame = {
        "opens": pb.SessionRequest(opens=[pb.ChannelOpen(channel=9, table_id="nowhere")]),
        "nonces": pb.SessionRequest(nonces=[pb.ChannelNonce(channel=9)]),
        "moves": pb.SessionRequest(moves=[pb.ChannelMove(channel=9)]),
        "opening": pb.SessionRequest(moves=[pb.ChannelMove(channel=1, decision_id="x")]),
    }[kind]
    for _ in range(60):
        client.session.receive(frame.SerializeToString())
    last = client.hear()
    assert last is not None
    assert last.end.reason == table_pb2.STREAM_END_REASON_SLOW_CONSUMER


@pytest.mark.parametrize("most", [3, 6])
def test_a_frame_holds_so_many_items(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.tables.sessions.session.ITEMS_MAX", 3)
    world = World(channels_max=most)
    for number in (most, most + 1):
        client = Client(world)
        client.say(hello={}, closes=[pb.ChannelClose(channel=1)] * number)
        frame = client.hear()
        assert frame is not None
        ended = frame.end.reason == table_pb2.STREAM_END_REASON_PROTOCOL_ERROR
        assert ended == (number > most)
