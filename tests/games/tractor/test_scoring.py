"""T-8 and T-9: penalties, kitty, result rows, promotion, next starter, and match scores."""

from __future__ import annotations

import pytest

from croupier_server.games.tractor import scoring
from croupier_server.games.tractor.options import level_text
from tests.games.tractor.strategies import make_options

RANKS = {level_text(rank): rank for rank in range(2, 15)}


@pytest.mark.parametrize(
    ("points", "held", "levels"),
    [
        (0, True, 3),
        (5, True, 2),
        (35, True, 2),
        (40, True, 1),
        (75, True, 1),
        (80, False, 0),
        (115, False, 0),
        (120, False, 1),
        (155, False, 1),
        (160, False, 2),
        (200, False, 3),
        (240, False, 4),
        (275, False, 4),
        (400, False, 8),
    ],
)
def test_result_rows_of_two_packs(points: int, held: bool, levels: int) -> None:
    """T-9.3."""
    assert scoring.judge(points, make_options(), 0) == (held, levels)


@pytest.mark.parametrize("packs", [2, 3, 4, 5, 6])
def test_steps_grow_with_the_packs(packs: int) -> None:
    """T-9.3: a step is 20 points a pack."""
    options, step = make_options(packs=packs), 20 * packs
    expected = {0: (True, 3), 5: (True, 2), step: (True, 1), 2 * step: (False, 0)}
    expected |= {3 * step - 5: (False, 0), 3 * step: (False, 1), 7 * step - 5: (False, 4)}
    for points, row in expected.items():
        assert scoring.judge(points, options, 0) == row


@pytest.mark.parametrize(("cap", "levels"), [("none", 8), ("3", 3), ("4", 4)])
def test_level_cap_bounds_the_opponents_alone(cap: str, levels: int) -> None:
    """T-9.3."""
    options = make_options(level_cap=cap)
    assert scoring.judge(400, options, 0) == (False, levels)
    assert scoring.judge(0, options, 0) == (True, 3)


@pytest.mark.parametrize(
    ("bid", "points", "row"),
    [
        (120, 75, (True, 1)),
        (125, 75, (True, 1)),
        (130, 70, (True, 1)),
        (130, 75, (False, 0)),
        (200, 0, (True, 3)),
        (200, 5, (False, 0)),
        (0, 75, (True, 1)),
        (200, 160, (False, 2)),
    ],
)
def test_contract_must_make(bid: int, points: int, row: tuple[bool, int]) -> None:
    """T-11.4: more than 100 x packs less the bid is the row in which nobody wins a level."""
    assert scoring.judge(points, make_options("document"), bid) == row
    without = make_options("document", contract="none")
    assert scoring.judge(points, without, bid) == scoring.judge(points, without, 0)


@pytest.mark.parametrize("packs", [2, 4, 6])
def test_bids_up_to_sixty_a_pack_cost_nothing(packs: int) -> None:
    """T-11.4."""
    made = make_options("document", packs=packs)
    plain = make_options("document", packs=packs, contract="none")
    for bid in range(0, 60 * packs + 1, 5):
        for points in range(0, 100 * packs + 1, 5):
            assert scoring.judge(points, made, bid) == scoring.judge(points, plain, bid)


@pytest.mark.parametrize(
    ("rule", "lead", "largest", "multiplier"),
    [
        ("2x_largest_component", 5, 4, 8),
        ("2x_trick_size", 5, 4, 10),
        ("2_pow_pairs_plus_1", 5, 4, 8),
        ("2_pow_pairs_plus_1", 3, 1, 2),
        ("2_pow_pairs_plus_1", 3, 3, 4),
        ("2_pow_largest_component", 5, 4, 16),
        ("2_pow_largest_component", 1, 1, 2),
        ("2x_flat", 5, 4, 2),
    ],
)
def test_kitty_multipliers(rule: str, lead: int, largest: int, multiplier: int) -> None:
    """T-9.2."""
    assert scoring.kitty_multiplier(rule, lead, largest) == multiplier


