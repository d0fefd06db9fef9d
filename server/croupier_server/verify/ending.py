"""Whether a match can have ended for the reason that its result gives, by the facts of its log.

The log shows when the rules end a match, which timeouts make a seat forfeit, and who was missing
before the start. It shows no concession, absence, refused move or decision of an operator: for
these a record has the server's word alone.
"""

from __future__ import annotations

from typing import Final

from croupier.v1 import game_pb2
from croupier_server.games.base import EndReason, Seat
from croupier_server.tables.clocks.accounts import OUT_OF_STRIKES, Accounts, Forfeit
from croupier_server.tables.clocks.decisions import AFTER_REFUSAL
from croupier_server.tables.match.codec import read_clock
from croupier_server.tables.match.opening import RESTARTS_MAX
from croupier_server.tables.shard.upkeep import AWAY
from croupier_server.tables.spec import AbortedBy, AbsencePolicy, ClockSpec, DealKind, TimeoutPolicy
from croupier_server.verify.log import Line, RecordLog, Wrong
from croupier_server.verify.rules import SCORED

UNPROVEN: Final = "; only the server says so"
"""Follows a reason that no fact of the log shows."""

_PLAYED: Final = (
    EndReason.FINISHED,
    EndReason.FORFEIT,
    EndReason.CONCEDED,
    EndReason.ADJUDICATED,
)
_OF_A_SEAT: Final = (EndReason.FORFEIT, EndReason.CONCEDED, EndReason.NO_SHOW)
_WITHOUT_DETAIL: Final = (EndReason.FINISHED, EndReason.HALTED)


def check_ending(log: RecordLog, result: game_pb2.MatchResult, *, is_over: bool) -> str:
    """Check the reason and the seat at fault of *result*.

    Args:
        log: of the match.
        result: the claim.
        is_over: by the rules, nothing is left to play.

    Returns:
        `UNPROVEN`, or nothing where the log shows the reason.

    Raises:
        Wrong: the log contradicts them.
    """
    if result.reason not in {one.value for one in EndReason}:
        raise Wrong(f"the reason of the end is {result.reason}, which is not a known reason")
    reason = EndReason(result.reason)
    seat = result.seat_at_fault if result.HasField("seat_at_fault") else None
    late = _forfeit(log, is_over=is_over)
    _check_form(log, result, reason, seat)
    if reason is EndReason.HALTED:
        return UNPROVEN
    clock = log.table.spec.clock
    if late is not None:
        # When a deal has ended, strikes for refused moves may make a seat before it forfeit.
        is_open = clock.max_strikes and log.lines[-2].kind != "seat_timed_out"
        is_earlier = is_open and seat is not None and seat < late.seat
        if reason is not EndReason.FORFEIT or (seat != late.seat and not is_earlier):
            raise Wrong(
                f"seat {late.seat} is {late.why} by the log, but the record says {reason.name}"
            )
        if seat == late.seat:
            return _expect_detail(result, late.why)
        return _expect_detail(result, OUT_OF_STRIKES) or UNPROVEN
    if is_over != (reason is EndReason.FINISHED):
        goes_on = "is over" if is_over else "continues"
        raise Wrong(f"the record says {reason.name}, but by the rules the match {goes_on}")
    if reason is EndReason.FORFEIT:
        whys = [AWAY] if log.table.spec.absence == AbsencePolicy.FORFEIT.value else []
        if clock.max_strikes:
            whys.append(OUT_OF_STRIKES)
        if not whys:
            raise Wrong(
                f"seat {seat} forfeits without a timeout, but the table makes nobody forfeit for "
                "absence or strikes"
            )
        _expect_detail(result, *whys)
    if reason is EndReason.NO_SHOW:
        _check_no_show(log, seat)
    return "" if reason is EndReason.FINISHED else UNPROVEN


def _expect_detail(result: game_pb2.MatchResult, *whys: str) -> str:
    """Return nothing if the forfeit is told with one of *whys*, which the log allows."""
    if result.detail not in whys:
        raise Wrong(f"the detail of the forfeit must be {' or '.join(map(repr, whys))}")
    return ""


def _check_form(
    log: RecordLog, result: game_pb2.MatchResult, reason: EndReason, seat: Seat | None
) -> None:
    """Check which facts come with a reason."""
    if reason in _PLAYED and not log.is_begun:
        raise Wrong(f"the record says {reason.name}, but the match never began")
    if seat is not None and (reason not in _OF_A_SEAT or seat >= len(log.table.seats)):
        raise Wrong(f"{reason.name} names seat {seat}")
    if seat is None and reason in (EndReason.FORFEIT, EndReason.CONCEDED):
        raise Wrong(f"{reason.name} by nobody")
    if result.detail and reason in _WITHOUT_DETAIL:
        raise Wrong(f"{reason.name} has a detail; no server gives one")
    if reason is EndReason.CONCEDED and result.detail not in ("", AFTER_REFUSAL):
        raise Wrong(f"the detail of a concession must be {AFTER_REFUSAL!r} or empty")
    if result.aborted_by and (
        reason is not EndReason.ABORTED or result.aborted_by not in {one.value for one in AbortedBy}
    ):
        raise Wrong(f"aborted_by is {result.aborted_by}, but the match ended as {reason.name}")


