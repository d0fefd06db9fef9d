"""Takes the live tables of a store up again, one by one, while the server is already serving.

A table that somebody asks for goes before the others. Until all are up nobody is told that a table
is not there, as it may be one of those still to come; a log that makes no table stops that table
alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from croupier_server.errors import HALTED, Reason, TableHalted, Unavailable
from croupier_server.storage.base import TableLog
from croupier_server.tables.durability.replay import ReplayError
from croupier_server.tables.durability.restore import RestoreError, Surroundings, restore
from croupier_server.tables.faults import describe
from croupier_server.tables.match.table import Table

T = TypeVar("T")

_log = structlog.get_logger(__name__)

SLICE_MS: Final = 20
"""After so long the loop is let go on with other things."""

_RETRY_MS: Final = 500

_TRIES_MAX: Final = 5
"""A table that cannot be read so often by a store that answers otherwise is halted."""

_UNLIKE: Final = {
    "why": "these tables do not replay with this version of Croupier: another version wrote the "
    "store, or it was changed since",
    "do": "to continue their matches, start the version that wrote them on your backup from before "
    "the upgrade; their rows in this store are unchanged",
}
"""Reason and advice in the one line of the log on tables whose logs do not replay."""


class Recovery:
    """The tables that are still to be taken up.

    Args:
        log: where they are.
        around: what they stand on.
        take_up: told of each one that is up.
        now_ms: the time, for slices.
    """

    __slots__ = ("_broken", "_log", "_now_ms", "_slice_from", "_take_up", "_waiting", "around")

    def __init__(
        self,
        log: TableLog,
        around: Surroundings,
        take_up: Callable[[Table], None],
        now_ms: Callable[[], int],
    ) -> None:
        self._log = log
        self.around = around
        self._take_up = take_up
        self._now_ms = now_ms
        self._waiting: dict[str, int] = {}
        """Id and number; those that were asked for are the last."""
        self._broken: set[str] = set()
        self._slice_from = 0

    def __len__(self) -> int:
        """So many tables are still to come."""
        return len(self._waiting)

    @property
    def broken(self) -> int:
        """So many tables could not be taken up."""
        return len(self._broken)

    # Asking --------------------------------------------------------------------------------------

    def expect(self, table_id: str) -> None:
        """Raise if the table that was not found may be there nevertheless; it is the next then.

        Raises:
            Unavailable: TABLE_RECOVERING.
            TableHalted: its log makes no table.
        """
        if table_id in self._broken:
            raise TableHalted(Reason.TABLE_HALTED, HALTED)
        if self._waiting:
            number = self._waiting.pop(table_id, None)
            if number is not None:
                self._waiting[table_id] = number
        self.expect_all()

    def expect_all(self) -> None:
        """Raise unless all tables are up.

        Raises:
            Unavailable: TABLE_RECOVERING.
        """
        if self._waiting:
            raise Unavailable(
                Reason.TABLE_RECOVERING,
                "the server has just started and is restoring its tables; retry",
                retry_ms=_RETRY_MS,
            )

    # Taking up -----------------------------------------------------------------------------------

    async def begin(self) -> int:
        """Find out which tables there are; returns how many."""
        found = await self._log.tables()
        self._waiting = {table_id: number for number, table_id in enumerate(found, 1)}
        return len(found)

    async def run(self) -> None:
        """Take all tables up."""
        if not self._waiting:
            return
        started, found = self._now_ms(), len(self._waiting)
        self._slice_from = started
        unlike = 0
        while self._waiting:
            table_id, number = next(reversed(self._waiting.items()))
            try:
                table = await self._restore(table_id, number)
                if table is not None:
                    self._take_up(table)
            except Exception as error:  # whatever it is, it is this table's alone
                self._broken.add(table_id)
                unlike += isinstance(error, ReplayError | RestoreError | ValueError)
                _log.error("table halted", table_id=table_id, fault=describe(error))
            del self._waiting[table_id]
        up, halted = found - len(self._broken), len(self._broken)
        _log.info("tables restored", tables=up, halted=halted, ms=self._now_ms() - started)
        if unlike:
            _log.error("tables of another version", tables=unlike, **_UNLIKE)

    async def _restore(self, table_id: str, number: int) -> Table | None:
        stored = await self._ask(lambda: self._log.load(table_id))
        if stored is None:
            return None
        work = restore(stored, number, self.around)
        while True:
            try:
                next(work)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            except Exception as error:
                if not stored.deals:
                    raise
                # The whole log tells the same, also to a version that takes more from deal to deal.
                _log.warning("deal not resumed", table_id=table_id, fault=describe(error))
                rows = await self._ask(lambda: self._log.read(table_id))
                stored = stored._replace(deals=(), rows=rows)
                work = restore(stored, number, self.around)
            if self._now_ms() - self._slice_from >= SLICE_MS:
                await asyncio.sleep(0)
                self._slice_from = self._now_ms()

    async def _ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """What the store says of a table. One that does not answer is asked again, but if it is
        this table alone of which it says nothing, the others do not wait for that.

        Raises:
            OSError, Unavailable: it cannot be read.
        """
        tries = 0
        while True:
            try:
                return await question()
            except (OSError, Unavailable) as error:
                _log.warning("store does not answer", error=type(error).__name__)
                await asyncio.sleep(_RETRY_MS / 1000)
                tries += await self._answers()
                if tries == _TRIES_MAX:
                    raise

    async def _answers(self) -> bool:
        """Whether the store answers anything."""
        try:
            await self._log.tables()
        except (OSError, Unavailable):
            return False
        return True
