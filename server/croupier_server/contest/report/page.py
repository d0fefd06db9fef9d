"""The HTML page: one file with its styles, plots and script, which loads nothing else.

Every text that the template prints passes `texts.safe`, and is then escaped. A Content Security
Policy in the page forbids all but its own style and its own script, which sorts tables.
"""

from __future__ import annotations

import base64
import hashlib
import math
from functools import cache, partial
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from croupier_server.contest.report import plots, texts
from croupier_server.contest.report.data import (
    BoardsForm,
    Contest,
    Estimate,
    HeadToHead,
    Intervals,
    Measure,
    Outcome,
    Report,
    Standing,
    TimeUse,
)

NAME_LENGTH_MAX: Final = 60
DETAIL_LENGTH_MAX: Final = 400
"""Longer text is cut on the page. The exports have all of it."""

_GROUPS_MIN: Final = 7
"""From this number of entrants on, the head to head table has a fold for each entrant."""


def html(report: Report) -> str:
    """*report* as one HTML page. Equal input gives equal text."""
    template = _environment().get_template("report.html.jinja")
    return template.render(page=_Page(report), contest=report.contest, report=report)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("croupier_server.contest.report"),
        autoescape=True,
        finalize=_printed,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    assert environment.loader is not None
    style, script = (
        environment.loader.get_source(environment, f"report.{kind}")[0] for kind in ("css", "js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {
        "style": Markup(style),  # noqa: S704 a file of ours
        "script": Markup(script),  # noqa: S704
        "script_hash": f"sha256-{digest}",
        "nothing": texts.NOTHING,
        "detail_length_max": DETAIL_LENGTH_MAX,
        "name_length_max": NAME_LENGTH_MAX,
    }
    environment.filters |= {
        "duration": texts.duration,
        "list_to_dict": dict,
        "interval": texts.interval,
        "link": texts.link,
        "number": texts.number,
        "percent": texts.percent,
        "shortened": texts.shortened,
    }
    return environment


def _printed(value: object) -> object:
    return texts.safe(value) if isinstance(value, str) and not isinstance(value, Markup) else value


class _Page:
    """What the template asks for beyond the report itself."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.entrants = {entrant.number: entrant for entrant in report.entrants}
        self.standings = sorted(report.standings, key=_by_rank)
        self.order = [standing.entrant for standing in self.standings]
        self.tie_breaks = list(
            dict.fromkeys(name for s in report.standings for name, _ in s.tie_breaks)
        )
        faults = [match for match in report.matches if match.outcome != Outcome.PLAYED]
        self.faults = faults[: report.faults_shown_max]
        self.hidden_faults = len(faults) - len(self.faults)
        shown = max(0, min(report.matches_shown_max, len(report.matches)))
        self.latest = report.matches[len(report.matches) - shown :][::-1]
        self.hidden = len(report.matches) - shown
        self.confidence = f"{100 * report.contest.confidence:.4g}%"
        self.is_folded = len(report.entrants) >= _GROUPS_MIN

    def name(self, entrant: int) -> str:
        """The name of *entrant*, made safe and never empty."""
        return texts.safe(self.entrants[entrant].name).strip() or f"entrant {entrant}"

    # Words ------------------------------------------------------------------------------------

    @property
    def lead(self) -> str:
        """Who is ranked first, and by what."""
        first = [s for s in self.standings if s.rank == 1]
        if not first or not self._report.contest.matches:
            return "No match has been counted yet."
        if len(first) > 1:
            return f"{len(first)} entrants share the first rank."
        return f"{self.name(first[0].entrant)} is ranked first: {self._result(first[0])}."

    def _result(self, standing: Standing) -> str:
        estimate = _primary(self._report.contest, standing)
        if estimate is None:
            return f"{standing.wins} wins in {standing.matches} matches"
        if self._report.contest.measure is Measure.WIN_RATE:
            value = f"win rate {texts.percent(estimate.value)}"
            bounds = texts.interval(estimate, 1, "%", 100)
        else:
            value = f"mean score {texts.number(estimate.value, 2)}"
            bounds = texts.interval(estimate, 2)
        bounds = bounds and f", {self.confidence} confidence interval {bounds}"
        return f"{value}{bounds}, over {texts.number(standing.matches)} matches"

    @property
    def meaning(self) -> str:
        """What the intervals of the contest mean, in a sentence."""
        hold = "Each interval of a win rate or score holds on its own"
        contains = "it contains the true value"
        if self._report.contest.intervals is Intervals.SIMULTANEOUS:
            hold = "Intervals of win rates and scores hold together"
            contains = "all of them contain their true values"
        return (
            f"{hold} and at any time: with {self.confidence} confidence, {contains} after every "
            "board. Intervals of ratings hold for a single look."
        )

    @property
    def bar_meaning(self) -> str:
        """What dots and bars of a plot are, in a sentence."""
        together = ""
        if self._report.contest.intervals is Intervals.SIMULTANEOUS:
            together = ", which holds for all bars of the plot at once"
        hollow = ""
        if any(e is not None and e.low is None for s in self.standings for e in _estimates(s)):
            hollow = " A hollow dot has no interval, because there are too few boards."
        return (
            f"The dot is the estimate, the bar its {self.confidence} confidence interval{together}."
            f"{hollow}"
        )

    @property
    def history_meaning(self) -> str:
        """What the lines of the rating history are, in a sentence."""
        lines = len(self._report.ratings)
        if lines <= plots.BANDS_MAX:
            return f"The line is the rating, the band its {self.confidence} confidence interval."
        grey = ""
        if lines > plots.COLOURS:
            grey = f" The first {plots.COLOURS} entrants have colours; the others are grey."
        return f"The line is the rating.{grey} The plot of current ratings shows the intervals."

    @property
    def boards_meaning(self) -> str:
        """How boards were dealt to entrants."""
        match self._report.contest.boards_form:
            case BoardsForm.SWAPPED:
                return (
                    "Each board is played under several seatings of the same entrants, so that "
                    "luck of the deal cancels out."
                )
            case BoardsForm.FIELD:
                return (
                    "All entrants play the same boards, so that they are compared on equal cards."
                )
            case BoardsForm.INDEPENDENT:
                return "Each match has cards of its own."

    @property
    def has_points(self) -> bool:
        """Whether any entrant has points."""
        return any(s.points is not None for s in self.standings)

    @property
    def has_superiority(self) -> bool:
        """Whether any pair has a likelihood of superiority."""
        return any(h.superiority is not None for h in self._report.head_to_head)

    @property
    def pairs(self) -> list[HeadToHead]:
        """Results of all pairs, in the order of ranks."""
        return [h for entrant in self.order for h in self.opponents(entrant)]

    @property
    def times_by_rank(self) -> list[TimeUse]:
        """Time use of all entrants, in the order of ranks."""
        places = {number: place for place, number in enumerate(self.order)}
        return sorted(
            self._report.time_use, key=lambda t: (places.get(t.entrant, len(places)), t.entrant)
        )

    @property
    def fault_kinds(self) -> list[Outcome]:
        """Kinds of faults that occurred, in the order of `Outcome`."""
        found = {kind for s in self.standings for kind, count in (s.faults or {}).items() if count}
        return [kind for kind in Outcome if kind in found]

    def fault_count(self, standing: Standing) -> int:
        """All faults of *standing*."""
        return sum((standing.faults or {}).values())

    def fault_share(self, standing: Standing) -> float:
        """Faults of *standing* as a share of its matches."""
        return self.fault_count(standing) / max(standing.matches, 1)

    def opponents(self, entrant: int) -> list[HeadToHead]:
        """The results of *entrant* against the others, in the order of ranks."""
        places = {number: place for place, number in enumerate(self.order)}
        own = [h for h in self._report.head_to_head if h.entrant == entrant]
        return sorted(own, key=lambda h: (places.get(h.opponent, len(places)), h.opponent))

    # Plots: empty where there is nothing to draw ----------------------------------------------

    def win_rates(self) -> Markup:
        """Win rates of all entrants."""
        rows = [
            self._bar(s.entrant, s.win_rate, texts.percent(s.win_rate.value), 1, "%", 100)
            for s in self.standings
            if s.win_rate is not None
        ]
        draw = partial(plots.bars, least=0.1, even=0.5, limits=(0, 1))
        return draw("Win rate", "Win rate", rows, _percent_tick) if rows else Markup()

    def scores(self) -> Markup:
        """Mean scores of all entrants."""
        rows = [
            self._bar(s.entrant, s.score, texts.number(s.score.value, 2), 2)
            for s in self.standings
            if s.score is not None
        ]
        label = "Mean score of a match"
        title = f"{label} ({self._report.contest.score})"
        return plots.bars(title, label, rows, _tick, least=0.1, even=0) if rows else Markup()

    def ratings(self) -> Markup:
        """Ratings of all entrants."""
        rows = [
            self._bar(s.entrant, s.rating, texts.number(s.rating.value), 0)
            for s in self.standings
            if s.rating is not None
        ]
        return plots.bars("Rating", "Rating", rows, _tick, least=20) if rows else Markup()

    def _bar(
        self,
        entrant: int,
        estimate: Estimate,
        value: str,
        decimals: int,
        unit: str = "",
        by: int = 1,
    ) -> plots.Bar:
        bounds = texts.interval(estimate, decimals, unit, by) or "no interval"
        return plots.Bar(self.name(entrant), estimate, f"{value} ({bounds})")

    def rating_history(self) -> Markup:
        """Ratings over the boards played."""
        found = {history.entrant: history.points for history in self._report.ratings}
        rows = [plots.Line(self.name(e), found[e]) for e in self.order if found.get(e)]
        return plots.lines("Rating over time", "boards played", rows) if rows else Markup()

    def times(self) -> Markup:
        """Decision times of all entrants, on a logarithmic scale."""
        found = {time.entrant: time for time in self._report.time_use if time.decisions}
        rows = [
            plots.Bar(
                self.name(entrant),
                Estimate(time.median_ms, time.median_ms, time.max_ms),
                f"median {texts.duration(time.median_ms)}, 95th percentile "
                f"{texts.duration(time.p95_ms)}, maximum {texts.duration(time.max_ms)}",
                time.p95_ms,
            )
            for entrant in self.order
            if (time := found.get(entrant)) is not None
        ]
        draw = partial(plots.bars, least=1, is_log=True)
        label = "Time for a decision (logarithmic scale)"
        return draw(label, label, rows, _time_tick) if rows else Markup()

    def cross_table(self) -> Markup:
        """The primary measure of each pair."""
        contest = self._report.contest
        found = {(h.entrant, h.opponent): h for h in self._report.head_to_head}
        results = {pair: _primary(contest, h) for pair, h in found.items()}
        even = 0.5 if contest.measure is Measure.WIN_RATE else 0.0
        reach = max((abs(e.value - even) for e in results.values() if e is not None), default=0)
        if contest.measure is Measure.WIN_RATE:
            reach = max(reach, 0.1)
        is_small = len(self.order) > plots.CROSS_LARGE_MAX

        def cell(row: int, column: int) -> plots.Cell | None:
            result = results.get((row, column))
            if result is None:
                return None
            if contest.measure is Measure.WIN_RATE:
                text = texts.number(100 * result.value, 0 if is_small else 1)
                value, bounds = texts.percent(result.value), texts.interval(result, 1, "%", 100)
            else:
                text = texts.number(result.value, 1 if is_small else 2)
                value, bounds = texts.number(result.value, 2), texts.interval(result, 2)
            return plots.Cell(
                text,
                (result.value - even) / reach if reach else 0.0,
                f"{self.name(row)} against {self.name(column)}: "
                f"{value} ({bounds or 'no interval'})",
                result.low is not None
                and result.high is not None
                and not result.low <= even <= result.high,
            )

        cells = [[cell(row, column) for column in self.order] for row in self.order]
        if not any(one for line in cells for one in line):
            return Markup()
        title = "Cross table: win rate in percent" if even else "Cross table: mean score"
        return plots.cross_table(title, [self.name(e) for e in self.order], cells)

    def histograms(self) -> list[Markup]:
        """The distribution of scores of each entrant."""
        found = {d.entrant: d.bins for d in self._report.score_distributions if d.bins}
        means = {s.entrant: s.score.value for s in self.standings if s.score is not None}
        edges = [edge for bins in found.values() for one in bins for edge in (one.low, one.high)]
        shares = [
            one.count / total
            for bins in found.values()
            if (total := sum(one.count for one in bins))
            for one in bins
        ]
        share_max = plots.nice_ceiling(max(shares, default=0) or 1)
        return [
            plots.histogram(
                self.name(entrant),
                found[entrant],
                span=(min(edges), max(edges)),
                share_max=share_max,
                mean=means.get(entrant),
            )
            for entrant in self.order
            if entrant in found
        ]


def _by_rank(standing: Standing) -> tuple[float, int]:
    return (math.inf if standing.rank is None else standing.rank, standing.entrant)


def _estimates(standing: Standing) -> tuple[Estimate | None, ...]:
    return standing.win_rate, standing.score, standing.rating


def _primary(contest: Contest, of: Standing | HeadToHead) -> Estimate | None:
    return of.win_rate if contest.measure is Measure.WIN_RATE else of.score


def _tick(value: float) -> str:
    return f"{value:.6g}".replace("-", texts.MINUS)


def _percent_tick(value: float) -> str:
    return f"{_tick(100 * value)}%"


def _time_tick(ms: float) -> str:
    return f"{_tick(ms)} ms" if ms < 1000 else f"{_tick(ms / 1000)} s"
