"""How long an answer to a move takes at a steady rate, beside the bare echo of the same run.

The server keeps each move in a file before it answers.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from croupier_server.bench.marks import Measured
from croupier_server.bench.served import ECHO, server

PACE: Final = "croupier_server.bench.pace"
RATE: Final = 200
SECONDS: Final = 30.0


class LatencyResult(NamedTuple):
    """Answers to moves, in milliseconds.

    Attributes:
        game: played.
        rate: moves a second that were asked for.
        moves: that were made.
        p50, p99: half, and 99 of 100, were answered within so long.
        echo_p50, echo_p99: the same of the echo.
        starved: moves that could not be made, as no seat was asked anything.
    """

    game: str
    rate: float
    moves: int
    p50: float
    p99: float
    echo_p50: float
    echo_p99: float
    starved: int


def measure_latency(
    report: Callable[[str], None], game: str, rate: float = RATE, seconds: float = SECONDS
) -> LatencyResult:
    """Make so many moves a second for so long."""
    report(f"{rate:g} moves of {game} a second, for {seconds:g} s")
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        server(f"sqlite:{folder}/croupier.db") as (address, _),
        Measured(ECHO, "serve") as echo,
        Measured(
            PACE, address, f"127.0.0.1:{echo.hello['port']}", game, str(rate), str(seconds)
        ) as client,
    ):
        found: dict[str, Any] = dict(client.hello)
    moves, echoes = found["moves"], found["echoes"]
    p50, p99 = _percentiles(moves)
    return LatencyResult(game, rate, len(moves), p50, p99, *_percentiles(echoes), found["starved"])


def _percentiles(values: list[float]) -> tuple[float, float]:
    """The median, and what 99 of 100 do not exceed."""
    cuts = quantiles(values, n=100)
    return cuts[49], cuts[98]
