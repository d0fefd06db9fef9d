"""What may go wrong in a run, as data."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

LINE_FAULTS: Final = ("cut", "cut", "slow line", "no route")
SERVER_FAULTS: Final = ("busy", "busy", "slow disk", "full disk")
CRASHES: Final = ("crash", "crash", "crash at a step", "crash at a step", "drain")


class Fault(NamedTuple):
    """Something that goes wrong.

    Attributes:
        at_ms: when it begins, of the run's time.
        kind: one of the words above.
        line: the client's whose line it is, for faults of lines.
        lasts_ms: how long; how long the server is down, for crashes.
        step: at which step of the store after its beginning a server dies that dies at one.
    """

    at_ms: int
    kind: str
    line: int
    lasts_ms: int
    step: int


def make_faults(rng: Random, lines: Sequence[int], *, with_crashes: bool) -> list[Fault]:
    """Faults of a run; only *lines* are ever touched."""
    kinds = list(SERVER_FAULTS * 2)
    if lines:
        kinds += LINE_FAULTS * 2
    if with_crashes:
        kinds += CRASHES * 2
    found = []
    for _ in range(rng.choice((0, 2, 4, 6, 8))):
        kind = rng.choice(kinds)
        found.append(
            Fault(
                at_ms=int(rng.random() ** 2 * 25_000),
                kind=kind,
                line=rng.choice(lines) if kind in LINE_FAULTS else 0,
                lasts_ms=rng.choice((15, 100, 700, 3_000, 15_000)),
                step=rng.randrange(1, 40),
            )
        )
    return sorted(found)
