"""Results of a contest as tables for people and as data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from croupier_server.contest.pairing import round_robin
from croupier_server.contest.results import MatchResult, Outcome, Tally, of_entrant, of_pairing
from croupier_server.contest.statistics.intervals import VALUES_MIN, Interval
from croupier_server.games.modules import MODULES
from croupier_server.printable import printable

if TYPE_CHECKING:
    from croupier_server.contest.arena import Setting

Data = dict[str, object]


def print_tables(setting: Setting, results: list[MatchResult], folder: Path) -> None:
    """Print who is ahead of whom, and where the records are."""
    console = Console(highlight=False)
    totals = [(of_entrant(n, results), _label(e.name)) for n, e in enumerate(setting.entrants)]
    totals.sort(key=lambda row: row[0].score.mean if row[0].score else float("-inf"), reverse=True)
    title = f"{setting.game}, ruleset {setting.ruleset}, seed {setting.seed}"
    console.print(_table(title, ("bot",), [((name,), tally) for tally, name in totals]))
    if len(setting.entrants) > 2:
        pairs = [
            (
                tuple(_label(setting.entrants[number].name) for number in pairing),
                of_pairing(pairing, results),
            )
            for pairing in round_robin(len(setting.entrants))
        ]
        console.print(_table("each pair", ("bot", "against"), pairs))
    if any(tally.faults for tally, _ in totals):
        console.print(_fault_table(totals))
    boards = len({result.match.board for result in results if result.score is not None})
    over = f"{boards} board{'' if boards == 1 else 's'}"
    what = MODULES[setting.game].teller.score
    print(f"score: {what} per match; intervals by Student's t over {over}")
    if any(tally.faults for tally, _ in totals):
        print("a fault costs the maximum of the remaining deals; see docs/bots.md")
    print(printable(f"records: {folder}"))


def _label(name: str) -> str:
    """The name of a bot as a cell: nothing in it is markup, and nothing steers the terminal."""
    return escape(printable(name))


def _fault_table(totals: list[tuple[Tally, str]]) -> Table:
    """How many matches each bot has lost by faults of each kind."""
    kinds = [kind for kind in Outcome if any(kind in tally.faults for tally, _ in totals)]
    table = Table(title="faults", title_justify="left")
    table.add_column("bot")
    for kind in kinds:
        table.add_column(kind.replace("_", " "), justify="right")
    for tally, name in totals:
        if tally.faults:
            table.add_row(name, *(str(tally.faults.get(kind, 0)) for kind in kinds))
    return table


def _table(
    title: str, heads: tuple[str, ...], rows: Sequence[tuple[tuple[str, ...], Tally]]
) -> Table:
    """Who is ahead, one row a tally; without columns for faults and failures where there are none,
    so that it fits a narrow terminal."""
    counts: list[tuple[str, list[int]]] = [
        ("matches", [tally.matches for _, tally in rows]),
        ("won", [tally.wins for _, tally in rows]),
        ("drawn", [tally.draws for _, tally in rows]),
        ("lost", [tally.losses for _, tally in rows]),
        ("faults", [sum(tally.faults.values()) for _, tally in rows]),
        ("failed", [tally.failed for _, tally in rows]),
    ]
    shown = [
        (head, values) for head, values in counts if any(values) or head not in ("faults", "failed")
    ]
    table = Table(title=title, title_justify="left")
    for head in heads:
        table.add_column(head)
    for head in (*(head for head, _ in shown), "score", "95% interval"):
        table.add_column(head, justify="right")
    for number, (names, tally) in enumerate(rows):
        own = (str(values[number]) for _, values in shown)
        table.add_row(*names, *own, *_score(tally.score))
    return table


def _score(score: Interval | None) -> tuple[str, str]:
    if score is None:
        return "-", "-"
    if score.low is None or score.high is None:
        why = "too few boards" if score.values < VALUES_MIN else "no spread"
        return f"{score.mean:+.2f}", why
    return f"{score.mean:+.2f}", f"{score.low:+.2f} to {score.high:+.2f}"


def as_data(setting: Setting, planned: int, results: list[MatchResult], folder: Path) -> Data:
    """Everything that the tables say, and every match."""
    names = [entrant.name for entrant in setting.entrants]
    return {
        "game": setting.game,
        "ruleset": setting.ruleset,
        "seed": setting.seed,
        "folder": str(folder),
        "planned": planned,
        "entrants": [
            {"name": e.name, "spec": e.spec, **_tally_data(of_entrant(number, results))}
            for number, e in enumerate(setting.entrants)
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
                "seats": [names[number] for number in result.match.players],
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
