"""A measured client: the SDK's random bot in all seats of some tables, match after match.

Run as ``python -m croupier_server.bench.player ADDRESS GAME TABLES MODE``, where MODE is
``session``, ``watch``, or ``listed`` for a session with tables that spectators can find.
"""

from __future__ import annotations

import sys

from croupier.bot import Decision
from croupier.bots import RandomBot
from croupier.client import Client, Transport
from croupier.moves import Move
from croupier.views import View
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter
from croupier_server.bench.own_tables import OwnTables, unlisted


class CountingBot(RandomBot):
    """Plays by chance and counts its decisions, those without a choice apart."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    def decide(self, view: View, decision: Decision) -> Move:
        legal = decision.message.legal
        if len(legal.moves) == 1 and not legal.patterns:
            self._counter.forced += 1
        else:
            self._counter.done += 1
        return super().decide(view, decision)


async def play(address: str, game: str, tables: int, mode: str) -> None:
    """Play *game* at so many tables until the input ends, with cards that follow from numbers."""
    counter = Counter()
    transport: Transport = "watch" if mode == "watch" else "session"

    more = {"visibility": "listed"} if mode == "listed" else {}
    async with Client(address, transport=transport) as client:
        own = OwnTables(client, game, lambda: CountingBot(counter), lambda n: unlisted(n) | more)
        await own.play(tables, counter, int(address.rpartition(":")[2]))


if __name__ == "__main__":
    run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
