"""One whole deal of every ruleset, and numbers of legal sequences, are as they were.

The files in ``tests/golden`` change only by ``scripts/golden.py --update``, in a commit that says
why. A ruleset without its files fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.golden import FOLDERS, paths
from tests.conformance.subjects import CASES

LINES_MAX = 400

HINT = "run scripts/golden.py to see the difference; --update writes it"


@pytest.mark.parametrize(("name", "ruleset"), CASES)
@pytest.mark.parametrize("folder", FOLDERS)
def test_goldens_are_current(name: str, ruleset: str, folder: str, root: Path) -> None:
    """Byte for byte."""
    path = root / "tests/golden" / folder / f"{name}-{ruleset}.txt"
    assert path.exists(), f"{path.name} is missing; {HINT}"
    golden = path.read_text(encoding="utf-8")
    assert FOLDERS[folder](name, ruleset) == golden, HINT


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_playthrough_can_be_read_in_one_sitting(name: str, ruleset: str, root: Path) -> None:
    path = root / "tests/golden/playthroughs" / f"{name}-{ruleset}.txt"
    assert len(path.read_text(encoding="utf-8").splitlines()) < LINES_MAX


def test_there_is_no_golden_of_nothing(root: Path) -> None:
    """Of games and rulesets that are gone."""
    found = set((root / "tests/golden").rglob("*.txt"))
    assert found == {root / path for path in paths()}
