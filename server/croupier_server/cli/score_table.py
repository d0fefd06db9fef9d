"""Results of a contest as tables for people and as data for programs.

Must not be put here: the mathematics, which is `contest.results`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from croupier_server.cli.narrator import TELLERS
from croupier_server.contest.pairing import round_robin
from croupier_server.contest.results import (
    VALUES_MIN,
    Interval,
    MatchResult,
    Outcome,
    Tally,
    of_entrant,
    of_pairing,
)
from croupier_server.printable import printable

if TYPE_CHECKING:
    from croupier_server.contest.runner import Plan

Data = dict[str, object]


def print_tables(plan: Plan, results: list[MatchResult], folder: Path) -> None:
    """Print who is ahead of whom, and where the records are."""
    console = Console(highlight=False)
    totals = [(of_entrant(n, results), _label(e.name)) for n, e in enumerate(plan.entrants)]
    totals.sort(key=lambda row: row[0].score.mean if row[0].score else float("-inf"), reverse=True)
    table = _new_table(f"{plan.game}, ruleset {plan.ruleset}, seed {plan.seed}", ("bot",))
    for tally, name in totals:
        table.add_row(name, *_cells(tally))
    console.print(table)
    if len(plan.entrants) > 2:
        table = _new_table("each pair", ("bot", "against"))
        for pairing in round_robin(len(plan.entrants)):
            names = (_label(plan.entrants[number].name) for number in pairing)
            table.add_row(*names, *_cells(of_pairing(pairing, results)))
        console.print(table)
    if any(tally.faults for tally, _ in totals):
        console.print(_fault_table(totals))
    boards = len({result.match.board for result in results if result.score is not None})
    over = f"{boards} board{'' if boards == 1 else 's'}"
    what = TELLERS[plan.game].score
    print(f"score: {what}, a match; intervals by Student's t over {over}")
    print(printable(f"records: {folder}"))


def _label(name: str) -> str:
    """The name of a bot as a cell: nothing in it is markup, and nothing steers the terminal."""
    return escape(printable(name))


def _fault_table(totals: list[tuple[Tally, str]]) -> Table:
    """How many matches each bot has lost by faults of each kind."""
    kinds = [kind for kind in Outcome if any(kind in tally.faults for tally, _ in totals)]
    table = Table(title="matches lost by faults", title_justify="left")
    table.add_column("bot")
    for kind in kinds:
        table.add_column(kind.replace("_", " "), justify="right")
    for tally, name in totals:
        if tally.faults:
            table.add_row(name, *(str(tally.faults.get(kind, 0)) for kind in kinds))
    return table


def _new_table(title: str, names: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name)
    for name in ("matches", "won", "drawn", "lost", "faults", "failed", "score", "95% interval"):
        table.add_column(name, justify="right")
    return table


def _cells(tally: Tally) -> list[str]:
    faults = sum(tally.faults.values())
    counts = (tally.matches, tally.wins, tally.draws, tally.losses, faults, tally.failed)
    return [*map(str, counts), *_score(tally.score)]


def _score(score: Interval | None) -> tuple[str, str]:
    if score is None:
        return "-", "-"
    if score.low is None or score.high is None:
        why = "too few boards" if score.values < VALUES_MIN else "all boards equal"
        return f"{score.mean:+.2f}", why
    return f"{score.mean:+.2f}", f"{score.low:+.2f} to {score.high:+.2f}"


def as_data(plan: Plan, results: list[MatchResult], folder: Path) -> Data:
    """Everything that the tables say, and every match."""
    names = [entrant.name for entrant in plan.entrants]
    return {
        "game": plan.game,
        "ruleset": plan.ruleset,
        "seed": plan.seed,
        "folder": str(folder),
        "planned": len(plan.matches),
        "entrants": [
            {"name": e.name, "spec": e.spec, **_tally_data(of_entrant(number, results))}
            for number, e in enumerate(plan.entrants)
        ],
        "pairings": [
            {
                "entrants": [names[number] for number in pairing],
                **_tally_data(of_pairing(pairing, results)),
            }
            for pairing in round_robin(len(names))
        ],
        "matches": [
            {
                "board": result.match.board + 1,
                "seats": [names[result.match.entrant_of_team(team)] for team in plan.teams],
                "table_id": result.table_id,
                "entrant": names[result.match.pairing.first],
                "outcome": result.outcome,
                "at_fault": [names[number] for number in result.at_fault],
                "score": result.score,
                "reason": result.reason,
                "detail": result.detail,
                "record": result.record,
            }
            for result in results
        ],
    }


def _tally_data(tally: Tally) -> Data:
    score = tally.score
    return {
        "matches": tally.matches,
        "won": tally.wins,
        "drawn": tally.draws,
        "lost": tally.losses,
        "faults": tally.faults,
        "failed": tally.failed,
        "score": None if score is None else score.mean,
        "interval": None if score is None else [score.low, score.high],
        "boards": 0 if score is None else score.values,
    }
