"""Clocks: base and increment, time per move, none; timeouts, strikes, forfeits."""

from __future__ import annotations

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import NotYourTurn, StaleDecision
from croupier_server.tables.clocks.accounts import Accounts
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, Status
from tests.tables.answering import submit
from tests.tables.world import World, asked, events, exactly, move_of

BASE = ClockSpec(base_ms=1_000, increment_ms=100)
PER_MOVE = ClockSpec(per_move_ms=500)
BANK = ClockSpec(base_ms=1_000, per_move_ms=500)


def at_turns(clock: ClockSpec) -> tuple[World, Table, list[str], Decision]:
    """A table at the first decision of its turns, with no time used."""
    world = World()
    table, tickets = world.start(clock=clock)
    for decision in asked(table):
        submit(world.shard, table, decision.seat, decision.id, 1)
    return world, table, tickets, asked(table)[0]


def shown(world: World, table: Table) -> list[int]:
    return [left for _, left, _ in table.match.timing.shown(world.clock.now)]


@pytest.mark.parametrize(
    ("spec", "used", "charged", "left"),
    [
        (BASE, 0, 0, 1_100),
        (BASE, 400, 400, 700),
        (BASE, 5_000, 1_000, 100),
        (PER_MOVE, 400, 400, 500),
        (PER_MOVE, 600, 500, 500),
        (BANK, 400, 400, 1_500),
        (BANK, 700, 700, 1_300),
        (BANK, 2_000, 1_500, 500),
    ],
)
def test_what_a_move_costs(spec: ClockSpec, used: int, charged: int, left: int) -> None:
    accounts = Accounts(spec, 2)
    assert accounts.charge(0, used, sealed=False) == charged
    assert accounts.budget_ms(0, sealed=False) == left
    assert accounts.budget_ms(1, sealed=False) == spec.base_ms + spec.per_move_ms


def test_time_of_a_sealed_answer_is_shown_after_the_deal() -> None:
    accounts = Accounts(BANK, 2)
    accounts.charge(1, 900, sealed=True)
    accounts.strike(1, sealed=True)
    assert list(accounts.shown(None, 0)) == [(0, 1_000, 0), (1, 1_000, 0)]
    assert accounts.budget_ms(1, sealed=True) == 1_100
    assert accounts.budget_ms(1, sealed=False) == 1_500
    accounts.open_hidden()
    assert list(accounts.shown(None, 0)) == [(0, 1_000, 0), (1, 600, 1)]
    assert accounts.budget_ms(1, sealed=False) == 1_100


def test_a_clock_starts_when_its_frame_is_written() -> None:
    world, table, tickets, decision = at_turns(BASE)
    feed = world.watch(table, tickets[decision.seat])
    world.clock.advance(20)
    found = world.take(feed)
    assert found[-1].decision.time_left.ToMilliseconds() == 1_000
    world.clock.advance(300)
    assert shown(world, table)[decision.seat] == 700
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    assert shown(world, table)[decision.seat] == 800
    moved = record_pb2.Input.FromString(world.rows("table-1")[-1].input).move
    assert moved.charged.ToMilliseconds() == 300


def test_a_clock_starts_50_ms_after_its_decision_came_due_at_the_latest() -> None:
    world, table, tickets, decision = at_turns(BASE)
    world.clock.advance(50)
    assert shown(world, table)[decision.seat] == 1_000
    world.clock.advance(400)
    feed = world.watch(table, tickets[decision.seat])
    found = world.take(feed)
    assert found[-1].decision.time_left.ToMilliseconds() == 600
    again = world.watch(table, tickets[decision.seat])
    world.clock.advance(100)
    assert world.take(again)[-1].decision.time_left.ToMilliseconds() == 500


