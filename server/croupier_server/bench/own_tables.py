"""Tables of a client's own, with its bots in every seat, match after match: the load."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from croupier.bot import Bot
from croupier.client import Client, NewTable
from croupier.errors import Error
from croupier.v1 import table_pb2
from croupier_server.bench.marks import Counter, answer_marks

_STOP_S: Final = 5.0
_NEXT: Final = 1 << 32
"""From the number of a match to that of the next one at the same place."""


def unlisted(number: int) -> dict[str, Any]:
    """A table that nobody else finds, with cards that follow from *number*."""
    deal = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=number))
    return {"deal": deal, "visibility": "unlisted"}


class OwnTables:
    """Tables of our own.

    Args:
        client: makes them and plays at them.
        game: what is played.
        new_bot: the bot of all seats of a match.
        ask: what else is asked of the table for the match of a number; no two have the same one.
    """

    def __init__(
        self,
        client: Client,
        game: str,
        new_bot: Callable[[], Bot],
        ask: Callable[[int], dict[str, Any]],
    ) -> None:
        self._client = client
        self._game = game
        self._new_bot = new_bot
        self._ask = ask
        self._made: dict[str, NewTable] = {}

    async def play(self, tables: int, counter: Counter, port: int) -> None:
        """Play at so many tables until the input ends; says when all have begun, and gives marks.

        Args:
            tables: how many.
            counter: what the marks are made from.
            port: the server's.
        """
        started = [asyncio.Event() for _ in range(tables)]
        playing = asyncio.gather(*(self.play_on(n, e) for n, e in enumerate(started)))
        sitting = asyncio.gather(*(event.wait() for event in started))
        playing.add_done_callback(lambda _: sitting.cancel())
        with suppress(asyncio.CancelledError):
            await sitting
            loop = asyncio.get_running_loop()
            answer_marks(counter, port, lambda: loop.call_soon_threadsafe(playing.cancel))
        with suppress(asyncio.CancelledError):
            await playing
        await self._abort_all()

    async def play_on(self, number: int, started: asyncio.Event | None = None) -> None:
        """One match after another; *number* is that of the first, which *started* tells of."""
        client = self._client
        players = await client.players(self._game)
        while True:
            made = await client.create_table(
                self._game, seats=["reserved"] * players, shared_seats=True, **self._ask(number)
            )
            self._made[made.table_id] = made
            tickets = [
                await client.join(made.table_id, seat=seat, invite=code)
                for seat, code in made.invites.items()
            ]
            if started is not None:
                started.set()
            bot = self._new_bot()
            async with asyncio.TaskGroup() as seats:
                for ticket in tickets:
                    seats.create_task(client.play(bot, ticket, seed=number))
            del self._made[made.table_id]
            number += _NEXT

    async def _abort_all(self) -> None:
        """Stop the tables that are left, as far as the server still listens."""

        async def abort(made: NewTable) -> None:
            with suppress(Error):
                await self._client.abort_table(made)

        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.gather(*map(abort, self._made.values()))
