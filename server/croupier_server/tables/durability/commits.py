"""Persist, then publish: what was done is stored in batches, and readers hear of it after."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple, Protocol

from croupier_server.errors import CroupierError, Reason, Unavailable
from croupier_server.storage.base import LogRow, TableLog
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.table import Table

RETRY_MS: Final = 1_000
"""Retry delay of STORE_UNAVAILABLE refusals; clocks stay paused for as long after an outage."""


SECONDS: Final[Sequence[float]] = (
    0.0005,
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
)
"""Bounds for what should take milliseconds."""


class Spread:
    """How often something took how long: a histogram.

    Args:
        bounds: upper bounds of its classes, in seconds, rising.

    Attributes:
        total: of all values together.
    """

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """One more."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def classes(self) -> list[tuple[float, int]]:
        """Each upper bound with how many values are at most that; the last is infinite."""
        bounds = (*self._bounds, float("inf"))
        return list(zip(bounds, accumulate(self._counts), strict=True))


class Channel(Protocol):
    """Where an answer goes once what it tells of is stored."""

    table: Table

    def reply(self, payload: bytes) -> None:
        """Send *payload*, a ``TableUpdate``."""
        ...


class Refusal(Protocol):
    """What a session is refused with once it is stored what that may follow from."""

    def tell(self, *, is_stored: bool) -> None:
        """Send it; if it was not stored, what it follows from did not happen."""
        ...


class _Batch(NamedTuple):
    number: int
    started: float
    tables: list[tuple[Table, int, Shown | None]]
    replies: list[tuple[Channel, bytes]]
    refusals: list[Refusal]


class Commits:
    """Collects what was done to tables and hands it to the store.

    Args:
        log: the store.
        publish: called with each table whose events have been stored.
        lost: called with each table whose events could not be stored.
        failed: called with each table that could not be published, and why.
        deadline: called with each table that was touched, before its rows go to the store.

    Attributes:
        waits_for: number of the oldest batch that is not stored yet; 0: there is none.
        moved: called once, before anything is published, when it or a later one is; or None.
        outbox: rows of all tables that wait for `flush`.
        replies: answers to sessions that wait for it, with whom they are for.
        refusals: those of sessions that wait for it.
        seconds: how long batches took to be stored.
        rows: rows stored.
    """

    def __init__(
        self,
        log: TableLog,
        *,
        publish: Callable[[Table], None],
        lost: Callable[[Table, Exception], None],
        failed: Callable[[Table, Exception], None],
        deadline: Callable[[Table], None],
    ) -> None:
        self._log = log
        self._publish = publish
        self._lost = lost
        self._failed = failed
        self._deadline = deadline
        self._touched: list[Table] = []
        self._flushed = 0
        self._stored = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.moved: Callable[[], None] | None = None
        self.outbox: list[LogRow] = []
        self.replies: list[tuple[Channel, bytes]] = []
        self.refusals: list[Refusal] = []
        self.seconds = Spread()
        self.rows = 0

    @property
    def waits_for(self) -> int:
        """See the class."""
        return self._stored + 1 if self._stored < self._flushed else 0

    def touch(self, table: Table) -> None:
        """Something happened at *table*."""
        if not table.is_touched:
            table.is_touched = True
            self._touched.append(table)

    def flush(self) -> None:
        """Hand everything done so far to the store, as one batch."""
        touched, replies, refusals = self._touched, self.replies, self.refusals
        if not touched and not replies and not refusals:
            return
        tables = []
        for table in touched:
            table.is_touched = False
            shown = table.show() if table.is_changed else None
            tables.append((table, table.journal.sequence, shown))
            self._deadline(table)
        rows = tuple(self.outbox)
        self.outbox.clear()
        self._touched = []
        self.replies = []
        self.refusals = []
        self._flushed += 1
        self.rows += len(rows)
        batch = _Batch(self._flushed, time.perf_counter(), tables, replies, refusals)
        if rows or self._stored + 1 < self._flushed:
            self._log.append(rows, partial(self._done, batch))
        else:
            self._done(batch, None)

    async def committed(self) -> None:
        """Return when everything done so far is stored.

        Raises:
            Unavailable: STORE_UNAVAILABLE, it could not be, or was not for too long.
        """
        self.flush()
        if self._stored < self._flushed:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append((self._flushed, future))
            await future

    def give_up_waiting(self) -> None:
        """Tell whoever waits that the store does not answer."""
        waiting, self._waiting = self._waiting, deque()
        for _, future in waiting:
            if not future.done():
                future.set_exception(store_silent())

    def _done(self, batch: _Batch, error: Exception | None) -> None:
        self._stored = batch.number
        if self.moved is not None:
            moved, self.moved = self.moved, None
            moved()
        self.seconds.add(time.perf_counter() - batch.started)
        is_good = error is None
        for table, sequence, shown in batch.tables:
            if error is not None:
                self._lost(table, error)
            elif table.is_lost:
                is_good = False  # an earlier batch of it failed, so this one stands on nothing
            else:
                table.stored(sequence, shown)
                try:
                    self._publish(table)
                except Exception as fault:  # the other tables of the batch are not to blame
                    self._failed(table, fault)
        if error is None:
            for channel, payload in batch.replies:
                if not channel.table.is_lost:
                    channel.reply(payload)
        for refusal in batch.refusals:
            refusal.tell(is_stored=is_good)
        while self._waiting and self._waiting[0][0] <= batch.number:
            _, future = self._waiting.popleft()
            if future.done():
                continue
            if is_good:
                future.set_result(None)
            else:
                future.set_exception(store_unavailable())


class Refusing:
    """Within it what refuses a caller goes on to it when it is stored what it may follow from:
    somebody who has just sat down, a match that has just ended. What it is refused with for the
    server's state or its own rate does not wait.

    Raises:
        Unavailable: STORE_UNAVAILABLE in place of the refusal, as for `Commits.committed`.
    """

    __slots__ = ("_commits",)

    def __init__(self, commits: Commits) -> None:
        self._commits = commits

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if not isinstance(error, CroupierError) or isinstance(error, Unavailable):
            return
        if error.reason is not Reason.RATE_LIMITED:
            await self._commits.committed()


def store_silent() -> Unavailable:
    """What a caller is told who has waited for the store for too long."""
    return Unavailable(
        Reason.STORE_UNAVAILABLE,
        "the change is not stored yet and nobody can see it; it is safe to retry",
        retry_ms=RETRY_MS,
    )


def store_unavailable() -> Unavailable:
    """What a caller is told when something could not be stored."""
    return Unavailable(
        Reason.STORE_UNAVAILABLE,
        "the change could not be stored, so nothing changed; retry",
        retry_ms=RETRY_MS,
    )
