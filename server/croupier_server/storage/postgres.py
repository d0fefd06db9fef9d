"""The log of live tables in PostgreSQL: group commit by one task over one session.

What is appended while a batch is on its way goes out in the next, which is one statement and one
answer. Whether a batch that got no answer was stored the next session finds out; see
``postgres_session.py``. Finished matches and reading go over other sessions, beside the writer.

Must not be put here: what is sent (``postgres_batches.py``); records, keys and audit.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

import structlog

from croupier_server.errors import Unavailable
from croupier_server.storage import queries
from croupier_server.storage.base import (
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    LogRow,
    NoRows,
    StoredTable,
    Superseded,
)
from croupier_server.storage.jobs import (
    Append,
    Finish,
    Gaps,
    Job,
    StoreClosed,
    reason_gone,
)
from croupier_server.storage.packing import pieces
from croupier_server.storage.postgres_batches import JOBS_MAX, Batch, Batches
from croupier_server.storage.postgres_pool import PostgresPool
from croupier_server.storage.postgres_session import (
    LOST,
    Held,
    WriterSession,
    plain,
    refused_as,
)

CLOSE_S: Final = 5.0
"""What cannot be stored within this time when the log is closed never will be."""

ARCHIVED_AT_ONCE: Final = 16
"""Finished matches that are put away together at most; a long one has half a megabyte."""

_PAUSES_S: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Between tries; the last one again and again."""

_log = structlog.get_logger(__name__)


