"""Resident memory of the server with many live tables and spectators.

Must not be put here: rates.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from croupier_server.bench.marks import Measured, resident_bytes
from croupier_server.bench.served import PLAYER, server

CROWD: Final = "croupier_server.bench.crowd"
TABLES: Final = 1000
WATCHERS: Final = 4
PLAY_S: Final = 30.0
MIB: Final = 1 << 20


class MemoryResult(NamedTuple):
    """Resident memory of the server in MiB.

    Attributes:
        tables, watchers: live tables, and spectators of each.
        start: with nobody there.
        peak: the most that was seen while all played and watched.
        decisions: decisions played meanwhile, so that the tables are known to be alive.
        events: messages that spectators got meanwhile.
    """

    tables: int
    watchers: int
    start: float
    peak: float
    decisions: int
    events: int


def measure_memory(
    report: Callable[[str], None], tables: int = TABLES, play_s: float = PLAY_S
) -> MemoryResult:
    """Have so many tables played and watched for *play_s* seconds."""
    with server() as (address, pid):
        start = resident_bytes(pid)
        report(f"memory: seating {tables} tables")
        with Measured(PLAYER, address, str(tables), "listed") as players:
            report(f"memory: {WATCHERS} watchers for each")
            with Measured(CROWD, address, str(WATCHERS)) as crowd:
                report(f"memory: playing for {play_s:.0f} s")
                first, seen, peak = players.mark(), crowd.mark(), 0
                end = time.monotonic() + play_s
                while time.monotonic() < end:
                    time.sleep(0.25)
                    peak = max(peak, resident_bytes(pid))
                played, told = players.mark().since(first), crowd.mark().since(seen)
    return MemoryResult(tables, WATCHERS, start / MIB, peak / MIB, played.done, told.done)
