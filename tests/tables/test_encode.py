"""What tables write by hand is what the generated classes write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.record.v1 import record_pb2
from croupier.v1 import errors_pb2, game_pb2, session_service_pb2, table_pb2
from croupier_server.games.base import EndReason, Outcome, SeatOutcome
from croupier_server.tables.match import encode, updates
from croupier_server.tables.match.codec import Moved, read_clock, read_input
from croupier_server.tables.match.updates import ResetReason, StreamEnd
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    SeatSpec,
    SpectatorDelay,
    TimeoutPolicy,
)
from croupier_server.wire.encode import framed, varint
from croupier_server.wire.generated import record
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.record import INPUT
from tests.tables.toy_game import CARD, TOY_WIRE
from tests.tables.world import START_MS, World, exactly

CLOCK = ClockSpec(300_000, 2_500, 0, 1_000, 3, TimeoutPolicy.FORFEIT, 20_000, 60_000)


def test_a_new_table_tells_all_that_is_fixed() -> None:
    seats = (SeatSpec(Access.RESERVED, "Ann"), SeatSpec(), SeatSpec(Access.HOUSE, house_bot="b"))
    world = World()
    table = world.create(
        seats=seats,
        clock=CLOCK,
        deal=DealSource(),
        title="final",
        legal_mode=2,
        absence=AbsencePolicy.FORFEIT,
        shared_seats=True,
    )
    found = exactly(table_pb2.Table, table.resource())
    assert found.table_id == "table-1"
    assert (found.table_epoch, found.spec.game, found.spec.ruleset) == (1, 77, "standard")
    assert (found.ruleset_hash, found.commitment) == (
        table.spec.ruleset_hash,
        table.spec.commitment,
    )
    assert len(found.ruleset_hash) == len(found.commitment) == 32
    assert (found.rules_version, found.status) == (1, table_pb2.TABLE_STATUS_OPEN)
    assert [(one.seat, one.access, one.HasField("player"), one.team) for one in found.seats] == [
        (0, 2, False, 0),
        (1, 1, False, 1),
        (2, 3, False, 0),
    ]
    assert found.spec.deal_source.WhichOneof("source") == "match"
    assert found.spec.clock.base.ToMilliseconds() == 300_000
    assert found.spec.clock.increment.ToMilliseconds() == 2_500
    assert not found.spec.clock.HasField("per_move")
    assert found.spec.clock.window_time.ToMilliseconds() == 1_000
    assert found.spec.clock.max_strikes == 3
    assert found.spec.clock.on_timeout == table_pb2.TIMEOUT_POLICY_FORFEIT
    assert found.spec.clock.disconnect_grace.ToMilliseconds() == 20_000
    assert found.spec.clock.start_timeout.ToMilliseconds() == 60_000
    assert found.spec.legal_mode == table_pb2.LEGAL_MODE_SUMMARY
    assert found.spec.absence == table_pb2.ABSENCE_POLICY_FORFEIT
    assert found.spec.shared_seats
    assert not found.spec.rated
    assert found.sequence == 1
    assert found.create_time.ToMilliseconds() == START_MS
    assert found.spec.title == "final"
    assert not found.HasField("result")


@pytest.mark.parametrize("decisions", [0, 300])
@pytest.mark.parametrize("time_ms", [0, 90_500])
def test_a_table_tells_how_far_spectators_stay_behind(decisions: int, time_ms: int) -> None:
    delay = SpectatorDelay(decisions, time_ms)
    found = exactly(table_pb2.Table, World().create(delay=delay, title="late").resource())
    assert found.spec.HasField("spectator_delay")
    assert found.spec.spectator_delay.decisions == decisions
    assert found.spec.spectator_delay.time.ToMilliseconds() == time_ms
    assert not exactly(table_pb2.Table, World().create().resource()).spec.HasField(
        "spectator_delay"
    )


@pytest.mark.parametrize(
    ("source", "arm"),
    [
        (DealSource(), "match"),
        (DealSource(DealKind.BOARD, "b7", b"\1" * 32, b"\2" * 32), "board"),
        (DealSource(DealKind.FIXED, seed=7), "fixed"),
    ],
)
def test_a_deal_source_keeps_its_secrets(source: DealSource, arm: str) -> None:
    data = encode.deal_source(source)
    found = exactly(table_pb2.DealSource, data)
    assert found.WhichOneof("source") == arm
    assert not found.board.root
    assert not found.fixed.HasField("seed")
    assert found.board.commitment == source.commitment
    assert found.board.board_id == source.board_id
    assert b"\1" * 32 not in data


def test_results() -> None:
    outcome = Outcome((SeatOutcome(-3, 2), SeatOutcome(3, 1)))
    found = exactly(
        game_pb2.MatchResult,
        encode.match_result(EndReason.FORFEIT, outcome, 0, "out of strikes"),
    )
    assert found.reason == 2
    assert [(one.seat, one.score, one.place) for one in found.seats] == [(0, -3, 2), (1, 3, 1)]
    assert found.HasField("seat_at_fault")
    assert found.detail == "out of strikes"


def test_scores_beyond_32_bits() -> None:
    """Chips of a long match at high stakes."""
    scores = (3_000_000_000, -5_000_000_000, 2_000_000_000)
    outcome = Outcome(tuple(SeatOutcome(score, 1) for score in scores))
    message = game_pb2.MatchResult.FromString(encode.match_result(EndReason.FINISHED, outcome))
    assert tuple(seat.score for seat in message.seats) == scores


def test_a_result_that_does_not_count_names_no_seat() -> None:
    data = encode.match_result(EndReason.ABORTED, None, None, "rain")
    found = exactly(game_pb2.MatchResult, data)
    assert not found.seats
    assert not found.HasField("seat_at_fault")


@pytest.mark.parametrize("seat", [0, 3])
@pytest.mark.parametrize("charged", [0, 1_234])
@pytest.mark.parametrize("asked", [None, 1_763_650_000_000, 1_763_650_000_123])
@pytest.mark.parametrize("absent", [0, 70_001])
@pytest.mark.parametrize("timed_out", [False, True])
@pytest.mark.parametrize("arm", ["move", "answer"])
def test_inputs_of_moves(
    seat: int, charged: int, asked: int | None, absent: int, timed_out: bool, arm: str
) -> None:
    answered = 1_763_650_000_456
    move = TOY_WIRE.move_bytes(CARD + 5)
    payload = record.move_input(
        seat, "12-3", move, timed_out, charged or None, asked, answered, absent or None
    )
    data = framed(INPUT[arm], payload)
    found = exactly(record_pb2.Input, data)
    assert found.WhichOneof("input") == arm
    moved = found.move if arm == "move" else found.answer
    assert (moved.seat, moved.decision_id, moved.timed_out) == (seat, "12-3", timed_out)
    assert moved.charged.ToMilliseconds() == charged
    assert moved.HasField("asked_time") == (asked is not None)
    assert moved.asked_time.ToMilliseconds() == (asked or 0)
    assert moved.answered_time.ToMilliseconds() == answered
    assert moved.HasField("absent") == (absent > 0)
    assert moved.absent.ToMilliseconds() == absent
    assert TOY_WIRE.move_code(moved.move) == CARD + 5
    step = read_input(data, TOY_WIRE)
    assert isinstance(step, Moved)
    assert (step.asked_ms, step.answered_ms, step.absent_ms) == (asked, answered, absent)


CLOCKS = st.builds(
    ClockSpec,
    *[st.integers(0, 3_600_000)] * 4,
    max_strikes=st.integers(0, 1_000),
    on_timeout=st.sampled_from(TimeoutPolicy),
    disconnect_grace_ms=st.integers(0, 3_600_000),
    start_timeout_ms=st.integers(0, 864_000_000),
)


@given(CLOCKS)
def test_clocks_are_written_as_they_are_read(clock: ClockSpec) -> None:
    message = exactly(table_pb2.ClockSpec, encode.clock_spec(clock))
    assert read_clock(message) == clock


@pytest.mark.parametrize("outcome", [[0], [3, 1, 2], list(range(1, 325))])
def test_inputs_of_chance(outcome: list[int]) -> None:
    assert exactly(record_pb2.Input, encode.chance_input(outcome)).chance.outcome == outcome


def test_the_input_of_a_window() -> None:
    assert exactly(record_pb2.Input, encode.WINDOW_INPUT).HasField("window")


@pytest.mark.parametrize("size", [0, 1, 127, 128, 5_000])
@pytest.mark.parametrize("view", [True, False])
def test_decisions(size: int, view: bool) -> None:
    padding = b"\xfa\x01" + varint(size) + bytes(size)  # an unknown field
    shown = padding if view else None
    data = messages.decision(
        "4096-11", 11, b"\x08\x06", 4096, padding, shown, 1_500, True, padding, shown, None
    )
    found = exactly(table_pb2.TableUpdate, updates.decision_update(data)).decision
    assert (found.decision_id, found.seat, found.sequence) == ("4096-11", 11, 4096)
    assert found.kind.tractor == 6
    assert found.legal.ByteSize() == found.fallback.ByteSize() == len(padding)
    assert found.HasField("view") == found.HasField("view_base") == view
    assert not found.HasField("view_added")
    assert found.time_left.ToMilliseconds() == 1_500
    assert found.sealed


def test_small_updates() -> None:
    def read(payload: bytes) -> table_pb2.TableUpdate:
        return exactly(table_pb2.TableUpdate, payload)

    assert read(updates.nonce_wanted(bytes(32))).nonce_wanted.nonce_hash == bytes(32)
    assert read(updates.resumed(2, 300, 5_000)).resumed.after_sequence == 300
    for reset in ResetReason:
        assert int(read(updates.reset(reset)).reset.reason) == int(reset)
    for reason in StreamEnd:
        found = read(updates.end(reason, "why", 2_500)).end
        assert (int(found.reason), found.detail) == (int(reason), "why")
        assert found.retry_after.ToMilliseconds() == 2_500
    for sequence in (0, 9, 5_000):
        accepted = read(updates.accepted("77-1", sequence)).move_accepted
        assert (accepted.decision_id, accepted.sequence) == ("77-1", sequence)
    refusal = errors_pb2.Refusal(reason=errors_pb2.ERROR_REASON_ILLEGAL_MOVE, detail="no")
    refused = read(updates.refused("1-1", refusal.SerializeToString())).move_refused
    assert (refused.decision_id, refused.refusal) == ("1-1", refusal)


def test_heartbeats_carry_sequence_clocks_and_time() -> None:
    clocks = updates.clocks([(0, 1_500, 0), (1, 0, 2)], (1, 250))
    found = exactly(table_pb2.TableUpdate, updates.heartbeat(41, clocks, START_MS + 7)).heartbeat
    assert found.sequence == 41
    assert [(one.seat, one.remaining.ToMilliseconds(), one.strikes) for one in found.clocks] == [
        (0, 1_500, 0),
        (1, 0, 2),
    ]
    assert [one.HasField("strikes") for one in found.clocks] == [True, True]
    assert [one.running for one in found.clocks] == [False, True]
    assert [one.HasField("move_left") for one in found.clocks] == [False, True]
    assert found.clocks[1].move_left.ToMilliseconds() == 250
    assert found.server_time.ToMilliseconds() == START_MS + 7


def test_the_numbers_of_the_contract() -> None:
    """Enums that are written down twice agree."""
    ends = table_pb2.StreamEndReason.items()
    assert {name.removeprefix("STREAM_END_REASON_"): number for name, number in ends if number} == {
        one.name: one.value for one in StreamEnd
    }
    resets = table_pb2.ResetReason.items()
    assert {name.removeprefix("RESET_REASON_"): number for name, number in resets if number} == {
        one.name: one.value for one in ResetReason
    }
    assert session_service_pb2.SessionResponse.DESCRIPTOR.fields_by_name["items"].number == 3
