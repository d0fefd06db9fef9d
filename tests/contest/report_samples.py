"""Reports of invented contests. Everything follows from the arguments."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

from croupier_server.contest.report.data import (
    Bin,
    BoardsForm,
    Contest,
    Entrant,
    Estimate,
    Format,
    HeadToHead,
    Intervals,
    Isolation,
    Kind,
    Match,
    Measure,
    Outcome,
    RatingHistory,
    RatingPoint,
    Report,
    ScoreDistribution,
    Standing,
    Status,
    TimeUse,
)

NAMES = (
    "Greedy",
    "Marmalade",
    "search 2000",
    "Quiet Fold",
    "李白",
    "random",
    "Zoë's Long-Suffering Trump Counter, third attempt",
    "بوت",
    "K7",
    "first-legal",
)

DETAILS = {
    Outcome.TIME: "decision 14 was open for 5.0 s; the clock had 0 ms left",
    Outcome.ILLEGAL_MOVE: "MUST_FOLLOW_SUIT: 7H is not a heart while hearts are held (T-6.2)",
    Outcome.CRASH: "the process ended with exit status 139",
    Outcome.DISCONNECT: "the stream ended and was not resumed within 20 s",
    Outcome.NO_SHOW: "seat 1 was not taken within 30 s",
    Outcome.SERVER_FAULT: "the store was unavailable",
}


def contest(**changes: object) -> Contest:
    """A contest of Tractor between pairs, with *changes*."""
    base = Contest(
        name="Winter Open 2026",
        game="Tractor",
        ruleset="standard",
        options="max_deals=1, kitty=8",
        format=Format.ROUND_ROBIN,
        boards_form=BoardsForm.SWAPPED,
        score="levels ahead of the other team",
        measure=Measure.WIN_RATE,
        isolation=Isolation.BWRAP,
        confidence=0.95,
        intervals=Intervals.SIMULTANEOUS,
        status=Status.FINISHED,
        boards=0,
        matches=0,
        rating="Elo scale, mean 1500",
        provenance=(
            ("Server version", "0.1.0.dev0"),
            ("Ruleset hash", "sha256:5b1f0f9a1c3e77d2"),
            ("Deal source", "sealed"),
            ("Seed commitment", "9f2ab4d1" * 8),
        ),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def entrants(count: int) -> tuple[Entrant, ...]:
    """The first *count* of `NAMES`, then numbered bots."""
    kinds = tuple(Kind)
    return tuple(
        Entrant(
            number,
            NAMES[number] if number < len(NAMES) else f"bot {number}",
            kinds[number % len(kinds)],
            version=f"1.{number}",
            owner="" if number % 3 == 0 else f"owner {number}",
            labels=("baseline",) if number % 5 == 0 else (),
        )
        for number in range(count)
    )


def empty(count: int = 3) -> Report:
    """A contest that has just begun: no match, no interval."""
    who = entrants(count)
    return Report(
        contest(status=Status.RUNNING, rating=""), who, tuple(Standing(e.number) for e in who)
    )


def field(seats: int = 3, count: int = 5) -> Report:
    """A contest for more than two teams, ranked by score, without ratings and latency."""
    report = pairs(count, boards=60, seats=seats)
    return replace(
        report,
        contest=replace(
            report.contest,
            name="Three-handed league",
            game="Tong-its",
            boards_form=BoardsForm.FIELD,
            measure=Measure.SCORE,
            intervals=Intervals.PER_PAIR,
            score="chips that a seat is ahead of the other bots' seats",
            rating="",
        ),
        standings=tuple(replace(s, rating=None) for s in report.standings),
        ratings=(),
        time_use=tuple(
            replace(t, latency_median_ms=None, latency_p95_ms=None) for t in report.time_use
        ),
    )


def pairs(count: int = 2, *, boards: int = 40, seats: int = 2, seed: int = 1) -> Report:
    """A round robin in which each pair plays *boards* boards of two matches.

    With more than two *seats*, the second of a pair has all seats but the first.
    """
    chance = random.Random(seed)
    who = entrants(count)
    strength = [1.2 * math.cos(3 * e.number / count) for e in who]
    matches: list[Match] = []
    for board in range(1, boards + 1):
        for one, other in combinations(range(count), 2):
            for first, second in ((one, other), (other, one)):
                matches.append(
                    _match(chance, len(matches) + 1, board, first, second, seats, strength)
                )
    head_to_head = [
        _head_to_head(one, other, boards, matches)
        for one in range(count)
        for other in range(count)
        if one != other
    ]
    standings = [_standing(e.number, boards * (count - 1), matches) for e in who]
    best = sorted(standings, key=lambda s: -(s.win_rate.value if s.win_rate else 0))
    standings = [replace(s, rank=best.index(s) + 1) for s in standings]
    counted = [m for m in matches if m.outcome != Outcome.SERVER_FAULT]
    return Report(
        contest(boards=boards * count * (count - 1) // 2, matches=len(counted)),
        who,
        tuple(standings),
        tuple(head_to_head),
        tuple(_history(s, chance) for s in standings),
        tuple(_distribution(e.number, matches) for e in who),
        tuple(_time_use(e.number, len(matches)) for e in who),
        tuple(matches),
    )


def _match(
    chance: random.Random,
    number: int,
    board: int,
    first: int,
    second: int,
    seats: int,
    strength: list[float],
) -> Match:
    score = round(chance.gauss(strength[first] - strength[second], 2.2))
    outcome = Outcome.PLAYED
    at_fault: tuple[int, ...] = ()
    if chance.random() < 0.004:
        outcome = chance.choice(list(DETAILS))
        if outcome != Outcome.SERVER_FAULT:
            score, at_fault = -8, (first,)
    others = (-score / (seats - 1),) * (seats - 1)
    return Match(
        number,
        board,
        (first, *(second,) * (seats - 1)),
        () if outcome == Outcome.SERVER_FAULT else (float(score), *others),
        outcome,
        at_fault,
        DETAILS.get(outcome, ""),
        f"records/{number}.croupier",
    )


def _scores(entrant: int, matches: list[Match], opponent: int | None = None) -> list[float]:
    own = [m for m in matches if entrant in m.seats and m.scores]
    return [
        m.scores[m.seats.index(entrant)] for m in own if opponent is None or opponent in m.seats
    ]


def _estimate(values: list[float]) -> Estimate | None:
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    if len(values) < 10:
        return Estimate(mean)
    reach = 2.4 * math.sqrt(math.fsum((v - mean) ** 2 for v in values)) / len(values)
    return Estimate(mean, mean - reach, mean + reach)


def _results(scores: list[float]) -> list[float]:
    return [1.0 if score > 0 else 0.5 if score == 0 else 0.0 for score in scores]


def _head_to_head(one: int, other: int, boards: int, matches: list[Match]) -> HeadToHead:
    scores = _scores(one, matches, other)
    counts = Counter(_results(scores))
    rate = _estimate(_results(scores))
    mean = 0.5 if rate is None else rate.value
    return HeadToHead(
        one,
        other,
        boards,
        len(scores),
        counts[1.0],
        counts[0.5],
        counts[0.0],
        rate,
        _estimate(scores),
        1 / (1 + math.exp(-3 * (mean - 0.5) * math.sqrt(boards))),
    )


def _standing(entrant: int, boards: int, matches: list[Match]) -> Standing:
    scores = _scores(entrant, matches)
    counts = Counter(_results(scores))
    rate = _estimate(_results(scores))
    faults = Counter(m.outcome for m in matches if entrant in m.at_fault)
    rating = 1500 if rate is None else 1500 + 800 * (rate.value - 0.5)
    reach = 400 / math.sqrt(len(scores) or 1)
    return Standing(
        entrant,
        None,
        boards,
        len(scores),
        counts[1.0],
        counts[0.5],
        counts[0.0],
        dict(faults),
        rate,
        _estimate(scores),
        Estimate(rating, rating - reach, rating + reach),
    )


def _history(standing: Standing, chance: random.Random) -> RatingHistory:
    goal = 1500.0 if standing.rating is None else standing.rating.value
    points = []
    for step in range(1, 31):
        boards = max(standing.boards * step // 30, 1)
        reach = 250 / math.sqrt(step)
        rating = 1500 + (goal - 1500) * (1 - math.exp(-step / 5)) + chance.gauss(0, reach / 12)
        points.append(RatingPoint(boards, rating, rating - reach / 2, rating + reach / 2))
    return RatingHistory(standing.entrant, tuple(points))


def _distribution(entrant: int, matches: list[Match]) -> ScoreDistribution:
    counts = Counter(math.floor(score) for score in _scores(entrant, matches))
    lowest, highest = min(counts, default=0), max(counts, default=0)
    return ScoreDistribution(
        entrant,
        tuple(Bin(float(at), at + 1.0, counts[at]) for at in range(lowest, highest + 1)),
    )


def _time_use(entrant: int, matches: int) -> TimeUse:
    median = 0.08 * 7 ** (entrant % 5)
    return TimeUse(entrant, 40 * matches, median, 3 * median, 21 * median, 0.21, 0.9 + entrant / 10)
