"""A disk that outlives the server, and a store on it that takes its time and gets into trouble.

What is stored is kept by the memory store; what this adds is the way there: batches are committed
some time after they were handed over, all of a batch or nothing of it, and at a crash whatever was
not committed is gone. Every step of a commit is announced, so that the server can die at it.

Must not be put here: when something goes wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from croupier_server.sim.loop import VirtualLoop
from croupier_server.storage.base import (
    BoardTable,
    Checkpoint,
    Done,
    FinishedMatch,
    LogRow,
    Store,
    StoredTable,
)
from croupier_server.storage.memory import memory_store

Step = Callable[[str], None]
"""Told of each step of the store; may raise `Crashed`."""


class Crashed(BaseException):
    """The server dies here. It passes through code that would catch any other error."""


class AnyDisk(Protocol):
    """What survives the server: in memory (`Disk`), or SQLite's files (``sqlite_disk.py``).

    Attributes:
        noticed_ms: when the store noticed its trouble, of the loop's time; None: it has not.
    """

    noticed_ms: int | None

    def mount(self) -> Store:
        """The store, for a server that starts."""
        ...

    def pull(self) -> None:
        """The server is dead: nothing that it still does reaches the disk, nor is it told."""
        ...

    async def close(self) -> None:
        """Wait until everything that was handed over is stored."""
        ...

    def set_trouble(self, why: str) -> None:
        """Nothing can be stored from now on, or everything can again."""
        ...

    def throw_away(self) -> None:
        """The run is over."""
        ...


class Disk:
    """What survives the server, in memory.

    Args:
        loop: the time.
        commit_ms: milliseconds that the next commit takes, drawn for each.
        step: told of every step.

    Attributes:
        trouble: why nothing can be stored now.
        noticed_ms: when the store noticed, of the loop's time; None: it has not.
        commits: batches committed.
    """

    def __init__(self, loop: VirtualLoop, commit_ms: Callable[[], float], step: Step) -> None:
        self.loop = loop
        self.commit_ms = commit_ms
        self.step = step
        self.trouble = ""
        self.noticed_ms: int | None = None
        self.commits = 0
        self.platter = memory_store(records_max=100_000)
        self._log: DiskLog | None = None

    def mount(self) -> Store:
        """The store, for a server that starts."""
        self._log = DiskLog(self)
        return self.platter._replace(log=self._log)

    def pull(self) -> None:
        """The server is dead: nothing that it still does reaches the disk, nor is it told."""
        if self._log is not None:
            self._log.is_dead = True
            self._log = None

    def notice(self) -> str:
        """The store notices the trouble that there is."""
        if self.noticed_ms is None:
            self.noticed_ms = self.loop.micros // 1_000
        return self.trouble

    async def close(self) -> None:
        """Wait until everything that was handed over is stored."""
        if self._log is not None:
            await self._log.close()

    def throw_away(self) -> None:
        """See `AnyDisk.throw_away`."""

    def set_trouble(self, why: str) -> None:
        """Nothing can be stored from now on, or everything can again."""
        self.trouble = why
        if not why and self._log is not None:
            self._log.set_trouble("")  # that there is trouble it notices when it writes


class DiskLog:
    """A `TableLog` on a `Disk`, for one life of the server."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._watchers: list[Callable[[], None]] = []
        self._queue: list[tuple[Callable[[Done], None], Done]] = []
        self._timer: asyncio.TimerHandle | None = None
        self.trouble = ""
        self.is_dead = False

    def watch(self, changed: Callable[[], None]) -> None:
        """See `TableLog.watch`."""
        self._watchers.append(changed)

    def set_trouble(self, why: str) -> None:
        """The store has noticed that nothing can be stored, or that everything can again."""
        if self.trouble != why:
            self.trouble = why
            for changed in self._watchers:
                changed()
        self._schedule()

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        self._put("append", partial(self._disk.platter.log.append, tuple(rows)), done)

    def checkpoint(self, table_id: str, checkpoint: Checkpoint) -> None:
        """See `TableLog.checkpoint`."""
        write = partial(self._disk.platter.log.checkpoint, table_id, checkpoint)
        self._put("checkpoint", _at_once(write), _nothing)

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """See `TableLog.finish`."""
        self._put("finish", partial(self._disk.platter.log.finish, match), done)

    def forget(self, table_id: str) -> None:
        """See `TableLog.forget`."""
        write = partial(self._disk.platter.log.forget, table_id)
        self._put("forget", _at_once(write), _nothing)

    async def tables(self) -> Sequence[str]:
        """See `TableLog.tables`."""
        return await self._disk.platter.log.tables()

    async def board_tables(self) -> Sequence[BoardTable]:
        """See `TableLog.board_tables`."""
        return await self._disk.platter.log.board_tables()

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        await asyncio.sleep(0)
        return await self._disk.platter.log.load(table_id)

    async def read(self, table_id: str, after: int = 0) -> Sequence[LogRow]:
        """See `TableLog.read`."""
        return await self._disk.platter.log.read(table_id, after)

    async def close(self) -> None:
        """See `TableLog.close`."""
        if self._queue:
            empty = self._disk.loop.create_future()
            self._queue.append((_at_once(lambda: None), lambda _: empty.set_result(None)))
            await empty

    def _put(self, what: str, write: Callable[[Done], None], done: Done) -> None:
        if self.is_dead:
            return
        self._disk.step(f"before {what}")
        self._queue.append((write, done))
        self._schedule()

    def _schedule(self) -> None:
        if self._queue and self._timer is None and not self.trouble and not self.is_dead:
            delay = self._disk.commit_ms() / 1000
            self._timer = self._disk.loop.call_later(delay, self._commit)

    def _commit(self) -> None:
        """Write what waits as one batch; who handed it over is told one by one."""
        self._timer = None
        if self.is_dead:
            return
        if self._disk.trouble:
            self.set_trouble(self._disk.notice())
            return
        self._disk.step("before commit")
        batch, self._queue = self._queue, []
        told: list[tuple[Done, Exception | None]] = []
        for write, done in batch:
            write(lambda error, done=done: told.append((done, error)))  # type: ignore[misc]
        self._disk.commits += 1
        self._disk.step("behind commit")
        for done, error in told:
            done(error)
            self._disk.step("behind done")
        self._schedule()


def _at_once(write: Callable[[], None]) -> Callable[[Done], None]:
    def run(done: Done) -> None:
        write()
        done(None)

    return run


def _nothing(_error: Exception | None) -> None:
    """Nobody waits for it."""
