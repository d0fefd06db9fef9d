"""Group commit: one thread that stores whatever has gathered while it stored the last."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from croupier_server.storage.jobs import (
    GONE,
    Append,
    Committed,
    Core,
    Finish,
    Gaps,
    Job,
    LoopCore,
    StoreClosed,
    StoreTrouble,
    reason_gone,
)

_JOBS_MAX: Final = 4_096
"""Jobs that are committed together at most, so that a backlog does not become one huge
transaction."""

_FINISHED_MAX: Final = 4
"""Matches that are finished together at most, as a record takes long to make."""

_RETRY_FIRST_S: Final = 0.05
_RETRY_MAX_S: Final = 2.0

LOOK_S: Final = 1.0
"""How often the store is checked."""

_log = structlog.get_logger(__name__)


class Writer:
    """Commits jobs in their order, on a thread of its own.

    Args:
        core: the database; nobody else writes to it.
        settle: told on the loop's thread what came of jobs, in their order.
        changed: told on the loop's thread that `trouble` or `gone` has changed.
        seconds: the time.

    Attributes:
        trouble: why nothing can be stored now; empty when all is well.
        gone: the error that has ended the thread, if one has: one of `GONE`, or a mistake of ours.
    """

    def __init__(
        self,
        core: Core | LoopCore,
        settle: Callable[[Sequence[Job], Committed], None],
        changed: Callable[[], None],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.trouble = ""
        self.gone: Exception | None = None
        self._is_on_loop = isinstance(core, LoopCore)
        self._core: LoopCore = core if isinstance(core, LoopCore) else _Blocking(core)
        self._settle = settle
        self._changed = changed
        self._jobs: deque[Job] = deque()
        self._taken: list[Job] = []
        """Those of whom nobody was told yet."""
        self._gaps = Gaps()
        self._is_idle = False
        self._is_closing = False
        self._refusal: Exception | None = None
        """Why nothing is stored any more."""
        self._has_given_up = False
        self._has_garbage = True
        self._seconds = seconds
        self._looked_at = seconds()
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event() if self._is_on_loop else threading.Event()
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        if self._is_on_loop:
            self._task = self._loop.create_task(self._run())
        else:
            threading.Thread(target=self._drive, name="store writer", daemon=True).start()

    def put(self, job: Job) -> None:
        """Have *job* done after all before it."""
        self._jobs.append(job)
        if self._is_idle:
            self._wake.set()
        if self._refusal is not None:
            self._refuse_all(self._refusal)

    async def close(self) -> None:
        """Return when all jobs are done; those that cannot be stored now never will be."""
        self._is_closing = True
        self._wake.set()
        await self._ended.wait()
        self._refusal = self._refusal or StoreClosed("the store is closed")
        self._refuse_all(self._refusal)

    # On the thread -------------------------------------------------------------------------------

    def _drive(self) -> None:
        """Run on this thread; a core that blocks never yields."""
        with contextlib.suppress(StopIteration):
            self._run().send(None)

    async def _pause(self, seconds: float) -> None:
        """Wait to be woken, but no longer than this."""
        if isinstance(self._wake, threading.Event):
            self._wake.wait(seconds)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _run(self) -> None:
        try:
            await self._serve()
        except GONE as error:
            self._tell(self._give_up, error)
        except Exception as error:  # a mistake of ours; everybody who waits has to hear of it
            self._tell(self._give_up, error)
            _log.exception("store writer failed")
        finally:
            self._tell(self._ended.set)

    async def _serve(self) -> None:
        """Store what there is, again and again, until the end."""
        while True:
            await self._look()
            jobs = self._taken = self._take()
            if jobs:
                await self._commit(jobs)
            elif self._is_closing:
                break
            elif not await self._sweep():
                await self._wait()

    def _take(self) -> list[Job]:
        """What is committed together next."""
        waiting = self._jobs
        taken: list[Job] = []
        finished = 0
        while waiting and len(taken) < _JOBS_MAX and finished < _FINISHED_MAX:
            job = waiting.popleft()
            finished += type(job) is Finish
            taken.append(job)
        return taken

    async def _wait(self) -> None:
        """Return when there may be something to do, or the store is to be checked. `put` says
        so only to those who wait."""
        self._wake.clear()
        self._is_idle = True
        if not self._jobs and not self._is_closing:
            await self._pause(LOOK_S)
        self._is_idle = False

    async def _look(self) -> None:
        """Check the store, unless that was done just now. While jobs wait to be tried again, it is
        in trouble until they are done.

        Raises:
            Superseded, FilesReplaced: nothing can ever be stored again.
        """
        now = self._seconds()
        if now - self._looked_at < LOOK_S:
            return
        self._looked_at = now
        try:
            await self._core.check()
        except StoreTrouble as trouble:
            self._say(str(trouble))
        else:
            if not self._taken:
                self._say("")

    async def _commit(self, jobs: Sequence[Job]) -> None:
        if self._gaps:
            jobs = [self._gaps.behind(job) for job in jobs]
        try:
            committed = await self._insist(jobs)
        except GONE:
            raise
        except Exception as error:
            if len(jobs) > 1:  # one of them is to blame, and harms none of the others
                half = len(jobs) // 2
                await self._commit(jobs[:half])
                await self._commit(jobs[half:])
                return
            _log.error("not stored", job=type(jobs[0]).__name__, error=repr(error))
            self._gaps.open(jobs[0], error)
            committed = Committed([error])
        self._has_garbage = self._has_garbage or any(type(job) is not Append for job in jobs)
        self._tell(self._settle, jobs, committed)
        self._taken = self._taken[len(jobs) :]

    async def _insist(self, jobs: Sequence[Job]) -> Committed:
        """Commit *jobs*, again and again while the store is in trouble; after `close`, once. What
        comes after jobs that were given up is given up too, as a log has no gaps."""
        pause = _RETRY_FIRST_S
        while not self._has_given_up:
            try:
                committed = await self._core.commit(jobs)
            except StoreTrouble as trouble:
                self._say(str(trouble))
                await self._look()
            else:
                self._say("")
                return committed
            self._wake.clear()
            if self._is_closing:
                self._has_given_up = True
            else:
                await self._pause(pause)
                pause = min(2 * pause, _RETRY_MAX_S)
        return Committed([StoreClosed(self.trouble)] * len(jobs))

    async def _sweep(self) -> bool:
        """Delete a little of what is not needed; returns whether there is more."""
        if not self._has_garbage:
            return False
        try:
            self._has_garbage = await self._core.sweep()
        except StoreTrouble:  # nobody waits for it
            return False
        except Exception as error:  # what is stored goes before what is not needed
            _log.error("cleanup failed", error=repr(error))
            self._has_garbage = False
        return self._has_garbage

    def _say(self, trouble: str) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        self._tell(self._changed)

    def _tell(self, callback: Callable[..., None], *values: object) -> None:
        """Call *callback* on the loop's thread, if there still is one."""
        if self._is_on_loop:
            self._loop.call_soon(callback, *values)
            return
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *values)

    # On the loop, when the thread has failed ------------------------------------------------------

    def _give_up(self, error: Exception) -> None:
        self.gone = self._refusal = error
        self.trouble = reason_gone(error)
        self._changed()
        self._jobs.extendleft(reversed(self._taken))
        self._refuse_all(error)

    def _refuse_all(self, error: Exception) -> None:
        jobs = list(self._jobs)
        self._jobs.clear()
        self._settle(jobs, Committed([error] * len(jobs)))


class _Blocking(LoopCore):
    """A core that blocks, as `LoopCore`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def commit(self, jobs: Sequence[Job]) -> Committed:
        return self._core.commit(jobs)

    async def check(self) -> None:
        self._core.check()

    async def sweep(self) -> bool:
        return self._core.sweep()
