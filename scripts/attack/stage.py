"""What every attack stands on: a server with keys, and an honest player beside the attacker."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any, Final, NamedTuple, Self

from scripts.live.process import Server, clean_environment

SLOWDOWN_MAX: Final = 3.0
"""p99 of the bystander's moves under attack, as a multiple of the undisturbed control."""
AIM_MS: Final = 50.0
"""A bystander whose p99 stays below this is not harmed, however fast the control was."""

_BYSTANDER: Final = "scripts.attack.bystander"
_LINE_BYTES: Final = 1 << 24
_END_S: Final = 10.0
_KNOWN_S: Final = 2.0
"""A server reads its keys once a second."""


class Finding(NamedTuple):
    """One line of a report: what was measured, and whether it is good."""

    text: str
    is_good: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """Moves of the bystander in one phase.

    Attributes:
        times: how long each answered `SubmitMove` took, in milliseconds.
        failures: error texts of the calls that failed.
        starved: moves that could not be made in time because no seat was asked anything.
    """

    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    starved: int = 0

    def __add__(self, other: Sample) -> Sample:
        return Sample(
            self.times + other.times,
            self.failures + other.failures,
            self.starved + other.starved,
        )

    @property
    def p50(self) -> float:
        """Median in milliseconds."""
        return _percentile(self.times, 50)

    @property
    def p99(self) -> float:
        """99th percentile in milliseconds."""
        return _percentile(self.times, 99)

    def __str__(self) -> str:
        text = (
            f"{len(self.times)} moves, p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, "
            f"{len(self.failures)} failed"
        )
        if self.starved:
            text += f", {self.starved} not made for want of a decision"
        if self.failures:
            text += f" (first: {self.failures[0][:120]})"
        return text


def _percentile(times: Sequence[float], percent: int) -> float:
    if len(times) < 2:
        return times[0] if times else float("inf")
    return quantiles(times, n=100, method="inclusive")[percent - 1]


@contextmanager
def running(folder: Path, *flags: str) -> Iterator[Server]:
    """A server on SQLite in *folder*, stopped at the end."""
    server = Server(store(folder), folder / "server.log", flags)
    try:
        server.spawn()
        server.listen()
        yield server
    finally:
        if server.is_running:
            server.stop()
        server.close()


def store(folder: Path) -> str:
    """URL of the store of the server in *folder*."""
    return f"sqlite:{folder / 'croupier.db'}"


def _new_key(folder: Path, principal: str, *scopes: str) -> str:
    """A key for the server in *folder*, which learns of it within about a second."""
    command = [sys.executable, "-m", "croupier_server", "keys", "create", principal]
    command += [word for scope in scopes for word in ("--scope", scope)]
    command += ["--store", store(folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=clean_environment()
    )
    return done.stdout.strip()


async def good_keys(folder: Path, *principals: str) -> list[str]:
    """Keys of *principals* that may play and host; the server in *folder* knows them."""
    keys = [_new_key(folder, principal, "play", "host") for principal in principals]
    await asyncio.sleep(_KNOWN_S)
    return keys


class Bystander:
    """An honest player in a process of its own, which makes moves at a steady rate.

    It plays all seats of its own tables by `WatchTable` and `SubmitMove`.
    """

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, address: str, key: str, game: str, rate: float) -> Self:
        """Start to play; returns when moves are being made."""
        environment = clean_environment()
        if key:
            environment["CROUPIER_KEY"] = key
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", _BYSTANDER, address, game, str(rate)),
            stdin=PIPE,
            stdout=PIPE,
            env=environment,
            limit=_LINE_BYTES,
        )
        self = cls(process)
        await self._read()
        return self

    async def sample(self) -> Sample:
        """Its moves since the last sample."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        return Sample(**await self._read())

    async def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the bystander ended with status {await self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found

    async def close(self) -> None:
        """End its process."""
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(_END_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


@asynccontextmanager
async def bystander(
    address: str, key: str = "", *, game: str = "tongits", rate: float = 100
) -> AsyncIterator[Bystander]:
    """A bystander that plays *game* with *rate* moves a second."""
    found = await Bystander.start(address, key, game, rate)
    try:
        yield found
    finally:
        await found.close()


async def flood(module: str, seconds: float, *arguments: object) -> str:
    """Run an attacker, a *module* beside this one, for *seconds*; returns what it saw."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"scripts.attack.{module}", *map(str, arguments)),
        stdin=PIPE,
        stdout=PIPE,
        env=clean_environment(),
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        await asyncio.sleep(seconds)
        output, _ = await process.communicate(b"\n")
    finally:
        if process.returncode is None:
            process.kill()
    found: dict[str, int] = json.loads(output)
    return ", ".join(f"{name} {number}" for name, number in sorted(found.items()))


def judge(control: Sample, attacked: Sample) -> list[Finding]:
    """Whether the bystander was left in peace: no failed call, and p99 within `SLOWDOWN_MAX` of
    the control or below `AIM_MS`."""
    ratio = attacked.p99 / control.p99
    is_fast = ratio <= SLOWDOWN_MAX or attacked.p99 <= AIM_MS
    return [
        Finding(f"control:  {control}", not control.failures),
        Finding(f"attacked: {attacked}", not attacked.failures),
        Finding(f"p99 of the bystander's moves is {ratio:.1f} times the control's", is_fast),
    ]
