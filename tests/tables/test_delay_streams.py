"""Spectators with a delay: where streams start, what wakes them, and what a restart leaves."""

from __future__ import annotations

from itertools import product

import pytest

from croupier.v1 import table_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Event
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import SystemClock
from croupier_server.tables.durability.replay import replay
from croupier_server.tables.feeds.snapshots import public_snapshot
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.spec import ClockSpec, JoinTable, SpectatorDelay, Status
from tests.tables.test_delay import (
    BY_DECISIONS,
    BY_TIME,
    CLOCK,
    DELAYS,
    numbers_with_snapshot,
    record_of,
    resource,
    spectate,
    step,
    take_snapshot,
)
from tests.tables.test_feeds import end_of, numbers
from tests.tables.toy_game import State, Toy
from tests.tables.world import (
    ENTRY,
    SlowLog,
    World,
    exactly,
    kinds,
    known_ids,
    known_secrets,
    request,
)

# Streams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", DELAYS)
def test_resumable_from_every_event_that_is_shown(delay: SpectatorDelay) -> None:
    """Ahead of what is shown is ahead, however far the table is."""
    world = World()
    table, _ = world.start(delay=delay)
    for _ in range(8):
        step(world, table)
    world.clock.advance(delay.time_ms // 2)
    world.shard.tick()
    head = resource(table).sequence
    assert head < table.journal.sequence
    for after in range(1, head + 1):
        found = world.take(spectate(world, table, 1, after))
        assert (found[0].resumed.after_sequence, found[0].resumed.sequence) == (after, head)
        assert numbers(found) == list(range(after + 1, head + 1))
    for after, epoch in product((head + 1, table.journal.sequence), (0, 1)):
        with pytest.raises(InvalidRequest) as error:
            spectate(world, table, epoch, after)
        assert error.value.reason is Reason.SEQUENCE_AHEAD
        assert str(head) in error.value.message


def test_private_how_far_back_a_stream_may_resume_goes_by_what_is_shown() -> None:
    """The deals that have been shown count, not those that were played."""
    world = World(watchers_max=0)
    hour = 3_600_000
    table, _ = world.start(delay=SpectatorDelay(time_ms=hour), options={"deals": 6})
    while table.status is Status.PLAYING:
        step(world, table)
        assert kinds(world.take(spectate(world, table, 1, 1)))[0] == "resumed"
    world.clock.advance(hour - 300 * 70)
    starts = []
    for _ in range(70):
        world.clock.advance(300)
        world.shard.tick()
        starts.append(world.take(spectate(world, table, 1, 1))[0])
    assert starts[0].HasField("resumed")
    assert starts[-1].reset.reason == table_pb2.RESET_REASON_TOO_OLD
    assert len(table.journal.kept) < table.journal.sequence / 2


def test_a_long_step_forward_makes_nobody_slow() -> None:
    """At the end of a match all of it may be shown at once."""
    world = World(lag_max=4)
    table, _ = world.start(delay=SpectatorDelay(decisions=1_000), options={"deals": 6})
    feed = spectate(world, table)
    seen = numbers_with_snapshot(world, feed)
    world.play(table)
    found = world.take(feed)
    assert seen + numbers(found) == list(range(seen[0], table.journal.sequence + 1))
    assert kinds(found)[-2:] == ["result", "end"]


def test_a_slow_reader_of_a_late_table() -> None:
    world = World(lag_max=4)
    table, _ = world.start(delay=BY_DECISIONS, options={"deals": 3})
    feed = spectate(world, table)
    world.take(feed)
    for _ in range(12):
        step(world, table)
    found = world.take(feed)
    assert kinds(found) == ["reset", "snapshot"]
    assert found[1].snapshot.sequence == resource(table).sequence < table.journal.sequence


def test_durable_only_decisions_that_are_stored_count() -> None:
    """Otherwise a crash would take back what was shown."""
    log = SlowLog()
    world = World(log)
    table, _ = world.start(delay=BY_DECISIONS)
    log.store()
    for _ in range(6):
        step(world, table)
        log.store()
    head = resource(table).sequence
    for _ in range(3):
        step(world, table)
    assert resource(table).sequence == head
    log.store(1)
    first = resource(table).sequence
    log.store()
    assert head <= first < resource(table).sequence


async def test_events_come_when_they_are_due_by_themselves() -> None:
    """The timer wakes the stream; nobody moves, nobody asks."""
    log = World().log
    shard = Shard(
        clock=SystemClock(),
        secrets=known_secrets(),
        ids=known_ids(),
        log=log,
        games={77: ENTRY},
    )
    shard.run()
    try:
        table = shard.create_table(Caller(), request(delay=SpectatorDelay(0, 40))).table
        for _ in table.seats:
            shard.join(Caller(), JoinTable(table.spec.table_id))
        feed = shard.spectate(table, epoch=0, after=0)
        seen = exactly(table_pb2.TableUpdate, await anext(feed)).snapshot.sequence
        assert seen < table.journal.sequence
        while seen < table.journal.sequence:
            seen = exactly(table_pb2.TableUpdate, await anext(feed)).event.sequence
        feed.close()
    finally:
        shard.stop()


@pytest.mark.parametrize("is_over", [False, True])
def test_a_late_state_that_cannot_be_made_ends_its_streams(
    monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    """A fault of ours stops the table; one that has ended stays as it ended."""
    world = World()
    table, _ = world.start(delay=BY_DECISIONS, options={"deals": 30})
    assert table.delayed is not None

    class Broken(Toy):
        def apply_unchecked(self, state: State, seat: int, move: int) -> list[Event]:
            raise AssertionError("hand of 7S")

    monkeypatch.setattr(table.delayed, "_game", Broken())
    for _ in range(100):
        step(world, table)
    if is_over:
        world.play(table)
    assert table.status is (Status.ENDED if is_over else Status.PLAYING)
    feed = spectate(world, table)
    found = world.take(feed) + world.take(feed)
    assert end_of(found) == table_pb2.STREAM_END_REASON_TABLE_HALTED
    assert table.is_halted != is_over
    assert resource(table).status == table_pb2.TABLE_STATUS_ENDED


# Restart ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("clock", [ClockSpec(), CLOCK])
def test_durable_a_table_rebuilt_from_its_log_shows_the_same(
    delay: SpectatorDelay, clock: ClockSpec
) -> None:
    world = World()
    table, _ = world.start(delay=delay, clock=clock, options={"deals": 3})
    compared = 0
    while table.status is Status.PLAYING:
        step(world, table)
        rows = world.rows(table.spec.table_id)
        if rows and rows[-1].sequence:  # neither archived, nor in the middle of a window
            again = replay(table.spec, ENTRY, rows)
            assert again.delayed is not None
            again.delayed.advance(again.journal, world.clock.now)
            assert again.resource() == table.resource()
            assert public_snapshot(again, 0) == public_snapshot(table, 0)
            assert again.delayed.deadline == table.delayed.deadline  # type: ignore[union-attr]
            compared += 1
    assert compared > 5


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("clock", [ClockSpec(), ClockSpec(base_ms=600_000, increment_ms=1_000)])
def test_durable_a_delay_goes_on_after_a_restart(delay: SpectatorDelay, clock: ClockSpec) -> None:
    """What was shown stays shown, what was not is not, and streams resume behind what they saw."""
    world = World()
    table, _ = world.start(delay=delay, clock=clock, options={"deals": 3})
    seen = [resource(table).sequence]
    while table.status is Status.PLAYING:
        step(world, table)
        if table.seen.status is Status.ENDED:
            break
        before = take_snapshot(world, table)
        world.restart()
        table = world.find()
        after = take_snapshot(world, table)
        assert after == before
        found = world.take(spectate(world, table, 1, seen[-1]))
        assert found[0].HasField("resumed")
        seen += numbers(found)
    assert seen == list(range(seen[0], seen[-1] + 1))
    assert len(seen) > 10
    world.clock.advance(delay.time_ms)
    world.shard.tick()
    assert resource(table).status == table_pb2.TABLE_STATUS_ENDED
    assert record_of(world, table) is not None


def test_durable_an_end_that_is_not_shown_waits_through_a_restart() -> None:
    world = World()
    table, _ = world.start(delay=BY_TIME)
    world.play(table)
    world.restart()
    table = world.find()
    assert resource(table).status == table_pb2.TABLE_STATUS_AWAITING_NONCES
    assert record_of(world, table) is None
    feed = spectate(world, table)
    assert kinds(world.take(feed)) == ["snapshot"]
    assert table.deadline <= world.clock.now + BY_TIME.time_ms
    world.clock.advance(BY_TIME.time_ms)
    world.shard.tick()
    assert kinds(world.take(feed))[-2:] == ["result", "end"]
    assert record_of(world, table) is not None


def test_an_end_that_came_due_while_the_server_was_away_is_shown_at_once() -> None:
    world = World()
    table, _ = world.start(delay=BY_TIME)
    world.play(table)
    world.clock.advance(BY_TIME.time_ms)
    world.restart()
    assert resource(world.find()).status == table_pb2.TABLE_STATUS_ENDED
    assert record_of(world, table) is not None


def test_what_is_due_is_shown_while_a_commit_is_under_way() -> None:
    """Otherwise it would be due again at once, and the loop would do nothing else."""
    log = SlowLog()
    world = World(log)
    table, _ = world.start(delay=SpectatorDelay(time_ms=1_000))
    log.store()
    world.step(table)
    log.store()
    world.clock.advance(900)
    world.step(table)
    world.clock.advance(150)
    world.shard.tick()
    assert table.journal.committed < table.journal.sequence
    assert table.deadline > world.clock.now
