"""Samples of a server under load, and what they say of its memory."""

from __future__ import annotations

import csv
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from statistics import linear_regression
from typing import Final, NamedTuple

MB: Final = 1_000_000
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


def write_samples(path: Path, samples: Sequence[Sample]) -> None:
    """*samples* as CSV, memory in megabytes."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("second", "mb", "live", "ended", "late_s"))
        for one in samples:
            mb = f"{one.resident / MB:.3f}"
            rows.writerow((f"{one.second:.1f}", mb, one.live, one.ended, f"{one.late_s:.3f}"))


def numbers(address: str) -> dict[str, float]:
    """The page for Prometheus at *address*: numbers by name and labels."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=_WAIT_S) as page:
        lines = page.read().decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}
