"""Decisions: what an answer to one that is open, over, foreign or unknown gets."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import (
    Conflict,
    CroupierError,
    IllegalMove,
    InvalidRequest,
    MalformedMove,
    NotYourTurn,
    Reason,
    StaleDecision,
    TableHalted,
)
from croupier_server.games.base import Event, Move, Seat
from croupier_server.storage.base import LogRow
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, Status
from tests.tables.answering import refuse_unreadable, submit
from tests.tables.toy_game import CARD, PASS, State, Toy, ToyWire
from tests.tables.world import World, asked, exactly, move_of

NO_CARD = CARD + 99


def at_turns(**changes: object) -> tuple[World, Table, Decision]:
    """A table at the first decision of its turns."""
    world = World()
    table, _ = world.start(**changes)
    return world, table, world.to_turns(table)


def refused(world: World, table: Table, seat: Seat, decision_id: str, move: int) -> CroupierError:
    """The refusal of a move; it changes nothing."""
    before = Toy().copy(table.match.state)
    sequence, rows = table.journal.sequence, said(world, table)
    with pytest.raises(CroupierError) as error:
        submit(world.shard, table, seat, decision_id, move)
    assert table.match.state == before
    assert table.journal.sequence == sequence
    assert said(world, table) == rows
    return error.value


def said(world: World, table: Table) -> list[LogRow]:
    """What is stored, but for notes: a strike for refusals is in no event."""
    return [row for row in world.rows(table.spec.table_id) if row.sequence or row.input]


def test_legal_moves_that_are_not_listed_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    _, table, decision = at_turns(legal_mode=3)
    monkeypatch.setattr(Toy, "legal_moves", None)
    found = exactly(table_pb2.Decision, table.match.decision_payload(decision, 0, None))
    assert not found.legal.moves
    assert found.HasField("fallback")


def test_a_decision_names_public_facts_and_its_seat_alone() -> None:
    _, table, decision = at_turns()
    assert decision.id == f"{decision.sequence}-{decision.seat}"
    assert decision.sequence == table.journal.sequence
    payload = table.match.decision_payload(decision, 0, None)
    found = exactly(table_pb2.Decision, payload)
    assert found.decision_id == decision.id
    assert found.seat == decision.seat
    assert found.sequence == decision.sequence
    assert not found.sealed
    assert [one.move.tractor.call.points for one in found.legal.moves] == list(
        table.legal(decision.seat, decision.id).moves
    )


def test_the_same_answer_again_gets_the_same_answer() -> None:
    world, table, decision = at_turns()
    move = move_of(table, decision)
    accepted = submit(world.shard, table, decision.seat, decision.id, move)
    assert accepted == decision.sequence + 1
    sequence = table.journal.sequence
    assert submit(world.shard, table, decision.seat, decision.id, move) == accepted
    assert table.journal.sequence == sequence


def test_another_answer_is_refused_with_what_was_accepted() -> None:
    world, table, decision = at_turns()
    first, other = table.legal(decision.seat, decision.id).moves[:2]
    submit(world.shard, table, decision.seat, decision.id, first)
    error = refused(world, table, decision.seat, decision.id, other)
    assert isinstance(error, StaleDecision)
    assert error.reason is Reason.DECISION_ANSWERED
    assert error.accepted == ToyWire().move_bytes(first)


def test_a_move_out_of_turn() -> None:
    world, table, decision = at_turns()
    other = (decision.seat + 1) % 3
    for decision_id in (decision.id, f"{decision.sequence}-{other}", "", "nonsense"):
        error = refused(world, table, other, decision_id, CARD + 1)
        assert isinstance(error, NotYourTurn)
        assert error.reason is Reason.NOT_YOUR_TURN


@pytest.mark.parametrize(
    "decision_id",
    ["", "-", "x", "0-{seat}", "9999-{seat}", "-1-{seat}", "{sequence}", "{sequence}-9", "9" * 64],
)
def test_a_decision_that_was_never_given_out(decision_id: str) -> None:
    world, table, decision = at_turns()
    wanted = decision_id.format(seat=decision.seat, sequence=decision.sequence)
    error = refused(world, table, decision.seat, wanted, move_of(table, decision))
    assert isinstance(error, InvalidRequest)
    assert (error.reason, error.field) == (Reason.UNKNOWN_DECISION, "decision_id")


def test_a_decision_of_another_seat_is_unknown_whatever_it_is() -> None:
    world, table, decision = at_turns()
    world.step(table)
    later = asked(table)[0]
    error = refused(world, table, later.seat, decision.id, CARD + 1)
    assert error.reason is Reason.UNKNOWN_DECISION


def test_a_decision_of_long_ago_is_stale() -> None:
    world, table, decision = at_turns(options={"deals": 6})
    world.play(table, lambda: table.match.state.deal == 4)
    late = refused(world, table, decision.seat, decision.id, CARD + 1)
    assert late.reason is Reason.STALE_DECISION


def test_an_answer_of_the_last_deal_is_still_known() -> None:
    world, table, decision = at_turns()
    move = move_of(table, decision)
    accepted = submit(world.shard, table, decision.seat, decision.id, move)
    world.play(table, lambda: table.match.state.deal == 2)
    assert submit(world.shard, table, decision.seat, decision.id, move) == accepted


def test_an_answer_that_ended_the_match_is_still_known() -> None:
    world, table, _ = at_turns(options={"deals": 1})
    world.play(table, lambda: sum(map(len, table.match.state.hands)) == 1)
    decision = asked(table)[0]
    last = (decision.seat, decision.id, move_of(table, decision))
    accepted = submit(world.shard, table, *last)
    assert table.status is Status.ENDED
    assert submit(world.shard, table, *last) == accepted
    with pytest.raises(Conflict) as error:
        submit(world.shard, table, last[0], "1000-0", CARD + 1)
    assert error.value.reason is Reason.TABLE_CLOSED
    with pytest.raises(Conflict) as error:
        table.check(*last)
    assert error.value.reason is Reason.TABLE_CLOSED


def test_an_illegal_move_changes_nothing_and_names_its_clause() -> None:
    world, table, decision = at_turns()
    error = refused(world, table, decision.seat, decision.id, NO_CARD)
    assert isinstance(error, IllegalMove)
    assert (error.rule, error.clause) == ("CARDS_NOT_IN_HAND", "X-1")
    assert isinstance(refused(world, table, decision.seat, decision.id, PASS), MalformedMove)
    assert asked(table) == [decision]


def test_check_says_what_submit_would_and_changes_nothing() -> None:
    world, table, decision = at_turns()
    seat, other = decision.seat, (decision.seat + 1) % 3
    move = move_of(table, decision)
    table.check(seat, decision.id, move)
    with pytest.raises(IllegalMove):
        table.check(seat, decision.id, NO_CARD)
    with pytest.raises(NotYourTurn):
        table.check(other, decision.id, move)
    with pytest.raises(InvalidRequest):
        table.check(seat, "1-1", move)
    assert decision.refusals == 0
    submit(world.shard, table, seat, decision.id, move)
    table.check(seat, decision.id, move)
    with pytest.raises(StaleDecision):
        table.check(seat, decision.id, NO_CARD)


def test_legal_moves_are_those_of_the_open_decision() -> None:
    world, table, decision = at_turns()
    move = move_of(table, decision)
    submit(world.shard, table, decision.seat, decision.id, move)
    with pytest.raises(StaleDecision):
        table.legal(decision.seat, decision.id)
    with pytest.raises(NotYourTurn):
        table.legal((decision.seat + 2) % 3, "1-1")


# Refusals ---------------------------------------------------------------------------------------


def test_twenty_refusals_on_one_decision_are_a_strike() -> None:
    world, table, decision = at_turns(clock=ClockSpec(max_strikes=2))
    strikes = [left[2] for left in table.match.timing.shown(0)]
    assert strikes == [0, 0, 0]
    for _ in range(19):
        refused(world, table, decision.seat, decision.id, NO_CARD)
    assert [left[2] for left in table.match.timing.shown(0)] == [0, 0, 0]
    refused(world, table, decision.seat, decision.id, NO_CARD)
    assert [left[2] for left in table.match.timing.shown(0)][decision.seat] == 1
    for _ in range(19):
        refused(world, table, decision.seat, decision.id, NO_CARD)
    with pytest.raises(Conflict) as error:
        submit(world.shard, table, decision.seat, decision.id, NO_CARD)
    assert error.value.reason is Reason.TABLE_CLOSED
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_FORFEIT, decision.seat)


def test_without_strikes_refusals_cost_nothing() -> None:
    world, table, decision = at_turns()
    for _ in range(100):
        refused(world, table, decision.seat, decision.id, NO_CARD)
    assert table.status is Status.PLAYING
    world.play(table)


def test_unreadable_answers_are_refusals_too() -> None:
    world, table, decision = at_turns(clock=ClockSpec(max_strikes=1))
    for _ in range(19):
        refuse_unreadable(world.shard, table, decision.seat, decision.id)
        refuse_unreadable(world.shard, table, decision.seat, "other")
        refuse_unreadable(world.shard, table, (decision.seat + 1) % 3, decision.id)
    assert table.status is Status.PLAYING
    refuse_unreadable(world.shard, table, decision.seat, decision.id)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_FORFEIT, decision.seat)


# Faults -----------------------------------------------------------------------------------------


def test_a_rules_bug_halts_its_table_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Promise 6, Isolated: the log is kept, the match does not count, the others go on."""
    world = World()
    other, _ = world.start()
    table, _ = world.start(options={"bomb": 4})
    with pytest.raises(TableHalted) as error:
        world.play(table)
    assert error.value.reason is Reason.TABLE_HALTED
    assert (table.status, table.is_halted) == (Status.ENDED, True)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_HALTED
    assert not result.seats
    record = world.record(table.spec.table_id)
    assert record is not None
    assert "AssertionError in" in table.fault
    assert "played" not in table.fault
    assert "played 4" not in caplog.text
    with pytest.raises(TableHalted):
        world.shard.concede(table, 0)
    world.play(other)
    finished = game_pb2.MatchResult.FromString(other.result or b"")
    assert finished.reason == game_pb2.END_REASON_FINISHED


def test_a_fault_before_the_first_decision_halts_too() -> None:
    class Broken(Toy):
        def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
            raise RuntimeError("no deck today")

    world = World()
    table = world.create()
    table.match._game = Broken()
    for _ in range(3):
        world.join(table)
    assert table.is_halted
    assert table.journal.kept[-1].sequence == table.journal.sequence


def test_rules_that_refuse_what_they_asked_for_are_a_fault() -> None:
    class Refusing(Toy):
        def check(self, state: State, seat: Seat, move: Move) -> None:
            """Everything goes."""

        def to_act(self, state: State) -> tuple[Seat, ...]:
            raise NotYourTurn(Reason.NOT_YOUR_TURN, "whose then?")

    world, table, decision = at_turns()
    move = move_of(table, decision)
    table.match._game = Refusing()
    with pytest.raises(TableHalted):
        submit(world.shard, table, decision.seat, decision.id, move)
