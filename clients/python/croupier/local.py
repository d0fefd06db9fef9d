"""Matches and contests in this process, without a server: see `simulate` and `Match`.

They need the rules of the games, which are in the server's package.
"""

from __future__ import annotations

try:
    from croupier_server.local import BotFailed, Match, Simulation, simulate, simulate_async
except ModuleNotFoundError as error:
    raise ImportError(
        "playing in this process needs the server's package: pip install 'croupier[local]'"
    ) from error

__all__ = ["BotFailed", "Match", "Simulation", "simulate", "simulate_async"]
