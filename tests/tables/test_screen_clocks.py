"""Clocks for screens: events carry the clocks that they change, and nothing of sealed windows."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from croupier.v1 import table_pb2
from croupier_server.games.registry import GAMES
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, SpectatorDelay, Status
from tests.tables.answering import submit
from tests.tables.test_delay import step, take_snapshot
from tests.tables.test_delay_games import Match
from tests.tables.test_windows import seed_with
from tests.tables.toy_game import PASS
from tests.tables.world import World, asked, events, exactly

BASE = ClockSpec(base_ms=60_000, increment_ms=100)
PER_MOVE = ClockSpec(per_move_ms=5_000)
BANK = ClockSpec(base_ms=60_000, per_move_ms=200)
FIXED_WINDOWS = ClockSpec(base_ms=60_000, per_move_ms=200, window_ms=500)
CLOCKS = [BASE, PER_MOVE, BANK, FIXED_WINDOWS]

EVENT = b"\x22"
"""Before an event in a ``TableUpdate``."""

Shown = dict[int, tuple[int, int | None]]
"""By seat: milliseconds left of the base, and those left for the move if its clock runs."""


class Screen:
    """Draws clocks from a snapshot and the events after it, by the words of the contract."""

    def __init__(self, snapshot: table_pb2.Snapshot) -> None:
        self.shown = drawn(snapshot.clocks)

    def take(self, event: table_pb2.TableEvent) -> None:
        self.shown |= drawn(event.clocks)
        if event.WhichOneof("event") in ("seat_timed_out", "match_ended", "table_halted"):
            self.shown = {seat: (left, None) for seat, (left, _) in self.shown.items()}


def drawn(clocks: Iterable[table_pb2.SeatClock]) -> Shown:
    """*clocks* as a screen shows them."""
    for one in clocks:
        assert one.running == one.HasField("move_left")
    return {
        one.seat: (
            one.remaining.ToMilliseconds(),
            one.move_left.ToMilliseconds() if one.running else None,
        )
        for one in clocks
    }


def told(event: table_pb2.TableEvent) -> Shown:
    """The clocks that *event* carries, which are in the order of the seats, and without strikes."""
    seats = [one.seat for one in event.clocks]
    assert seats == sorted(set(seats))
    assert not any(one.HasField("strikes") for one in event.clocks)
    return drawn(event.clocks)


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_screen_that_takes_events_shows_what_a_snapshot_shows(clock: ClockSpec) -> None:
    world = World()
    table, _ = world.start(clock=clock, options={"deals": 3})
    spectator = world.shard.spectate(table, epoch=0, after=0)
    screen = Screen(world.take(spectator)[0].snapshot)
    ran: set[int] = set()
    while table.status is Status.PLAYING:
        step(world, table)
        for update in world.take(spectator):
            if update.HasField("event"):
                screen.take(update.event)
        if table.status is Status.PLAYING:
            assert screen.shown == drawn(take_snapshot(world, table).clocks)
            ran |= {seat for seat, (_, move_left) in screen.shown.items() if move_left is not None}
    assert ran == {0, 1, 2}


@pytest.mark.parametrize("window_ms", [0, 500])
@pytest.mark.parametrize("name", GAMES)
def test_it_does_so_in_every_game(name: str, window_ms: int) -> None:
    match = Match(name, None, window_ms)
    feed = match.shard.spectate(match.table, epoch=0, after=0)
    screen = Screen(match.snapshot())
    feed.take(match.clock.now)
    for _ in range(150):
        match.step()
        for payload in feed.take(match.clock.now):
            update = exactly(table_pb2.TableUpdate, payload)
            if update.HasField("event"):
                screen.take(update.event)
        if match.table.status is Status.PLAYING:
            assert screen.shown == drawn(match.snapshot().clocks)


# What is told when ------------------------------------------------------------------------------


def test_a_deal_begins_with_every_clock_and_none_runs_in_its_window() -> None:
    world = World()
    table, _ = world.start(clock=BANK)
    lot, deal, dealt = events(world, table)[-3:]
    assert told(lot) == dict.fromkeys(range(3), (60_000, None))
    assert not deal.clocks
    assert not dealt.clocks
    assert asked(table)[0].sealed
    assert not any(one.running for one in take_snapshot(world, table).clocks)


@pytest.mark.parametrize("number", [1, 2])
def test_a_window_that_has_closed_tells_the_clock_that_runs_and_no_other(number: int) -> None:
    world, table, _ = seed_with(number, BANK)
    decision = world.to_turns(table)
    closed = events(world, table)[-1]
    assert told(closed) == {decision.seat: (60_000, 200)}


def test_a_move_tells_what_it_cost_and_which_clock_runs_next() -> None:
    world = World()
    table, _ = world.start(clock=BANK)
    decision = world.to_turns(table)
    world.clock.advance(50 + 1_199)
    assert world.step(table) is decision
    following = asked(table)[0].seat
    assert told(events(world, table)[-1]) == {
        decision.seat: (60_000 - 1_000, None),
        following: (60_000, 200),
    }


def test_a_timeout_stops_the_clock_and_the_move_that_follows_tells_what_it_cost() -> None:
    world = World()
    table, _ = world.start(clock=ClockSpec(base_ms=1_000, per_move_ms=500))
    decision = world.to_turns(table)
    world.clock.advance(50 + 1_500)
    world.shard.tick()
    timed_out, moved = events(world, table)[-2:]
    assert timed_out.seat_timed_out.seat == decision.seat
    assert not timed_out.clocks
    following = asked(table)[0].seat
    assert told(moved) == {decision.seat: (0, None), following: (1_000, 500)}


def test_a_heartbeat_tells_what_is_left_for_the_move_and_then_in_the_bank() -> None:
    world = World()
    table, _ = world.start(clock=BANK)
    decision = world.to_turns(table)
    spectator = world.shard.spectate(table, epoch=0, after=0)
    world.take(spectator)
    for after_ms, left in [(50, (60_000, 200)), (150, (60_000, 50)), (100, (59_950, 0))]:
        world.clock.advance(after_ms)
        spectator.beat()
        beat = world.take(spectator)[-1].heartbeat
        assert all(one.HasField("strikes") for one in beat.clocks)
        assert drawn(beat.clocks) == {
            seat: left if seat == decision.seat else (60_000, None) for seat in range(3)
        }


@pytest.mark.parametrize("clock", [ClockSpec(), ClockSpec(window_ms=500)])
def test_a_table_without_clocks_tells_none(clock: ClockSpec) -> None:
    world = World()
    table, _ = world.start(clock=clock)
    while table.status is Status.PLAYING:
        step(world, table)
    assert not any(event.clocks for event in events(world, table))
    assert not take_snapshot(world, table).clocks


# Windows ------------------------------------------------------------------------------------------


def after_a_window(answered_ms: int, moves: int) -> tuple[World, Table, int]:
    """A table whose first window asked one seat, after its answer, which took *answered_ms*, and so
    many *moves* that cost nothing; six end the deal."""
    world, table, _ = seed_with(1, ClockSpec(base_ms=60_000))
    decision = asked(table)[0]
    world.clock.advance(50 + answered_ms)
    submit(world.shard, table, decision.seat, decision.id, PASS)
    for _ in range(moves):
        world.step(table)
    return world, table, decision.seat


def test_private_a_window_changes_no_clock_before_the_deal_has_ended() -> None:
    quick, slow = (events(*after_a_window(ms, moves=5)[:2]) for ms in (0, 9_000))
    assert any(event.clocks for event in quick)
    assert [event.clocks for event in quick] == [event.clocks for event in slow]


def test_what_a_window_cost_is_told_when_the_next_deal_begins() -> None:
    world, table, seat = after_a_window(9_000, moves=6)
    assert table.match.state.deal == 2
    found = [told(event) for event in events(world, table)]
    began = next(clocks for clocks in reversed(found) if len(clocks) == 3)
    assert began == {one: (51_000 if one == seat else 60_000, None) for one in range(3)}


def test_private_a_match_cut_short_never_shows_what_its_windows_cost() -> None:
    world, table, _ = after_a_window(9_000, moves=5)
    world.shard.concede(table, 0)
    assert table.status is Status.ENDED
    assert not exactly(table_pb2.TableEvent, table.journal.kept[-1].public).clocks
    shown = drawn(take_snapshot(world, table).clocks)
    assert shown == dict.fromkeys(range(3), (60_000, None))


# The same bytes at any time -----------------------------------------------------------------------


def stream(world: World, table: Table, after: int) -> list[bytes]:
    """The events that a spectator gets who had those up to *after*, as bytes."""
    feed = world.shard.spectate(table, epoch=table.spec.epoch, after=after)
    found = [one for one in feed.take(world.clock.now) if one.startswith(EVENT)]
    feed.close()
    return found


@pytest.mark.parametrize("clock", CLOCKS)
def test_resumable_a_later_stream_carries_the_same_clocks(clock: ClockSpec) -> None:
    """After a cut, and after a restart of the server, out of its log."""
    world = World()
    table, _ = world.start(clock=clock)
    feed = world.shard.spectate(table, epoch=0, after=0)
    first = exactly(table_pb2.TableUpdate, feed.take(world.clock.now)[0]).snapshot.sequence
    live: list[bytes] = []
    for _ in range(9):
        step(world, table)
        live += [one for one in feed.take(world.clock.now) if one.startswith(EVENT)]
    assert any(exactly(table_pb2.TableUpdate, one).event.clocks for one in live)
    assert stream(world, table, first) == live
    before = [row.public for row in world.rows("table-1")]
    world.restart()
    assert stream(world, world.find(), first) == live
    assert [row.public for row in world.rows("table-1")][: len(before)] == before


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_late_spectator_gets_the_same_clocks(clock: ClockSpec) -> None:
    on_time, late = World(), World()
    tables = [
        world.start(clock=clock, delay=delay)[0]
        for world, delay in ((on_time, None), (late, SpectatorDelay(2, 1_000)))
    ]
    feeds = [
        world.shard.spectate(table, epoch=0, after=0)
        for world, table in zip((on_time, late), tables, strict=True)
    ]
    got: list[dict[int, bytes]] = [{}, {}]
    for _ in range(40):
        for world, table, feed, there in zip((on_time, late), tables, feeds, got, strict=True):
            for payload in feed.take(world.clock.now):
                if payload.startswith(EVENT):
                    event = exactly(table_pb2.TableUpdate, payload).event
                    there[event.sequence] = payload
            step(world, table)
    both = got[0].keys() & got[1].keys()
    assert len(both) > 20
    assert [got[0][number] for number in both] == [got[1][number] for number in both]
