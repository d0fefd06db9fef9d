"""Hosts on a Ray cluster: the extra ``ray``.

Each host is an actor in a process of a Ray worker. It runs a host of `Local` there, with its server
and bots beside it. It receives hands and returns results and records; only the conductor writes the
log. So if a node dies, only the boards that it was playing are lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from croupier_server.contest.arena import ContestFailed, Setting, keep_record
from croupier_server.contest.ladder.executor import CORES_A_HOST, Host, Job, Local, Work, hosts_for
from croupier_server.contest.ladder.programs import build
from croupier_server.contest.ladder.spec import Records
from croupier_server.contest.processes import ProcessFailed
from croupier_server.contest.results import MatchResult, Outcome

_NO_USAGE_STATS: Final = "RAY_USAGE_STATS_ENABLED"


class NoCluster(Exception):
    """Ray is not installed, or its cluster cannot be reached; the text says which."""


@contextmanager
def cluster(address: str = "") -> Iterator[RayHosts]:
    """Connects to the Ray cluster at *address*; empty: starts Ray on this machine.

    Raises:
        NoCluster: that is not possible.
    """
    os.environ.setdefault(_NO_USAGE_STATS, "0")
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise NoCluster(
            'Ray is not installed; install it with `pip install "croupier-server[ray]"`'
        ) from None
    local = {} if address else {"include_dashboard": False}
    try:
        ray.init(
            address=address or "local",
            log_to_driver=False,
            configure_logging=False,
            namespace="croupier",
            **local,
        )
    except (OSError, RuntimeError, ValueError) as error:
        where = f"the Ray cluster at {address} cannot be reached" if address else "Ray cannot start"
        raise NoCluster(f"{where}: {' '.join(str(error).split())}") from None
    try:
        yield RayHosts(ray)
    finally:
        ray.shutdown()


class RayHosts:
    """An executor: see `croupier_server.contest.ladder.executor.Executor`."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._actors = ray.remote(
            num_cpus=CORES_A_HOST,
            max_restarts=0,  # the conductor starts hosts again, and hands their boards out anew
            max_task_retries=0,
            scheduling_strategy="SPREAD",
            runtime_env={"env_vars": {"RAY_USE_UVLOOP": "0"}},  # it starts no process groups
        )(_HostActor)

    @property
    def hosts(self) -> int:
        """How many hosts the cluster has cores for."""
        return hosts_for(int(self._ray.cluster_resources().get("CPU", 0)))

    @asynccontextmanager
    async def host(self, number: int, job: Job) -> AsyncIterator[Host]:
        """See `Executor.host`. It waits while no node of the cluster has free cores."""
        if job.servers:
            raise ContestFailed(
                "a Ray cluster plays at servers that it starts; remove `server` from the file of "
                "the contest, or use --executor local"
            )
        part = _Part(job.setting, job.folder.resolve(), job.records, job.builds)
        actor = self._actors.remote(number, part)
        lost = self._ray.exceptions.RayError
        try:
            try:
                trouble = await actor.open.remote()
            except lost as error:
                raise ProcessFailed(f"host {number} did not start: {_line(error)}") from None
            if trouble is not None:
                failure = ContestFailed if trouble.is_final else ProcessFailed
                raise failure(trouble.text)
            yield _RayHost(number, actor, job, lost)
            with contextlib.suppress(lost):
                await actor.close.remote()
        finally:
            self._ray.kill(actor)


class _RayHost:
    """The host that *actor* runs."""

    def __init__(self, number: int, actor: Any, job: Job, lost: type[Exception]) -> None:
        self.broken = ""
        self._number = number
        self._actor = actor
        self._job = job
        self._lost = lost

    async def play(self, hand: Sequence[Work]) -> list[list[MatchResult]]:
        """See `Host.play`."""
        try:
            reply = await self._actor.play.remote(list(hand), sorted(self._job.alone))
        except self._lost as error:
            self.broken = self.broken or f"host {self._number} was lost: {_line(error)}"
            return [
                [
                    MatchResult(match, "", None, Outcome.SERVER_FAULT, detail=self.broken)
                    for match in work.matches
                ]
                for work in hand
            ]
        self.broken = self.broken or reply.broken
        self._job.alone.update(reply.alone)
        return await asyncio.to_thread(self._kept, reply)

    def _kept(self, reply: _Reply) -> list[list[MatchResult]]:
        """The results of *reply*, with their records kept."""
        records = iter(reply.records)
        return [
            [
                one if record is None else keep_record(self._job.keep, one, record)
                for one, record in zip(results, records, strict=False)
            ]
            for results in reply.results
        ]


# In the process of a Ray worker ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """What an actor knows of a `Job`; fields as there."""

    setting: Setting
    folder: Path
    records: Records
    builds: list[str]


class _Trouble(NamedTuple):
    """Why an actor cannot play; ``is_final`` if no other could."""

    text: str
    is_final: bool


class _Reply(NamedTuple):
    """What an actor has played.

    Attributes:
        results: of each board.
        records: of each result in order, where they are to be kept.
        alone: bots that have shown that they need a process for each match.
        broken: as `Host.broken`.
    """

    results: list[list[MatchResult]]
    records: list[bytes | None]
    alone: list[int]
    broken: str


class _HostActor:
    """A local host, behind calls that Ray carries."""

    def __init__(self, number: int, part: _Part) -> None:
        self._number = number
        self._part = part
        self._alone: set[int] = set()
        self._records: dict[tuple[int, int], bytes] = {}
        self._stack = AsyncExitStack()
        self._host: Host | None = None

    async def open(self) -> _Trouble | None:
        """Start server and bots; returns why that failed, if it did."""
        part = self._part
        for bot, known in zip(part.setting.entrants, part.builds, strict=True):
            try:
                own = build(bot)
            except OSError as error:
                return _Trouble(f"{bot.name}: cannot read {error.filename} {_HERE}", True)
            if own != known:
                return _Trouble(f"{bot.name}: {own} {_HERE} differs from {known} at home", True)
        job = Job(
            setting=part.setting,
            folder=part.folder,
            servers=(),
            keep=self._keep,
            records=part.records,
            alone=self._alone,
            builds=part.builds,
        )
        try:
            self._host = await self._stack.enter_async_context(Local().host(self._number, job))
        except ContestFailed as error:
            return _Trouble(str(error), True)
        except (OSError, ProcessFailed) as error:
            return _Trouble(str(error), False)
        return None

    async def play(self, hand: list[Work], alone: list[int]) -> _Reply:
        """See `Host.play`; *alone* as the conductor knows it."""
        assert self._host is not None
        self._alone.update(alone)
        results = await self._host.play(hand)
        records = [
            self._records.pop((one.match.board, one.match.number), None)
            for board in results
            for one in board
        ]
        return _Reply(results, records, sorted(self._alone), self._host.broken)

    async def close(self) -> None:
        """Stop server and bots."""
        await self._stack.aclose()

    def _keep(self, result: MatchResult, record: bytes) -> str:
        """Hold a record until its result is returned."""
        if self._part.records.takes(result):
            self._records[result.match.board, result.match.number] = record
        return ""


_HERE: Final = "on a node of the Ray cluster"


def _line(error: Exception) -> str:
    """The first line of *error*, or of what has raised it in an actor: Ray adds many more."""
    error = getattr(error, "cause", None) or error
    return str(error).strip().partition("\n")[0] or type(error).__name__
