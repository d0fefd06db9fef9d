"""Requests to the web port faster than they can be served, by a client that has no key.

What is promised is that no call of anybody else fails, and that moves over gRPC are still answered
in time.
"""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path
from typing import Final

from scripts.attack.raw_web import Habit
from scripts.attack.stage import Finding, bystander, flood, good_keys, judge, running

CONNECTIONS: Final = (50, 500)


async def attack(folder: Path, seconds: float) -> list[Finding]:
    """A client without a key floods the web port over 50 and 500 connections."""
    findings = []
    with running(folder, "--auth", "keys", "--web", "0") as server:
        (key,) = await good_keys(folder, "honest")
        for connections, habit in product(CONNECTIONS, Habit):
            async with bystander(server.address, key) as honest:
                await asyncio.sleep(seconds)
                control = await honest.sample()
                seen = await flood("raw_web", seconds, server.told["web"], connections, habit.value)
                attacked = await honest.sample()
            findings.append(
                Finding(f"{connections} connections, {habit}: {seen}", server.is_running)
            )
            findings += judge(control, attacked)
    return findings
