"""The input of a report. Values only: whoever plays or rates a contest fills them in.

Entrants are referred to by `Entrant.number` everywhere. Text may come from strangers and is given
as it is; the writers make it safe.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round robin"
    GAUNTLET = "gauntlet"
    SWISS = "Swiss"
    KNOCKOUT = "knockout"
    SPRT = "SPRT"
    LADDER = "ladder"


class BoardsForm(StrEnum):
    """How the luck of the deal is shared out between entrants."""

    SWAPPED = "swapped"
    """Each board is played under several seatings of the same two entrants."""
    FIELD = "field"
    """Each board is played by the whole field, so entrants are compared on the same cards."""
    INDEPENDENT = "independent"
    """Each match has its own cards."""


class Measure(StrEnum):
    """What entrants are ranked by."""

    WIN_RATE = "win rate"
    SCORE = "score"


class Isolation(StrEnum):
    """How entrants were kept apart from each other and from the machine."""

    OFF = "off"
    BWRAP = "bwrap"
    IN_PROCESS = "in-process"


class Intervals(StrEnum):
    """What the confidence level of an interval refers to."""

    PER_PAIR = "per pair"
    """Each interval on its own."""
    SIMULTANEOUS = "simultaneous"
    """All intervals of the same kind together."""


class Status(StrEnum):
    """Whether more results will follow."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"


class Kind(StrEnum):
    """How an entrant is run."""

    HOUSE_BOT = "house bot"
    PYTHON_CLASS = "Python class"
    PROGRAM = "program"
    DIAL_IN = "dial-in"


class Outcome(StrEnum):
    """How a match ended. All but the first and the last three are faults of an entrant."""

    PLAYED = "played"
    """To the end that the rules set: a win, a draw or a loss by score."""
    TIME = "time"
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    DISCONNECT = "disconnect"
    STALL = "stall"
    NO_SHOW = "no show"
    SERVER_FAULT = "server fault"
    """No fault of an entrant. The match counts for nobody."""
    ADJUDICATED = "adjudicated"
    """The organiser has set its scores."""
    VOID = "void"
    """The organiser has decided that it counts for nobody."""


NO_FAULTS: Final = (Outcome.PLAYED, Outcome.SERVER_FAULT, Outcome.ADJUDICATED, Outcome.VOID)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its confidence interval; without bounds where there are too few values.

    Raises:
        ValueError: a number is not finite, or only one bound is given.
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        given = [number for number in (self.value, self.low, self.high) if number is not None]
        if len(given) == 2 or not all(map(math.isfinite, given)):
            raise ValueError(f"{self} must have finite numbers, and both bounds or none")


@dataclass(frozen=True, slots=True)
class Contest:
    """What was played, and how.

    Attributes:
        game: its title, such as "Tractor".
        options: of the game, as text.
        score: what the score of a match counts, such as "levels ahead of the other team".
        confidence: level of all intervals, such as 0.95.
        boards: boards that count.
        matches: matches that count.
        boards_beyond_stop: boards played after the result was decided, which do not count.
        rating: scale of the ratings, such as "Elo scale, mean 1500"; empty without ratings.
        verdict: the conclusion in words, such as that of an SPRT; empty without one.
        provenance: labels and values that identify builds, rules, deals and the server.
    """

    name: str
    game: str
    ruleset: str
    options: str
    format: Format
    boards_form: BoardsForm
    score: str
    measure: Measure
    isolation: Isolation
    confidence: float
    intervals: Intervals
    status: Status
    boards: int
    matches: int
    boards_beyond_stop: int = 0
    rating: str = ""
    verdict: str = ""
    provenance: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Entrant:
    """One who takes part."""

    number: int
    name: str
    kind: Kind
    version: str = ""
    owner: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of one entrant.

    Attributes:
        rank: from 1; shared by entrants that are tied; None without a result.
        losses: matches lost, those by a fault included.
        faults: number of matches that the entrant ended by each kind of fault.
        win_rate: share of matches won, from 0 to 1; a draw is half a win.
        score: mean score of a match.
        points: of a Swiss tournament or knockout; None for other formats.
        tie_breaks: names and values, the first one decides first.
    """

    entrant: int
    rank: int | None = None
    boards: int = 0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Mapping[Outcome, int] | None = None
    win_rate: Estimate | None = None
    score: Estimate | None = None
    rating: Estimate | None = None
    points: float | None = None
    tie_breaks: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The results of *entrant* against *opponent*, from the side of *entrant*.

    Attributes:
        superiority: probability that *entrant* is the stronger of the two, from 0 to 1.
    """

    entrant: int
    opponent: int
    boards: int
    matches: int
    wins: int
    draws: int
    losses: int
    win_rate: Estimate | None = None
    score: Estimate | None = None
    superiority: float | None = None


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating after *boards* boards of the contest."""

    boards: int
    rating: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """The ratings of one entrant in the order of boards, already thinned."""

    entrant: int
    points: tuple[RatingPoint, ...]


@dataclass(frozen=True, slots=True)
class Bin:
    """Number of matches with a score from *low*, included, to *high*."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """Mean scores of one entrant on its boards, in bins with rising scores."""

    entrant: int
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class TimeUse:
    """Time that one entrant took for a decision, and the latency of its connection, in ms."""

    entrant: int
    decisions: int
    median_ms: float
    p95_ms: float
    max_ms: float
    latency_median_ms: float | None = None
    latency_p95_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """One match.

    Attributes:
        seats: number of the entrant in each seat.
        scores: of each seat; empty without a score.
        at_fault: numbers of the entrants at fault.
        detail: of a fault, in words.
        record: path of its record, relative to the report, or an https URL; empty without one.
    """

    number: int
    board: int
    seats: tuple[int, ...]
    scores: tuple[float, ...]
    outcome: Outcome = Outcome.PLAYED
    at_fault: tuple[int, ...] = ()
    detail: str = ""
    record: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report shows.

    Attributes:
        matches: in the order of play.
        matches_shown_max: maximum number of latest matches on the HTML page. The exports have every
            match.
        faults_shown_max: maximum number of matches with faults on the HTML page. It only keeps a
            page usable when a bot fails in every match.
    """

    contest: Contest
    entrants: tuple[Entrant, ...]
    standings: tuple[Standing, ...] = ()
    head_to_head: tuple[HeadToHead, ...] = ()
    ratings: tuple[RatingHistory, ...] = ()
    score_distributions: tuple[ScoreDistribution, ...] = ()
    time_use: tuple[TimeUse, ...] = ()
    matches: tuple[Match, ...] = ()
    matches_shown_max: int = 100
    faults_shown_max: int = 5000
