"""Results of a contest: standings, head to head and ratings, as the input of a report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from croupier_server.contest.ladder.contest import Contest
from croupier_server.contest.ladder.formats import Pair, swiss_scores
from croupier_server.contest.ladder.opening import PlayedBoard
from croupier_server.contest.ladder.spec import Form, Format, Primary
from croupier_server.contest.report import data as report
from croupier_server.contest.results import Outcome
from croupier_server.contest.statistics.bootstrap import Series, bootstrap
from croupier_server.contest.statistics.intervals import (
    Interval,
    asymptotic_interval,
    betting_interval,
)
from croupier_server.contest.statistics.ratings import fit
from croupier_server.contest.timing import Times, quantile
from croupier_server.games.modules import MODULES

HISTORY_POINTS: Final = 40
"""Points of a curve of ratings over time."""

BINS: Final = 20

FAULTS: Final = {
    Outcome.CONCEDED: report.Outcome.CRASH,
    Outcome.CRASHED: report.Outcome.CRASH,
    Outcome.BENCHED: report.Outcome.CRASH,
    Outcome.TIMED_OUT: report.Outcome.TIME,
    Outcome.STALLED: report.Outcome.STALL,
    Outcome.STRUCK_OUT: report.Outcome.ILLEGAL_MOVE,
    Outcome.DISCONNECTED: report.Outcome.DISCONNECT,
    Outcome.ABSENT: report.Outcome.NO_SHOW,
    Outcome.SERVER_FAULT: report.Outcome.SERVER_FAULT,
    Outcome.ADJUDICATED: report.Outcome.ADJUDICATED,
    Outcome.VOID: report.Outcome.VOID,
    Outcome.PLAYED: report.Outcome.PLAYED,
}
"""What organisers call the ends of matches."""


def make_report(
    contest: Contest, boards: Iterable[PlayedBoard] = (), *, is_brief: bool = False
) -> report.Report:
    """The report of *contest*, with the matches of those of *boards* that count; of a brief one,
    the standings alone."""
    shown = (board for board in boards if board.counts)
    standings = _standings(contest)
    if is_brief:
        return report.Report(_contest(contest), tuple(_entrants(contest)), standings)
    return report.Report(
        contest=_contest(contest),
        entrants=tuple(_entrants(contest)),
        standings=standings,
        head_to_head=_head_to_head(contest),
        ratings=_rating_histories(contest),
        score_distributions=_distributions(contest),
        time_use=tuple(_time_use(contest)),
        matches=tuple(_matches(contest, shown)),
    )


def reproducible(found: report.Report) -> report.Report:
    """What of a report depends on the contest alone.

    For bots whose moves follow from what they are asked it is the same however often the contest
    was interrupted, and however many boards were played at a time.
    """
    return replace(
        found,
        contest=replace(found.contest, boards_beyond_stop=0),
        entrants=tuple(replace(one, labels=()) for one in found.entrants),
        time_use=(),
        matches=tuple(replace(one, detail="") for one in found.matches),
    )


# The contest --------------------------------------------------------------------------------------


def _contest(contest: Contest) -> report.Contest:
    spec = contest.spec
    status = report.Status.FINISHED if contest.is_finished else report.Status.RUNNING
    return report.Contest(
        name=spec.name,
        game=MODULES[spec.game].wire.title,
        ruleset=contest.ruleset,
        options=", ".join(f"{name}={value}" for name, value in sorted(contest.options.items())),
        format=report.Format[spec.format.name],
        boards_form=report.BoardsForm[spec.form.name],
        score=MODULES[spec.game].teller.score,
        measure=report.Measure[spec.primary.name],
        isolation=report.Isolation[spec.isolation.name],
        confidence=spec.confidence,
        intervals=(
            report.Intervals.SIMULTANEOUS if spec.simultaneous else report.Intervals.PER_PAIR
        ),
        status=status,
        boards=contest.counted,
        matches=contest.matches,
        boards_beyond_stop=len(contest.beyond) if contest.verdict else 0,
        rating="Elo scale, mean 1500",
        verdict=contest.verdict.text if contest.verdict else "",
        provenance=_provenance(contest),
    )


def _provenance(contest: Contest) -> tuple[tuple[str, str], ...]:
    rows = [
        ("Server", contest.server_version),
        ("Rules", f"{contest.spec.game}, version {contest.rules_version}"),
        ("Cards", f"boards from one seed, SHA-256 of the first: {contest.commitment}"),
    ]
    if contest.oversubscription:
        rows.append(("Clocks", f"oversubscribed: {contest.oversubscription}"))
    for name, builds in zip(contest.bot_names, contest.builds, strict=True):
        rows += [(f"Build of {name}", build) for build in builds if build]
    return tuple(rows)


def _entrants(contest: Contest) -> Iterable[report.Entrant]:
    """All entrants, and the house if it plays."""
    for number, one in enumerate(contest.spec.entrants):
        bot = one.bot or "".join(one.members[:1])
        kind = report.Kind.HOUSE_BOT
        if one.player:
            kind = report.Kind.DIAL_IN
        elif bot.startswith("cmd:"):
            kind = report.Kind.PROGRAM
        elif ".py:" in bot:
            kind = report.Kind.PYTHON_CLASS
        labels = ["team"] if one.members else []
        own = contest.bots_of(number)
        if any(len(contest.builds[bot]) > 1 for bot in own):
            labels.append("its program was changed")
        for found in contest.substitutes:
            if found.entrant == number:
                labels.append(f"{found.bot} plays for it from board {found.start + 1} on")
        if number in contest.withdrawn:
            labels.append(contest.withdrawn[number])
        if contest.alone.intersection(own):
            labels.append("has crashed: one process per match since")
        yield report.Entrant(number, one.name, kind, one.version, one.owner, tuple(labels))
    if contest.spec.form is Form.FIELD:
        name = contest.bot_names[contest.roster.house]
        yield report.Entrant(_house(contest), name, report.Kind.HOUSE_BOT)


def _house(contest: Contest) -> int:
    return len(contest.spec.entrants)


# Standings ----------------------------------------------------------------------------------------


def _standings(contest: Contest) -> tuple[report.Standing, ...]:
    spec = contest.spec
    count = len(spec.entrants)
    own = _of_entrants(contest)
    comparisons = count if spec.simultaneous else 1
    ratings = fit(_wins(contest)) if contest.values else None
    reach = float(ndtri(0.5 + spec.confidence / 2))
    swiss = swiss_scores(spec, contest.rounds) if spec.format is Format.SWISS else None
    rows: list[tuple[tuple[float, ...], report.Standing]] = []
    for number in range(count):
        tally, (wins, scores) = contest.tallies[number], own[number]
        win_rate = _estimate(betting_interval(wins, spec.confidence, comparisons))
        score = _estimate(asymptotic_interval(scores, spec.confidence, comparisons))
        rating = None
        if ratings is not None and tally.boards:
            value, error = ratings[number]
            rating = report.Estimate(value, value - reach * error, value + reach * error)
        faults = Counter[report.Outcome]()
        for kind, times in tally.faults.items():
            faults[FAULTS[kind]] += times
        standing = report.Standing(
            entrant=number,
            boards=tally.boards,
            matches=tally.matches,
            wins=tally.wins,
            draws=tally.draws,
            losses=tally.losses,
            faults=dict(faults),
            win_rate=win_rate,
            score=score,
            rating=rating,
            points=swiss[number].points if swiss else None,
            tie_breaks=(
                (
                    ("Buchholz", swiss[number].buchholz),
                    ("Sonneborn-Berger", swiss[number].sonneborn_berger),
                )
                if swiss
                else ()
            ),
        )
        key: tuple[float, ...] = tuple(swiss[number]) if swiss else ()
        first, second = (win_rate, score) if spec.primary is Primary.WIN_RATE else (score, win_rate)
        key += tuple(-math.inf if one is None else one.value for one in (first, second))
        rows.append((key, standing))
    rows.sort(key=lambda row: (row[0], -row[1].entrant), reverse=True)
    return tuple(_ranked(rows))


def _ranked(
    rows: Sequence[tuple[tuple[float, ...], report.Standing]],
) -> Iterable[report.Standing]:
    """Standings with their ranks; who is level shares one."""
    rank = 0
    for place, (key, standing) in enumerate(rows, 1):
        if place == 1 or key != rows[place - 2][0]:
            rank = place
        yield replace(standing, rank=rank if standing.boards else None)


def _of_entrants(contest: Contest) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Share of wins and mean margin of every entrant on every board, in the order of boards."""
    parts: list[list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]]] = [
        [] for _ in contest.spec.entrants
    ]
    for (one, other), values in contest.values.items():
        boards = np.frombuffer(values.boards, dtype=np.int64)
        wins, margins = np.frombuffer(values.wins), np.frombuffer(values.margins)
        parts[one].append((boards, wins, margins))
        parts[other].append((boards, 1 - wins, -margins))
    found = []
    for own in parts:
        if not own:
            found.append((np.zeros(0), np.zeros(0)))
            continue
        boards, wins, margins = (np.concatenate(column) for column in zip(*own, strict=True))
        _, places, counts = np.unique(boards, return_inverse=True, return_counts=True)
        found.append((np.bincount(places, wins) / counts, np.bincount(places, margins) / counts))
    return found


