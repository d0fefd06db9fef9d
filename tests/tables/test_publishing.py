"""Persist, then publish; waiting for a stream; heartbeats and the lobby; equal runs."""

from __future__ import annotations

import asyncio

import pytest

from croupier.v1 import play_service_pb2, table_pb2, table_service_pb2
from croupier_server.errors import NotYourTurn, Reason, StaleDecision, Unavailable
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.play_service import PlayService
from croupier_server.rpc.validate import Requests
from croupier_server.tables.caller import Caller
from croupier_server.tables.feeds.feed import Feed
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import Status, Visibility
from tests.tables.answering import submit
from tests.tables.test_feeds import end_of, numbers
from tests.tables.toy_game import ToyWire
from tests.tables.world import SlowLog, World, asked, exactly, kinds, move_of

# Persist, then publish --------------------------------------------------------------------------


def test_durable_nothing_is_seen_before_it_is_stored() -> None:
    """Promise 3: persist, then publish."""
    log = SlowLog()
    world = World(log)
    table = world.create()
    spectator = world.shard.spectate(table, epoch=0, after=0)
    assert world.take(spectator) == []
    log.store()
    assert kinds(world.take(spectator)) == ["snapshot"]
    tickets = [world.join(table).ticket for _ in range(3)]
    feeds = [world.watch(table, ticket) for ticket in tickets]
    assert all(world.take(feed) == [] for feed in feeds)
    assert world.take(spectator) == []
    log.store(1)
    assert numbers(world.take(spectator)) == [2]
    assert all(world.take(feed) == [] for feed in feeds)
    log.store()
    assert kinds(world.take(feeds[asked(table)[0].seat])) == ["snapshot", "decision"]


def test_a_decision_is_not_asked_before_its_events_are_stored() -> None:
    log = SlowLog()
    world = World(log)
    table, tickets = world.start()
    log.store()
    feeds = [world.watch(table, ticket) for ticket in tickets]
    for feed in feeds:
        world.take(feed)
    decision = world.to_turns(table)
    assert table.journal.committed < table.journal.sequence
    assert world.take(feeds[decision.seat]) == []
    assert table.match.open_decision(decision.seat) is None
    log.store()
    assert kinds(world.take(feeds[decision.seat])) == ["decision"]
    assert table.match.open_decision(decision.seat) is decision


async def test_a_caller_is_answered_after_the_commit() -> None:
    log = SlowLog()
    world = World(log)
    table, _ = world.start()
    waiting = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    assert not waiting.done()
    log.store(2)
    await asyncio.sleep(0)
    assert not waiting.done()
    log.store()
    await asyncio.sleep(0)
    assert waiting.done()
    await world.shard.committed()
    decision = asked(table)[0]
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    failing = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    log.fail()
    with pytest.raises(Unavailable) as error:
        await failing
    assert error.value.reason is Reason.STORE_UNAVAILABLE


async def test_durable_a_refusal_is_told_once_it_is_stored_what_it_follows_from() -> None:
    log = SlowLog()
    world = World(log)
    table, tickets = world.start()
    decision = world.to_turns(table)
    log.store()
    play = PlayService(world.shard, PageTokens(b"key"), Calls(Requests(1 << 16), 1))
    caller = Caller(ticket=tickets[decision.seat])

    async def submit(place: int) -> play_service_pb2.SubmitMoveResponse:
        request = play_service_pb2.SubmitMoveRequest(
            table_id="table-1", decision_id=decision.id, move=moves[place]
        )
        return await play.submit_move(caller, request)

    legal = table.legal(decision.seat, decision.id).moves
    moves = [ToyWire().move_message(move) for move in legal]
    calls = [asyncio.ensure_future(submit(place)) for place in (0, 1)]
    for _ in range(3):
        await asyncio.sleep(0)
    assert not any(call.done() for call in calls)
    log.store()
    assert (await calls[0]).accepted.decision_id == decision.id
    with pytest.raises(StaleDecision) as error:
        await calls[1]
    assert error.value.reason is Reason.DECISION_ANSWERED


def test_a_table_that_cannot_be_stored_is_given_up() -> None:
    log = SlowLog()
    world = World(log)
    table, tickets = world.start()
    log.store()
    feed = world.watch(table, tickets[0], mode=2)
    world.take(feed)
    seen = table.journal.committed
    world.step(table)
    log.fail()
    found = world.take(feed)
    assert numbers(found) == []
    assert end_of(found) == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    assert table.journal.committed == seen
    with pytest.raises(Exception, match="NOT_FOUND"):
        world.shard.table("table-1")


def shown(table: Table) -> tuple[int, int, list[str]]:
    """Status, number of the last event and players, as everybody is told."""
    found = exactly(table_pb2.Table, table.resource())
    return (
        found.status,
        found.sequence,
        [seat.player.display_name for seat in found.seats if seat.HasField("player")],
    )


