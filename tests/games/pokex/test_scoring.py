"""P-6: points, and the end of a match."""

from __future__ import annotations

import pytest

from croupier_server.games.base import Turn
from croupier_server.games.pokex.events import DealResult
from croupier_server.games.pokex.scoring import (
    Verdict,
    deal_points,
    declarers_points,
    judge,
    opponents_points,
    worst_deal,
)
from croupier_server.games.pokex.state import NO_SIDE
from tests.games.pokex.table import GAME, call, finish_deal, make_options, name, new_deal, playing


def test_exact_bids() -> None:
    """P-6.1: 1, 3, 6, 10, 15, 21."""
    assert [declarers_points(b, b, "zero") for b in range(1, 7)] == [1, 3, 6, 10, 15, 21]


@pytest.mark.parametrize("bid", range(1, 7))
def test_further_tricks_score_the_bid(bid: int) -> None:
    """P-6.1: the sum over tricks of the lesser of the trick's number and the bid."""
    for taken in range(bid, 7):
        expected = sum(min(trick, bid) for trick in range(1, taken + 1))
        assert declarers_points(bid, taken, "minus_triangle") == expected


@pytest.mark.parametrize(
    ("undertrick", "points"),
    [
        ("zero", [0, 0, 0, 0, 0, 0]),
        ("minus_bid", [-1, -2, -3, -4, -5, -6]),
        ("minus_triangle", [-1, -3, -6, -10, -15, -21]),
    ],
)
def test_failed_bids(undertrick: str, points: list[int]) -> None:
    """P-6.2: however many tricks are missing."""
    for bid, expected in enumerate(points, start=1):
        for taken in range(bid):
            assert declarers_points(bid, taken, undertrick) == expected


@pytest.mark.parametrize(
    ("rule", "points"),
    [
        ("one_per_trick", [0, 1, 2, 3, 4, 5, 6]),
        ("none", [0] * 7),
        ("triangle", [0, 1, 3, 6, 10, 15, 21]),
    ],
)
def test_opponents(rule: str, points: list[int]) -> None:
    """P-6.3: whatever the declarers do, and for both sides without declarers."""
    assert [opponents_points(taken, rule) for taken in range(7)] == points
    options = make_options(opponents_score=rule, undertrick="minus_bid")
    assert deal_points(0, 4, (2, 4), options) == (-4, points[4])
    assert deal_points(1, 3, (2, 4), options) == (points[2], 9)
    assert deal_points(None, 0, (2, 4), options) == (points[2], points[4])


def test_the_end_of_a_match() -> None:
    """P-6.4: at the target; both over, the higher; level, another deal."""
    options = make_options()
    assert judge((32, 32), 0, 9, options) == Verdict(is_over=False, winner=None)
    assert judge((33, 32), 1, 9, options) == Verdict(is_over=True, winner=0)
    assert judge((33, 40), 0, 9, options) == Verdict(is_over=True, winner=1)
    assert judge((40, 40), 0, 9, options) == Verdict(is_over=False, winner=None)


def test_declarers_first() -> None:
    """P-6.4: `both_over`; they win if both are over, and without declarers the higher."""
    options = make_options(both_over="declarers_first")
    assert judge((33, 40), 0, 9, options) == Verdict(is_over=True, winner=0)
    assert judge((33, 40), 1, 9, options) == Verdict(is_over=True, winner=1)
    assert judge((40, 40), 1, 9, options) == Verdict(is_over=True, winner=1)
    assert judge((33, 40), None, 9, options) == Verdict(is_over=True, winner=1)
    assert judge((40, 40), None, 9, options) == Verdict(is_over=False, winner=None)
    assert judge((32, 40), 0, 9, options) == Verdict(is_over=True, winner=1)


def test_the_last_deal() -> None:
    """P-6.5: the higher total, or a draw; with none there is no last deal."""
    options = make_options(max_deals=3)
    assert judge((1, 2), 0, 2, options) == Verdict(is_over=False, winner=None)
    assert judge((1, 2), 0, 3, options) == Verdict(is_over=True, winner=1)
    assert judge((2, 2), 0, 3, options) == Verdict(is_over=True, winner=None)
    assert judge((40, 40), 0, 3, options) == Verdict(is_over=True, winner=None)
    assert not judge((1, 2), 0, 10**6, make_options(max_deals="none")).is_over


def test_points_are_added_up_at_a_table() -> None:
    """P-6.1 to P-6.4: results, totals, and the outcome by seat."""
    state = playing(make_options(target=1, undertrick="minus_bid"), bid=2)
    while GAME.turn(state) is not Turn.OVER:
        result = finish_deal(state)[-1].public
        assert isinstance(result, DealResult)
        assert result == state.results[-1]
        expected = deal_points(0, 2, result.tricks, state.public.options)
        assert result.points == result.totals == expected
        assert (result.declarer, result.bid, result.wild_rank) == (0, 2, 2)
        break
    outcome = GAME.outcome(state)
    assert outcome is not None
    lead = state.public.totals[0] - state.public.totals[1]
    assert [seat.score for seat in outcome.seats] == [lead, -lead, lead, -lead]
    winner = state.public.match_winner
    assert winner != NO_SIDE
    assert [seat.place for seat in outcome.seats] == [1 if s % 2 == winner else 2 for s in range(4)]


def test_places_go_by_the_winner_and_not_by_points() -> None:
    """P-6.4: `both_over` declarers_first can let the lower total win."""
    state = new_deal(make_options(both_over="declarers_first", max_deals="none"))
    call(state, 1, "pass", "pass", "pass")
    name(state, 7)
    state.public.totals = (40, 90)
    finish_deal(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.seats[0].score < 0
    assert [seat.place for seat in outcome.seats] == [1, 2, 1, 2]


def test_a_draw_is_shared() -> None:
    """P-6.5: everybody is first."""
    state = new_deal(make_options(max_deals=1, opponents_score="none"))
    assert GAME.outcome(state) is None
    call(state, *["pass"] * 4)
    finish_deal(state)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert [tuple(seat) for seat in outcome.seats] == [(0, 1)] * 4


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({}, 21),
        ({"undertrick": "minus_triangle"}, 27),
        ({"undertrick": "minus_triangle", "opponents_score": "none"}, 21),
        ({"undertrick": "minus_triangle", "opponents_score": "triangle"}, 42),
    ],
)
def test_the_worst_deal_is_the_dearest_bid(options: dict[str, str], points: int) -> None:
    """P-6.1 to P-6.3: a slam of the others, or an own one that takes no trick."""
    assert worst_deal(make_options(**options)) == points
