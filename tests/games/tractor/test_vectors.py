"""The worked positions, and the runner that `croupier vectors` uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier_server.vectors import VectorResult, run_file, tally

Vector = dict[str, object]


def run(tmp_path: Path, *vectors: Vector) -> list[VectorResult]:
    """Run *vectors* as a file of their own."""
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"game": "tractor", "vectors": vectors}), encoding="utf-8")
    return run_file(path)


THREE_PACKS: list[Vector] = [
    {
        "kind": "classify",
        "cards": ["S5", "S5", "S5"],
        "expected": {"type": "tuple", "width": 3},
    },
    {
        "kind": "classify",
        "cards": ["S5", "S5", "S5", "S6", "S6", "S6"],
        "expected": {"type": "tractor", "width": 3, "length": 2},
    },
    {
        "kind": "follow",
        "hand": ["S3", "S3", "S3", "S9"],
        "led": ["S5", "S5"],
        "followed": ["S3", "S9"],
        "expected": {"legal": False, "reason": "MUST_FOLLOW_PAIR", "clause": "T-6.4"},
    },
    {
        "kind": "classify",
        "cards": ["S5", "D5"],
        "expected": {"type": "illegal", "clause": "T-5.4"},
    },
]


@pytest.mark.parametrize("vector", THREE_PACKS)
def test_wider_tuples_and_reasons(tmp_path: Path, vector: Vector) -> None:
    given: Vector = {"id": "x", "options": {}, "trump_suit": "H", "trump_rank": "2", "decks": 3}
    (result,) = run(tmp_path, given | vector)
    assert result.passed, result


def test_penalties_of_throws(tmp_path: Path) -> None:
    """T-8: with every rule, of the cards taken back and of those that failed."""
    throw: Vector = {
        "id": "x",
        "kind": "throw",
        "trump_suit": "H",
        "trump_rank": "2",
        "cards": ["SA", "S9", "S5", "S5"],
        "others": [["S8", "S8", "SK"], [], []],
    }
    for rule, penalty in (
        ("none", 0),
        ("ten_per_throw", 10),
        ("ten_per_card_withdrawn", 30),
        ("ten_per_failed_card", 30),
    ):
        expected = {"valid": False, "played": ["S9"], "penalty": penalty}
        told = throw | {"options": {"throw_penalty": rule}, "expected": expected}
        (result,) = run(tmp_path, told)
        assert result.passed, result


def test_taken_back_cards_may_be_named_or_counted(tmp_path: Path) -> None:
    """T-8: ``withdrawn`` is a list of cards or their number."""
    throw: Vector = {
        "id": "x",
        "kind": "throw",
        "trump_suit": "H",
        "trump_rank": "2",
        "cards": ["SA", "S5", "S5"],
        "others": [["S8", "S8"]],
    }
    for withdrawn, passes in ((1, True), (["SA"], True), (2, False), (["S5"], False)):
        (result,) = run(tmp_path, throw | {"expected": {"withdrawn": withdrawn}})
        assert result.passed is passes


def test_two_packs_unless_the_position_says_otherwise(tmp_path: Path) -> None:
    """T-9.3 at a table of six; the sizes of a deal are those of its standard packs (T-1.2)."""
    score: Vector = {"id": "x", "kind": "score", "options": None, "players": 6, "points": 120}
    (result,) = run(tmp_path, score | {"expected": {"levels": 1, "deal_won_by": "opponents"}})
    assert result.passed
    deal: Vector = {"id": "y", "kind": "deal", "players": 6, "expected": {"cards": 162}}
    (result,) = run(tmp_path, deal)
    assert result.passed


def test_a_list_means_any_of_its_values(tmp_path: Path) -> None:
    kitty: Vector = {
        "id": "x",
        "kind": "kitty",
        "trump_suit": "H",
        "trump_rank": "2",
        "last_trick_lead": ["SA", "SA"],
        "kitty": ["HK"],
        "last_trick_won_by": "opponents",
        "expected": {"multiplier": 4},
    }
    rules = ["2x_largest_component", "2x_trick_size", "2x_flat"]
    results = run(tmp_path, kitty | {"options": {"kitty_multiplier": rules}})
    assert [result.passed for result in results] == [True, True, False]
    assert tally(results) == (0, 1)
    assert results[2].options == "kitty_multiplier=2x_flat"
    levels: Vector = {
        "id": "y",
        "kind": "advance",
        "options": {"mandatory_levels": ["5", "T"], "level_cap": ["none", 3]},
        "level": "4",
        "levels_won": 5,
        "role": "opponents",
        "expected": {"level": "5", "game_over": False},
    }
    assert tally(run(tmp_path, levels)) == (1, 0)
    assert len(run(tmp_path, levels)) == 2


@pytest.mark.parametrize(
    "vector",
    [
        {"id": "x", "kind": "weather", "expected": {}},
        {"id": "x", "expected": {}},
        {"id": "x", "kind": "score", "points": 5},
        {"id": "x", "kind": "score", "points": "5", "expected": {"levels": 2}},
        {"id": "x", "kind": "score", "options": {"packz": 2}, "points": 5, "expected": {}},
        {"id": "x", "kind": "score", "decks": 9, "points": 5, "expected": {"levels": 2}},
        {
            "id": "x",
            "kind": "effective_suit",
            "trump_suit": "C",
            "trump_rank": "7",
            "card": "7H",
            "expected": "T",
        },
        {"id": "x", "kind": "deal", "players": 4, "decks": 2, "expected": {"cards_a_hand": 25}},
        ["no", "vector"],
    ],
)
def test_what_cannot_be_run_fails(tmp_path: Path, vector: Vector) -> None:
    (result,) = run(tmp_path, vector)
    assert not result.passed
    assert result.actual


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"game": "whist", "vectors": []}', '{"game": "tractor"}', "{"]
)
def test_what_is_no_file_of_positions(tmp_path: Path, content: str) -> None:
    path = tmp_path / "vectors.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"positions|Expecting"):
        run_file(path)


def test_a_fact_that_no_rule_reads_fails(tmp_path: Path) -> None:
    vector: Vector = {
        "id": "x",
        "kind": "effective_suit",
        "options": {},
        "card": "S7",
        "expected": "S",
    }
    facts: Vector = {"trump_suit": "H", "trump_rank": "2", "kitty": ["H5"]}
    assert tally(run(tmp_path, vector | facts)) == (1, 0)
    results = run(tmp_path, vector | facts | {"colour": "black"})
    assert tally(results) == (0, 1)
    assert "no rule reads colour in a position of kind effective_suit" in results[-1].actual
