"""Processes that a server starts while it serves: house bots, and checks of records."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SERVING = """
import asyncio
from collections import Counter

import croupier_server
import grpc
import uvloop

CALLER = '''
import asyncio, grpc, sys
async def call(address):
    while True:
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(address, options=options) as channel:
            echo = channel.unary_unary("/test.Echo/Call")
            for _ in range(50):
                await echo(b"x" * 100)
async def main():
    await asyncio.gather(*[call(sys.argv[1]) for _ in range(16)])
asyncio.run(main())
'''

async def main():
    calls_made, is_busy = 0, asyncio.Event()

    async def echo(request, context):
        nonlocal calls_made
        calls_made += 1
        if calls_made == 500:
            is_busy.set()
        return request

    server = grpc.aio.server()
    calls = {"Call": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("test.Echo", calls)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    run, quiet = asyncio.create_subprocess_exec, asyncio.subprocess.DEVNULL
    caller = await run(PYTHON, "-c", CALLER, f"127.0.0.1:{port}", stderr=quiet)
    await is_busy.wait()
    ends = Counter([await (await run("true")).wait() for _ in range(400)])
    caller.kill()
    await caller.wait()
    await server.stop(0)
    print(dict(ends))

uvloop.run(main())
"""


@pytest.mark.more
def test_processes_survive_being_started_by_a_busy_server() -> None:
    """uvloop forks, and what gRPC does in a fork while its threads are busy may end the child."""
    pytest.importorskip("uvloop")
    environment = {name: value for name, value in os.environ.items() if "FORK" not in name}
    done = subprocess.run(
        [sys.executable, "-c", f"PYTHON = {sys.executable!r}\n{SERVING}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "{0: 400}", done.stdout + done.stderr[-2_000:]
