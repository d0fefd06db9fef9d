"""House bots: one process of them, which dial in like any other bot.

A seat of the kind HOUSE is handed to that process as one line on its standard input. If it dies it
is started again, and gets the seats of all matches that are still on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Final

import structlog

from croupier.bots import HOUSE_BOTS
from croupier.credentials import without_credentials
from croupier_server.bots.spec import NAME
from croupier_server.tables.shard.shard import HouseSeat

BOTS: Final = frozenset((*HOUSE_BOTS, NAME))
"""House bots that a seat may have."""

_log = structlog.get_logger(__name__)

_COMMAND: Final = (
    sys.executable,
    # Bots may bring libraries that crash the interpreter, and so may gRPC: say where it was.
    *("-X", "faulthandler"),
    *("-m", "croupier_server.bots.house", "--stdin"),
)
_BACKOFF_FIRST: Final = 0.25
_BACKOFF_MAX: Final = 15.0
_STEADY_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 2.0
_LINE_MAX: Final = 2_000
_PLACE: Final = re.compile(r' +File "[^"]+", line \d+, in \S+$')
_KIND: Final = re.compile(
    r"(?:table \S+, seat \w+|Traceback \(most recent call last\)|[A-Za-z_][\w.]*[a-z]\w*)(?=:)"
    r"(?:: [A-Z]+_[A-Z_]+(?=:))?"
)


class HouseBots:
    """The process of the house bots and the seats that it holds.

    The process is started with the first seat, so a server without house seats has none.

    Args:
        is_on: whether the match of a table is still on; its seats are handed out again if so.
        command: program and arguments of the process.
        key: with which bots call; empty: without one. They are told on the standard input, where
            nobody else can read it.
    """

    def __init__(
        self, is_on: Callable[[str], bool], command: tuple[str, ...] = _COMMAND, key: str = ""
    ) -> None:
        self._is_on = is_on
        self._key = key
        self._command = command
        self._address = ""
        self._seats: dict[tuple[str, int], HouseSeat] = {}
        self._unsent: list[HouseSeat] = []
        self._wake = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._sweep_at = 64
        self._deaths = 0

    def start(self, address: str) -> None:
        """Have bots dial *address* from now on."""
        self._address = address
        self._runner = asyncio.create_task(self._run(), name="house bots")

    def sit(self, seat: HouseSeat) -> None:
        """Give *seat* to its bot."""
        self._seats[seat.table_id, seat.seat] = seat
        self._unsent.append(seat)
        self._wake.set()
        if len(self._seats) >= self._sweep_at:
            self._forget_ended()
            self._sweep_at = 2 * len(self._seats) + 64

    async def stop(self) -> None:
        """Stop the process; returns when it has gone."""
        if self._runner is not None:
            self._runner.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._runner
            self._runner = None

    def count_deaths(self) -> int:
        """How often the process has died."""
        return self._deaths

    @property
    def seats(self) -> tuple[HouseSeat, ...]:
        """Seats that were handed out, but for those of matches known to have ended."""
        return tuple(self._seats.values())

    def _forget_ended(self) -> None:
        self._seats = {key: seat for key, seat in self._seats.items() if self._is_on(key[0])}

    async def _run(self) -> None:
        """Keep the process alive while there are seats."""
        backoff = _BACKOFF_FIRST
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            started = loop.time()
            try:
                status = await self._run_once()
            except OSError as error:
                _log.error("house bots cannot be started", error=str(error))
                status = -1
            self._deaths += 1
            self._forget_ended()
            self._unsent = list(self._seats.values())
            if loop.time() - started > _STEADY_SECONDS:
                backoff = _BACKOFF_FIRST
            _log.error("house bots died", status=status, seats=len(self._seats), again_in=backoff)
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _BACKOFF_MAX)
            if self._unsent:
                self._wake.set()

    async def _run_once(self) -> int:
        """Run the process until it dies and return its status."""
        # A session of its own: an interrupt from the terminal is for the server, which stops it.
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=without_credentials(os.environ),
            limit=_LINE_MAX * 8,
        )
        _log.info("house bots started", pid=process.pid)
        try:
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(_log_lines(process))
                writer = group.create_task(self._write_seats(process))
                status = await process.wait()
                writer.cancel()
                await reader
            return status
        finally:
            await _end(process)

    async def _write_seats(self, process: asyncio.subprocess.Process) -> None:
        """Hand seats over as they come; a process that listens no more is ended."""
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                seats, self._unsent = self._unsent, []
                for seat in seats:
                    if process.stdin.is_closing():  # uvloop would raise a RuntimeError
                        raise BrokenPipeError
                    credentials = {"key": self._key} if self._key else {}
                    line = json.dumps({"address": self._address, **credentials, **seat._asdict()})
                    process.stdin.write(line.encode() + b"\n")
                    await process.stdin.drain()
        await _end(process)


async def _log_lines(process: asyncio.subprocess.Process) -> None:
    """What the bots say goes to the server's log."""
    assert process.stderr is not None
    while True:
        try:
            line = await process.stderr.readline()
        except ValueError:  # longer than the limit; the rest of it follows as lines
            continue
        if not line:
            return
        text = without_words(line.decode(errors="replace").rstrip())
        _log.warning("house bots stderr", line=text[:_LINE_MAX])


def without_words(line: str) -> str:
    """A line of the bots as far as it says what went wrong and where: they know the cards of their
    seats, and the words of an error may name them."""
    if _PLACE.match(line):
        return line
    kind = _KIND.match(line)
    return kind[0] if kind else "(words left out)"


async def _end(process: asyncio.subprocess.Process) -> None:
    """Make sure that the process is gone."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
