"""The standings of a contest on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from croupier_server.printable import printable

if TYPE_CHECKING:
    from croupier_server.contest.report.data import Estimate, Report


def print_standings(report: Report) -> None:
    """Print how far the contest is, and its standings, best first."""
    Console(highlight=False).print(standings_table(report))
    contest = report.contest
    print(f"score: {contest.score} per board; {contest.confidence:.0%} intervals over boards")
    if contest.verdict:
        print(printable(contest.verdict))


def standings_table(report: Report) -> Table:
    """The standings as a table that fits 80 columns for short names."""
    contest = report.contest
    names = {entrant.number: entrant.name for entrant in report.entrants}
    title = (
        f"{contest.name}: {contest.game}, {contest.format.value}, {contest.boards_form.value}, "
        f"{contest.boards} boards, {contest.status.value}"
    )
    table = Table(title=escape(printable(title)), title_justify="left")
    has_faults = any(standing.faults for standing in report.standings)
    has_points = any(standing.points is not None for standing in report.standings)
    table.add_column("#", justify="right")
    table.add_column("entrant")
    heads = ["points"] * has_points + ["boards", "W-D-L"] + ["faults"] * has_faults
    for head in (*heads, "win rate", "score", "rating"):
        table.add_column(head, justify="right")
    for one in report.standings:
        cells = ["" if one.points is None else f"{one.points:g}"] * has_points
        cells += [str(one.boards), f"{one.wins}-{one.draws}-{one.losses}"]
        cells += [str(sum((one.faults or {}).values()))] * has_faults
        rate = one.win_rate
        table.add_row(
            "" if one.rank is None else str(one.rank),
            escape(printable(names[one.entrant])),
            *cells,
            "-" if rate is None else _share(rate),
            "-" if one.score is None else _around(one.score, "{:+.2f}"),
            "-" if one.rating is None else _around(one.rating, "{:.0f}"),
        )
    return table


def _share(found: Estimate) -> str:
    """A share in percent with its interval, which is not symmetric."""
    text = f"{found.value:.1%}"
    if found.low is None or found.high is None:
        return text
    return f"{text} ({100 * found.low:.0f}-{100 * found.high:.0f})"


def _around(found: Estimate, form: str) -> str:
    """An estimate with its symmetric interval."""
    text = form.format(found.value)
    if found.high is None:
        return text
    return f"{text} ±{form.format(found.high - found.value).lstrip('+')}"
