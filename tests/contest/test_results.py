"""The mathematics of results."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import pytest

from croupier_server.contest.pairing import Match, Pairing, seated, seatings
from croupier_server.contest.results import (
    MatchResult,
    Outcome,
    margin,
    of_entrant,
    of_pairing,
)
from croupier_server.contest.statistics.intervals import VALUES_MIN, Interval, t_interval

US = Pairing(0, 1)


def match_of(pairing: Pairing, board: int = 0, number: int = 0) -> Match:
    return Match(number, board, (0, 1), pairing)


def scores_of(score: float | None) -> tuple[float, ...] | None:
    return None if score is None else (score, -score)


def result(board: int, score: float | None, pairing: Pairing = US, number: int = 0) -> MatchResult:
    outcome = Outcome.SERVER_FAULT if score is None else Outcome.PLAYED
    return MatchResult(match_of(pairing, board, number), "table", scores_of(score), outcome)


def fault(board: int, score: float | None, *at_fault: int) -> MatchResult:
    return MatchResult(match_of(US, board), "table", scores_of(score), Outcome.CRASHED, at_fault)


def test_an_interval_is_the_textbook_one() -> None:
    values = [2.0, -1.0, 3.5, 0.0, 1.0] * 2
    found = t_interval(values)
    assert found is not None
    reach = 2.26216 * statistics.stdev(values) / math.sqrt(10)
    assert found.mean == pytest.approx(1.1)
    assert found.low == pytest.approx(1.1 - reach, abs=1e-4)
    assert found.high == pytest.approx(1.1 + reach, abs=1e-4)


@pytest.mark.attack
def test_too_few_boards_have_no_interval() -> None:
    assert t_interval([]) is None
    for count in range(1, VALUES_MIN):
        values = [float(value) for value in range(count)]
        assert t_interval(values) == Interval(statistics.mean(values), None, None, count)
    found = t_interval([float(value) for value in range(VALUES_MIN)])
    assert found is not None
    assert found.low is not None


@pytest.mark.attack
def test_boards_that_all_have_one_value_have_no_interval() -> None:
    found = t_interval([0.1] * 200)
    assert found is not None
    assert found.mean == pytest.approx(0.1)
    assert (found.low, found.high) == (None, None)


@pytest.mark.more
def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    stream = random.Random(11)
    hits = 0
    for _ in range(400):
        found = t_interval([stream.choice((-3, -2, -1, -1, 0, 1, 1, 2, 3)) for _ in range(10)])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0 <= found.high
    assert 0.92 < hits / 400 < 0.98


def test_a_pairing_counts_matches_and_averages_boards() -> None:
    results = [
        result(0, 3),
        result(0, -1),
        result(1, 0),
        result(1, 2),
        result(2, None),
        result(2, 5, Pairing(0, 2)),
    ]
    found = of_pairing(US, results)
    assert (found.wins, found.draws, found.losses, found.failed) == (2, 1, 1, 1)
    assert found.matches == 4
    assert found.score == t_interval([1.0, 1.0])


def test_matches_of_one_board_are_one_value() -> None:
    together = of_pairing(US, [result(0, 3), result(0, -1), result(1, 2)])
    assert together.score == t_interval([1.0, 2.0])
    assert together.score is not None
    assert together.score.values == 2


def test_the_other_side_sees_the_mirror_image() -> None:
    scores = [3, -1, 0, 1, None, *[2] * VALUES_MIN]
    results = [result(board, score) for board, score in enumerate(scores)]
    ours, theirs = of_entrant(0, results), of_entrant(1, results)
    assert ours == of_pairing(US, results)
    assert (theirs.wins, theirs.draws, theirs.losses) == (ours.losses, ours.draws, ours.wins)
    assert theirs.failed == ours.failed == 1
    assert ours.score is not None
    assert theirs.score is not None
    assert ours.score.low is not None
    assert theirs.score.mean == -ours.score.mean
    assert theirs.score.high == pytest.approx(-ours.score.low)


def test_an_entrant_is_judged_over_all_it_met() -> None:
    results = [result(0, 3), result(0, 1, Pairing(0, 2)), result(0, 4, Pairing(1, 2))]
    found = of_entrant(2, results)
    assert (found.wins, found.losses) == (0, 2)
    assert found.score == Interval(-2.5, None, None, 1)


def test_nothing_but_failures_has_no_score() -> None:
    found = of_pairing(US, [result(0, None)])
    assert found.score is None
    assert found.failed == 1
    assert found.matches == 0


# Faults -------------------------------------------------------------------------------------------


def test_a_fault_is_a_loss_whatever_the_score() -> None:
    results = [fault(0, -20, 0), fault(1, 3, 0), fault(2, 5, 1)]
    ours, theirs = of_entrant(0, results), of_entrant(1, results)
    assert (ours.wins, ours.draws, ours.losses, ours.failed) == (1, 0, 2, 0)
    assert (theirs.wins, theirs.draws, theirs.losses, theirs.failed) == (2, 0, 1, 0)
    assert (ours.faults, theirs.faults) == ({Outcome.CRASHED: 2}, {Outcome.CRASHED: 1})
    assert ours.score is not None
    assert ours.score.mean == pytest.approx(-4)


def test_a_match_that_both_spoil_is_lost_by_both_and_has_no_score() -> None:
    for entrant in US:
        found = of_entrant(entrant, [fault(0, None, 0, 1)])
        assert (found.wins, found.losses, found.failed) == (0, 1, 0)
        assert found.faults == {Outcome.CRASHED: 1}
        assert found.score is None


# The score of a match -----------------------------------------------------------------------------


def match_score(scores: Sequence[float], teams: tuple[int, ...], seating: tuple[int, ...]) -> float:
    return margin(Match(0, 0, teams, seated((0, 1), seating, teams)), scores, 0, 1)


def test_with_two_teams_the_score_is_what_the_side_is_ahead() -> None:
    scores, teams = [3.0, -3.0, 3.0, -3.0], (0, 1, 0, 1)
    assert match_score(scores, teams, (0, 1)) == 3
    assert match_score(scores, teams, (1, 0)) == -3


@pytest.mark.parametrize(
    ("seating", "score"),
    [
        ((0, 0, 1), (10 - 4) / 2 - -6),
        ((0, 1, 0), (10 - 6) / 2 - -4),
        ((1, 0, 0), (-4 - 6) / 2 - 10),
        ((0, 1, 1), 10 - (-4 - 6) / 2),
    ],
)
def test_with_three_teams_seats_are_compared_by_their_means(
    seating: tuple[int, ...], score: float
) -> None:
    assert match_score([10, -4, -6], (0, 1, 2), seating) == score


def test_the_score_changes_its_sign_with_the_side() -> None:
    for seating in seatings((0, 1, 2)):
        mirrored = tuple(1 - who for who in seating)
        ours = match_score([7, -2, -5], (0, 1, 2), seating)
        assert match_score([7, -2, -5], (0, 1, 2), mirrored) == -ours


def test_equal_bots_on_a_board_of_three_score_nothing_together() -> None:
    """When seats alone decide, the seatings of a board cancel out."""
    ways = seatings((0, 1, 2))
    assert sum(match_score([9, 1, -10], (0, 1, 2), way) for way in ways) == 0
