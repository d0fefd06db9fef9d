"""The log of a durable store: one writer, and queries beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import structlog

from croupier_server.storage import reading
from croupier_server.storage.base import (
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    LogRow,
    StoredTable,
)
from croupier_server.storage.jobs import Append, Committed, Core, Finish, Job, LoopCore
from croupier_server.storage.packing import pieces
from croupier_server.storage.reading import LogDatabase
from croupier_server.storage.records import ended_of_boards, requests_of_ended
from croupier_server.storage.writer import Writer

_log = structlog.get_logger(__name__)


class JobWriter(Protocol):
    """Commits jobs; see `Writer`."""

    @property
    def trouble(self) -> str:
        """See `TableLog.trouble`."""
        ...

    @property
    def gone(self) -> Exception | None:
        """See `TableLog.gone`."""
        ...

    def put(self, job: Job) -> None:
        """Have *job* done after all before it."""
        ...

    async def close(self) -> None:
        """Return when all jobs are done or never will be."""
        ...


MakeWriter = Callable[
    [Any, Callable[[Sequence[Job], Committed], None], Callable[[], None]], JobWriter
]


class StoredLog:
    """A `TableLog` in a database.

    Args:
        core: writes to it.
        database: reads from it.
        has_shown: called when records have come to be shown.
        make_writer: has the core do its work, where and when it will.
    """

    def __init__(
        self,
        core: Core | LoopCore,
        database: LogDatabase,
        has_shown: Callable[[], None],
        make_writer: MakeWriter = Writer,
    ) -> None:
        self._database = database
        self._has_shown = has_shown
        self._watchers: list[Callable[[], None]] = []
        self._writer = make_writer(core, self._settle, self._changed)

    @property
    def trouble(self) -> str:
        return self._writer.trouble

    @property
    def gone(self) -> Exception | None:
        return self._writer.gone

    def watch(self, changed: Callable[[], None]) -> None:
        self._watchers.append(changed)

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        self._writer.put(Append(pieces(rows), done))

    def finish(self, match: FinishedMatch, done: Done) -> None:
        self._writer.put(Finish(match, done))

    async def tables(self) -> Sequence[str]:
        return await reading.tables(self._database)

    async def board_tables(self) -> Sequence[BoardTable]:
        return await self._database.read(ended_of_boards)

    async def ended_requests(self) -> Sequence[EndedRequest]:
        return await self._database.read(requests_of_ended)

    async def load(self, table_id: str) -> StoredTable | None:
        return await reading.load(self._database, table_id)

    async def read(self, table_id: str) -> Sequence[LogRow]:
        return await reading.read(self._database, table_id)

    async def close(self) -> None:
        await self._writer.close()

    def _settle(self, jobs: Sequence[Job], committed: Committed) -> None:
        """Say what came of *jobs*."""
        for job, error in zip(jobs, committed.errors, strict=True):
            try:
                job.done(error)
            except Exception as fault:  # of whoever was told; the others are told nevertheless
                _log.error("commit callback failed", error=repr(fault))
        if committed.has_shown:
            self._has_shown()

    def _changed(self) -> None:
        for changed in self._watchers:
            changed()