def _wins(contest: Contest, before: int | None = None) -> NDArray[np.float64]:
    """Boards that each entrant won against each other, of those with numbers below *before*."""
    count = len(contest.spec.entrants)
    wins = np.zeros((count, count))
    for (one, other), values in contest.values.items():
        shares = np.frombuffer(values.wins)
        if before is not None:
            shares = shares[
                : int(np.searchsorted(np.frombuffer(values.boards, dtype=np.int64), before))
            ]
        won = float(shares.sum())
        wins[one, other] += won
        wins[other, one] += len(shares) - won
    return wins


def _estimate(found: Interval | None) -> report.Estimate | None:
    return None if found is None else report.Estimate(found.mean, found.low, found.high)


# Head to head -------------------------------------------------------------------------------------


def _head_to_head(contest: Contest) -> tuple[report.HeadToHead, ...]:
    spec = contest.spec
    pairs = sorted(contest.values)
    comparisons = max(1, len(pairs)) if spec.simultaneous else 1
    superiority: dict[Pair, float] = {}
    is_fixed = spec.format in (Format.ROUND_ROBIN, Format.GAUNTLET)
    if contest.is_finished and is_fixed:
        of_wins = spec.primary is Primary.WIN_RATE
        series = {
            pair: Series(values.boards, values.wins if of_wins else values.margins)
            for pair, values in contest.values.items()
        }
        middle = 0.5 if of_wins else 0.0
        resampled = bootstrap(series, spec.confidence, middle)
        superiority = {pair: found.superiority for pair, found in resampled.items()}
    rows: list[report.HeadToHead] = []
    for pair in pairs:
        one, other = pair
        values, record = contest.values[pair], contest.records[pair]
        win_rate = _estimate(betting_interval(values.wins, spec.confidence, comparisons))
        score = _estimate(asymptotic_interval(values.margins, spec.confidence, comparisons))
        ahead = superiority.get(pair)
        rows.append(
            report.HeadToHead(
                one, other, len(values.boards), sum(record), *record, win_rate, score, ahead
            )
        )
        rows.append(
            report.HeadToHead(
                other,
                one,
                len(values.boards),
                sum(record),
                *record[::-1],
                _mirrored(win_rate, 1.0),
                _mirrored(score, 0.0),
                None if ahead is None else 1 - ahead,
            )
        )
    return tuple(rows)


