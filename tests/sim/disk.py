"""A disk that outlives the server, and a store on it that takes its time and gets into trouble.

What is stored is kept by the memory store; what this adds is the way there: batches are committed
some time after they were handed over, all of a batch or nothing of it, and at a crash whatever was
not committed is gone. Every step of a commit is announced, so that the server can die at it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from croupier_server.storage.base import (
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    LogRow,
    Store,
    StoredTable,
)
from croupier_server.storage.memory import memory_store
from tests.sim.loop import VirtualLoop
from tests.sim.spindle import CommitTimer, Spindle, Step


class AnyDisk(Protocol):
    """What survives the server: in memory (`Disk`), or SQLite's files (``sqlite_disk.py``).

    Attributes:
        noticed_ms: when the store noticed its trouble, of the loop's time; None: it has not.
    """

    noticed_ms: int | None

    @property
    def hung_ms(self) -> int | None:
        """See `Spindle.hung_ms`."""
        ...

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
        """See `Spindle.set_trouble`."""
        ...

    def set_hanging(self, *, hangs: bool) -> None:
        """See `Spindle.set_hanging`."""
        ...

    def throw_away(self) -> None:
        """The run is over."""
        ...


class Disk(Spindle):
    """What survives the server, in memory."""

    def __init__(self, loop: VirtualLoop, commit_ms: Callable[[], float], step: Step) -> None:
        super().__init__(loop, commit_ms, step)
        self.platter = memory_store(records_max=100_000)
        self._log: DiskLog | None = None

    def mount(self) -> Store:
        """The store, for a server that starts."""
        self._log = DiskLog(self)
        self.timer = self._log.timer
        return self.platter._replace(log=self._log)

    def pull(self) -> None:
        """The server is dead: nothing that it still does reaches the disk, nor is it told."""
        if self._log is not None:
            self._log.timer.is_dead = True
            self._log = self.timer = None

    async def close(self) -> None:
        """Wait until everything that was handed over is stored."""
        if self._log is not None:
            await self._log.close()

    def throw_away(self) -> None:
        """See `AnyDisk.throw_away`."""


class DiskLog:
    """A `TableLog` on a `Disk`, for one life of the server."""

    gone: Final = None

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._watchers: list[Callable[[], None]] = []
        self._queue: list[tuple[Callable[[Done], None], Done]] = []
        self.timer = CommitTimer(disk, lambda: bool(self._queue), self._commit, self._changed)

    @property
    def trouble(self) -> str:
        """See `TableLog.trouble`."""
        return self.timer.trouble

    def watch(self, changed: Callable[[], None]) -> None:
        """See `TableLog.watch`."""
        self._watchers.append(changed)

    def _changed(self) -> None:
        for changed in self._watchers:
            changed()

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        self._put("append", partial(self._disk.platter.log.append, tuple(rows)), done)

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """See `TableLog.finish`."""
        self._put("finish", partial(self._disk.platter.log.finish, match), done)

    async def tables(self) -> Sequence[str]:
        """See `TableLog.tables`."""
        return await self._disk.platter.log.tables()

    async def board_tables(self) -> Sequence[BoardTable]:
        """See `TableLog.board_tables`."""
        return await self._disk.platter.log.board_tables()

    async def ended_requests(self) -> Sequence[EndedRequest]:
        """See `TableLog.ended_requests`."""
        return await self._disk.platter.log.ended_requests()

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        await asyncio.sleep(0)
        return await self._disk.platter.log.load(table_id)

    async def read(self, table_id: str) -> Sequence[LogRow]:
        """See `TableLog.read`."""
        return await self._disk.platter.log.read(table_id)

    async def close(self) -> None:
        """See `TableLog.close`."""
        if self._queue:
            empty = self._disk.loop.create_future()
            self._queue.append((_at_once(lambda: None), lambda _: empty.set_result(None)))
            await empty

    def _put(self, what: str, write: Callable[[Done], None], done: Done) -> None:
        if not self.timer.is_dead:
            self._disk.step(f"before {what}")
            self._queue.append((write, done))
            self.timer.schedule()

    def _commit(self) -> None:
        """Write what waits as one batch; who handed it over is told one by one."""
        batch, self._queue = self._queue, []
        told: list[tuple[Done, Exception | None]] = []
        for write, done in batch:
            write(lambda error, done=done: told.append((done, error)))  # type: ignore[misc]
        self._disk.step("behind commit")
        for done, error in told:
            done(error)
            self._disk.step("behind done")


def _at_once(write: Callable[[], None]) -> Callable[[Done], None]:
    def run(done: Done) -> None:
        write()
        done(None)

    return run
