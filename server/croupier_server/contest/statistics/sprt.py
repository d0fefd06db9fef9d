"""A sequential test of one bot against another.

The hypotheses are effects: the lead of a bot in a match, in standard deviations of a match, so that
they mean the same in every game and for every measure. On an Elo-like scale (normalised Elo)
one standard deviation is 800 / ln 10 = 347 points; 20 points are 0.0576.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

ELO_PER_DEVIATION: Final = 800 / math.log(10)


class Decision(StrEnum):
    """The decision of a test."""

    RUNNING = "running"
    H0 = "H0 accepted"
    H1 = "H1 accepted"
    INCONCLUSIVE = "inconclusive"


class State(NamedTuple):
    """The current state of a test.

    Attributes:
        llr: logarithm of the likelihood ratio of H1 to H0.
        lower, upper: H0 is accepted at or below `lower`, H1 at or above `upper`.
        boards: number of boards so far.
        decision: final once it is not `RUNNING`.
    """

    llr: float
    lower: float
    upper: float
    boards: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses and error rates of a test.

    Attributes:
        elo0, elo1: effects under H0 and H1, in normalised Elo; elo0 is the smaller one.
        alpha: probability of accepting H1 under H0.
        beta: probability of accepting H0 under H1.
        boards_max: after this many boards without a decision the test is inconclusive.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    boards_max: int


class Sprt:
    """A generalised sequential probability ratio test on the values of boards.

    Boards are assumed to be normal with an unknown deviation, which is fitted under each
    hypothesis. A hypothesis fixes the ratio of mean and deviation, so that fit has a closed form.
    The likelihood ratio does not change when all values are scaled, so it needs no unit, and no
    single board can move it far. Boards without any difference, or a bot that loses every board,
    do not lead to a division by zero.

    Wald, "Sequential Analysis" (1947), for the bounds; Van den Bergh, "Normalized Elo" (2021), for
    the hypotheses.

    Args:
        hypotheses: hypotheses and error rates.
        matches: number of matches on each board; the value of a board is their mean.
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
        """Add the value of the next board: the lead of the first bot."""
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