def test_lists_and_tables_show_what_is_stored() -> None:
    log = SlowLog()
    world = World(log)
    table = world.create()
    lobby = world.shard.watch_lobby()
    assert world.shard.list_tables().tables == []
    assert lobby_of(world, lobby.take(0)) == ["caught_up"]
    log.store()
    assert world.shard.list_tables().tables == [table]
    assert lobby_of(world, lobby.take(0)) == ["table-1 1"]
    for seat in range(3):
        world.join(table, player=f"player {seat}")
    assert shown(table) == (1, 1, [])
    assert lobby_of(world, world.shard.watch_lobby().take(0)) == ["table-1 1", "caught_up"]
    assert world.shard.list_tables(status=Status.OPEN).tables == [table]
    log.store(1)
    assert shown(table) == (1, 2, ["player 0"])
    log.store(1)
    assert shown(table) == (1, 3, ["player 0", "player 1"])
    log.store()
    assert shown(table)[0] == Status.PLAYING
    assert world.shard.list_tables(status=Status.OPEN).tables == []
    world.shard.concede(table, 0)
    assert shown(table)[0] == Status.PLAYING
    assert world.shard.list_tables(status=Status.ENDED).tables == []
    log.store()
    assert shown(table)[0] == Status.ENDED


def test_a_decision_that_is_not_stored_is_neither_listed_nor_judged() -> None:
    log = SlowLog()
    world = World(log)
    table, _ = world.start()
    decision = asked(table)[0]
    for ask in (
        lambda: table.legal(decision.seat, decision.id),
        lambda: table.check(decision.seat, decision.id, 1),
    ):
        with pytest.raises(NotYourTurn):
            ask()
    log.store()
    assert table.legal(decision.seat, decision.id).moves
    table.check(decision.seat, decision.id, 1)


# Waiting ----------------------------------------------------------------------------------------


async def test_a_feed_can_be_waited_for() -> None:
    world = World()
    table, tickets = world.start()
    feeds = [world.watch(table, ticket, mode=2) for ticket in tickets]
    feeds_public = world.shard.spectate(table, epoch=0, after=0)

    async def read(feed: Feed) -> list[bytes]:
        return [payload async for payload in feed]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(feed)) for feed in (*feeds, feeds_public)]
        while table.status is Status.PLAYING:
            await asyncio.sleep(0)
            world.step(table)
    for task in tasks:
        updates = [exactly(table_pb2.TableUpdate, payload) for payload in task.result()]
        first = updates[0].snapshot.sequence
        assert numbers(updates) == list(range(first + 1, table.journal.sequence + 1))
        assert end_of(updates) == table_pb2.STREAM_END_REASON_MATCH_ENDED


async def test_a_feed_that_is_closed_while_it_waits_ends() -> None:
    world = World()
    table, _ = world.start()
    feed = world.shard.spectate(table, epoch=0, after=0)
    assert await anext(feed)
    waiting = asyncio.ensure_future(anext(feed))
    await asyncio.sleep(0)
    feed.close()
    with pytest.raises(StopAsyncIteration):
        await waiting
    assert not table.spectators


# Heartbeats and the lobby -----------------------------------------------------------------------


def test_heartbeats_go_out_in_slices() -> None:
    world = World()
    tables = [world.start()[0] for _ in range(40)]
    feeds = [world.shard.spectate(table, epoch=0, after=0) for table in tables]
    for feed in feeds:
        world.take(feed)
    beats = []
    for part in range(16):
        world.shard.heartbeat(part)
        beats.append(sum(kinds(world.take(feed)) == ["heartbeat"] for feed in feeds))
    assert sum(beats) == 40
    assert max(beats) == 3


def lobby_of(world: World, payloads: list[bytes]) -> list[str]:
    found = []
    for payload in payloads:
        update = exactly(table_service_pb2.WatchLobbyResponse, payload)
        if update.HasField("table"):
            found.append(f"{update.table.table_id} {update.table.status}")
        else:
            found.append(update.WhichOneof("item") or "")
    return found


def test_the_lobby_shows_what_is_there_and_then_what_changes() -> None:
    world = World()
    world.create()
    world.create(visibility=Visibility.UNLISTED)
    lobby = world.shard.watch_lobby()
    other = world.shard.watch_lobby(kind=5)
    assert lobby_of(world, lobby.take(0)) == ["table-1 1", "caught_up"]
    table, _ = world.start()
    world.start(visibility=Visibility.UNLISTED)
    assert lobby_of(world, lobby.take(0)) == ["table-3 3"]
    world.step(table)
    assert lobby.take(0) == []
    world.play(table)
    assert lobby_of(world, lobby.take(0)) == ["table-3 4"]
    assert lobby_of(world, other.take(0)) == ["caught_up"]
    lobby.close()
    world.create()
    assert lobby.take(0) == []


# Equal runs -------------------------------------------------------------------------------------


def test_equal_runs_send_equal_bytes() -> None:
    def run() -> list[bytes]:
        world = World()
        table, tickets = world.start()
        feeds = [world.watch(table, ticket, mode=2) for ticket in tickets]
        sent: list[bytes] = []
        while table.status is Status.PLAYING:
            for feed in feeds:
                sent += feed.take(world.clock.now)
            world.step(table)
        record = world.record("table-1")
        assert record is not None
        return [*sent, record.record, *(ticket.encode() for ticket in tickets)]

    assert run() == run()
