"""The worked positions, and the runner that `croupier vectors` uses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier_server.vectors import VectorResult, run_file, tally

Vector = dict[str, object]


def run(tmp_path: Path, *vectors: object) -> list[VectorResult]:
    """Run *vectors* as a file of their own."""
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"game": "pokex", "vectors": vectors}), encoding="utf-8")
    return run_file(path)


@pytest.mark.parametrize(
    ("given", "expect"),
    [
        ({"cards": ["8C", "8D", "5S", "5H", "X1"]}, {"category": "FULL_HOUSE"}),
        ({"cards": ["8C", "8D", "5S", "5H", "2S"]}, {"category": "two pair"}),
        ({"cards": ["TS", "JS", "QS", "KS", "AS"]}, {"category": "royal flush"}),
        ({"cards": ["TS", "9S", "8S", "7S", "10S"[1:]]}, None),
        ({"cards": ["9C", "8D", "7S", "6H", "TD"], "wild_rank": 10}, {"wilds_used": 0}),
    ],
)
def test_other_words(tmp_path: Path, given: Vector, expect: Vector | None) -> None:
    """P-5.1: categories and ranks in other words; what is no card fails."""
    vector = {"id": "x", "kind": "hand", "given": given, "expect": expect or {"ranks": []}}
    (result,) = run(tmp_path, vector)
    assert result.passed is (expect is not None)


def test_a_list_means_any_of_its_values(tmp_path: Path) -> None:
    """P-6.2, P-6.3: every combination is a result of its own."""
    options = {"undertrick": ["zero", "minus_bid"], "opponents_score": ["none", "triangle"]}
    vector = {
        "id": "x",
        "kind": "score",
        "options": options,
        "given": {"bid": 3, "taken": 2},
        "expect": {"declarers": 0, "opponents": 0},
    }
    results = run(tmp_path, vector)
    assert [result.passed for result in results] == [True, False, False, False]
    assert tally(results) == (0, 1)


def test_calls_with_their_seats(tmp_path: Path) -> None:
    """P-2.1: a call out of turn is refused."""
    calls: list[object] = [
        {"seat": 1, "bid": 2},
        {"seat": 2, "call": "pass"},
        {"seat": 0, "bid": 3},
    ]
    vector = {"id": "x", "kind": "auction", "given": {"dealer": 0, "calls": calls}}
    (result,) = run(tmp_path, vector | {"expect": {"illegal_at": 2}})
    assert result.passed, result


@pytest.mark.parametrize(
    "vector",
    [
        {"id": "x", "kind": "weather", "given": {}, "expect": {}},
        {"id": "x", "given": {}, "expect": {}},
        {"id": "x", "kind": "score", "given": {"bid": 1, "taken": 2}},
        {"id": "x", "kind": "score", "given": {"bid": 1}, "expect": {"declarers": 0}},
        {"id": "x", "kind": "score", "given": {"bid": 1, "taken": 2}, "expect": {"gifts": 3}},
        {"id": "x", "kind": "hand", "given": {"cards": ["2S", "3S"]}, "expect": {"ranks": []}},
        {
            "id": "x",
            "kind": "score",
            "options": {"bids": 2},
            "given": {"bid": 1, "taken": 2},
            "expect": {"declarers": 2},
        },
        ["no", "vector"],
    ],
)
def test_what_cannot_be_run_fails(tmp_path: Path, vector: object) -> None:
    (result,) = run(tmp_path, vector)
    assert not result.passed
    assert result.actual


def test_tricks_that_count_for_nobody(tmp_path: Path) -> None:
    """P-4.3: under `tied_trick` nobody; `void` tells how many there were."""
    for name in ("void", "tied", "nobody"):
        given = {"bid": 3, "taken": 3, name: 2}
        vector: Vector = {"id": "x", "kind": "score", "given": given, "expect": {"opponents": 1}}
        vector["options"] = {"opponents_score": "one_per_trick"}
        (result,) = run(tmp_path, vector)
        assert result.passed, result.actual


def test_a_fact_that_no_rule_reads_fails(tmp_path: Path) -> None:
    given = {"bid": 3, "taken": 3, "takn": 4}
    vector: Vector = {"id": "x", "kind": "score", "given": given, "expect": {"made": True}}
    results = run(tmp_path, vector)
    assert tally(results) == (0, 1)
    assert "no rule reads given.takn in a position of kind score" in results[-1].actual


def test_facts_of_any_position_need_no_reader(tmp_path: Path) -> None:
    given = {"bid": 3, "taken": 3, "dealer": 1, "leader": 2}
    vector: Vector = {"id": "x", "kind": "score", "given": given, "expect": {"made": True}}
    vector |= {"source": "a book", "note": "easy", "rules": ["P-6.1"]}
    (result,) = run(tmp_path, vector)
    assert result.passed, result.actual


def test_tricks_of_nobody_that_are_told_twice_differently_fail(tmp_path: Path) -> None:
    given = {"bid": 1, "taken": 1, "tied": 0, "void": 1}
    vector: Vector = {"id": "x", "kind": "score", "given": given, "expect": {"made": True}}
    (result,) = run(tmp_path, vector)
    assert not result.passed
    assert "different numbers" in result.actual
