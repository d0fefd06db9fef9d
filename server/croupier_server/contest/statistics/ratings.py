"""Ratings of all entrants, fitted together to the results between them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

ELO: Final = 400 / math.log(10)
"""Points of the Elo scale in a difference of 1 of the logistic scale."""

MEAN: Final = 1500.0

_PRIOR: Final = 0.5
"""Draws with an average entrant that each entrant is given, so that one who has won or lost
everything has a rating."""

_STEPS_MAX: Final = 1_000
_CLOSE: Final = 1e-9


class Rating(NamedTuple):
    """A rating on the Elo scale, and its standard error."""

    value: float
    error: float


def fit(wins: NDArray[np.float64]) -> list[Rating]:
    """Bradley-Terry ratings with mean `MEAN`, from all boards at once.

    This maximises the likelihood with a weak prior (`_PRIOR`) by Newton's method; standard errors
    come from the curvature at the maximum (Bradley and Terry, Biometrika 1952; Hunter, Annals of
    Statistics 2004). `choix` finds the same ratings, but its solvers do not converge where one
    group of entrants has won every board against another, and it gives no errors.
    A board of three entrants counts as a comparison of each two of them.

    Args:
        wins: ``wins[i, j]``: boards that i won against j, a drawn one half.
    """
    count = len(wins)
    games = wins + wins.T
    won = wins.sum(axis=1) + _PRIOR / 2
    theta = np.zeros(count)
    for _ in range(_STEPS_MAX):
        expected = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
        average = 1 / (1 + np.exp(-theta))
        gradient = won - (games * expected).sum(axis=1) - _PRIOR * average
        curvature = _curvature(games, expected, average)
        step = np.linalg.solve(curvature, gradient)
        largest = float(np.abs(step).max())
        theta += step * min(1.0, 2 / largest if largest else 1.0)
        if largest < _CLOSE:
            break
    expected = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    covariance = np.linalg.inv(_curvature(games, expected, 1 / (1 + np.exp(-theta))))
    centred = theta - theta.mean()
    centring = np.eye(count) - 1 / count
    errors = np.sqrt(np.clip(np.diag(centring @ covariance @ centring.T), 0, None))
    return [
        Rating(MEAN + ELO * float(value), ELO * float(error))
        for value, error in zip(centred, errors, strict=True)
    ]


def _curvature(
    games: NDArray[np.float64], expected: NDArray[np.float64], average: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minus the matrix of second derivatives of the log-likelihood."""
    weights = games * expected * (1 - expected)
    return np.diag(weights.sum(axis=1) + _PRIOR * average * (1 - average)) - weights
