"""The packaged clause texts: every clause that code cites has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier_server.games.tongits.rulesets import SPECS
from tests.games.tongits.kit import GAME

NUMBERS = {1: 3, 2: 5, 3: 5, 5: 6, 6: 4}


def test_every_clause_has_a_text() -> None:
    """G-1.1 to G-6.4; G-4, G-7 and G-8 are not divided."""
    expected = [
        f"G-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert sorted(GAME.clauses()) == sorted([*expected, "G-4", "G-7", "G-8"])
    for clause, text in GAME.clauses().items():
        assert len(text) > 25, clause
        assert text == " ".join(text.split())
        assert text.endswith(".")


def test_every_clause_cited_in_a_refusal_or_option_exists(root: Path) -> None:
    cited = {spec.clause for spec in SPECS}
    for path in (root / "server" / "croupier_server" / "games" / "tongits").glob("*.py"):
        cited |= set(re.findall(r"\bG-\d+(?:\.\d+)?\b", path.read_text(encoding="utf-8")))
    assert len(cited) > 20
    sections = {f"G-{number}" for number in range(1, 9)}
    assert cited <= set(GAME.clauses()) | sections


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_option_is_named_in_the_rules(spec: object) -> None:
    """By name in the clause that it cites, and each of its words in the clauses too."""
    name, values, clause = spec.name, spec.values, spec.clause  # type: ignore[attr-defined]
    assert f"`{name}`" in GAME.clauses()[clause]
    rules = " ".join(GAME.clauses().values())
    for value in set(values) - {"true", "false"}:
        assert re.search(rf"\b{re.escape(value)}\b", rules), (name, value)


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("G-5.2", "not call in the own first turn of the deal"),
        ("G-5.2", "on an own meld in the last turn, be it with a discard just taken"),
        ("G-5.2", "each knowing the answers before"),
        ("G-5.5", "(G-5.2)"),
        ("G-6.2", "an ace taken from the discards among them"),
    ],
)
def test_what_is_easily_lost_is_told(clause: str, words: str) -> None:
    """G-5.2, G-5.5, G-6.2: parentheses of the rules that decide deals."""
    assert words in GAME.clauses()[clause]