@pytest.mark.parametrize(
    ("rule", "points"),
    [
        ("none", 0),
        ("ten_per_throw", 10),
        ("ten_per_card_withdrawn", 30),
        ("ten_per_failed_card", 40),
    ],
)
def test_throw_penalties(rule: str, points: int) -> None:
    """T-8."""
    assert scoring.throw_penalty(rule, 3, 4) == points


def test_a_negative_total_counts_as_nothing() -> None:
    """T-8."""
    assert scoring.final_points(-30, 20) == 0
    assert scoring.final_points(-30, 50) == 20


@pytest.mark.parametrize(
    ("ace", "mandatory", "level", "gained", "role", "expected"),
    [
        ("defend", "none", "2", 3, "declarers", "5"),
        ("defend", "none", "Q", 3, "declarers", "A"),
        ("defend", "none", "A", 1, "declarers", "A won"),
        ("defend", "none", "A", 3, "opponents", "A"),
        ("defend", "none", "A", 0, "opponents", "A"),
        ("defend", "none", "K", 4, "opponents", "A"),
        ("pass", "none", "K", 1, "declarers", "A"),
        ("pass", "none", "K", 2, "opponents", "A won"),
        ("pass", "none", "A", 1, "opponents", "A won"),
        ("reach", "none", "K", 1, "opponents", "A won"),
        ("reach", "none", "Q", 1, "declarers", "K"),
        ("reach", "none", "T", 9, "opponents", "A won"),
        ("defend", "5,T,K,A", "5", 2, "declarers", "7"),
        ("defend", "5,T,K,A", "5", 2, "opponents", "5"),
        ("defend", "5,T,K,A", "4", 3, "opponents", "5"),
        ("defend", "5,T,K,A", "4", 1, "opponents", "5"),
        ("defend", "5,T,K,A", "5", 8, "declarers", "T"),
        ("pass", "A", "K", 3, "declarers", "A"),
        ("pass", "A", "A", 1, "opponents", "A"),
        ("pass", "A", "A", 1, "declarers", "A won"),
        ("reach", "J", "T", 5, "opponents", "J"),
        ("reach", "A", "K", 2, "opponents", "A won"),
    ],
)
def test_promotion(
    ace: str, mandatory: str, level: str, gained: int, role: str, expected: str
) -> None:
    """T-9.5 and T-9.6."""
    options = make_options(ace_rule=ace, mandatory_levels=mandatory)
    found = scoring.promote(RANKS[level], gained, role == "declarers", options)
    told = level_text(found.level) + (" won" if found.wins_match else "")
    assert told == expected


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12])
def test_next_starter(players: int) -> None:
    """T-9.4: the next seat of the team if held, else the next seat."""
    for starter in range(players):
        assert scoring.next_starter(starter, True, players) == (starter + 2) % players
        assert scoring.next_starter(starter, False, players) == (starter + 1) % players


def test_the_score_is_the_lead_in_levels_and_a_win_by_the_ace_counts_one_more() -> None:
    """T-9.6."""
    assert scoring.match_scores((5, 2), None) == (3, -3)
    assert scoring.match_scores((5, 7), None) == (-2, 2)
    assert scoring.match_scores((14, 9), 0) == (6, -6)
    assert scoring.match_scores((14, 14), 1) == (-1, 1)
    assert scoring.match_scores((14, 14), None) == (0, 0)


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({}, 12),
        ({"level_cap": "3"}, 3),
        ({"level_cap": "4"}, 4),
        ({"ace_rule": "pass"}, 13),
        ({"ace_rule": "reach"}, 13),
        ({"ace_rule": "reach", "level_cap": "3"}, 4),
        ({"start_levels": "T"}, 4),
        ({"mandatory_levels": "5,T,K"}, 4),
    ],
)
def test_the_worst_deal_is_the_highest_promotion(options: dict[str, str], steps: int) -> None:
    """T-9.3, T-9.5, T-9.6."""
    assert scoring.worst_deal(make_options(**options)) == steps
