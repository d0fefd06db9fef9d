"""Where the boards of a contest are played: the seam between its conductor and its hosts.

A host is one server and its bots. It plays hands, which are batches of boards, and returns their
results. It neither sees the log nor decides what is played. `Local` runs
hosts on this machine, `croupier_server.contest.ladder.ray_executor` on a Ray cluster.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from croupier_server.contest.arena import Arena, Keep, Setting, arena
from croupier_server.contest.ladder.spec import Records
from croupier_server.contest.pairing import Match
from croupier_server.contest.results import MatchResult

HAND_S: Final = 0.1
"""Seconds of play in a hand at least, so that what handing it out costs does not matter."""

CORES_A_HOST: Final = 2
"""Cores that one server and its bots keep busy: the bots of a match take turns, so all of them
together use about as much as their server."""


class Work(NamedTuple):
    """A board to play.

    Attributes:
        matches: the matches of the board.
        redeal: which cards of the board, see `croupier_server.contest.boards.board`.
        tries: maximum attempts with these cards.
    """

    matches: list[Match]
    redeal: int
    tries: int


@dataclass(frozen=True, slots=True)
class Job:
    """What all hosts of a contest play.

    Attributes:
        setting: game, entrants and seed.
        folder: folder for the logs of processes on this machine, with a subfolder for each host.
        servers: addresses of running servers; empty: each host starts one.
        keep: stores the record of a match.
        records: which records to pass to `keep`.
        alone: bots that get a process for each match; a host adds those whose process has exited.
        builds: builds of all bots.
    """

    setting: Setting
    folder: Path
    servers: tuple[str, ...]
    keep: Keep
    records: Records
    alone: set[int]
    builds: list[str]


class Host(Protocol):
    """A server and its bots."""

    @property
    def broken(self) -> str:
        """Why the host cannot continue, or empty."""

    async def play(self, hand: Sequence[Work]) -> list[list[MatchResult]]:
        """Play the boards of *hand* at the same time.

        Returns:
            The results of each board, table by table. Those of a board that could not be played
            have the outcome `SERVER_FAULT`.
        """


class Executor(Protocol):
    """Starts hosts."""

    def host(self, number: int, job: Job) -> AbstractAsyncContextManager[Host]:
        """Open host number *number* of a contest; it is stopped at the end.

        Raises:
            ContestFailed: no host could play this contest.
            ProcessFailed: this host did not start.
        """


class Local:
    """Hosts on this machine, with their processes started by this one."""

    @asynccontextmanager
    async def host(self, number: int, job: Job) -> AsyncIterator[Host]:
        """See `Executor.host`."""
        logs = job.folder / str(number)
        await asyncio.to_thread(logs.mkdir, parents=True, exist_ok=True)
        address = job.servers[number % len(job.servers)] if job.servers else ""
        async with arena(job.setting, logs, address, keep=job.keep, alone=job.alone) as place:
            yield LocalHost(place)


class LocalHost:
    """An arena of this process."""

    def __init__(self, place: Arena) -> None:
        self._place = place

    @property
    def broken(self) -> str:
        """See `Host.broken`."""
        return self._place.broken

    async def play(self, hand: Sequence[Work]) -> list[list[MatchResult]]:
        """See `Host.play`."""
        async with asyncio.TaskGroup() as boards:
            played = [boards.create_task(self._place.play_board(*work)) for work in hand]
        return [task.result() for task in played]


def hosts_for(cores: int) -> int:
    """Number of hosts that keep *cores* cores busy."""
    return max(1, cores // CORES_A_HOST)


def cores_here() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
