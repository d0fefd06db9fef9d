"""The worked positions, and what the runner makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croupier_server.vectors import VectorResult, run_file, tally

Vector = dict[str, object]
FILES = ["tongits.json", "tongits_more.json"]


def run(tmp_path: Path, *vectors: Vector) -> list[VectorResult]:
    """Run *vectors* as a file of their own."""
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"game": "tong-its", "vectors": vectors}), encoding="utf-8")
    return run_file(path)


def test_every_option_that_moves_a_position_is_moved(root: Path) -> None:
    """The options of G-1 to G-7 that a single position can show are all exercised."""
    named: set[str] = set()
    for name in FILES:
        content = json.loads((root / "tests" / "vectors" / name).read_text(encoding="utf-8"))
        for vector in content["vectors"]:
            named |= set(vector["options"])
    assert {
        "runs",
        "ace_high_runs",
        "layoff",
        "hand_melds",
        "secret_fours",
        "secret_open",
        "discard_take",
        "discard_after_take",
        "draw_call",
        "draw_block_scope",
        "draw_block_self_layoff",
        "draw_block_discard_taken",
        "nobody_open",
        "next_dealer",
        "fought_scope",
        "special_pays",
        "fold_penalty",
        "pay",
        "ante",
        "ante_timing",
        "streak_after_jackpot",
    } <= named


def test_options_of_a_position(tmp_path: Path) -> None:
    """Rulesets by name, sets as lists, figures under ``pay``, several values of one option."""
    meld: Vector = {"kind": "meld", "given": {"cards": ["4H", "5H", "6H"]}}
    by_name = meld | {"ruleset": "document", "expect": {"valid": False}}
    by_option = meld | {"options": {"ruleset": "document"}, "expect": {"valid": False}}
    both = meld | {"options": {"ace_high_runs": [True, False]}, "expect": {"valid": True}}
    no_options = meld | {"options": None, "expect": {"type": "run"}}
    results = run(tmp_path, by_name, by_option, both, no_options)
    assert tally(results) == (4, 0)
    assert [result.options for result in results[2:4]] == [
        "ace_high_runs=true",
        "ace_high_runs=false",
    ]


PLAYERS = [{"count": 9}, {"count": 5}, {"count": 30}]


@pytest.mark.parametrize(
    ("players", "options", "delta"),
    [
        (PLAYERS, {}, [-1, 2, -1]),
        ([PLAYERS[0], {"hand": ["AS", "4D"], "melds": 1}, PLAYERS[2]], {}, [-2, 4, -2]),
        (
            [PLAYERS[0], {"hand": ["AS", "AD", "AH", "AC"], "melds": 1}, PLAYERS[2]],
            {},
            [-8, 16, -8],
        ),
        ([PLAYERS[0], {"count": 5, "melds": [["7H", "7C", "7D"]]}, PLAYERS[2]], {}, [-1, 2, -1]),
        (
            [PLAYERS[0], {"count": 5, "melds": 2}, PLAYERS[2]],
            {"special_pays": ["every_set"]},
            [-7, 14, -7],
        ),
        (
            [PLAYERS[0], {"count": 5, "sets": 3}, PLAYERS[2]],
            {"special_pays": ["every_set"]},
            [-10, 20, -10],
        ),
    ],
)
def test_players_told_by_counts_or_by_hands(
    tmp_path: Path, players: list[object], options: Vector, delta: list[int]
) -> None:
    """G-6: what is left out is neutral; a hand stands for its counts."""
    settle: Vector = {
        "kind": "settle",
        "given": {"end": "stock", "last_drawer": 0, "players": players},
        "options": options,
        "expect": {"delta": {str(seat): chips for seat, chips in enumerate(delta)}, "burned": []},
    }
    (result,) = run(tmp_path, settle)
    assert result.passed, result


@pytest.mark.parametrize(
    "vector",
    [
        {"kind": "weather", "given": {}, "expect": {}},
        {"kind": "meld", "expect": {"valid": True}},
        {"kind": "meld", "given": {"cards": ["H4"]}, "expect": {"valid": False}},
        {"kind": "meld", "given": {"cards": "4H"}, "expect": {"valid": False}},
        {"kind": "meld", "given": {"cards": ["4H"]}, "expect": {"color": "red"}},
        {"kind": "meld", "given": {"cards": ["4H"]}, "options": {"pay": 3}, "expect": {}},
        {"kind": "meld", "given": {"cards": ["4H"]}, "options": {"packs": 3}, "expect": {}},
        {"kind": "meld", "given": {"cards": ["4H"]}},
        {
            "kind": "take_discard",
            "given": {"top": "7S", "hand": [], "own_melds": [["7H", "8C"]]},
            "expect": {"legal": False},
        },
        {
            "kind": "winner",
            "given": {"end": "rain", "players": PLAYERS},
            "expect": {"winner": 0},
        },
        {
            "kind": "winner",
            "given": {"end": "stock", "last_drawer": 0, "players": PLAYERS[:2]},
            "expect": {"winner": 0},
        },
        ["no", "vector"],
    ],
)
def test_what_cannot_be_run_fails(tmp_path: Path, vector: Vector) -> None:
    (result,) = run(tmp_path, vector)
    assert not result.passed
    assert result.actual


@pytest.mark.parametrize(
    ("options", "paid"),
    [
        ({}, 6),  # a secret four
        ({"ruleset": "document"}, 6),  # a meld turned down, as every set is paid
    ],
)
def test_sets_that_lie_face_down(tmp_path: Path, options: dict[str, object], paid: int) -> None:
    """G-3.3, G-3.4, G-6.2: `face_down_sets` are secret fours, or melds that were turned down."""
    players = [{"count": 0, "melds": 0, "face_down_sets": 1}, {"count": 9}, {"count": 9}]
    given = {"end": "tongits", "by": 0, "players": players}
    vector: Vector = {"id": "x", "kind": "settle", "options": options, "given": given}
    vector["expect"] = {"delta": {"0": 2 * paid, "1": -paid, "2": -paid}}
    (result,) = run(tmp_path, vector)
    assert result.passed, result.actual


def test_a_fact_inside_another_that_no_rule_reads_fails(tmp_path: Path) -> None:
    players = [{"count": 0}, {"count": 9, "chips": 3}, {"count": 9}]
    given = {"end": "tongits", "by": 0, "players": players}
    vector: Vector = {
        "id": "x",
        "kind": "winner",
        "options": {},
        "given": given,
        "expect": {"winner": 0},
    }
    results = run(tmp_path, vector)
    assert tally(results) == (0, 1)
    assert "no rule reads given.players[1].chips" in results[-1].actual
