"""Croupier for bots: sit down at card tables over gRPC.

The shortest bot::

    import croupier

    class MyBot(croupier.Bot):
        def decide(self, view, decision):
            return decision.legal[0]

    print(croupier.run(MyBot(), "127.0.0.1:7421", game="tractor", against="greedy"))

`croupier.v1` holds the generated stubs of the contract, for those who want nothing else.
"""

from __future__ import annotations

import typing

from croupier import _forks, pokex, tongits, tractor  # noqa: F401 - the first comes first
from croupier.bot import Bot, Decision
from croupier.cards import Card, parse_cards, pretty
from croupier.client import Client, NewTable, connect
from croupier.clock import Clock
from croupier.credentials import Credentials
from croupier.errors import (
    BotError,
    Conflict,
    ConnectionFailed,
    Error,
    IllegalMove,
    InvalidRequest,
    LimitReached,
    NotAllowed,
    NotFound,
    Refused,
    SeatLost,
    ServerFault,
    TableMoved,
    Unavailable,
    UsageError,
)
from croupier.legal import LegalMoves, Pattern
from croupier.moves import Move
from croupier.pokex import PokexView
from croupier.randomness import DecisionRandom
from croupier.results import EndReason, Result, Results
from croupier.runner import run, run_async
from croupier.seat import Ticket
from croupier.tongits import TongitsView
from croupier.tractor import TractorView
from croupier.views import View

if typing.TYPE_CHECKING:
    from croupier.local import Match, Simulation, simulate, simulate_async
else:

    def __getattr__(name: str) -> object:
        """What plays in this process is loaded when it is used: it needs the server's package."""
        if name not in ("Match", "Simulation", "simulate", "simulate_async"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from croupier import local

        return getattr(local, name)


__all__ = [
    "Bot",
    "BotError",
    "Card",
    "Client",
    "Clock",
    "Conflict",
    "ConnectionFailed",
    "Credentials",
    "Decision",
    "DecisionRandom",
    "EndReason",
    "Error",
    "IllegalMove",
    "InvalidRequest",
    "LegalMoves",
    "LimitReached",
    "Match",
    "Move",
    "NewTable",
    "NotAllowed",
    "NotFound",
    "Pattern",
    "PokexView",
    "Refused",
    "Result",
    "Results",
    "SeatLost",
    "ServerFault",
    "Simulation",
    "TableMoved",
    "Ticket",
    "TongitsView",
    "TractorView",
    "Unavailable",
    "UsageError",
    "View",
    "connect",
    "parse_cards",
    "pokex",
    "pretty",
    "run",
    "run_async",
    "simulate",
    "simulate_async",
    "tongits",
    "tractor",
]