def test_without_a_clock_there_is_no_limit() -> None:
    world, table, tickets, decision = at_turns(ClockSpec())
    found = world.take(world.watch(table, tickets[decision.seat]))
    assert not found[-1].decision.HasField("time_left")
    assert not found[0].snapshot.clocks
    world.clock.advance(10**9)
    world.shard.tick()
    assert asked(table) == [decision]


def test_time_runs_out_on_the_dot_and_the_fallback_move_is_played() -> None:
    world, table, _, decision = at_turns(BASE)
    before = table.journal.sequence
    world.clock.advance(1_049)
    world.shard.tick()
    assert table.journal.sequence == before
    world.clock.advance(1)
    world.shard.tick()
    timed_out, played = events(world, table)[before : before + 2]
    assert (timed_out.seat_timed_out.seat, timed_out.seat_timed_out.strikes) == (decision.seat, 1)
    assert played.HasField("game")
    row = next(row for row in world.rows("table-1") if row.sequence == played.sequence)
    moved = record_pb2.Input.FromString(row.input).move
    assert (moved.seat, moved.decision_id, moved.timed_out) == (decision.seat, decision.id, True)
    assert moved.charged.ToMilliseconds() == 1_000
    with pytest.raises(StaleDecision):
        submit(world.shard, table, decision.seat, decision.id, moved.move.tractor.call.points)


def test_an_answer_that_comes_too_late_is_late_even_if_nobody_ticked() -> None:
    world, table, _, decision = at_turns(BASE)
    move = move_of(table, decision)
    world.clock.advance(1_050)
    with pytest.raises((StaleDecision, NotYourTurn)):
        submit(world.shard, table, decision.seat, decision.id, move)
    assert events(world, table)[-2].HasField("seat_timed_out")


def test_out_of_strikes_is_a_forfeit() -> None:
    world, table, _, decision = at_turns(ClockSpec(per_move_ms=100, max_strikes=2))
    for _ in range(3):
        world.clock.advance(150)
        world.shard.tick()
    assert table.status is Status.PLAYING
    world.clock.advance(150)
    world.shard.tick()
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_FORFEIT, decision.seat)
    assert result.detail == "out of strikes"
    last = [event.WhichOneof("event") for event in read_events(world)][-2:]
    assert last == ["seat_timed_out", "match_ended"]


def read_events(world: World) -> list[table_pb2.TableEvent]:
    """Events of the record of the first table."""
    from croupier_server.storage.codec import read_record

    entry = world.record("table-1")
    assert entry is not None
    rows = read_record(entry.record)[1]
    return [exactly(table_pb2.TableEvent, row.public) for row in rows if row.sequence]


def test_a_match_whose_seats_are_all_gone_ends_by_fallback_moves() -> None:
    world, table, _, _ = at_turns(ClockSpec(per_move_ms=100))
    for _ in range(100):
        world.clock.advance(151)
        world.shard.tick()
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_FINISHED


def test_a_late_tick_plays_one_fallback_move_and_starts_the_next_clock_then() -> None:
    world, table, _, decision = at_turns(PER_MOVE)
    world.clock.advance(60_000)
    world.shard.tick()
    later = asked(table)[0]
    assert later.seat == (decision.seat + 1) % 3
    assert later.due_ms == world.clock.now
    assert later.used_ms(world.clock.now) == 0


def test_heartbeats_and_snapshots_carry_the_clocks() -> None:
    world, table, tickets, decision = at_turns(BASE)
    world.clock.advance(250)
    other = (decision.seat + 1) % 3
    feed = world.watch(table, tickets[other])
    snapshot = world.take(feed)[0].snapshot
    feed.beat()
    heartbeat = world.take(feed)[0].heartbeat
    for clocks in (snapshot.clocks, heartbeat.clocks):
        left = {clock.seat: clock.remaining.ToMilliseconds() for clock in clocks}
        assert left[decision.seat] == 800
        assert left[other] == 1_000
    assert heartbeat.server_time.ToMilliseconds() == world.clock.now
    assert heartbeat.sequence == table.journal.sequence