def _mirrored(found: report.Estimate | None, total: float) -> report.Estimate | None:
    """The same from the side of the other; both sides add up to *total*."""
    if found is None or found.low is None or found.high is None:
        return None if found is None else report.Estimate(total - found.value)
    return report.Estimate(total - found.value, total - found.high, total - found.low)


# Plots --------------------------------------------------------------------------------------------


def _rating_histories(contest: Contest) -> tuple[report.RatingHistory, ...]:
    """Ratings by all boards up to some points of the contest."""
    if not contest.values:
        return ()
    reach = float(ndtri(0.5 + contest.spec.confidence / 2))
    steps = sorted(
        {max(1, round(contest.counted * n / HISTORY_POINTS)) for n in range(1, HISTORY_POINTS + 1)}
    )
    points: list[list[report.RatingPoint]] = [[] for _ in contest.spec.entrants]
    for step in steps:
        wins = _wins(contest, step)
        for number, (value, error) in enumerate(fit(wins)):
            if wins[number].any() or wins[:, number].any():
                points[number].append(
                    report.RatingPoint(step, value, value - reach * error, value + reach * error)
                )
    return tuple(
        report.RatingHistory(number, tuple(found)) for number, found in enumerate(points) if found
    )


def _distributions(contest: Contest) -> tuple[report.ScoreDistribution, ...]:
    """Histograms of the mean margins of boards, on one scale for all."""
    own = [scores for _, scores in _of_entrants(contest)]
    values = np.concatenate(own) if own else np.zeros(0)
    if not len(values):
        return ()
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    found: list[report.ScoreDistribution] = []
    for number, scores in enumerate(own):
        if len(scores):
            counts, _ = np.histogram(scores, bins=edges)
            bins = tuple(
                report.Bin(float(edges[n]), float(edges[n + 1]), int(count))
                for n, count in enumerate(counts)
            )
            found.append(report.ScoreDistribution(number, bins))
    return tuple(found)


def _time_use(contest: Contest) -> Iterable[report.TimeUse]:
    """How long entrants thought, their bots together."""
    for number in range(len(contest.spec.entrants)):
        times = Times()
        for bot in contest.bots_of(number):
            times.update(contest.times.get(bot, {}))
        if times:
            yield report.TimeUse(
                number,
                sum(times.values()),
                quantile(times, 0.5),
                quantile(times, 0.95),
                quantile(times, 1.0),
            )


# Matches ------------------------------------------------------------------------------------------


def _matches(contest: Contest, boards: Iterable[PlayedBoard]) -> Iterable[report.Match]:
    number = 0

    def entrant(bot: int) -> int:
        found = contest.entrant_of(bot)
        return _house(contest) if found is None else found

    for board in boards:
        for match, result in zip(board.matches, board.results, strict=True):
            number += 1
            yield report.Match(
                number,
                board.number + 1,
                tuple(map(entrant, match.players)),
                result.scores or (),
                FAULTS[result.outcome],
                tuple(map(entrant, result.at_fault)),
                result.detail,
                result.record,
            )
