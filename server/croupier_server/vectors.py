"""Files of worked positions: read, sent to the game that they are about, and told as results.

A game says in its `GameModule` how it runs them; this module knows files and nothing of rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from croupier_server.games.module import Positions
from croupier_server.games.modules import MODULES
from croupier_server.games.positions import Facts, Json, Noted

_META: Final = frozenset(
    ("comment", "desc", "expect", "expected", "id", "note", "options", "rules", "source", "title")
)
"""Facts of a position that say what it is, and not from what it starts."""


class VectorResult(NamedTuple):
    """How one position came out under one choice of its options.

    Attributes:
        place: of the position in its file, from 0.
        id: of the position in its file.
        kind: of position.
        description: what it is about, in words.
        options: the options chosen, as text; empty for the standard ones.
        expected: what the file says.
        actual: what the rules say, or why they say nothing.
        passed: both are equal.
    """

    place: int
    id: str
    kind: str
    description: str
    options: str
    expected: str
    actual: str
    passed: bool


def run_file(path: Path) -> list[VectorResult]:
    """Run every position of the file at *path*; one result a position and choice of options.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no file of positions of a known game.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply to be a file of positions") from None
    facts = content if isinstance(content, dict) else {}
    vectors, game = facts.get("vectors"), _positions(str(facts.get("game")))
    if game is None or not isinstance(vectors, list):
        raise ValueError(f"{path} holds no list of positions of a known game")
    return [
        result for place, vector in enumerate(vectors) for result in _run_one(game, place, vector)
    ]


def tally(results: list[VectorResult]) -> tuple[int, int]:
    """How many positions passed under all choices of their options, and how many failed."""
    verdicts: dict[int, bool] = {}
    for result in results:
        verdicts[result.place] = verdicts.get(result.place, True) and result.passed
    passed = sum(verdicts.values())
    return passed, len(verdicts) - passed


def _positions(game: str) -> Positions | None:
    """How positions of the game with this name, or this title in lower case, are run."""
    for name, module in MODULES.items():
        if game in (name, module.wire.title.lower()):
            return module.positions
    return None


def _run_one(game: Positions, place: int, vector: Facts) -> Iterator[VectorResult]:
    if not isinstance(vector, dict):
        yield VectorResult(place, "?", "?", "", "", "a position", repr(vector), passed=False)
        return
    told = (
        place,
        str(vector.get("id", "?")),
        str(vector.get("kind", "?")),
        str(vector.get("desc", vector.get("note", ""))),
    )
    facts = Noted(vector)
    try:
        for options, expected, actual in game.run(facts):
            yield VectorResult(
                *told, options, _text(expected), _text(actual), passed=expected == actual
            )
        if unread := facts.unread(game.context, _META):
            raise LookupError(
                f"no rule reads {', '.join(unread)} in a position of kind {told[2]}; "
                "correct the name, or leave it out"
            )
    except Exception as problem:  # facts of a file, which may be anything
        why = f"{type(problem).__name__}: {problem}"
        yield VectorResult(
            *told, "", _text(vector.get("expected", vector.get("expect"))), why, passed=False
        )


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)
