"""The packaged clause texts: every clause that code cites has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier_server.games.pokex.rulesets import SPECS
from tests.games.pokex.table import GAME

NUMBERS = {1: 3, 2: 4, 3: 2, 4: 4, 5: 3, 6: 5}


def test_every_clause_has_a_text() -> None:
    """P-1.1 to P-6.5; P-7 is not divided."""
    expected = [
        f"P-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert list(GAME.clauses()) == [*expected, "P-7"]
    for clause, text in GAME.clauses().items():
        assert len(text) > 25, clause
        assert text == " ".join(text.split())
        assert text.endswith(".")


def test_every_clause_cited_in_a_refusal_or_option_exists(root: Path) -> None:
    cited = {spec.clause for spec in SPECS}
    for path in (root / "server" / "croupier_server" / "games" / "pokex").glob("*.py"):
        cited |= set(re.findall(r"P-\d+(?:\.\d+)?", path.read_text(encoding="utf-8")))
    assert len(cited) > 15
    whole = {f"P-{part}" for part in NUMBERS}
    assert cited <= set(GAME.clauses()) | whole


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_option_is_named_in_the_rules(spec: object) -> None:
    """By name in some clause, and each of its words in the clauses too."""
    name, values = spec.name, spec.values  # type: ignore[attr-defined]
    rules = " ".join(GAME.clauses().values())
    assert f"`{name}`" in rules
    for value in set(values) - {"true", "false", "none"}:
        assert re.search(rf"\b{re.escape(value)}\b", rules), (name, value)


def test_a_deal_of_nobody_that_scores_nothing_is_told() -> None:
    """P-2.4: both sides score as opponents, which with `opponents_score` none is nothing."""
    assert "with `opponents_score` none neither scores" in GAME.clauses()["P-2.4"]
