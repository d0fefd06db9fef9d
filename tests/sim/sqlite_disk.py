"""SQLite's own store on real files, written to inline, and what a power cut leaves of them.

What was committed has been synced and stays. Of a commit that was under way when the power went,
any sectors may have reached the disk and any may not, so the log of changes ends in a torn tail.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from sqlalchemy import Connection

from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import Store
from croupier_server.storage.jobs import Committed, Core, Job
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.log import StoredLog
from croupier_server.storage.records import RecordStore
from croupier_server.storage.sqlite import SqliteDatabase
from croupier_server.storage.sqlite_file import SqliteFile
from tests.sim.loop import VirtualLoop
from tests.sim.spindle import CommitTimer, Spindle, Step

T = TypeVar("T")

_SECTOR: Final = 512
_MEMORY: Final = Path("/dev/shm")


class SqliteDisk(Spindle):
    """As `Disk`, with a file of SQLite's on it.

    Args:
        loop, commit_ms, step: see `Spindle`.
        rng: what a torn tail looks like.
    """

    def __init__(
        self, loop: VirtualLoop, commit_ms: Callable[[], float], step: Step, rng: Random
    ) -> None:
        super().__init__(loop, commit_ms, step)
        self._rng = rng
        folder = _MEMORY if _MEMORY.is_dir() else None
        self._folder = tempfile.TemporaryDirectory(prefix="croupier-sim-", dir=folder)
        self._path = Path(self._folder.name) / "croupier.db"
        self._file: SqliteFile | None = None
        self._writer: InlineWriter | None = None
        self._core: Core | None = None

    def mount(self) -> Store:
        """See `Disk.mount`."""
        file = self._file = SqliteFile(self._path, "power")
        self._core = file.core
        database = InlineDatabase(file.engine)
        records = RecordStore(database)
        log = StoredLog(file.core, database, records.shown, self._make_writer)

        async def shut() -> None:
            """`pull` closes the file."""

        return Store(log, records, KeyStore(database), AuditLog(database), "sqlite", shut)

    def _make_writer(
        self,
        core: Core,
        settle: Callable[[Sequence[Job], Committed], None],
        changed: Callable[[], None],
    ) -> InlineWriter:
        self._writer = InlineWriter(self, core, settle, changed)
        self.timer = self._writer.timer
        return self._writer

    def pull(self) -> None:
        """See `Disk.pull`: the power is cut."""
        if self._file is None or self._writer is None:
            return
        self._writer.timer.is_dead = True
        left = self._tear(list(self._writer.jobs))
        self._file.engine.dispose()
        self._file.close()
        for path, data in left.items():
            path.unlink(missing_ok=True)
            if data:
                path.write_bytes(data)
        self._file = self._writer = self.timer = None

    def _tear(self, jobs: list[Job]) -> dict[Path, bytes]:
        """What the files hold when they are read again; *jobs* were on their way to the disk."""
        assert self._core is not None
        log = self._path.with_name(self._path.name + "-wal")
        index = self._path.with_name(self._path.name + "-shm")
        before = {path: _read(path) for path in (self._path, log)}
        found = {**before, index: b""}
        if jobs and self._rng.random() < 0.7:
            self._core.commit(jobs)
            if _read(self._path) == before[self._path]:
                found[log] = self._mix(before[log], _read(log))
        return found

    def _mix(self, synced: bytes, whole: bytes) -> bytes:
        """*whole*, of which some sectors that differ from *synced* have not been written."""
        torn = bytearray(whole[: len(synced)] + bytes(max(len(whole) - len(synced), 0)))
        likely = self._rng.random()
        for at in range(0, len(whole), _SECTOR):
            new = whole[at : at + _SECTOR]
            old = synced[at : at + _SECTOR]
            is_there = new == old or self._rng.random() < likely
            torn[at : at + len(new)] = new if is_there else old.ljust(len(new), b"\0")[: len(new)]
        return bytes(torn[: self._rng.randint(min(len(synced), len(whole)), len(whole))])

    async def close(self) -> None:
        """See `Disk.close`."""
        if self._writer is not None:
            await self._writer.close()

    def throw_away(self) -> None:
        """The run is over."""
        self._folder.cleanup()


class InlineDatabase(SqliteDatabase):
    """Runs queries where it is asked."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        await asyncio.sleep(0)
        return self._read(query)

    async def write(self, query: Callable[[Connection], T]) -> T:
        """See `Database.write`."""
        await asyncio.sleep(0)
        return self._write(query)


class InlineWriter:
    """As `Writer`, without a thread: commits come when the simulated disk has the time.

    Attributes:
        jobs: what waits.
        timer: when they come.
    """

    gone: Final = None

    def __init__(
        self,
        disk: SqliteDisk,
        core: Core,
        settle: Callable[[Sequence[Job], Committed], None],
        changed: Callable[[], None],
    ) -> None:
        self._disk = disk
        self._core = core
        self._settle = settle
        self._empty: asyncio.Future[None] | None = None
        self.jobs: deque[Job] = deque()
        self.timer = CommitTimer(disk, lambda: bool(self.jobs), self._commit, changed)

    @property
    def trouble(self) -> str:
        """See `JobWriter.trouble`."""
        return self.timer.trouble

    def put(self, job: Job) -> None:
        """See `JobWriter.put`."""
        if not self.timer.is_dead:
            self._disk.step(f"before {type(job).__name__}")
            self.jobs.append(job)
            self.timer.schedule()

    async def close(self) -> None:
        """See `JobWriter.close`."""
        if self.jobs and not self.timer.is_dead:
            self._empty = self._disk.loop.create_future()
            await self._empty

    def _commit(self) -> None:
        jobs = list(self.jobs)
        committed = self._core.commit(jobs)
        self.jobs.clear()
        self._disk.step("behind commit")
        self._settle(jobs, committed)
        self._core.sweep()
        if not self.jobs and self._empty is not None and not self._empty.done():
            self._empty.set_result(None)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
