"""Sealed windows: answers are kept back, and nothing tells who was asked or who has answered."""

from __future__ import annotations

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2
from croupier_server.errors import MalformedMove, NotYourTurn, Reason, StaleDecision
from croupier_server.tables.feeds import snapshots
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, DealKind, DealSource, Status, TimeoutPolicy
from tests.tables.answering import submit
from tests.tables.toy_game import CARD, CLAIM, PASS, ToyWire
from tests.tables.world import World, asked, events, kinds

NO_CLOCK = ClockSpec()


def seed_with(
    number: int, clock: ClockSpec = NO_CLOCK, players: int = 3, **more: int
) -> tuple[World, Table, list[str]]:
    """A table whose first window asks *number* seats."""
    for seed in range(200):
        world = World()
        deal = DealSource(DealKind.FIXED, seed=seed)
        options = {"players": players, "hand": 2, "spare": 6, **more}
        table, tickets = world.start(deal=deal, clock=clock, options=options)
        if table.match.window_open and len(asked(table)) == number:
            return world, table, tickets
    raise AssertionError("no such deal")


def test_a_window_closes_when_all_have_answered() -> None:
    world, table, _ = seed_with(2)
    first, second = asked(table)
    assert first.sealed
    assert second.sealed
    assert first.sequence == second.sequence
    before = table.journal.sequence
    assert submit(world.shard, table, first.seat, first.id, PASS) == 0
    assert table.journal.sequence == before
    assert asked(table) == [second]
    assert submit(world.shard, table, second.seat, second.id, CLAIM) == 0
    assert table.journal.sequence == before + 1
    assert not asked(table)[0].sealed
    assert table.match.state.scores[second.seat] == 1


def test_answers_are_unnumbered_rows_until_the_window_closes() -> None:
    world, table, _ = seed_with(2)
    first, second = asked(table)
    submit(world.shard, table, second.seat, second.id, CLAIM)
    row = world.rows("table-1")[-1]
    assert (row.sequence, row.public, dict(row.private)) == (0, b"", {})
    answer = record_pb2.Input.FromString(row.input).answer
    assert (answer.seat, answer.decision_id) == (second.seat, second.id)
    submit(world.shard, table, first.seat, first.id, CLAIM)
    rows = world.rows("table-1")
    assert [one.sequence for one in rows[-3:]] == [0, 0, table.journal.sequence]
    assert record_pb2.Input.FromString(rows[-1].input).HasField("window")
    assert set(rows[-1].private) == {first.seat, second.seat}
    assert table.match.state.scores[min(first.seat, second.seat)] == 1


def test_the_result_does_not_depend_on_who_answers_first() -> None:
    outcomes = []
    for order in (1, -1):
        world, table, _ = seed_with(2)
        for decision in asked(table)[::order]:
            submit(world.shard, table, decision.seat, decision.id, CLAIM)
        outcomes.append((table.match.state.scores, events(world, table)[-1].game))
    assert outcomes[0] == outcomes[1]


def test_a_sealed_answer_cannot_be_changed() -> None:
    world, table, _ = seed_with(2)
    first, _ = asked(table)
    submit(world.shard, table, first.seat, first.id, PASS)
    assert submit(world.shard, table, first.seat, first.id, PASS) == 0
    with pytest.raises(StaleDecision) as error:
        submit(world.shard, table, first.seat, first.id, CLAIM)
    assert error.value.reason is Reason.DECISION_ANSWERED
    assert error.value.accepted == ToyWire().move_bytes(PASS)
    with pytest.raises(MalformedMove):
        submit(world.shard, table, asked(table)[0].seat, asked(table)[0].id, CARD + 1)
    with pytest.raises(NotYourTurn):
        submit(world.shard, table, first.seat, "other", PASS)


def test_a_seat_that_was_not_asked_learns_nothing_from_asking() -> None:
    """The ids of others are unknown whether they were asked or not, before and after."""
    world, table, _ = seed_with(1)
    (decision,) = asked(table)
    silent = [seat for seat in range(3) if seat != decision.seat]
    seen = []
    for seat in silent:
        for other in range(3):
            with pytest.raises(NotYourTurn) as error:
                submit(world.shard, table, seat, f"{decision.sequence}-{other}", PASS)
            seen.append((error.value.reason, error.value.message))
    assert len(set(seen)) == 1


