"""The crowd of a soak run: bots in all seats of some tables, match after match, at a steady rate.

Run as ``python -m scripts.soak_players ADDRESS GAME TABLES RATE``, with RATE in decisions a second
of the whole process, 0 for as fast as it goes. Counts its decisions for `bench.marks`.

Must not be put here: what is right and what is wrong of what the server says; nobody looks at that
here, as it would cost what is wanted for the load.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from croupier import Client, Decision, Move
from croupier.bots import RandomBot
from croupier.client import NewTable
from croupier.errors import Error
from croupier.views import View
from croupier_server.bench.loop import run
from croupier_server.bench.marks import Counter, answer_marks
from scripts.live.matches import GAMES

_BEHIND_S = 0.5
"""What could not be done for so long is not made up for: a stall is no reason for a rush."""
_STOP_S = 5.0


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


class Tables:
    """Tables of our own, with *bot* in all seats."""

    def __init__(self, client: Client, game: str, bot: PacedBot) -> None:
        self._client = client
        self._game = game
        self._bot = bot
        self._made: dict[str, NewTable] = {}

    async def play(self, started: asyncio.Event) -> None:
        """One match after another."""
        client, game = self._client, self._game
        players = await client.players(game)
        option, _, most = GAMES[game]
        while True:
            made = await client.create_table(
                game, options={option: most}, seats=["invited"] * players, shared_seats=True
            )
            self._made[made.table_id] = made
            tickets = [
                await client.join(made.table_id, seat=seat, invite=code)
                for seat, code in enumerate(made.invite_codes)
            ]
            started.set()
            async with asyncio.TaskGroup() as seats:
                for ticket in tickets:
                    seats.create_task(client.play(self._bot, ticket))
            del self._made[made.table_id]

    async def abort_all(self) -> None:
        """Stop what is under way."""

        async def abort(made: NewTable) -> None:
            with suppress(Error):
                await self._client.abort_table(made)

        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.gather(*map(abort, self._made.values()))


async def play(address: str, game: str, tables: int, rate: float) -> None:
    """Play *game* at so many tables until the input ends."""
    counter = Counter()
    async with Client(address) as client:
        crowd = Tables(client, game, PacedBot(Pace(rate), counter))
        started = [asyncio.Event() for _ in range(tables)]
        playing = asyncio.gather(*map(crowd.play, started))
        sitting = asyncio.gather(*(event.wait() for event in started))
        playing.add_done_callback(lambda _: sitting.cancel())
        with suppress(asyncio.CancelledError):
            await sitting
            loop = asyncio.get_running_loop()
            port = int(address.rpartition(":")[2])
            answer_marks(counter, port, lambda: loop.call_soon_threadsafe(playing.cancel))
        with suppress(asyncio.CancelledError):
            await playing
        await crowd.abort_all()


if __name__ == "__main__":
    run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
