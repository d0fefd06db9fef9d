"""Streams opened faster than they can be served, by a client that has no key.

What is promised is that no call of anybody else fails. Calls are served in the order in which they
came, so that the bystander waits behind the streams that the attacker may have open; how long is
printed, not judged.
"""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path
from typing import Final

from scripts.attack.raw_streams import Habit
from scripts.attack.stage import Finding, bystander, flood, good_keys, running

CONNECTIONS: Final = (1, 10, 50)
RATE: Final = 20_000
"""Streams a second, over all connections."""


async def attack(folder: Path, seconds: float) -> list[Finding]:
    """An unauthenticated client opens 20,000 streams a second on 1, 10 and 50 connections."""
    findings = []
    with running(folder, "--auth", "keys") as server:
        (key,) = await good_keys(folder, "honest")
        for connections, habit in product(CONNECTIONS, Habit):
            async with bystander(server.address, key) as honest:
                await asyncio.sleep(seconds)
                control = await honest.sample()
                seen = await flood(
                    "raw_streams", seconds, server.address, connections, habit.value, RATE
                )
                attacked = await honest.sample()
            findings += [
                Finding(f"{connections} connections, {habit}: {seen}", server.is_running),
                Finding(f"  control:  {control}", not control.failures),
                Finding(f"  attacked: {attacked}", bool(attacked.times) and not attacked.failures),
            ]
    return findings
