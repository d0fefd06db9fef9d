"""An operator's hand on live tables: abort, adjudicate, quarantine, and what survives a restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2
from croupier_server.errors import Conflict, CroupierError, InvalidRequest, NotFound, Reason
from croupier_server.games.base import Outcome, SeatOutcome
from croupier_server.tables.durability import outages
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.operating import Operating
from croupier_server.tables.spec import AbsencePolicy, ClockSpec, Status
from tests.tables.answering import submit
from tests.tables.world import World, asked, move_of

WON = SeatOutcome(3, 1)
LOST = SeatOutcome(-3, 2)
CLOCK = ClockSpec(per_move_ms=10_000)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def table(world: World) -> Table:
    """A match under way, its first turn open."""
    table, _ = world.start(clock=CLOCK)
    world.to_turns(table)
    return table


def operating(world: World) -> Operating:
    return Operating(world.shard)


def outcome_of(table: Table, winner: int = 0) -> Outcome:
    """The team numbered *winner* wins."""
    return Outcome(tuple(WON if team == winner else LOST for team in table.spec.teams))


def answer(world: World, table: Table) -> int:
    decision = asked(table)[0]
    move = move_of(table, decision)
    return submit(world.shard, table, decision.seat, decision.id, move)


# Ends ---------------------------------------------------------------------------------------------


def test_an_adjudicated_match_ends_as_was_decided_and_counts(world: World, table: Table) -> None:
    operating(world).adjudicate("table-1", outcome_of(table), "both bots crashed")
    assert table.status is Status.ENDED
    record = record_pb2.MatchRecord.FromString(world.record("table-1").record)  # type: ignore[union-attr]
    assert record.result.reason == game_pb2.END_REASON_ADJUDICATED
    assert record.result.detail == "both bots crashed"
    assert [(seat.score, seat.place) for seat in record.result.seats] == [
        (3, 1) if team == 0 else (-3, 2) for team in table.spec.teams
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda seats: seats[:-1], "seats"),
        (lambda seats: (SeatOutcome(0, 2), *seats[1:]), "seats[0]"),
        (lambda seats: tuple(SeatOutcome(0, 2) for _ in seats), "seats[0].place"),
        (lambda seats: tuple(SeatOutcome(0, 0) for _ in seats), "seats[0].place"),
    ],
    ids=["a seat missing", "no place for partners", "nobody is first", "place nought"],
)
def test_an_outcome_that_no_match_has_is_refused(
    world: World, table: Table, change: object, field: str
) -> None:
    seats = change(outcome_of(table).seats)  # type: ignore[operator]
    with pytest.raises(InvalidRequest) as refusal:
        operating(world).adjudicate("table-1", Outcome(seats), "no")
    assert refusal.value.field.startswith(field.partition(".")[0].partition("[")[0])
    assert table.status is Status.PLAYING


def test_an_operator_stops_a_table_without_its_host_ticket(world: World, table: Table) -> None:
    operating(world).abort("table-1", "wrong ruleset")
    assert table.status is Status.ENDED
    with pytest.raises(CroupierError) as refusal:
        operating(world).abort("table-1", "again")
    assert refusal.value.reason is Reason.TABLE_CLOSED


def test_what_is_not_there_is_not_found(world: World) -> None:
    with pytest.raises(NotFound):
        operating(world).quarantine("table-9")


def test_a_match_that_has_not_begun_is_not_adjudicated(world: World) -> None:
    world.create()
    with pytest.raises(Conflict) as refusal:
        operating(world).adjudicate("table-1", Outcome(()), "why")
    assert refusal.value.reason is Reason.TABLE_NOT_READY


# Quarantine ---------------------------------------------------------------------------------------


def test_in_quarantine_answers_are_refused_and_change_nothing(world: World, table: Table) -> None:
    before = table.journal.sequence
    operating(world).quarantine("table-1")
    for _ in range(25):  # none of them counts towards a strike
        with pytest.raises(Conflict) as refusal:
            answer(world, table)
        assert refusal.value.reason is Reason.TABLE_QUARANTINED
        assert refusal.value.retry_ms > 0
    assert table.journal.sequence == before
    assert operating(world).quarantined() == ["table-1"]


def test_fair_clocks_stand_in_quarantine(world: World, table: Table) -> None:
    world.clock.advance(4_000)
    operating(world).quarantine("table-1")
    world.clock.advance(3_600_000)
    world.shard.tick()
    assert table.status is Status.PLAYING
    operating(world).release("table-1")
    world.clock.advance(5_000)
    world.shard.tick()
    assert answer(world, table) > 0, "nine of its ten seconds are used, not an hour"


def test_fair_no_time_is_given_back_twice_in_quarantine(world: World, table: Table) -> None:
    (decision,) = asked(table)
    operating(world).quarantine("table-1")
    for _ in range(20):
        since = world.clock.now
        world.clock.advance(1_000)
        outages.give_back(table, since, world.clock.now)
    operating(world).release("table-1")
    world.clock.advance(10_100)
    world.shard.tick()
    assert asked(table) != [decision], "its ten seconds are used"


def test_in_quarantine_what_cannot_be_read_is_no_strike_either(world: World) -> None:
    table, _ = world.start(clock=replace(CLOCK, max_strikes=1))
    decision = world.to_turns(table)
    operating(world).quarantine("table-1")
    for _ in range(25):
        table.refuse_unreadable(decision.seat, decision.id, world.clock.now)
    assert table.status is Status.PLAYING
    operating(world).release("table-1")
    for _ in range(25):
        table.refuse_unreadable(decision.seat, decision.id, world.clock.now)
    assert world.find().status is Status.ENDED


def test_nobody_is_missed_in_quarantine(world: World) -> None:
    table, _ = world.start(absence=AbsencePolicy.FORFEIT)
    operating(world).quarantine("table-1")
    world.clock.advance(3_600_000)
    world.shard.tick()
    assert table.status is Status.PLAYING
    operating(world).release("table-1")
    world.shard.tick()
    assert world.find().status is Status.PLAYING
    world.clock.advance(3_600_000)
    world.shard.tick()
    assert world.find().status is Status.ENDED


def test_durable_quarantine_and_its_end_survive_a_restart(world: World, table: Table) -> None:
    operating(world).quarantine("table-1")
    world.restart()
    table = world.find()
    world.clock.advance(3_600_000)
    world.shard.tick()
    with pytest.raises(Conflict):
        answer(world, table)
    operating(world).release("table-1")
    world.restart()
    table = world.find()
    assert operating(world).quarantined() == []
    assert answer(world, table) > 0
    world.play(table)
    assert table.status is Status.ENDED


def test_twice_is_as_once(world: World, table: Table) -> None:
    operating(world).quarantine("table-1")
    operating(world).quarantine("table-1")
    operating(world).release("table-1")
    operating(world).release("table-1")
    assert answer(world, table) > 0


# New tables ---------------------------------------------------------------------------------------


def test_a_server_that_takes_no_new_tables_goes_on_with_its_own(world: World, table: Table) -> None:
    world.shard.reception.is_closed = True
    with pytest.raises(CroupierError) as refusal:
        world.create()
    assert refusal.value.reason is Reason.SERVER_DRAINING
    assert answer(world, table) > 0
    world.shard.reception.is_closed = False
    world.create()
