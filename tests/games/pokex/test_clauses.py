"""The packaged clause texts: every clause of the rules of record has one."""

from __future__ import annotations

from tests.games.pokex.table import GAME

NUMBERS = {1: 3, 2: 4, 3: 2, 4: 4, 5: 3, 6: 5}


def test_every_clause_is_told() -> None:
    """P-1.1 to P-6.5; P-7 and P-8 are not divided."""
    expected = [
        f"P-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert list(GAME.clauses()) == [*expected, "P-7", "P-8"]


def test_a_deal_of_nobody_that_scores_nothing_is_told() -> None:
    """P-2.4: both sides score as opponents, which with `opponents_score` none is nothing."""
    assert "with `opponents_score` `none` neither scores" in GAME.clauses()["P-2.4"]
