"""House bots that search, at as many tables as one principal may make."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final

from croupier.bot import Bot, Decision
from croupier.bots import GreedyBot
from croupier.client import Client, connect
from croupier.errors import Error
from croupier.moves import Move
from croupier.results import Result
from croupier.v1 import table_pb2
from croupier.views import View
from scripts.attack.stage import Finding, good_keys, running

GAME: Final = "tongits"
BOT: Final = "search"
TABLES: Final = 100
SLOWDOWN_MAX: Final = 6.0
"""Of the mean wait for the house. It thinks for two principals in turns, which makes twice as long;
the rest is for the processor that the attacker's own play takes."""


class Waiter(Bot):
    """Plays greedy, and notes how long the others take until it is asked again, in seconds."""

    inline = True

    def __init__(self) -> None:
        self._greedy = GreedyBot()
        self._answered: float | None = None
        self.waits: list[float] = []

    def decide(self, view: View, decision: Decision) -> Move:
        """See `Bot.decide`."""
        now = time.perf_counter()
        if self._answered is not None:
            self.waits.append(now - self._answered)
        move = self._greedy.decide(view, decision)
        self._answered = time.perf_counter()
        return move

    def on_start(self, table: table_pb2.Table, seat: int) -> None:
        """Wait from now on."""
        self._answered = time.perf_counter()

    def stop(self) -> list[float]:
        """All waits, the one that is not over included."""
        if self._answered is not None:
            self.waits.append(time.perf_counter() - self._answered)
        return self.waits

    def on_end(self, result: Result) -> None:
        """Wait for nobody any longer."""
        self._answered = None


async def attack(folder: Path, seconds: float) -> list[Finding]:
    """One principal makes 100 tables of the house bot that thinks longest."""
    with running(folder, "--auth", "keys") as server:
        keys = await good_keys(folder, "honest", "greedy")
        async with (
            connect(server.address, key=keys[0]) as honest,
            connect(server.address, key=keys[1], patience=0.5) as hostile,
        ):
            control = await _wait(honest, seconds)
            crowd = [asyncio.create_task(work) for work in await _crowd(hostile)]
            attacked = await _wait(honest, seconds)
            for task in crowd:
                task.cancel()
            await asyncio.gather(*crowd, return_exceptions=True)
    ratio = (sum(attacked) / len(attacked)) / (sum(control) / len(control))
    return [
        Finding(f"control:  {_text(control)}", True),
        Finding(f"attacked: {_text(attacked)}, {len(crowd)} seats of the attacker's own", True),
        Finding(f"the house takes {ratio:.1f} times as long", ratio <= SLOWDOWN_MAX),
    ]


async def _wait(client: Client, seconds: float) -> list[float]:
    """Play against the house for *seconds*; how long each wait for it was."""
    bot = Waiter()
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(_play(client, bot))
        await asyncio.sleep(seconds)
        waits = bot.stop()
        playing.cancel()
    return waits


async def _play(client: Client, bot: Bot) -> None:
    """One match after another against two house bots."""
    while True:
        made = await client.create_table(GAME, seats=["reserved", BOT, BOT])
        ticket = await client.join(made.table_id, seat=0, invite=made.invites[0])
        try:
            await client.play(bot, ticket)
        finally:
            with suppress(Error):
                await client.abort_table(made)


async def _crowd(client: Client) -> list[Coroutine[None, None, None]]:
    """Make tables with as many house bots as are allowed; what plays the attacker's own seats."""
    works: list[Coroutine[None, None, None]] = []
    for seats in ([BOT] * 3, ["reserved", BOT, BOT]):
        for _ in range(TABLES // 2):
            try:
                made = await client.create_table(GAME, seats=seats)
            except Error:
                break
            if 0 in made.invites:
                works.append(_sit(client, made.table_id, made.invites[0]))
    return works


async def _sit(client: Client, table_id: str, invite: str) -> None:
    ticket = await client.join(table_id, seat=0, invite=invite)
    await client.play(GreedyBot(), ticket)


def _text(waits: list[float]) -> str:
    return (
        f"{len(waits)} waits for the house, median {median(waits) * 1e3:.0f} ms, "
        f"longest {max(waits) * 1e3:.0f} ms"
    )