def public_of(world: World, table: Table, ticket: str) -> list[bytes]:
    """All that a seat which was not asked, a spectator, a list and a heartbeat show."""
    seat_feed = world.watch(table, ticket, mode=2)
    public = world.shard.spectate(table, epoch=0, after=0)
    public.beat()
    found = [*seat_feed.take(world.clock.now), *public.take(world.clock.now)]
    seat_feed.close()
    public.close()
    return [*found, table.resource(), snapshots.public_heartbeat(table, world.clock.now)]


@pytest.mark.parametrize("window_ms", [0, 1_000])
def test_an_open_window_shows_nothing_of_who_was_asked_or_answered(window_ms: int) -> None:
    """Promise 4, Private."""
    world, table, tickets = seed_with(2, ClockSpec(base_ms=60_000, window_ms=window_ms), 4)
    first = asked(table)[0]
    silent = next(seat for seat in range(4) if all(one.seat != seat for one in asked(table)))
    before = public_of(world, table, tickets[silent])
    feed = world.watch(table, tickets[silent], mode=2)
    spectator = world.shard.spectate(table, epoch=0, after=0)
    feed.take(world.clock.now)
    spectator.take(world.clock.now)
    with pytest.raises(MalformedMove):
        submit(world.shard, table, first.seat, first.id, CARD + 1)
    submit(world.shard, table, first.seat, first.id, CLAIM)
    world.shard.heartbeat()
    assert kinds(world.take(feed)) == ["heartbeat"]
    assert kinds(world.take(spectator)) == ["heartbeat"]
    assert public_of(world, table, tickets[silent]) == before


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_fixed_window_stays_open_for_its_time_whoever_was_asked(number: int) -> None:
    world, table, _ = seed_with(number, ClockSpec(window_ms=1_000))
    before = table.journal.sequence
    for decision in asked(table):
        submit(world.shard, table, decision.seat, decision.id, PASS)
    world.clock.advance(999)
    world.shard.tick()
    assert table.journal.sequence == before
    world.clock.advance(1)
    world.shard.tick()
    assert table.journal.sequence == before + 1
    assert asked(table)[0].sealed is False


def test_who_does_not_answer_a_fixed_window_gives_the_fallback_answer() -> None:
    world = World()
    table, _ = world.start(clock=ClockSpec(base_ms=5_000, window_ms=1_000, max_strikes=1))
    decisions = asked(table)
    world.clock.advance(1_000)
    world.shard.tick()
    rows = [row for row in world.rows("table-1") if row.input]
    answers = [record_pb2.Input.FromString(row.input) for row in rows]
    late = [one.answer for one in answers if one.HasField("answer")]
    assert [one.seat for one in late] == [one.seat for one in decisions]
    assert all(one.timed_out for one in late)
    assert not any(one.HasField("charged") for one in late)
    assert [(left, strikes) for _, left, strikes in table.match.timing.shown(world.clock.now)] == [
        (5_000, 0)
    ] * 3
    with pytest.raises(StaleDecision) as error:
        submit(world.shard, table, decisions[0].seat, decisions[0].id, PASS)
    assert error.value.reason is Reason.STALE_DECISION


def test_a_window_that_asks_nobody_closes_at_once() -> None:
    for seed in range(50):
        world = World()
        deal = DealSource(DealKind.FIXED, seed=seed)
        table, _ = world.start(deal=deal, options={"hand": 1, "spare": 9})
        if not table.match.window_open:
            row = world.rows("table-1")[-1]
            assert record_pb2.Input.FromString(row.input).HasField("window")
            assert not row.private
            return
    raise AssertionError("somebody was asked in every deal")


