"""Spectators with a delay (promise 4): all that everybody but the seats sees stays behind."""

from __future__ import annotations

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2, table_service_pb2
from croupier_server.errors import CroupierError, Reason
from croupier_server.storage.base import LogRow, RecordEntry
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.feeds.feed import PublicFeed
from croupier_server.tables.match.seats import ticket_hash
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import (
    ClockSpec,
    JoinTable,
    SpectatorDelay,
    Status,
)
from tests.tables.answering import submit
from tests.tables.test_feeds import end_of, numbers
from tests.tables.world import (
    World,
    asked,
    exactly,
    kinds,
    now,
)

BY_DECISIONS = SpectatorDelay(decisions=4)
BY_TIME = SpectatorDelay(time_ms=2_000)
BY_BOTH = SpectatorDelay(decisions=3, time_ms=1_500)
DELAYS = [BY_DECISIONS, BY_TIME, BY_BOTH]
CLOCK = ClockSpec(base_ms=600_000, increment_ms=1_000, window_ms=500, max_strikes=3)


def spectate(world: World, table: Table, epoch: int = 0, after: int = 0) -> PublicFeed:
    return world.shard.spectate(table, epoch=epoch, after=after)


def resource(table: Table) -> table_pb2.Table:
    return exactly(table_pb2.Table, table.resource())


def step(world: World, table: Table) -> None:
    """Some time later what is due happens, and one decision is answered if one is open."""
    world.clock.advance(300)
    world.shard.tick()
    waiting = asked(table)
    if waiting:
        decision = waiting[0]
        move = table.game.legal_moves(table.match.state, decision.seat).moves[0]
        submit(world.shard, table, decision.seat, decision.id, move)


# What is due, from the log alone ------------------------------------------------------------------


def due(rows: list[LogRow], delay: SpectatorDelay, time: int) -> int:
    """The last event that may be shown, by the words of the contract."""
    numbered = [row for row in rows if row.sequence]
    found = [table_pb2.TableEvent.FromString(row.public) for row in numbered]
    answers = [answers_of(row) for row in numbered]
    has_ended = found[-1].WhichOneof("event") in ("match_ended", "table_halted")
    begun = False
    shown = 0
    for place, event in enumerate(found):
        begun |= event.HasField("match_started")
        since = sum(answers[place + 1 :])
        is_due = event.time.ToMilliseconds() + delay.time_ms <= time and (
            has_ended or since >= delay.decisions
        )
        if begun and not is_due:
            break
        shown = event.sequence
    return shown


def answers_of(row: LogRow) -> int:
    """Decisions that *row* answered: a window is one, a sealed answer none yet."""
    kind = record_pb2.Input.FromString(row.input).WhichOneof("input")
    return int(kind in ("move", "window"))


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("clock", [ClockSpec(), CLOCK])
def test_private_a_spectator_sees_what_is_due_and_no_more(
    delay: SpectatorDelay, clock: ClockSpec
) -> None:
    world = World()
    table, _ = world.start(delay=delay, clock=clock, options={"deals": 3})
    feed = spectate(world, table)
    seen = numbers_with_snapshot(world, feed)
    heads = set()
    while table.status is Status.PLAYING:
        step(world, table)
        seen += numbers(world.take(feed))
        if table.seen.status is Status.ENDED:
            break
        head = due(world.rows(table.spec.table_id), delay, world.clock.now)
        assert seen[-1] == head
        assert resource(table).sequence == head
        assert table.journal.committed - head >= (1 if delay.time_ms else 0)
        heads.add(head)
    assert len(heads) > 5
    world.clock.advance(delay.time_ms)
    world.shard.tick()
    seen += numbers(world.take(feed))
    assert seen == list(range(seen[0], table.journal.sequence + 1))
    assert feed.is_done


def numbers_with_snapshot(world: World, feed: PublicFeed) -> list[int]:
    found = world.take(feed)
    assert kinds(found)[0] == "snapshot"
    return [found[0].snapshot.sequence, *numbers(found)]


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("clock", [ClockSpec(), CLOCK])
def test_private_a_late_snapshot_is_the_snapshot_of_that_time(
    delay: SpectatorDelay, clock: ClockSpec
) -> None:
    """Views, seats, status and clocks; the same as were shown when it happened where nothing is
    held back, but for the time that the next decision has taken since."""
    on_time, late = World(), World()
    tables = [
        world.start(clock=clock, options={"deals": 3}, **changes)[0]
        for world, changes in ((on_time, {}), (late, {"delay": delay}))
    ]
    there = {0: take_snapshot(on_time, tables[0])}
    compared = 0
    while tables[1].status is Status.PLAYING:
        found = take_snapshot(late, tables[1])
        if found.sequence in there:
            assert found.table.spec.HasField("spectator_delay")
            found.table.spec.ClearField("spectator_delay")
            assert found == there[found.sequence]
            compared += 1
        for world, table in zip((on_time, late), tables, strict=True):
            step(world, table)
        one = take_snapshot(on_time, tables[0])
        there[one.sequence] = one
    assert compared > 5


