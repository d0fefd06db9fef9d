"""The crowd of a soak run: bots in all seats of some tables, match after match, at a steady rate.

Run as ``python -m scripts.soak_players ADDRESS GAME TABLES RATE``, with RATE in decisions a second
of the whole process, 0 for as fast as it goes. Counts its decisions for `bench.marks`.
"""

from __future__ import annotations

import asyncio
import sys

from croupier import Client, Decision, Move
from croupier.bots import RandomBot
from croupier.views import View
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter
from croupier_server.bench.own_tables import OwnTables
from scripts.live.matches import GAMES

_BEHIND_S = 0.5
"""What could not be done for so long is not made up for: a stall is no reason for a rush."""


class Pace:
    """Lets so many through a second.

    Args:
        rate: 0: all at once.
    """

    def __init__(self, rate: float) -> None:
        self._step = 1 / rate if rate else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for one's turn."""
        if not self._step:
            return
        now = asyncio.get_running_loop().time()
        self._next = max(self._next + self._step, now - _BEHIND_S)
        if self._next > now:
            await asyncio.sleep(self._next - now)


class PacedBot(RandomBot):
    """Plays by chance, when it is its turn."""

    inline = False

    def __init__(self, pace: Pace, counter: Counter) -> None:
        self._pace = pace
        self._counter = counter

    async def decide(self, view: View, decision: Decision) -> Move:  # type: ignore[override]
        """See `RandomBot.decide`."""
        await self._pace.turn()
        self._counter.done += 1
        return super().decide(view, decision)


async def play(address: str, game: str, tables: int, rate: float) -> None:
    """Play *game* at so many tables until the input ends."""
    counter = Counter()
    bot = PacedBot(Pace(rate), counter)
    option, _, most = GAMES[game]
    async with Client(address) as client:
        own = OwnTables(client, game, lambda: bot, lambda _: {"options": {option: most}})
        await own.play(tables, counter, int(address.rpartition(":")[2]))


if __name__ == "__main__":
    run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
