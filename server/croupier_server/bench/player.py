"""A measured client: the SDK's random bot in all seats of some tables, match after match.

Run as ``python -m croupier_server.bench.player ADDRESS GAME TABLES MODE``, where MODE is
``session``, ``watch``, or ``listed`` for a session with tables that spectators can find.

Must not be put here: anything that a bot author could not do as well.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from croupier.bot import Decision
from croupier.bots import RandomBot
from croupier.client import Client, NewTable, Transport
from croupier.errors import Error
from croupier.moves import Move
from croupier.v1 import table_pb2
from croupier.views import View
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter, answer_marks

_STOP_S = 5.0


class CountingBot(RandomBot):
    """Plays by chance and counts its decisions, those without a choice apart."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    def decide(self, view: View, decision: Decision) -> Move:
        """See `RandomBot.decide`."""
        legal = decision.message.legal
        if len(legal.moves) == 1 and not legal.patterns:
            self._counter.forced += 1
        else:
            self._counter.done += 1
        return super().decide(view, decision)


class Players:
    """Tables of our own, with our bot in every seat."""

    def __init__(self, client: Client, game: str, counter: Counter, *, is_listed: bool) -> None:
        self._client = client
        self._game = game
        self._counter = counter
        self._is_listed = is_listed
        self._made: dict[str, NewTable] = {}

    async def play_one(self, number: int, started: asyncio.Event) -> None:
        """Play one match after another at tables with cards that follow from *number*."""
        players = await self._client.players(self._game)
        while True:
            deal = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=number))
            made = await self._client.create_table(
                self._game,
                seats=["invited"] * players,
                deal=deal,
                shared_seats=True,
                unlisted=not self._is_listed,
            )
            self._made[made.table_id] = made
            tickets = [
                await self._client.join(made.table_id, seat=seat, invite=code)
                for seat, code in enumerate(made.invite_codes)
            ]
            started.set()
            bot = CountingBot(self._counter)
            async with asyncio.TaskGroup() as seats:
                for ticket in tickets:
                    seats.create_task(self._client.play(bot, ticket, seed=number))
            del self._made[made.table_id]
            number += 1 << 32

    async def abort_all(self) -> None:
        """Stop the tables that are left, as far as the server still listens."""

        async def abort(made: NewTable) -> None:
            with suppress(Error):
                await self._client.abort_table(made)

        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.gather(*map(abort, self._made.values()))


async def play(address: str, game: str, tables: int, mode: str) -> None:
    """Play *game* at so many tables until the input ends."""
    counter = Counter()
    transport: Transport = "watch" if mode == "watch" else "session"
    async with Client(address, transport=transport) as client:
        players = Players(client, game, counter, is_listed=mode == "listed")
        started = [asyncio.Event() for _ in range(tables)]
        playing = asyncio.gather(*(players.play_one(n, e) for n, e in enumerate(started)))
        sitting = asyncio.gather(*(event.wait() for event in started))
        playing.add_done_callback(lambda _: sitting.cancel())
        with suppress(asyncio.CancelledError):
            await sitting
            loop = asyncio.get_running_loop()
            port = int(address.rpartition(":")[2])
            answer_marks(counter, port, lambda: loop.call_soon_threadsafe(playing.cancel))
        with suppress(asyncio.CancelledError):
            await playing
        await players.abort_all()


if __name__ == "__main__":
    run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
