"""The packaged clause texts: every clause of the rules of record has one."""

from __future__ import annotations

from tests.games.tractor.strategies import GAME

NUMBERS = {1: 3, 2: 3, 3: 7, 4: 3, 5: 5, 6: 5, 7: 3, 9: 6, 11: 5}


def test_every_clause_is_told() -> None:
    """T-1.1 to T-11.5; T-8, T-10 and T-12 are not divided."""
    expected = [
        f"T-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert sorted(GAME.clauses()) == sorted([*expected, "T-8", "T-10", "T-12"])
