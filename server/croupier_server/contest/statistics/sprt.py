"""A sequential test of one bot against another.

The hypotheses are effects: what a bot is ahead in a match, in standard deviations of a match, so
that they mean the same in every game and for every measure. On an Elo-like scale (normalised Elo)
one standard deviation is 800 / ln 10 = 347 points; 20 points are 0.0576.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

ELO_PER_DEVIATION: Final = 800 / math.log(10)


class Decision(StrEnum):
    """What a test has come to."""

    RUNNING = "running"
    H0 = "H0 accepted"
    H1 = "H1 accepted"
    INCONCLUSIVE = "inconclusive"


class State(NamedTuple):
    """Where a test stands.

    Attributes:
        llr: logarithm of the likelihood ratio of H1 to H0.
        lower, upper: H0 is accepted at or below the one, H1 at or above the other.
        boards: how many have been taken in.
        decision: once it is not `RUNNING`, it stays.
    """

    llr: float
    lower: float
    upper: float
    boards: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested.

    Attributes:
        elo0, elo1: effects under H0 and H1, in normalised Elo; elo0 is the smaller one.
        alpha: probability of accepting H1 under H0.
        beta: probability of accepting H0 under H1.
        boards_max: after so many boards without a decision the test is inconclusive.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    boards_max: int


class Sprt:
    """A generalised sequential probability ratio test on the values of boards.

    Boards are taken for normal with an unknown deviation, which is fitted under each hypothesis;
    with the constraint that mean and deviation have a given ratio that fit has a closed form. The
    ratio of likelihoods does not change when all values are scaled, so it needs no unit, and no
    board can move it by more than a little: neither boards without any difference nor a bot that
    loses every one of them lead to a division by zero.

    Wald, "Sequential Analysis" (1947), for the bounds; Van den Bergh, "Normalized Elo" (2021), for
    the hypotheses.

    Args:
        hypotheses: what is tested.
        matches: on each board, whose mean is its value.
    """

    def __init__(self, hypotheses: Hypotheses, matches: int) -> None:
        deviations = math.sqrt(matches) / ELO_PER_DEVIATION  # of the mean of a board
        self._ratios = (hypotheses.elo0 * deviations, hypotheses.elo1 * deviations)
        self._bounds = (
            math.log(hypotheses.beta / (1 - hypotheses.alpha)),
            math.log((1 - hypotheses.beta) / hypotheses.alpha),
        )
        self._boards_max = hypotheses.boards_max
        self._boards = 0
        self._sum = self._squares = 0.0
        self.state = State(0.0, *self._bounds, 0, Decision.RUNNING)

    def add(self, value: float) -> State:
        """Take in the value of the next board, what the first bot is ahead."""
        if self.state.decision is not Decision.RUNNING:
            return self.state
        self._boards += 1
        self._sum += value
        self._squares += value * value
        low, high = self._bounds
        llr = self._likelihood(self._ratios[1]) - self._likelihood(self._ratios[0])
        decision = Decision.RUNNING
        if llr >= high:
            decision = Decision.H1
        elif llr <= low:
            decision = Decision.H0
        elif self._boards >= self._boards_max:
            decision = Decision.INCONCLUSIVE
        self.state = State(llr, low, high, self._boards, decision)
        return self.state

    def _likelihood(self, ratio: float) -> float:
        """Log-likelihood of the boards, but for a constant, if their mean is *ratio* deviations."""
        mean, square = self._sum / self._boards, self._squares / self._boards
        if not square:  # no board has made a difference: the limit for small ones
            return -self._boards * ratio * ratio / 2
        deviation = (math.sqrt((ratio * mean) ** 2 + 4 * square) - ratio * mean) / 2
        return -self._boards * (
            math.log(deviation / math.sqrt(square))
            + square / (2 * deviation * deviation)
            - ratio * mean / deviation
            + ratio * ratio / 2
            - 0.5
        )
