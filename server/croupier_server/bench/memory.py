"""Resident memory of the server with many live tables and spectators."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from croupier_server.bench.in_process import deal_decisions
from croupier_server.bench.marks import Measured, resident_bytes
from croupier_server.bench.served import PLAYER, server
from croupier_server.games.registry import GAMES

CROWD: Final = "croupier_server.bench.crowd"
TABLES: Final = 1000
WATCHERS: Final = 4
DEALS: Final = 2.5
"""Deals played at each table meanwhile: a table keeps events since the start of the previous deal,
so it is at its largest late in its second deal."""
PATIENCE_S: Final = 300.0
MB: Final = 1_000_000


class MemoryResult(NamedTuple):
    """Resident memory of the server in MB (10**6 bytes).

    Attributes:
        game: played at the tables.
        tables, watchers: live tables, and spectators of each.
        start: with nobody there.
        peak: the most that was seen while all played and watched.
        decisions: decisions played meanwhile, so that the tables are known to be alive.
        events: messages that spectators got meanwhile.
    """

    game: str
    tables: int
    watchers: int
    start: float
    peak: float
    decisions: int
    events: int


def measure_memory(
    report: Callable[[str], None], game: str, tables: int = TABLES, deals: float = DEALS
) -> MemoryResult:
    """Have so many tables of *game* played and watched for so many deals, or as far as patience
    reaches."""
    wanted = tables * deals * deal_decisions(GAMES[game], GAMES[game].rulesets()[0])
    with server() as (address, pid):
        start = resident_bytes(pid)
        report(f"memory: seating {tables} tables")
        with Measured(PLAYER, address, game, str(tables), "listed") as players:
            report(f"memory: {WATCHERS} watchers for each")
            with Measured(CROWD, address, str(WATCHERS)) as crowd:
                report(f"memory: playing {deals} deals at each")
                first, seen, peak = players.mark(), crowd.mark(), 0
                played = first.since(first)
                while played.done < wanted and played.time_s < PATIENCE_S:
                    time.sleep(0.5)
                    peak = max(peak, resident_bytes(pid))
                    played = players.mark().since(first)
                told = crowd.mark().since(seen)
    return MemoryResult(game, tables, WATCHERS, start / MB, peak / MB, played.done, told.done)