def take_snapshot(world: World, table: Table) -> table_pb2.Snapshot:
    feed = spectate(world, table)
    found = world.take(feed)
    feed.close()
    return found[0].snapshot


def record_of(world: World, table: Table) -> RecordEntry | None:
    return now(world.records.get(table.spec.table_id))


# Where it shows -----------------------------------------------------------------------------------


def test_before_the_match_nothing_is_held_back() -> None:
    """A table must be seen to be joined."""
    world = World()
    table = world.create(delay=BY_BOTH)
    feed, lobby = spectate(world, table), world.shard.watch_lobby()
    assert resource(table).sequence == 1
    assert shown_in(lobby.take(0))[0].sequence == 1
    assert kinds(world.take(feed)) == ["snapshot"]
    world.join(table, player="Ann")
    assert numbers(world.take(feed)) == [2]
    assert shown_in(lobby.take(0))[0].seats[0].player.display_name == "Ann"
    world.shard.abort(*host_of(table), "rain")
    assert kinds(world.take(feed)) == ["event", "result", "end"]
    assert shown_in(lobby.take(0))[0].status == table_pb2.TABLE_STATUS_ENDED


def host_of(table: Table) -> tuple[Caller, str]:
    """The host of *table*, by a ticket that it now has."""
    table.opening.host = ticket_hash(LOCAL, "host")
    return Caller(host_ticket="host"), table.spec.table_id


def shown_in(payloads: list[bytes]) -> list[table_pb2.Table]:
    found = [table_service_pb2.WatchLobbyResponse.FromString(one) for one in payloads]
    return [one.table for one in found if one.HasField("table")]


@pytest.mark.parametrize("delay", [BY_TIME, BY_BOTH])
def test_private_lists_lobby_and_record_wait_for_the_end_that_is_shown(
    delay: SpectatorDelay,
) -> None:
    world = World()
    table, _ = world.start(delay=delay)
    lobby = world.shard.watch_lobby()
    lobby.take(0)
    seen = []
    while table.status is Status.PLAYING:
        step(world, table)
        seen += shown_in(lobby.take(0))
    assert record_of(world, table) is None
    (listed,) = world.shard.list_tables(status=Status.PLAYING).tables
    assert listed is table
    assert world.shard.list_tables(status=Status.ENDED).tables == []
    assert not resource(table).HasField("result")
    assert [one.status for one in seen] in ([], [table_pb2.TABLE_STATUS_PLAYING])
    world.clock.advance(delay.time_ms - 1)
    world.shard.tick()
    assert record_of(world, table) is None
    assert shown_in(lobby.take(0)) == []
    world.clock.advance(1)
    world.shard.tick()
    assert record_of(world, table) is not None
    (last,) = shown_in(lobby.take(0))
    assert last.status == table_pb2.TABLE_STATUS_ENDED
    assert last == resource(table)
    assert last.result.reason == 1
    assert world.shard.list_tables(status=Status.ENDED).tables == [table]


def test_the_end_of_the_match_ends_a_delay_by_decisions() -> None:
    world = World()
    table, _ = world.start(delay=SpectatorDelay(decisions=1_000))
    feed = spectate(world, table)
    assert numbers_with_snapshot(world, feed)[-1] < table.journal.sequence
    world.play(table)
    found = world.take(feed)
    assert kinds(found)[-2:] == ["result", "end"]
    assert numbers(found)[-1] == table.journal.sequence
    assert record_of(world, table) is not None


def test_seats_are_never_delayed() -> None:
    world = World()
    table, tickets = world.start(delay=BY_BOTH)
    feeds = [world.watch(table, ticket, mode=2) for ticket in tickets]
    spectator = spectate(world, table)
    heads = [world.take(feed)[0].snapshot.table.sequence for feed in feeds]
    assert heads == [table.journal.sequence] * 3
    world.take(spectator)
    while table.status is Status.PLAYING:
        step(world, table)
        for feed in feeds:
            assert numbers(world.take(feed))[-1:] in ([table.journal.sequence], [])
            assert feed._position == table.journal.sequence


