"""Intervals, the sequential test, ratings and the bootstrap of contests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from croupier_server.contest.statistics.bootstrap import Series, bootstrap
from croupier_server.contest.statistics.intervals import (
    ASYMPTOTIC_MIN,
    Interval,
    asymptotic_interval,
    betting_interval,
    t_interval,
)
from croupier_server.contest.statistics.ratings import ELO, MEAN, fit
from croupier_server.contest.statistics.sprt import (
    ELO_PER_DEVIATION,
    Decision,
    Hypotheses,
    Sprt,
    State,
)

SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


# Intervals ----------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """An interval that is there."""

    low: float
    mean: float
    high: float


def bounds(found: Interval | None) -> Bounds:
    """Those of *found*, which is there."""
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return Bounds(found.low, found.mean, found.high)


@given(st.lists(SHARES, min_size=1, max_size=60))
def test_a_betting_interval_holds_its_mean_and_stays_within_0_and_1(values: list[float]) -> None:
    found = bounds(betting_interval(values))
    assert 0 <= found.low <= found.mean <= found.high <= 1


@given(st.lists(SHARES, min_size=1, max_size=60))
def test_a_betting_interval_is_the_same_from_the_other_side(values: list[float]) -> None:
    own = bounds(betting_interval(values))
    other = bounds(betting_interval([1 - value for value in values]))
    assert own == pytest.approx((1 - other.high, 1 - other.mean, 1 - other.low), abs=1e-5)


def test_who_wins_every_board_is_soon_known_to_be_better() -> None:
    found = bounds(betting_interval([1.0] * 20))
    assert found.low > 0.5
    assert found.high == 1


def test_an_asymptotic_interval_is_wider_than_that_of_a_fixed_number_of_boards() -> None:
    values = np.random.default_rng(5).normal(1, 4, 500).tolist()
    running, fixed = bounds(asymptotic_interval(values)), bounds(t_interval(values))
    assert running.low < fixed.low < fixed.high < running.high


def test_an_asymptotic_interval_is_that_of_the_paper() -> None:
    values = np.random.default_rng(5).normal(3, 2, 500)
    rho = math.sqrt((-2 * math.log(0.05) + math.log(-2 * math.log(0.05)) + 1) / 200)
    scaled = 500 * rho**2 + 1
    reach = values.std(ddof=1) * math.sqrt(
        2 * scaled / (500**2 * rho**2) * math.log(math.sqrt(scaled) / 0.05)
    )
    found = bounds(asymptotic_interval(values.tolist()))
    assert found.low == pytest.approx(values.mean() - reach)
    assert found.high == pytest.approx(values.mean() + reach)


def test_an_asymptotic_interval_moves_with_the_unit_of_scores() -> None:
    values = np.random.default_rng(6).normal(1, 2, 100)
    found = bounds(asymptotic_interval(values.tolist()))
    other = bounds(asymptotic_interval((10 * values - 3).tolist()))
    assert other.low == pytest.approx(10 * found.low - 3)
    assert other.high == pytest.approx(10 * found.high - 3)


def test_more_of_the_same_boards_narrow_a_betting_interval() -> None:
    cycle = [1.0, 0.5, 0.0, 1.0]
    widths = [
        found.high - found.low
        for found in (bounds(betting_interval(cycle * times)) for times in (5, 20, 80, 320))
    ]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0, 1.0]])
def test_a_likelihood_ratio_is_finite_for_few_or_no_differences(values: list[float]) -> None:
    assert math.isfinite(state_after(values).llr)


@pytest.mark.parametrize("values", [[1.0, 2.0] * (ASYMPTOTIC_MIN // 2 - 1), [0.0] * 100])
def test_few_or_equal_values_have_no_asymptotic_interval(values: list[float]) -> None:
    found = asymptotic_interval(values)
    assert found is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("interval", [asymptotic_interval, betting_interval])
def test_intervals_that_hold_together_are_wider(interval: Callable[..., Interval | None]) -> None:
    values = [0.0, 1.0, 1.0, 0.5] * 20
    alone, together = bounds(interval(values)), bounds(interval(values, comparisons=10))
    assert together.low < alone.low < alone.high < together.high


@pytest.mark.parametrize("interval", [asymptotic_interval, betting_interval, t_interval])
def test_no_values_have_no_interval(interval: Callable[..., Interval | None]) -> None:
    assert interval([]) is None


# The sequential test ------------------------------------------------------------------------------


def state_after(values: Sequence[float], boards_max: int = 1_000, matches: int = 2) -> State:
    sprt = Sprt(Hypotheses(0, 20, 0.05, 0.05, boards_max), matches)
    for value in values:
        sprt.add(value)
    return sprt.state


def test_the_bounds_are_those_of_wald() -> None:
    state = state_after([])
    assert -state.lower == pytest.approx(math.log(0.95 / 0.05))
    assert state.upper == pytest.approx(math.log(0.95 / 0.05))


def test_the_likelihood_ratio_is_that_of_the_best_deviation_under_each_hypothesis() -> None:
    values = np.array([1.0, -2.0, 3.0, 0.5, -1.0, 2.0])
    state = state_after(values.tolist())

    def likelihood(ratio: float) -> float:
        deviations = np.linspace(0.5, 6, 100_001)[:, None]
        found = np.asarray(stats.norm.logpdf(values, ratio * deviations, deviations))
        return float(found.sum(axis=1).max())

    high = likelihood(20 / ELO_PER_DEVIATION * math.sqrt(2))
    assert state.llr == pytest.approx(high - likelihood(0), abs=1e-6)


@given(st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=50))
def test_the_unit_of_scores_does_not_matter(values: list[float]) -> None:
    assert state_after(values).llr == pytest.approx(
        state_after([1000 * value for value in values]).llr, abs=1e-9
    )


def test_equal_bots_are_found_not_to_be_20_elo_apart() -> None:
    state = state_after([0.0] * 1_000)
    assert state.decision is Decision.H0
    assert state.boards == math.ceil(-2 * state.lower / (2 * (20 / ELO_PER_DEVIATION) ** 2))


@pytest.mark.parametrize(("value", "decision"), [(-7.0, Decision.H0), (7.0, Decision.H1)])
def test_a_total_loss_or_win_is_decided(value: float, decision: Decision) -> None:
    state = state_after([value] * 1_000)
    assert state.decision is decision
    assert 10 < state.boards < 100


def test_too_few_boards_are_inconclusive_and_the_decision_stays() -> None:
    state = state_after([1.0, -1.0] * 10, boards_max=20)
    assert (state.decision, state.boards) == (Decision.INCONCLUSIVE, 20)
    assert state_after([1.0, -1.0] * 10 + [99.0] * 50, boards_max=20) == state


# Ratings ------------------------------------------------------------------------------------------


def test_two_entrants_are_as_far_apart_as_their_odds_say() -> None:
    wins = np.array([[0.0, 30_000.0], [10_000.0, 0.0]])
    better, worse = fit(wins)
    assert better.value - worse.value == pytest.approx(400 * math.log10(3), abs=0.1)
    assert better.value + worse.value == pytest.approx(2 * MEAN)
    assert better.error == pytest.approx(worse.error)


def test_the_undefeated_have_a_finite_rating_above_all_others() -> None:
    wins = np.array([[0.0, 10, 10], [0, 0, 6], [0, 4, 0]])
    first, second, third = fit(wins)
    assert MEAN < second.value + 400 < first.value + 400 < MEAN + 1_000 + 400
    assert first.value > second.value > third.value


def test_ratings_are_those_of_choix_with_an_average_entrant_added() -> None:
    wins = np.random.default_rng(4).integers(1, 60, (12, 12)).astype(float)
    np.fill_diagonal(wins, 0)
    padded = np.pad(wins, (0, 1), constant_values=0.25)  # half a draw each way
    padded[-1, -1] = 0
    theta = choix.ilsr_pairwise_dense(padded)[:-1]
    expected = MEAN + ELO * (theta - theta.mean())
    assert [one.value for one in fit(wins)] == pytest.approx(list(expected), abs=1e-4)


def test_ratings_are_found_where_50_entrants_have_a_perfect_order() -> None:
    wins = np.triu(np.full((50, 50), 1e5), 1)
    found = fit(wins)
    steps = [first.value - second.value for first, second in pairwise(found)]
    # Neither end differs from the other: who won all is as far above the mean as who lost all is
    # below it.
    assert steps == pytest.approx(steps[::-1], rel=1e-6)
    assert min(steps) > 0
    assert all(math.isfinite(one.error) for one in found)


def test_ratings_do_not_depend_on_the_order_of_entrants() -> None:
    wins = np.random.default_rng(3).integers(0, 20, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    order = [3, 0, 4, 1, 2]
    found, other = fit(wins), fit(wins[np.ix_(order, order)])
    assert [found[one].value for one in order] == pytest.approx([one.value for one in other])


def test_who_has_played_nothing_is_average() -> None:
    wins = np.array([[0.0, 5, 0], [5, 0, 0], [0, 0, 0]])
    assert fit(wins)[2].value == pytest.approx(MEAN)


# Bootstrap ----------------------------------------------------------------------------------------


def test_pairings_on_the_same_boards_are_resampled_together() -> None:
    values = np.random.default_rng(1).normal(0.1, 1, 50).tolist()
    boards = range(50)
    found = bootstrap(
        {
            "own": Series(boards, values),
            "same": Series(boards, values),
            "other side": Series(boards, [-value for value in values]),
        },
        0.95,
    )
    assert found["own"] == found["same"]
    assert found["own"].low == pytest.approx(-found["other side"].high)
    assert found["own"].superiority == pytest.approx(1 - found["other side"].superiority)


def test_a_bootstrap_is_the_same_again_and_near_the_standard_error() -> None:
    values = np.random.default_rng(2).normal(0, 1, 400).tolist()
    one, again = (bootstrap({0: Series(range(400), values)}, 0.95)[0] for _ in range(2))
    assert one == again
    assert one.high - one.low == pytest.approx(2 * 1.96 * np.std(values) / 20, rel=0.1)


def test_equal_bots_are_as_likely_better_as_worse() -> None:
    found = bootstrap({0: Series(range(9), [0.0] * 9), 1: Series([3], [1.0])}, 0.95)
    assert found[0].superiority == 0.5
    assert 1 not in found  # one board says nothing of the spread
