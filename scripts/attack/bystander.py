"""``python -m scripts.attack.bystander ADDRESS GAME RATE``: an honest player that times its moves.

It prints a line when it plays, then for every line of its standard input one of JSON with the
moves since the line before, see `scripts.attack.stage.Sample`. The key comes from the environment.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any, Final

from croupier.client import Client
from croupier_server.bench.loop import run
from croupier_server.bench.marks import say
from croupier_server.bench.own_tables import OwnTables, unlisted
from croupier_server.bench.pace import PacedBot, Pacer

TABLES: Final = 16
WARM_UP_S: Final = 1.0


async def main(address: str, game: str, rate: float) -> None:
    """Play until the end of the input."""
    times: list[float] = []
    failures: list[str] = []
    pacer = Pacer()

    async with Client(address, transport="watch") as client:
        stub: Any = client._main.play  # noqa: SLF001 - it is the SDK's call that is timed
        submit = stub.SubmitMove

        async def timed(*arguments: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                answer = await submit(*arguments, **named)
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}")
                raise
            times.append((time.perf_counter() - began) * 1e3)
            return answer

        stub.SubmitMove = timed
        own = OwnTables(client, game, lambda: PacedBot(pacer), unlisted)
        tasks = [asyncio.create_task(own.play_on(number)) for number in range(TABLES)]
        tasks.append(asyncio.create_task(_pace(pacer, rate)))
        await asyncio.sleep(WARM_UP_S)
        times.clear()
        pacer.starved = 0
        say({})
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while await lines.readline():
            say({"times": times[:], "failures": failures[:], "starved": pacer.starved})
            times.clear()
            failures.clear()
            pacer.starved = 0
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pace(pacer: Pacer, rate: float) -> None:
    """Let one seat move at each tick of *rate* a second."""
    began = time.perf_counter()
    number = 0
    while True:
        number += 1
        await asyncio.sleep(max(began + number / rate - time.perf_counter(), 0))
        pacer.let_go()


if __name__ == "__main__":
    run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