class PostgresLog:
    """A `TableLog` in PostgreSQL.

    Args:
        session: is open and has a fence; this log lets go of it.
        batches: knows which tables the database has.
        pool: the same database over other sessions.
        shown: called when records have come to be shown.
    """

    def __init__(
        self,
        session: WriterSession,
        batches: Batches,
        pool: PostgresPool,
        shown: Callable[[], None],
    ) -> None:
        self._session = session
        self._batches = batches
        self._pool = pool
        self._shown = shown
        self._trouble = ""
        self._watchers: list[Callable[[], None]] = []
        self._jobs: deque[Job] = deque()
        self._batch: Batch | None = None
        """Sent, or about to be; stored or not."""
        self._at_once = JOBS_MAX
        """Jobs that the next batch has at most."""
        self._gaps = Gaps()
        self._end: Exception | None = None
        """Why nothing will be stored any more."""
        self._is_closing = False
        self._wake = asyncio.Event()
        self._finished: deque[tuple[Finish, int]] = deque()
        self._has_finished = asyncio.Event()
        self._is_archived = asyncio.Event()
        self._refused = 0
        """How often in a row finished matches could not be put away."""
        session.watch(self._wake.set)
        loop = asyncio.get_running_loop()
        self._writer = loop.create_task(self._write())
        self._archiver = loop.create_task(self._archive())

    @property
    def trouble(self) -> str:
        """See `TableLog.trouble`."""
        return self._trouble

    @property
    def gone(self) -> Exception | None:
        """See `TableLog.gone`."""
        return None if isinstance(self._end, StoreClosed) else self._end

    def watch(self, changed: Callable[[], None]) -> None:
        """See `TableLog.watch`."""
        self._watchers.append(changed)

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        """See `TableLog.append`."""
        self._put(Append(pieces(rows), done))

    def finish(self, match: FinishedMatch, done: Done) -> None:
        """See `TableLog.finish`."""
        self._put(Finish(match, done))

    async def tables(self) -> Sequence[str]:
        """See `TableLog.tables`."""
        return await self._pool.tables()

    async def board_tables(self) -> Sequence[BoardTable]:
        """See `TableLog.board_tables`."""
        return await self._pool.read(queries.ended_of_boards)

    async def ended_requests(self) -> Sequence[EndedRequest]:
        """See `TableLog.ended_requests`."""
        return await self._pool.read(queries.requests_of_ended)

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        return await self._pool.load(table_id)

    async def read(self, table_id: str) -> Sequence[LogRow]:
        """See `TableLog.read`."""
        return await self._pool.read_log(table_id)

    async def close(self) -> None:
        """See `TableLog.close`."""
        self._is_closing = True
        self._wake.set()
        while not self._writer.done():
            await asyncio.wait({self._writer}, timeout=CLOSE_S)
            if self._trouble or self._refused or not self._session.is_open:
                self._writer.cancel()
        self._archiver.cancel()
        await asyncio.wait({self._archiver})
        self._give_up(StoreClosed("the store is closed"))
        await self._session.close()

    def _put(self, job: Job) -> None:
        if self._end is not None:
            _refuse(job, self._end)
            return
        self._jobs.append(self._gaps.behind(job) if self._gaps else job)
        self._wake.set()

    # The writer ----------------------------------------------------------------------------------

    async def _write(self) -> None:
        """Store what there is, again and again, until the end."""
        tries = 0
        while not (self._is_closing and self._is_idle()):
            self._wake.clear()
            try:
                await self._step()
            except Superseded as error:
                self._session.drop()
                self._give_up(error)
                return
            except (Held, *LOST) as error:
                self._session.drop()
                self._say(plain(error))
                await asyncio.sleep(_PAUSES_S[min(tries, len(_PAUSES_S) - 1)])
                tries += 1
            except Exception as error:  # a mistake of ours; everybody who waits has to hear of it
                _log.exception("store writer failed")
                self._give_up(error)
                return
            else:
                tries = 0
                self._say("")
                if not self._jobs and self._session.is_open and not self._is_closing:
                    await self._wake.wait()
        await self._is_archived.wait()

    def _is_idle(self) -> bool:
        return not (self._jobs or self._batch)

    async def _step(self) -> None:
        """Have a session, and store one batch."""
        if not self._session.is_open:
            await self._session.open()
            await self._look_back()
        if self._batch is None:
            self._batch = self._batches.take(self._jobs, self._at_once)
        if self._batch is not None:
            await self._send(self._batch)
        while self._jobs and isinstance(self._jobs[0], Finish):
            self._finish(self._jobs[0])
            self._jobs.popleft()

    async def _send(self, batch: Batch) -> None:
        """Have *batch* stored; where it is refused for what is in it, its jobs wait to be sent in
        smaller batches, until the one that is to blame is alone."""
        try:
            fence = await self._session.connection.fetchval(batch.statement, *batch.arguments)
        except LOST as error:
            why = refused_as(error)
            if not why:
                raise
            self._batch = None
            self._batches.undo(batch)
            if len(batch.jobs) > 1:
                self._jobs.extendleft(reversed(batch.jobs))
                self._at_once = len(batch.jobs) // 2
            else:
                self._leave_out(batch.jobs[0], why, error)
            return
        if fence is None:
            raise Superseded("another server has taken the database over")
        self._at_once = min(2 * self._at_once, JOBS_MAX)
        self._settle(None)

    def _leave_out(self, job: Job, why: str, error: Exception) -> None:
        """*job* alone was refused, and harms none of the others."""
        _log.error("not stored", job=type(job).__name__, error=why)
        self._gaps.open(job, error)
        self._jobs = deque(self._gaps.behind(one) for one in self._jobs)
        _refuse(job, error)

    def _finish(self, job: Finish) -> None:
        """Everything appended before it is stored."""
        number = self._batches.release(job.match.table_id)
        if number is None:
            _tell(job.done, NoRows(job.match.table_id))
            return
        self._finished.append((job, number))
        self._is_archived.clear()
        self._has_finished.set()

    async def _look_back(self) -> None:
        """Find out what became of the batch whose answer the last session has not brought."""
        stored = await self._session.last_batch()
        expected = self._batches.last_batch
        if self._batch is None or stored == expected:
            if stored != expected:
                raise Superseded(f"PostgreSQL has lost what it had stored after batch {stored}")
            self._settle(None)
        elif stored != expected - 1:
            raise Superseded(f"PostgreSQL has lost what it had stored after batch {stored}")
        await self._session.note_lineage()

    def _settle(self, error: Exception | None) -> None:
        """Tell those whose batch this was."""
        batch, self._batch = self._batch, None
        for job in batch.jobs if batch is not None else ():
            if isinstance(job, Append):
                _tell(job.done, error)

    def _say(self, trouble: str) -> None:
        if trouble == self._trouble:
            return
        self._trouble = trouble
        for changed in self._watchers:
            asyncio.get_running_loop().call_soon(changed)

    def _give_up(self, error: Exception) -> None:
        """Nothing will be stored any more: tell everybody who waits, and who comes after."""
        if self._end is not None:
            return
        self._end = error
        if not isinstance(error, StoreClosed):
            self._say(reason_gone(error))
        self._archiver.cancel()
        self._settle(error)
        while self._finished:
            _tell(self._finished.popleft()[0].done, error)
        while self._jobs:
            _refuse(self._jobs.popleft(), error)

    # Finished matches ----------------------------------------------------------------------------

    async def _archive(self) -> None:
        """Make records beside the writer, as a long match would hold up everybody else's. All rows
        of a match that waits here are stored."""
        while True:
            if not self._finished:
                self._is_archived.set()
                await self._has_finished.wait()
            self._has_finished.clear()
            at_once = 1 if self._refused else ARCHIVED_AT_ONCE
            some = tuple(islice(self._finished, at_once))
            try:
                errors = await self._put_away(some)
            except Unavailable:  # the writer finds out about it as well, and says so
                # Perhaps it is this match alone that the database does not take.
                self._finished.rotate(-1 if len(some) == 1 else 0)
                await asyncio.sleep(_PAUSES_S[min(self._refused, len(_PAUSES_S) - 1)])
                self._refused += 1
                continue
            self._refused = 0
            for (job, number), error in zip(some, errors, strict=True):
                self._finished.popleft()
                if error is not None:
                    self._batches.restore(job.match.table_id, number)
                _tell(job.done, error)

    async def _put_away(self, some: Sequence[tuple[Finish, int]]) -> list[Exception | None]:
        """Archive matches; says why those that were not never will be.

        Raises:
            Unavailable: the database did not do it.
        """
        ended = [(job.match, number) for job, number in some]
        try:
            if await self._pool.archive(ended):
                self._shown()
        except Unavailable:
            raise
        except Superseded as error:
            return [error] * len(some)
        except Exception as error:  # one of them is to blame, and harms none of the others
            if len(some) > 1:
                return [error for one in some for error in await self._put_away([one])]
            _log.exception("match not archived", table_id=ended[0][0].table_id)
            return [error]
        return [None] * len(some)


def _refuse(job: Job, error: Exception) -> None:
    if isinstance(job, Append | Finish):
        _tell(job.done, error)


def _tell(done: Done, error: Exception | None) -> None:
    """Call *done* in the loop's next turn: what goes wrong in it is not the writer's business."""
    asyncio.get_running_loop().call_soon(done, error)
