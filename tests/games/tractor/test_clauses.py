"""The packaged clause texts: every clause that code cites has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier_server.games.tractor.options import SPECS
from tests.games.tractor.strategies import GAME

NUMBERS = {1: 3, 2: 3, 3: 7, 4: 3, 5: 5, 6: 5, 7: 3, 9: 6, 11: 5}


def test_every_clause_has_a_text() -> None:
    """T-1.1 to T-11.5; T-8 and T-10 are not divided."""
    expected = [
        f"T-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert sorted(GAME.clauses()) == sorted([*expected, "T-8", "T-10"])
    for clause, text in GAME.clauses().items():
        assert len(text) > 25, clause
        assert text == " ".join(text.split())
        assert text.endswith(".")


def test_every_clause_cited_in_a_refusal_or_option_exists(root: Path) -> None:
    cited = {spec.clause for spec in SPECS}
    for path in (root / "server" / "croupier_server" / "games" / "tractor").glob("*.py"):
        cited |= set(re.findall(r'"(T-\d+(?:\.\d+)?)"', path.read_text(encoding="utf-8")))
    assert len(cited) > 15
    assert cited <= set(GAME.clauses())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_option_is_named_in_the_rules(spec: object) -> None:
    """By name in some clause, and each of its words in the clauses too."""
    name, values = spec.name, spec.values  # type: ignore[attr-defined]
    rules = " ".join(GAME.clauses().values())
    assert f"`{name}`" in rules
    plain = {"true", "false", "none", "auto"}
    for value in set(values) - plain:
        assert re.search(rf"\b{re.escape(value)}\b", rules), (name, value)
