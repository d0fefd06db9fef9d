"""What came of the matches, and how far it can be relied on. Pure.

The unit is the board: a board's value is the mean score of its matches, so that luck of the deal
which its seatings share cancels out, and matches of one board never count as independent. The
interval is Student's t over boards. Scores of a match are bounded and their means are close to
normal from a few boards on; t is right for few boards, where resampling ten values is too narrow,
and needs no random stream.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from croupier_server.contest.pairing import Match, Pairing
from croupier_server.contest.statistics.intervals import Interval, t_interval
from croupier_server.contest.timing import Times

FAILED: Final = "FAILED"
"""`MatchResult.reason` of a match that the contest itself gave up."""


class Outcome(StrEnum):
    """How a match came to its end. All but `PLAYED` and the last three are an entrant's faults."""

    PLAYED = "played"
    """To the end that the rules set."""
    CONCEDED = "conceded"
    """Given up; the SDK concedes for a bot that raises an exception."""
    TIMED_OUT = "timed_out"
    """Forfeited by an entrant that had run out of time."""
    STALLED = "stalled"
    """The same where no clock was asked for: it had stopped answering."""
    STRUCK_OUT = "struck_out"
    """Conceded after a refused move, or forfeited for moves that were refused again and again."""
    DISCONNECTED = "disconnected"
    """Forfeited by an entrant that had been away for too long."""
    ABSENT = "absent"
    """The entrant did not take its seats, or left them."""
    CRASHED = "crashed"
    """The entrant's process ended during the match."""
    BENCHED = "benched"
    """The entrant's process had ended too often before; the match was not begun."""
    SERVER_FAULT = "server_fault"
    """No fault of an entrant. The match counts for nobody."""
    ADJUDICATED = "adjudicated"
    """The organiser has set its scores."""
    VOID = "void"
    """The organiser has decided that it counts for nobody."""


class MatchResult(NamedTuple):
    """How one match ended.

    Attributes:
        match: which match.
        table_id: where it was played; empty if it never got a table.
        scores: of every seat; None if there are none, because the server failed or all entrants
            are at fault.
        outcome: how it came to its end.
        at_fault: numbers of the entrants at fault; they have lost, whatever the score.
        reason: word of the contract's EndReason, such as ``FINISHED``, or ``FAILED`` when the
            contest itself gave the match up.
        detail: one sentence for people, or empty.
        record: name of the file that holds the record, or empty.
        times: how long bots thought, by number; of some matches.
    """

    match: Match
    table_id: str
    scores: tuple[float, ...] | None
    outcome: Outcome
    at_fault: tuple[int, ...] = ()
    reason: str = FAILED
    detail: str = ""
    record: str = ""
    times: Mapping[int, Times] = MappingProxyType({})

    @property
    def score(self) -> float | None:
        """Of the first entrant of a match of two, see `margin`."""
        return None if self.scores is None else margin(self.match, self.scores, *self.match.pairing)


class Tally(NamedTuple):
    """Matches of one side, summed up.

    ``wins``, ``draws`` and ``losses`` count matches, ``failed`` those that count for nobody. Of the
    losses, ``faults`` counts those by an own fault, by outcome. ``score`` is the mean score of a
    match, over boards; None without a match that has a score.
    """

    wins: int
    draws: int
    losses: int
    failed: int
    faults: Mapping[Outcome, int]
    score: Interval | None

    @property
    def matches(self) -> int:
        """Matches that count."""
        return self.wins + self.draws + self.losses


def margin(match: Match, scores: Sequence[float], one: int, other: int) -> float:
    """What entrant *one* is ahead of *other* in a match in which they were opponents.

    With two teams a seat's score is already what its team is ahead of the other, so it is taken as
    it is. With more, it is the mean score of the seats of *one* less the mean score of those of
    *other*: what a seat held by the one is worth more than a seat held by the other.

    >>> margin(Match(0, 0, (0, 1, 0, 1), (8, 7, 8, 7)), [-2, 2, -2, 2], 7, 8)
    2
    >>> margin(Match(0, 0, (0, 1, 2), (7, 8, 7)), [8, -1, -7], 7, 8)
    1.5

    Args:
        match: says who sat where.
        scores: of every seat.
        one, other: numbers of entrants.
    """
    if max(match.teams) == 1:
        return scores[match.players.index(one)]
    sides = [
        statistics.mean(s for s, who in zip(scores, match.players, strict=True) if who == side)
        for side in (one, other)
    ]
    return sides[0] - sides[1]


def of_pairing(pairing: Pairing, results: Iterable[MatchResult]) -> Tally:
    """The matches of *pairing* from its first entrant's side."""
    return _tally(pairing.first, [r for r in results if r.match.pairing == pairing])


def of_entrant(entrant: int, results: Iterable[MatchResult]) -> Tally:
    """Every match of *entrant* from its side."""
    return _tally(entrant, [r for r in results if entrant in r.match.pairing])


def _tally(entrant: int, results: Sequence[MatchResult]) -> Tally:
    """Sum up *results* from the side of *entrant*, who takes part in all of them."""
    boards: dict[int, list[float]] = {}
    faults: Counter[Outcome] = Counter()
    wins = draws = losses = failed = 0
    for result in results:
        score = result.score
        if score is not None:
            score = score if entrant == result.match.pairing.first else -score
            boards.setdefault(result.match.board, []).append(score)
        if entrant in result.at_fault:
            losses += 1
            faults[result.outcome] += 1
        elif result.at_fault:
            wins += 1
        elif score is None:
            failed += 1
        else:
            wins += score > 0
            draws += score == 0
            losses += score < 0
    values = [sum(own) / len(own) for _, own in sorted(boards.items())]
    return Tally(wins, draws, losses, failed, dict(faults), t_interval(values))
