"""Results for other programs: JSON and CSV. Equal input gives equal bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Final

from croupier_server.contest.report.data import NO_FAULTS, Estimate, Outcome, Report
from croupier_server.contest.report.texts import safe

SIGNIFICANT_DIGITS: Final = 9
"""To which numbers that are not whole are rounded, so that the last bits of a sum, which differ
between machines, do not show."""

JSON_FORMAT: Final = "croupier-contest-report/1"
"""Value of the key ``format``. The other keys are the fields of `data.Report`."""

_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001
"""Beginnings of a cell that spreadsheets may evaluate."""


def as_json(report: Report) -> str:
    """*report* as canonical JSON: sorted keys, ASCII, floats of `SIGNIFICANT_DIGITS`.

    Raises:
        ValueError: a number is infinite or not a number.
    """
    value = {"format": JSON_FORMAT, **_fields(report)}
    return json.dumps(value, sort_keys=True, indent=1, allow_nan=False) + "\n"


def csv_files(report: Report) -> dict[str, str]:
    """Tables of *report* by file name, in UTF-8 with a header line.

    Text that a spreadsheet could evaluate as a formula begins with an apostrophe.
    """
    return {
        "standings.csv": _table(_standings(report)),
        "head_to_head.csv": _table(_head_to_head(report)),
        "games.csv": _table(_matches(report)),
    }


def _fields(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: object) -> object:
    match value:
        case float():
            return _rounded(value)
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case tuple():
            return [_plain(one) for one in value]
        case None | bool() | int() | str():
            return value
        case _:
            return _fields(value)


def _rounded(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}") + 0.0  # no negative zero


# Tables -----------------------------------------------------------------------------------------

Row = Sequence[str | float | None]


def _standings(report: Report) -> Iterable[Row]:
    entrants = {entrant.number: entrant for entrant in report.entrants}
    faults = [o for o in Outcome if o not in NO_FAULTS]
    tie_breaks = list(dict.fromkeys(n for s in report.standings for n, _ in s.tie_breaks))
    yield [
        *("rank", "number", "name", "version", "owner", "kind", "labels"),
        *("boards", "matches", "wins", "draws", "losses"),
        *(f"fault_{fault.replace(' ', '_')}" for fault in faults),
        *_headers("win_rate"),
        *_headers("score"),
        *_headers("rating"),
        "points",
        *(f"tie_break_{name}" for name in tie_breaks),
    ]
    for s in report.standings:
        entrant = entrants[s.entrant]
        yield [
            *(s.rank, entrant.number, entrant.name, entrant.version, entrant.owner, entrant.kind),
            " ".join(entrant.labels),
            *(s.boards, s.matches, s.wins, s.draws, s.losses),
            *((s.faults or {}).get(fault, 0) for fault in faults),
            *_bounds(s.win_rate),
            *_bounds(s.score),
            *_bounds(s.rating),
            s.points,
            *(dict(s.tie_breaks).get(name) for name in tie_breaks),
        ]


def _head_to_head(report: Report) -> Iterable[Row]:
    names = {entrant.number: entrant.name for entrant in report.entrants}
    yield [
        *("entrant", "entrant_name", "opponent", "opponent_name"),
        *("boards", "matches", "wins", "draws", "losses"),
        *_headers("win_rate"),
        *_headers("score"),
        "likelihood_of_superiority",
    ]
    for h in report.head_to_head:
        yield [
            *(h.entrant, names[h.entrant], h.opponent, names[h.opponent]),
            *(h.boards, h.matches, h.wins, h.draws, h.losses),
            *_bounds(h.win_rate),
            *_bounds(h.score),
            h.superiority,
        ]


def _matches(report: Report) -> Iterable[Row]:
    names = {entrant.number: entrant.name for entrant in report.entrants}
    seats = max((len(match.seats) for match in report.matches), default=0)
    yield [
        *("number", "board", "outcome", "at_fault", "detail", "record"),
        *(f"seat_{seat}_{what}" for seat in range(seats) for what in ("entrant", "name", "score")),
    ]
    for match in report.matches:
        row: list[str | float | None] = [match.number, match.board, match.outcome]
        row += [" ".join(map(str, match.at_fault)), match.detail, match.record]
        for seat, entrant in enumerate(match.seats):
            row += [entrant, names[entrant], match.scores[seat] if match.scores else None]
        yield row + [None] * (3 * (seats - len(match.seats)))


def _headers(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


def _bounds(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None,) * 3 if estimate is None else (estimate.value, estimate.low, estimate.high)


def _table(rows: Iterable[Row]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = safe(value)
        return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
    return repr(_rounded(value)).removesuffix(".0")
