"""A process that talks gRPC starts other programs, and none of them crashes on the way."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.e2e.serving import SECONDS, clean_environment

STARTS = 80
"""Before this was mended one start in six failed here."""

PROGRAM = f"""
import asyncio, importlib.util, logging, structlog
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
from croupier import Client
from croupier.bots import RandomBot
from croupier_server import app
from croupier_server.config import load

async def play(address):
    while True:
        async with Client(address) as client:
            made = await client.create_table("pokex", options={{"max_deals": 1}})
            tickets = [await client.join(made.table_id) for _ in range(4)]
            await asyncio.gather(*(client.play(RandomBot(), ticket) for ticket in tickets))

async def main():
    settings = load({{"port": 0, "store": "memory:", "house_bots": False}})
    async with app.running(settings) as running:
        playing = [asyncio.create_task(play(running.server.address)) for _ in range(4)]
        statuses = []
        for _ in range({STARTS}):
            started = await asyncio.create_subprocess_exec("true", start_new_session=True)
            statuses.append(await started.wait())
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    print([status for status in statuses if status])

if importlib.util.find_spec("uvloop"):
    import uvloop
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
else:
    asyncio.run(main())
"""


@pytest.mark.more
def test_programs_that_are_started_do_not_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=clean_environment(),
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr
