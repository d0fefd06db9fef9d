"""Samples of a server under load, and what they say of its memory.

Must not be put here: how the load is made.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Sequence
from statistics import linear_regression
from typing import Final, NamedTuple

_TEN_MINUTES_S: Final = 600.0
_WAIT_S: Final = 10.0


class Sample(NamedTuple):
    """How the server was at one moment.

    Attributes:
        second: since the load began.
        resident: bytes of memory.
        live: tables that have not ended.
        ended: tables that have ended so far.
        late_s: time by which the server's event loop came late so far.
    """

    second: float
    resident: int
    live: int = 0
    ended: int = 0
    late_s: float = 0.0


def percent_in_ten_minutes(samples: Sequence[Sample]) -> float:
    """By how much the line through the memory of *samples* rises in ten minutes, in percent of
    where it begins.

    >>> flat = [Sample(second, 1000) for second in range(5)]
    >>> percent_in_ten_minutes(flat)
    0.0
    >>> round(percent_in_ten_minutes([Sample(0, 1000), Sample(300, 1010), Sample(600, 1020)]), 6)
    2.0
    """
    line = linear_regression([one.second for one in samples], [one.resident for one in samples])
    begin = line.intercept + line.slope * samples[0].second
    return line.slope * _TEN_MINUTES_S / begin * 100


def numbers(address: str) -> dict[str, float]:
    """The page for Prometheus at *address*: numbers by name and labels."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=_WAIT_S) as page:
        lines = page.read().decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}
