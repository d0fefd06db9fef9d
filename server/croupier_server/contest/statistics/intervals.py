"""Confidence intervals of means over boards.

`t_interval` is valid for one look, after a number of boards that was fixed beforehand. The other
two are anytime-valid: their coverage holds even if you look after every board, and stop when you
like what you see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import stdtrit

CONFIDENCE: Final = 0.95

VALUES_MIN: Final = 10
"""Fewest values that have a t interval: of fewer, one outlier more or less changes it too much."""

ASYMPTOTIC_MIN: Final = 30
"""Fewest values that have an asymptotic interval: it leans on the central limit theorem."""

_TUNED_FOR: Final = 200
"""Boards at which the asymptotic interval is narrowest."""

_BET_MAX: Final = 0.75
"""Largest share of the capital that a bet may lose, c in the paper."""


class Interval(NamedTuple):
    """A mean with its confidence interval; ``low`` and ``high`` are None if there is none."""

    mean: float
    low: float | None
    high: float | None
    values: int


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """Mean of *values* with Student's t interval; None without values.

    There is no interval for fewer than `VALUES_MIN` values, or if all values are equal.

    >>> t_interval([1.0, 2.0, 3.0])
    Interval(mean=2.0, low=None, high=None, values=3)
    """
    count = len(values)
    if not count:
        return None
    mean = math.fsum(values) / count
    if count < VALUES_MIN or min(values) == max(values):
        return Interval(mean, None, None, count)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    reach = float(stdtrit(count - 1, 0.5 + confidence / 2)) * math.sqrt(variance / count)
    return Interval(mean, mean - reach, mean + reach, count)


def betting_interval(
    values: Sequence[float] | NDArray[np.float64],
    confidence: float = CONFIDENCE,
    comparisons: int = 1,
) -> Interval | None:
    """Mean of *values*, which lie from 0 to 1, with a betting confidence sequence; None without.

    The hedged capital process with predictable plug-in bets of Waudby-Smith and Ramdas, "Estimating
    means of bounded random variables by betting" (JRSS B, 2024), section 4.3. For each
    candidate mean a gambler bets against it; the interval holds the candidates against which the
    capital has not grown by the factor 1/alpha.

    Args:
        values: in the order in which they came.
        confidence: probability that the mean is never outside, however often you look.
        comparisons: intervals that are to hold together; alpha is shared out between them.
    """
    count = len(values)
    if not count:
        return None
    x = np.asarray(values, dtype=float)
    alpha = (1 - confidence) / comparisons
    order = np.arange(1, count + 1)
    sums = np.cumsum(x)
    means = (0.5 + sums) / (order + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (order + 1)
    known = np.concatenate(([0.25], variances[:-1]))  # before each value
    bets = np.sqrt(2 * math.log(2 / alpha) / (known * order * np.log(order + 1)))
    enough = math.log(2 / alpha)  # each side has half of the capital

    def low_capital(mean: float) -> float:
        """Log capital from bets that the true mean is above *mean*; falls with *mean*."""
        stake = np.minimum(bets, _BET_MAX / mean) if mean > 0 else bets
        return float(np.log1p(stake * (x - mean)).sum()) - enough

    def high_capital(mean: float) -> float:
        """Log capital from bets that the true mean is below *mean*; rises with *mean*."""
        stake = np.minimum(bets, _BET_MAX / (1 - mean)) if mean < 1 else bets
        return float(np.log1p(-stake * (x - mean)).sum()) - enough

    mean = math.fsum(values) / count
    low = _root(low_capital, 0.0, 1.0) if low_capital(0.0) > 0 else 0.0
    high = _root(high_capital, 0.0, 1.0) if high_capital(1.0) > 0 else 1.0
    return Interval(mean, min(low, mean), max(high, mean), count)


def _root(capital: Callable[[float], float], low: float, high: float) -> float:
    """Where the monotone *capital* is 0; the end where it is not, if it never is."""
    at_low, at_high = capital(low), capital(high)
    if (at_low > 0) == (at_high > 0):
        return high if at_low > 0 else low
    return float(brentq(capital, low, high, xtol=1e-6))


def asymptotic_interval(
    values: Sequence[float] | NDArray[np.float64],
    confidence: float = CONFIDENCE,
    comparisons: int = 1,
) -> Interval | None:
    """Mean of *values* with an asymptotic confidence sequence; None without values.

    Theorem 2.2 of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
    theory and asymptotic confidence sequences" (Annals of Statistics, 2024), narrowest at
    `_TUNED_FOR` values. There is no interval for fewer than `ASYMPTOTIC_MIN` values, or if all
    values are equal.

    Args:
        values: in the order in which they came.
        confidence: probability that the mean is never outside, from `ASYMPTOTIC_MIN` values on.
        comparisons: intervals that are to hold together; alpha is shared out between them.
    """
    count = len(values)
    if not count:
        return None
    x: NDArray[np.float64] = np.asarray(values, dtype=float)
    mean = math.fsum(values) / count
    if count < ASYMPTOTIC_MIN or x.min() == x.max():
        return Interval(mean, None, None, count)
    alpha = (1 - confidence) / comparisons
    deviation = float(np.sqrt(((x - mean) ** 2).sum() / (count - 1)))
    first = -2 * math.log(alpha)
    rho = (first + math.log(first) + 1) / _TUNED_FOR  # squared
    scaled = count * rho + 1
    reach = deviation * math.sqrt(
        2 * scaled / (count * count * rho) * math.log(math.sqrt(scaled) / alpha)
    )
    return Interval(mean, mean - reach, mean + reach, count)
