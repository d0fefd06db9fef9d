"""Keeps the processes of entrants running during a contest, with a limit on restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from croupier_server.contest.entrant import Entrant
from croupier_server.contest.processes import ProcessFailed, Worker

RESTARTS_MAX: Final = 3
"""Maximum restarts of an entrant's process; when it ends after that, the entrant is benched."""

Start = Callable[[int], Awaitable[Worker]]
Died = Callable[[int, str], Awaitable[None]]


class Players:
    """The processes of all entrants; a context manager that ends them with the contest.

    A process is started when its entrant is first waited for.

    Args:
        entrants: who plays.
        start: starts the process of the entrant with a number.
        died: is called with a number and one sentence whenever a process has ended, before the
            next one is started.
        restarts: maximum restarts of a process.
    """

    def __init__(
        self, entrants: Sequence[Entrant], start: Start, died: Died, restarts: int = RESTARTS_MAX
    ) -> None:
        self._players = [
            Player(number, entrant, start, died, restarts)
            for number, entrant in enumerate(entrants)
        ]

    def __getitem__(self, number: int) -> Player:
        return self._players[number]

    def __iter__(self) -> Iterator[Player]:
        return iter(self._players)

    def workers(self) -> list[Worker]:
        """The processes that run."""
        return [player.worker for player in self._players if player.worker is not None]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.gather(*(player.close(kind is None) for player in self._players))


class Player:
    """The process of one entrant.

    Attributes:
        entrant: who plays.
        benched: why it may no longer play, or empty.
        worker: its process; None until it is started, and after it has ended, until the next runs.
    """

    def __init__(
        self, number: int, entrant: Entrant, start: Start, died: Died, restarts: int
    ) -> None:
        self.entrant = entrant
        self.benched = ""
        self.worker: Worker | None = None
        self._number = number
        self._start = start
        self._died = died
        self._restarts = restarts
        self._is_settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Start the process, unless it was started before.

        Raises:
            ProcessFailed: its program cannot be run.
        """
        async with self._starting:
            if self._keeper is None:
                self.worker = await self._start(self._number)
                self._is_settled.set()
                self._keeper = asyncio.create_task(self._keep())

    async def ready(self) -> bool:
        """Wait until its process runs; False if it is benched. A bot that dials in is ready."""
        if self.entrant.player_id:
            return True
        if not self.benched:
            try:
                await self.start()
            except ProcessFailed as error:
                self.benched = str(error)
                self._is_settled.set()
        await self._is_settled.wait()
        return not self.benched

    async def _keep(self) -> None:
        """Start the process again whenever it has ended."""
        worker = self.worker
        for restart in range(self._restarts + 1):
            assert worker is not None
            why = worker.child.epitaph(await worker.child.ended())
            self._is_settled.clear()
            self.worker = None
            await worker.finish()
            if restart == self._restarts:
                self.benched = f"{self.entrant.name} ended {restart + 1} times, the last: {why}"
            await self._died(self._number, why)
            if not self.benched:
                try:
                    worker = self.worker = await self._start(self._number)
                except ProcessFailed as error:
                    self.benched = str(error)
            self._is_settled.set()
            if self.benched:
                return

    async def close(self, is_over: bool) -> None:
        """Let the process finish if the contest *is_over*; else stop it."""
        if self._keeper is not None:
            self._keeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeper
        if self.worker is not None and is_over:
            await self.worker.finish()
        elif self.worker is not None:
            self.worker.close()
            await self.worker.child.stop()