def test_private_a_ticket_lifts_no_delay() -> None:
    """What a seat's holder asks as everybody is answered as to everybody."""
    world = World()
    table, tickets = world.start(delay=BY_BOTH)
    for _ in range(5):
        step(world, table)
    mine = world.shard.spectate(table, epoch=0, after=0, caller=Caller(ticket=tickets[0]))
    assert world.take(mine)[0] == world.take(spectate(world, table))[0]
    assert mine._position < table.journal.sequence


def test_private_seats_joined_again_show_late() -> None:
    world = World()
    table, tickets = world.start(delay=BY_DECISIONS)
    for _ in range(6):
        step(world, table)
    epoch = resource(table).seats[0].seat_epoch
    joined = world.shard.join(Caller(ticket=tickets[0]), JoinTable(table.spec.table_id))
    assert joined.epoch == epoch + 1
    epochs = []
    while table.status is Status.PLAYING:
        epochs.append(resource(table).seats[0].seat_epoch)
        step(world, table)
    assert epochs[:4] == [epoch] * 4
    assert set(epochs[4:]) == {epoch + 1}


def test_private_a_heartbeat_carries_what_is_shown() -> None:
    world = World()
    table, tickets = world.start(delay=BY_DECISIONS, clock=CLOCK)
    feed, seat = spectate(world, table), world.watch(table, tickets[0], mode=2)
    world.take(feed), world.take(seat)
    for _ in range(8):
        step(world, table)
    late = [world.take(feed)[-1], world.take(seat)[-1]]
    world.shard.heartbeat()
    beat, own = world.take(feed)[-1].heartbeat, world.take(seat)[-1].heartbeat
    snapshot = take_snapshot(world, table)
    assert late[0].event.sequence == beat.sequence == snapshot.sequence < own.sequence
    assert list(beat.clocks) == list(snapshot.clocks) != list(own.clocks)
    assert beat.server_time == own.server_time


@pytest.mark.parametrize("delay", DELAYS)
def test_private_what_outsiders_are_refused_tells_no_more(delay: SpectatorDelay) -> None:
    """Joining, starting and stopping a match that has ended, and nobody may know."""
    world = World()
    delay = SpectatorDelay(delay.decisions, delay.time_ms or 60_000)
    table, _ = world.start(delay=delay)
    before = refusals(world, table)
    world.play(table)
    assert table.status is Status.ENDED
    assert refusals(world, table) == before
    stopped = world.shard.abort(*host_of(table), "stop")
    assert resource(stopped).status == table_pb2.TABLE_STATUS_AWAITING_NONCES
    world.clock.advance(delay.time_ms)
    world.shard.tick()
    assert refusals(world, table) != before
    assert resource(table).result.reason == 1


def refusals(world: World, table: Table) -> list[tuple[Reason, str]]:
    found = []
    host, table_id = host_of(table)
    for ask in (
        lambda: world.shard.join(Caller(), JoinTable(table_id)),
        lambda: world.shard.join(Caller(), JoinTable(table_id, seat=1)),
        lambda: world.shard.start(host, table_id),
    ):
        with pytest.raises(CroupierError) as error:
            ask()
        found.append((error.value.reason, error.value.message))
    return found


def test_private_an_aborted_match_shows_its_end_late() -> None:
    world = World()
    table, _ = world.start(delay=BY_TIME)
    feed = spectate(world, table)
    world.take(feed)
    for _ in range(3):
        step(world, table)
    stopped = world.shard.abort(*host_of(table), "rain")
    assert resource(stopped).status == table_pb2.TABLE_STATUS_AWAITING_NONCES
    assert world.take(feed) == []
    world.clock.advance(BY_TIME.time_ms)
    world.shard.tick()
    found = world.take(feed)
    assert kinds(found)[-2:] == ["result", "end"]


def test_private_a_halted_table_shows_it_late() -> None:
    world = World()
    table, _ = world.start(delay=BY_TIME, options={"bomb": 4})
    feed = spectate(world, table)
    world.take(feed)
    with pytest.raises(Exception, match="TABLE_HALTED"):
        world.play(table)
    assert world.take(feed) == []
    late = world.take(spectate(world, table))
    assert kinds(late) == ["snapshot"]
    world.clock.advance(BY_TIME.time_ms)
    world.shard.tick()
    for one in (feed, spectate(world, table)):
        assert end_of(world.take(one)) == table_pb2.STREAM_END_REASON_TABLE_HALTED
