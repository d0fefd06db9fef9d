"""Every clause of the rules is told in the catalogue and cited by a test; code cites no others.

A test cites a clause by its id, such as ``X-2.3``, in its name's docstring, in a comment or in a
case, anywhere in ``tests/games/<game>`` or in the vectors of the game.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croupier_server.games.registry import find
from tests.conformance.subjects import NAMES

CLAUSE = re.compile(r"\b[A-Z]-\d+(?:\.\d+)?\b")


def cited(root: Path, name: str) -> set[str]:
    """Ids of clauses in the tests of a game."""
    files = [
        *(root / "tests/games" / name).rglob("*"),
        *(root / "tests/vectors").glob(f"{name}*.json"),
    ]
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix not in (".pyc", "")]
    return {clause for text in texts for clause in CLAUSE.findall(text)}


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_cited_by_a_test(name: str, root: Path) -> None:
    assert set(find(name).clauses()) - cited(root, name) == set()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", ["tests", "code"])
def test_only_clauses_that_exist_are_cited(name: str, source: str, root: Path) -> None:
    """Of the game's own letter; a whole section may be cited too, as ``X-2``."""
    clauses = set(find(name).clauses())
    sections = {clause.partition(".")[0] for clause in clauses}
    letters = {clause[0] for clause in clauses}
    folder = root / "server/croupier_server/games" / name
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.py")]
    found = cited(root, name) if source == "tests" else set(CLAUSE.findall("".join(texts)))
    own = {clause for clause in found if clause[0] in letters}
    assert len(own) > len(sections)
    assert own <= clauses | sections


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_a_text(name: str) -> None:
    for clause, text in find(name).clauses().items():
        assert len(text) > 25, clause
        assert text == " ".join(text.split())
        assert text.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_on_the_page_of_its_game(name: str, root: Path) -> None:
    """``docs/rules/<game>.md``, for those who read no code."""
    page = " ".join((root / f"docs/rules/{name}.md").read_text(encoding="utf-8").split())
    for clause, text in find(name).clauses().items():
        assert f"**{clause}** {text}" in page


@pytest.mark.parametrize("name", NAMES)
def test_clauses_of_options_are_those_of_the_rules(name: str) -> None:
    """Every option cites a clause, and that clause speaks of the option by its name; its values are
    told in the clauses too."""
    game = find(name)
    clauses = game.clauses()
    rules = " ".join(clauses.values())
    for spec in game.option_specs():
        assert f"`{spec.name}`" in clauses[spec.clause], f"{spec.clause} is silent on {spec.name}"
        for value in set(spec.values) - {"true", "false", "none", "auto"}:
            assert re.search(rf"\b{re.escape(value)}\b", rules), (spec.name, value)
