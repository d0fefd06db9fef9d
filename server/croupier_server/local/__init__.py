"""Matches and contests in this process: no server, no sockets, no keys.

Bots are the SDK's, unmodified, and get what they get over the wire: views, legal moves, refusals.
They are trusted: they run in this process.
"""

from __future__ import annotations

from croupier_server.local.match import BotFailed, Match
from croupier_server.local.simulation import Simulation, simulate, simulate_async

__all__ = ["BotFailed", "Match", "Simulation", "simulate", "simulate_async"]
