"""When tables want to be told the time: one heap, one timer of the loop."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterable
from typing import Final

from croupier_server.tables.clocks.clock import FOREVER, Clock
from croupier_server.tables.match.table import Table

HEARTBEAT_SLICES: Final = 16
"""Heartbeats of an interval go out in so many parts, so that they do not all fall together."""

PERIOD_MS: Final = 20
"""Time between two signs of life of a loop that is not late."""

TOLERANCE_MS: Final = 10
"""A loop that is no later than this is not called late."""


class Timers:
    """Deadlines of tables, and heartbeats.

    Args:
        clock: the time.
        tick: called when a deadline has come.
        heartbeat: called with a number below `HEARTBEAT_SLICES`, for that part of the tables.
        alive: called every `PERIOD_MS`, if the loop is not late.
        heartbeat_ms: time between two heartbeats of a table.
    """

    def __init__(
        self,
        clock: Clock,
        tick: Callable[[], None],
        heartbeat: Callable[[int], None],
        alive: Callable[[], None],
        heartbeat_ms: int,
    ) -> None:
        self._clock = clock
        self._tick = tick
        self._heartbeat = heartbeat
        self._alive = alive
        self._slice_s = heartbeat_ms / 1000 / HEARTBEAT_SLICES
        self._slice = 0
        self._heap: list[tuple[int, int]] = []
        self._tables: dict[int, Table] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = FOREVER
        self._beat_timer: asyncio.TimerHandle | None = None
        self._alive_timer: asyncio.TimerHandle | None = None

    @property
    def tables(self) -> Iterable[Table]:
        """Tables that have wanted to be told the time; all with a running clock among them."""
        return self._tables.values()

    def schedule(self, table: Table) -> None:
        """Remember when *table* wants to be told the time, if it does."""
        deadline = table.deadline
        if deadline < table.scheduled_ms:
            table.scheduled_ms = deadline
            self._tables[table.number] = table
            heapq.heappush(self._heap, (deadline, table.number))
            self._set_timer()

    def forget(self, table: Table) -> None:
        """*table* has ended: let go of it, however far away its deadline was."""
        self._tables.pop(table.number, None)

    def due(self, now: int) -> list[Table]:
        """Tables whose deadline has come; each must be given to `schedule` afterwards."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            at, number = heapq.heappop(self._heap)
            table = self._tables.get(number)
            if table is None or at != table.scheduled_ms:
                continue  # forgotten, or an earlier entry has been here since
            table.scheduled_ms = FOREVER
            if table.deadline <= now:
                found.append(table)
            else:
                self.schedule(table)
        return found

    def run(self) -> None:
        """Start on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._set_timer()
        self._beat_timer = self._loop.call_later(self._slice_s, self._beat)
        if self._clock.goes_by_itself:
            self._look_alive()

    def stop(self) -> None:
        """Call nothing any more."""
        self._loop = None
        for timer in (self._timer, self._beat_timer, self._alive_timer):
            if timer is not None:
                timer.cancel()

    def _set_timer(self) -> None:
        if self._loop is None or not self._heap or self._heap[0][0] >= self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = self._heap[0][0]
        wait = max(self._timer_at - self._clock.now_ms(), 0) / 1000
        self._timer = self._loop.call_later(wait, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._timer_at = FOREVER
        try:
            self._tick()
        finally:
            self._set_timer()

    def _look_alive(self) -> None:
        if self._loop is not None:
            self._alive_timer = self._loop.call_later(PERIOD_MS / 1000, self._look_alive)
            self._alive()

    def _beat(self) -> None:
        if self._loop is not None:
            self._beat_timer = self._loop.call_later(self._slice_s, self._beat)
            self._slice = (self._slice + 1) % HEARTBEAT_SLICES
            self._heartbeat(self._slice)


class Lag:
    """How late the loop is: it is to call `alive` every `PERIOD_MS`.

    Attributes:
        noticed_from: when the loop is late, unless it calls before.
    """

    __slots__ = ("noticed_from",)

    def __init__(self) -> None:
        self.noticed_from = FOREVER

    def alive(self, now: int) -> None:
        """The loop has come round."""
        self.noticed_from = now + PERIOD_MS + TOLERANCE_MS

    def take(self, now: int) -> int:
        """Since when the loop has been late; what comes from now on counts anew."""
        since = self.noticed_from - TOLERANCE_MS
        self.noticed_from = now + TOLERANCE_MS
        return since