def _forfeit(log: RecordLog, *, is_over: bool) -> Forfeit | None:
    """The seat that forfeits by the timeouts of the log, and why; None: none does.

    Strikes for refused moves are in no row, so a timeout may show more strikes than the log has.

    Raises:
        Wrong: a timeout does not lead to what the clock of the table says.
    """
    spec = read_clock(log.table.spec.clock)
    accounts = Accounts(spec, len(log.table.seats))
    late: Seat | None = None
    is_scored = False
    for line in log.lines:
        kind = line.cause.WhichOneof("input")
        _check_late(line, late, accounts)
        late = None
        if kind == "chance" and is_scored:
            accounts.open_hidden()
            is_scored = False
        elif kind == "answer" and line.cause.answer.timed_out and not spec.window_ms:
            _must_be_timed(line, is_timed=spec.is_timed)
            accounts.time_out(line.cause.answer.seat, sealed=True)
        if line.kind == "seat_timed_out":
            late = line.event.seat_timed_out.seat
            _time_out(line, spec, accounts)
        elif line.kind == "game":
            game = line.event.game
            arm = game.WhichOneof("game")
            is_scored |= arm is not None and getattr(game, arm).WhichOneof("event") == SCORED
    if is_over:
        accounts.open_hidden()
    return accounts.forfeit()


def _check_late(line: Line, late: Seat | None, accounts: Accounts) -> None:
    """Check a row against the timeout before it, of seat *late*, and against those before."""
    kind = line.cause.WhichOneof("input")
    forfeit = accounts.forfeit()
    if forfeit is not None and kind in ("move", "answer"):
        raise Wrong(f"{line.name}: play goes on, but seat {forfeit.seat} is {forfeit.why}")
    played = line.cause.move.seat if kind == "move" and line.cause.move.timed_out else None
    if played != late and (late is None or (forfeit is None and line.kind != "table_halted")):
        raise Wrong(f"{line.name}: a timeout and the move that is played for it differ")


def _time_out(line: Line, spec: ClockSpec, accounts: Accounts) -> None:
    told = line.event.seat_timed_out
    _must_be_timed(line, is_timed=spec.is_timed)
    (before,) = [strikes for seat, _, strikes in accounts.shown(None, 0) if seat == told.seat]
    least = before + (spec.on_timeout is TimeoutPolicy.STRIKE)
    if told.strikes < least:
        raise Wrong(f"{line.name} shows {told.strikes} strikes; the log has {least}")
    accounts.set_strikes(told.seat, told.strikes)
    accounts.time_out(told.seat, sealed=False)


def _must_be_timed(line: Line, *, is_timed: bool) -> None:
    if not is_timed:
        raise Wrong(f"{line.name} is a timeout, but the table has no clock")


def _check_no_show(log: RecordLog, seat: Seat | None) -> None:
    """Check that *seat* was the first one missing, and that the table waits for nobody for ever."""
    if log.is_begun:
        raise Wrong("the record says NO_SHOW, but the match began")
    restarts = sum(not one.is_last for one in log.vain_openings)
    timeout = log.table.spec.clock.start_timeout.ToMilliseconds()
    if not timeout and restarts < RESTARTS_MAX:
        raise Wrong("the record says NO_SHOW, but the table has no start_timeout")
    sitting: set[Seat] = set()
    awaited: set[Seat] = set()
    for line in log.lines:
        event = line.event
        if line.kind == "seat_joined":
            sitting.add(event.seat_joined.seat.seat)
        elif line.kind == "seat_left":
            sitting.discard(event.seat_left.seat)
        elif line.kind == "seats_filled":
            awaited = {one.seat for one in event.seats_filled.seats if one.nonce_hash}
        elif line.kind == "nonce_opened":
            awaited.discard(event.nonce_opened.seat)
        elif line.kind == "seat_no_show":
            sitting.discard(event.seat_no_show.seat)
            awaited = set()
    if log.deal_kind is not DealKind.MATCH:
        awaited = set()
    seats = range(len(log.table.seats))
    missing = next((one for one in seats if one not in sitting or one in awaited), None)
    if seat != missing:
        raise Wrong(f"NO_SHOW names seat {seat}; by the log the first one missing is {missing}")
