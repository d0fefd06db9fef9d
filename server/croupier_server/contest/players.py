"""Keeps the process of an entrant running during a contest, with a limit on restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final, Self

from croupier_server.contest.entrant import Entrant
from croupier_server.contest.processes import ProcessFailed, Worker

RESTARTS_MAX: Final = 3
"""Maximum restarts of an entrant's process; when it ends after that, the entrant is benched."""

Start = Callable[[], Awaitable[Worker]]
Died = Callable[[str], Awaitable[None]]


class Player:
    """The process of one entrant; a context manager that starts it, and ends it with the contest.

    Attributes:
        entrant: who plays.
        benched: why it may no longer play, or empty.
        worker: its process; None after it has ended, until the next one runs.
    """

    def __init__(self, entrant: Entrant, start: Start, died: Died) -> None:
        """*died* is called with one sentence whenever the process has ended, before the next one
        is started."""
        self.entrant = entrant
        self.benched = ""
        self.worker: Worker | None = None
        self._start = start
        self._died = died
        self._is_settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def ready(self) -> bool:
        """Wait until its process runs; False if it is benched."""
        await self._is_settled.wait()
        return not self.benched

    async def _keep(self) -> None:
        """Start the process again whenever it has ended."""
        worker = self.worker
        for restart in range(RESTARTS_MAX + 1):
            assert worker is not None
            why = worker.child.epitaph(await worker.child.ended())
            self._is_settled.clear()
            self.worker = None
            await worker.finish()
            if restart == RESTARTS_MAX:
                self.benched = f"{self.entrant.name} ended {restart + 1} times, the last: {why}"
            await self._died(why)
            if not self.benched:
                try:
                    worker = self.worker = await self._start()
                except ProcessFailed as error:
                    self.benched = str(error)
            self._is_settled.set()
            if self.benched:
                return

    async def __aenter__(self) -> Self:
        """Start the process.

        Raises:
            ProcessFailed: its program cannot be run.
        """
        self.worker = await self._start()
        self._is_settled.set()
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the process finish after a contest that was played to its end; else stop it."""
        assert self._keeper is not None
        self._keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeper
        if self.worker is not None:
            await self.worker.__aexit__(kind, error, trace)
