"""Contests as messages of the contract."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1 import table_pb2
from croupier.v1 import tournament_service_pb2 as pb
from croupier_server.arbiter.specs import write_spec
from croupier_server.arbiter.store import Listed
from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.events import Event, Kind, State, TableResult, read_table
from croupier_server.contest.ladder.spec import Spec
from croupier_server.contest.ladder.standings import FAULTS, make_report
from croupier_server.contest.report import data as report
from croupier_server.contest.results import Outcome
from croupier_server.contest.statistics.intervals import (
    Interval,
    asymptotic_interval,
    betting_interval,
)

_ENDED: Final = (pb.TOURNAMENT_STATE_FINISHED, pb.TOURNAMENT_STATE_CANCELLED)


def state_of(contest: Contest) -> pb.TournamentState.ValueType:
    """What *contest* does now."""
    if contest.state is not State.CANCELLED and contest.is_finished:
        return pb.TOURNAMENT_STATE_FINISHED
    return pb.TournamentState.Value(f"TOURNAMENT_STATE_{contest.state.name}")


def is_ended(contest: Contest) -> bool:
    """Whether nothing will happen in *contest* any more."""
    return state_of(contest) in _ENDED


def word_of(state: pb.TournamentState.ValueType) -> str:
    """The word of a state."""
    return pb.TournamentState.Name(state).removeprefix("TOURNAMENT_STATE_")


def tournament(listed: Listed, contest: Contest, trouble: str = "") -> pb.Tournament:
    """A tournament as it is now; *trouble* says why it does not get on, if it does not."""
    found = pb.Tournament(
        tournament_id=listed.tournament,
        spec=_spec(contest.spec),
        state=state_of(contest),
        organiser=listed.organiser,
        sequence=contest.last,
        counted_boards=contest.counted,
        scheduled_boards=contest.scheduled,
        boards_max=contest.total or 0,
        matches=contest.matches,
        verdict=contest.verdict.text if contest.verdict else "",
        detail=trouble or contest.state_why,
    )
    found.create_time.FromMilliseconds(listed.created_ms)
    return found


@lru_cache(maxsize=64)
def _spec_bytes(text: str) -> bytes:
    return write_spec(Spec.model_validate_json(text)).SerializeToString()


def _spec(spec: Spec) -> pb.TournamentSpec:
    return pb.TournamentSpec.FromString(_spec_bytes(spec.model_dump_json(by_alias=True)))


# Results ------------------------------------------------------------------------------------------


def standings(contest: Contest) -> list[pb.Standing]:
    """Who is ahead of whom."""
    return [_standing(one) for one in make_report(contest, is_brief=True).standings]


def _standing(one: report.Standing) -> pb.Standing:
    found = pb.Standing(
        entrant=one.entrant,
        rank=one.rank or 0,
        boards=one.boards,
        matches=one.matches,
        wins=one.wins,
        draws=one.draws,
        losses=one.losses,
        win_rate=_estimate(one.win_rate),
        score=_estimate(one.score),
        rating=_estimate(one.rating),
        points=one.points,
    )
    for kind, matches in sorted((one.faults or {}).items()):
        found.faults.add(outcome=_outcome(kind), matches=matches)
    for name, value in one.tie_breaks:
        found.tie_breaks.add(name=name, value=value)
    return found


def _estimate(one: report.Estimate | None) -> pb.Estimate | None:
    return None if one is None else pb.Estimate(value=one.value, low=one.low, high=one.high)


def _interval(one: Interval | None) -> pb.Estimate | None:
    return None if one is None else pb.Estimate(value=one.mean, low=one.low, high=one.high)


def _outcome(kind: report.Outcome) -> pb.ContestOutcome.ValueType:
    return pb.ContestOutcome.Value(f"CONTEST_OUTCOME_{kind.name}")


def outcome(kind: Outcome) -> pb.ContestOutcome.ValueType:
    """How a match ended, in the words of organisers."""
    return _outcome(FAULTS[kind])


def cross_table(contest: Contest) -> list[pb.CrossTableCell]:
    """The pairs that have met."""
    cells = []
    for pair, values in sorted(contest.values.items()):
        wins, draws, losses = contest.records.get(pair, (0, 0, 0))
        cells.append(
            pb.CrossTableCell(
                entrant=pair[0],
                opponent=pair[1],
                boards=len(values.boards),
                wins=wins,
                draws=draws,
                losses=losses,
                score=sum(values.margins) / len(values.margins),
            )
        )
    return cells


def head_to_head(contest: Contest, one: int, other: int) -> pb.GetHeadToHeadResponse:
    """The results of entrant *one* against *other*."""
    is_turned = one > other
    pair = (other, one) if is_turned else (one, other)
    found = pb.GetHeadToHeadResponse(sequence=contest.last)
    values = contest.values.get(pair)
    if values is None:
        return found
    wins, draws, losses = contest.records.get(pair, (0, 0, 0))
    shares: Sequence[float] = values.wins
    margins: Sequence[float] = values.margins
    if is_turned:
        wins, losses = losses, wins
        shares, margins = [1 - share for share in shares], [-margin for margin in margins]
    found.boards, found.wins, found.draws, found.losses = len(shares), wins, draws, losses
    confidence = contest.spec.confidence
    if estimate := _interval(betting_interval(shares, confidence, 1)):
        found.win_rate.CopyFrom(estimate)
    if estimate := _interval(asymptotic_interval(margins, confidence, 1)):
        found.score.CopyFrom(estimate)
    return found


# Boards and events --------------------------------------------------------------------------------


def pairing(contest: Contest, board: int, results: Sequence[TableResult] | None) -> pb.Pairing:
    """Board number *board*, from 0; *results* once its last match has ended."""
    found = pb.Pairing(
        board=board + 1,
        is_played=results is not None,
        is_counted=results is not None and board < contest.counted,
    )
    entrant_of = contest.entrant_of
    for place, match in enumerate(contest.tables(board)):
        table = found.tables.add(entrants=[_index(entrant_of(bot)) for bot in match.players])
        if results is not None:
            result = results[place]
            table.scores.extend(result.scores or ())
            table.outcome = outcome(result.outcome)
            table.at_fault.extend(_index(entrant_of(bot)) for bot in result.at_fault)
    return found


def _index(entrant: int | None) -> int:
    return -1 if entrant is None else entrant


def event(contest: Contest, one: Event) -> pb.TournamentEvent:
    """Event *one* of *contest*."""
    found = pb.TournamentEvent(sequence=one.number, time=_time(one.time_ms))
    match one.kind:
        case Kind.BATCH:
            found.boards_scheduled.boards = len(one.body["boards"])
        case Kind.BOARD:
            results = [read_table(table) for table in one.body["tables"]]
            board = one.body["board"]
            found.board_ended.pairing.CopyFrom(pairing(contest, board, results))
        case Kind.STATE:
            word = State(one.body["state"]).name
            found.state_changed.state = pb.TournamentState.Value(f"TOURNAMENT_STATE_{word}")
            found.state_changed.detail = one.body["why"]
        case Kind.FINISHED:
            found.state_changed.state = pb.TOURNAMENT_STATE_FINISHED
            found.state_changed.detail = one.body["verdict"]
        case _:
            found.note.SetInParent()
    return found


def _time(ms: int) -> Timestamp:
    found = Timestamp()
    found.FromMilliseconds(ms)
    return found


def heartbeat(sequence: int, now_ms: int) -> table_pb2.Heartbeat:
    """A keepalive message with the number of the last event."""
    return table_pb2.Heartbeat(sequence=sequence, server_time=_time(now_ms))
