"""The packaged clause texts: every clause of the rules of record has one."""

from __future__ import annotations

import pytest

from tests.games.tongits.kit import GAME

NUMBERS = {1: 3, 2: 5, 3: 5, 5: 6, 6: 4}


def test_every_clause_is_told() -> None:
    """G-1.1 to G-6.4; G-4, G-7, G-8 and G-9 are not divided."""
    expected = [
        f"G-{part}.{number}" for part, top in NUMBERS.items() for number in range(1, top + 1)
    ]
    assert sorted(GAME.clauses()) == sorted([*expected, "G-4", "G-7", "G-8", "G-9"])


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("G-5.2", "nobody may call in their own first turn of the deal"),
        ("G-5.2", "on an own meld in the last turn, even with a discard just taken"),
        ("G-5.2", "each knowing the answers before"),
        ("G-5.5", "(G-5.2)"),
        ("G-9", "Nobody may call a draw in their own first turn of a deal"),
        ("G-9", "After a deal without a winner the dealer stays"),
        ("G-6.2", "an ace taken from the discards"),
    ],
)
def test_what_is_easily_lost_is_told(clause: str, words: str) -> None:
    """G-5.2, G-5.5, G-6.2: parentheses of the rules that decide deals."""
    assert words in GAME.clauses()[clause]
