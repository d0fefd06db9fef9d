"""Resampling of boards, once a contest of a fixed length is over.

All pairings that share boards are resampled together: a board is drawn with everything that
happened on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

K = TypeVar("K")

RESAMPLES: Final = 1_000

_CHUNK: Final = 100
_STREAM: Final = 20_261


class Resampled(NamedTuple):
    """The interval of a mean from resampling.

    Attributes:
        low, high: percentile interval.
        superiority: share of resamples in which the mean is above the middle, half of those in
            which it is neither above nor below.
    """

    low: float
    high: float
    superiority: float


class Series(NamedTuple):
    """Values of one pairing: ``boards[i]`` is the board of ``values[i]``."""

    boards: Sequence[int]
    values: Sequence[float]


def bootstrap(
    series: Mapping[K, Series], confidence: float, middle: float = 0.0
) -> dict[K, Resampled]:
    """Resample boards; the same *series* give the same result.

    Efron, "Bootstrap methods: another look at the jackknife" (Annals of Statistics, 1979).

    Args:
        series: values by pairing; series with fewer than two boards are left out.
        confidence: confidence level of the intervals.
        middle: value at which two entrants are equal.
    """
    used = {key: one for key, one in series.items() if len(one.boards) > 1}
    if not used:
        return {}
    boards = np.unique(np.concatenate([np.asarray(one.boards) for one in used.values()]))
    places = {key: np.searchsorted(boards, np.asarray(one.boards)) for key, one in used.items()}
    values = {key: np.asarray(one.values, dtype=float) for key, one in used.items()}
    means: dict[K, list[NDArray[np.float64]]] = {key: [] for key in used}
    stream = np.random.default_rng(_STREAM)
    even = np.full(len(boards), 1 / len(boards))
    for _ in range(RESAMPLES // _CHUNK):
        weights = stream.multinomial(len(boards), even, size=_CHUNK)
        for key in used:
            own = weights[:, places[key]]
            drawn = own.sum(axis=1)
            kept = drawn > 0
            means[key].append((own[kept] @ values[key]) / drawn[kept])
    tail = (1 - confidence) / 2
    found: dict[K, Resampled] = {}
    for key in used:
        all_means = np.concatenate(means[key])
        low, high = np.quantile(all_means, [tail, 1 - tail])
        ahead = (all_means > middle).mean() + (all_means == middle).mean() / 2
        found[key] = Resampled(float(low), float(high), float(ahead))
    return found
