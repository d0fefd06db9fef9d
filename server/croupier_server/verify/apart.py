"""Checks records in a process of their own, one at a time, so that a server never waits for it.

A record comes from anybody and the rules run on it for as long as it likes; a process can be ended,
a thread cannot, and a thread would hold up the loop as well.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from typing import Final

from croupier_server.errors import Exhausted, Reason
from croupier_server.verify.report import Check, Report

CPU_S: Final = 20
"""A check may take so much time of a processor."""

MEMORY_BYTES: Final = 1 << 30
"""And so much address space."""

WAITING_MAX: Final = 8
"""So many records wait for their turn; the next one is refused."""

WAITING_EACH_MAX: Final = 2
"""And so many of one principal, lest it keeps all others out."""

_WALL_S: Final = 3.0 * CPU_S
_RETRY_MS: Final = 2_000


class Verifier:
    """Checks records one after the other, each in a process of its own."""

    def __init__(self, wall_s: float = _WALL_S) -> None:
        self._turn = asyncio.Lock()
        self._waiting: Counter[str] = Counter()
        self._wall_s = wall_s

    async def verify(self, data: bytes, principal: str) -> Report:
        """Check a serialised ``Record`` for *principal*.

        Raises:
            Exhausted: RATE_LIMITED; too many wait already.
        """
        waiting = self._waiting
        if waiting[principal] > WAITING_EACH_MAX or waiting.total() > WAITING_MAX:
            whose = " of yours" if waiting[principal] > WAITING_EACH_MAX else ""
            raise Exhausted(
                Reason.RATE_LIMITED,
                f"too many records{whose} are waiting to be checked",
                retry_ms=_RETRY_MS,
            )
        waiting[principal] += 1
        try:
            async with self._turn:
                return await self._in_process(data)
        finally:
            waiting[principal] -= 1
            if not waiting[principal]:
                del waiting[principal]

    async def _in_process(self, data: bytes) -> Report:
        # Not one of asyncio's: with uvloop those fail when they end before they are written to.
        process = _start()
        loop = asyncio.get_running_loop()
        talk = loop.run_in_executor(None, process.communicate, data)
        try:
            out, _ = await asyncio.wait_for(asyncio.shield(talk), self._wall_s)
        except TimeoutError:
            out = b""
        finally:
            process.kill()  # the thread then comes to its end by itself, and lets go of the pipes
        if not out:
            return Report((Check("time", False, "not checked: it takes too much time or memory"),))
        return Report.from_data(json.loads(out))


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "croupier_server.verify"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
