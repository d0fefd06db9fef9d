"""A measured client that makes so many moves a second, no more, and as many calls of the echo.

Run as ``python -m croupier_server.bench.pace ADDRESS ECHO GAME RATE SECONDS``. It prints one line
of JSON: how long each call took, in milliseconds. Moves and echoes take turns, so that both meet
the same machine and the same busy client.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import grpc

from croupier.bot import Bot, Decision
from croupier.client import Client
from croupier.moves import Move
from croupier.v1 import play_service_pb2
from croupier.views import View
from croupier_server.bench.echo import SERVICE
from croupier_server.bench.loop import run
from croupier_server.bench.marks import say
from croupier_server.bench.own_tables import OwnTables, unlisted

T = TypeVar("T")

TABLES: Final = 64
WARM_UP_S: Final = 2.0
_STOP_S: Final = 2.0


class Pacer:
    """Lets one of those who wait go on at a time."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.starved = 0

    async def turn(self) -> None:
        """Wait for our turn."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def let_go(self) -> None:
        """It is the turn of who waits for longest."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return
        self.starved += 1


class PacedBot(Bot):
    """Plays by chance, when it is its turn."""

    def __init__(self, pacer: Pacer) -> None:
        self._pacer = pacer

    async def decide(self, view: View, decision: Decision) -> Move:
        await self._pacer.turn()
        return decision.legal.sample(decision.random)


def timed(call: Callable[..., Awaitable[T]], times: list[float]) -> Callable[..., Awaitable[T]]:
    """*call*, each time put down in milliseconds."""

    async def measured(*arguments: Any, **named: Any) -> T:
        began = time.perf_counter()
        answer = await call(*arguments, **named)
        times.append((time.perf_counter() - began) * 1e3)
        return answer

    return measured


async def keep_pace(rate: float, seconds: float, *calls: Callable[[], object]) -> None:
    """Make each call so many times a second; they take turns."""
    step = 1 / rate / len(calls)
    began = time.perf_counter()
    for number in range(round(seconds / step)):
        await asyncio.sleep(max(began + number * step - time.perf_counter(), 0))
        calls[number % len(calls)]()


async def measure(address: str, echo: str, game: str, rate: float, seconds: float) -> None:
    """Play, and say how long the calls took."""
    moves: list[float] = []
    echoes: list[float] = []
    pacer, tasks = Pacer(), set[asyncio.Task[Any]]()
    async with (
        Client(address, transport="watch") as client,
        grpc.aio.insecure_channel(echo) as channel,
    ):
        play_stub: Any = client._main.play  # noqa: SLF001 - it is the SDK's call that is timed
        play_stub.SubmitMove = timed(play_stub.SubmitMove, moves)
        bare: Any = channel.unary_unary(
            f"/{SERVICE}/Unary",
            play_service_pb2.SubmitMoveRequest.SerializeToString,
            play_service_pb2.SubmitMoveResponse.FromString,
        )
        call = timed(bare, echoes)
        request = play_service_pb2.SubmitMoveRequest(table_id="0" * 26, decision_id="123-2")

        def one_echo() -> None:
            task = asyncio.ensure_future(call(request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        own = OwnTables(client, game, lambda: PacedBot(pacer), unlisted)
        playing = [asyncio.create_task(own.play_on(number)) for number in range(TABLES)]
        await keep_pace(rate, WARM_UP_S, pacer.let_go, one_echo)
        moves.clear()
        echoes.clear()
        pacer.starved = 0
        await keep_pace(rate, seconds, pacer.let_go, one_echo)
        say({"moves": moves[:], "echoes": echoes[:], "starved": pacer.starved})
        for task in playing:
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.gather(*playing, *tasks, return_exceptions=True)


if __name__ == "__main__":
    server_at, echo_at, wanted, a_second, so_long = sys.argv[1:]
    run(measure(server_at, echo_at, wanted, float(a_second), float(so_long)))