def test_a_seat_without_time_is_answered_for_and_nobody_learns_of_it() -> None:
    """With windows that wait for all, a seat's own clock ends its wait; no event tells."""
    world, table, _ = seed_with(2, ClockSpec(base_ms=1_000, max_strikes=1))
    first, second = asked(table)
    before = table.journal.sequence
    submit(world.shard, table, first.seat, first.id, CLAIM)
    world.clock.advance(1_049)
    world.shard.tick()
    assert table.journal.sequence == before
    shown = list(table.match.timing.shown(world.clock.now))
    assert shown == [(seat, 1_000, 0) for seat in range(3)]
    world.clock.advance(1)
    world.shard.tick()
    assert table.journal.sequence == before + 1
    assert not table.match.window_open
    shown = list(table.match.timing.shown(world.clock.now))
    assert shown == [(seat, 1_000, 0) for seat in range(3)]
    assert table.match.timing.accounts.budget_ms(second.seat, sealed=True) == 0
    with pytest.raises(StaleDecision):
        submit(world.shard, table, second.seat, second.id, PASS)


# What timeouts in a window come to ------------------------------------------------------------


def with_sealed_time_out(policy: TimeoutPolicy, strikes: int = 1) -> tuple[World, Table, int]:
    """A table that asked one seat alone in its first window, whose time ran out there."""
    clock = ClockSpec(base_ms=1_000, max_strikes=strikes, on_timeout=policy, increment_ms=60_000)
    world, table, _ = seed_with(1, clock)
    seat = asked(table)[0].seat
    world.clock.advance(1_050)
    world.shard.tick()
    assert not table.match.window_open
    return world, table, seat


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (TimeoutPolicy.FALLBACK, ""),
        (TimeoutPolicy.STRIKE, "out of strikes"),
        (TimeoutPolicy.FORFEIT, "out of time"),
    ],
)
def test_fair_a_time_out_in_a_window_counts_when_the_deal_has_ended(
    policy: TimeoutPolicy, why: str
) -> None:
    """Until then the table goes on as any other, whoever was asked."""
    world, table, seat = with_sealed_time_out(policy)
    while table.match.state.deal == 1 and table.status is Status.PLAYING:
        assert [strikes for _, _, strikes in table.match.timing.shown(0)] == [0, 0, 0]
        world.step(table)
    if not why:
        assert table.status is Status.PLAYING
        return
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_FORFEIT
    assert (result.seat_at_fault, result.detail) == (seat, why)


@pytest.mark.parametrize("policy", list(TimeoutPolicy))
def test_fair_who_does_not_answer_a_fixed_window_has_not_run_out_of_time(
    policy: TimeoutPolicy,
) -> None:
    clock = ClockSpec(base_ms=10**6, window_ms=1_000, max_strikes=1, on_timeout=policy)
    world, table, _ = seed_with(2, clock)
    while table.status is Status.PLAYING:
        if table.match.window_open:
            world.clock.advance(1_000)
            world.shard.tick()
        else:
            world.step(table)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_FINISHED


def test_private_a_lost_stream_leaves_a_window_open_no_longer() -> None:
    """Grace for it would tell that this seat was asked."""
    clock = ClockSpec(base_ms=1_000, disconnect_grace_ms=60_000)
    world, table, tickets = seed_with(1, clock)
    (decision,) = asked(table)
    feed = world.watch(table, tickets[decision.seat])
    world.take(feed)
    feed.close()
    world.clock.advance(1_000)
    world.shard.tick()
    assert not table.match.window_open
    assert table.match.timing.accounts.grace == [60_000] * 3


@pytest.mark.parametrize("policy", [TimeoutPolicy.STRIKE, TimeoutPolicy.FORFEIT])
def test_fair_time_that_ran_out_in_a_window_of_the_last_deal_counts(policy: TimeoutPolicy) -> None:
    clock = ClockSpec(base_ms=1_000, increment_ms=60_000, max_strikes=1, on_timeout=policy)
    world, table, _ = seed_with(1, clock, deals=1)
    (decision,) = asked(table)
    world.clock.advance(1_050)
    world.shard.tick()
    assert not table.match.window_open
    assert table.status is Status.PLAYING, "a window shows nothing of anybody's time"
    world.play(table)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_FORFEIT
    assert result.seat_at_fault == decision.seat
