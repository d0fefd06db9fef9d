"""Fair sharing of the event loop: calls of different principals take turns.

Work that runs on the loop belongs to a flow, the name of whoever asked for it. As long as one pass
of the loop has not used up its slice, work starts at once. After that it queues by flow, and each
pass grants one turn, going round the flows. So a principal waits for at most one turn of each
other principal, however many calls those have queued.

A turn ends at the next ``await``. Work that may be long does a little, looks at `Turns.is_over`,
and waits for its next turn.

Reads pause after each slice, and while several flows are active each has few turns in a slice. gRPC
spends more time on a call than most reads need themselves, and has one queue for all callers. So
reads are answered slowly enough that they wait here instead, where flows take turns.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Final, Generic, TypeVar

R = TypeVar("R")

SLICE_S: Final = 0.001
"""Length of a turn. Work is also split up at this length where it can be."""

REST_S: Final = 0.003
READS_MAX: Final = 2
"""Time from one slice of reads to the next, and maximum turns of a flow in a slice while other
flows are active."""

SHOWS_MAX: Final = 8
"""The same for messages to spectators and to the lobby. Beside 8,000 spectators of one caller at
eight busy tables, calls of others waited for up to 27 s without it (`scripts/attack/legal.py`)."""

CROWD_S: Final = 1.0
"""A flow counts as active for this time after it did something."""


class Crowd:
    """Knows whether several flows are active."""

    __slots__ = ("_flow", "_other_s", "_seen_s")

    def __init__(self) -> None:
        self._flow = ""
        self._seen_s = self._other_s = -CROWD_S

    def saw(self, flow: str, now_s: float) -> None:
        """Note that *flow* did something."""
        if flow != self._flow:
            self._flow, self._other_s = flow, self._seen_s
        self._seen_s = now_s

    def is_there(self, now_s: float) -> bool:
        """Whether more than one flow did something in the last `CROWD_S` seconds."""
        return now_s - self._other_s < CROWD_S


class Turns:
    """Grants turns on the loop that it is used on.

    Args:
        clock: seconds of processor time that the thread of the loop has used.
        crowd: shared by all that share a loop; None: one of its own.
        rest_s: seconds from the beginning of a slice to the next; 0: each pass of the loop has one.
        turns_max: turns of a slice that a flow has while others are active.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.thread_time,
        crowd: Crowd | None = None,
        rest_s: float = 0,
        turns_max: int = sys.maxsize,
    ) -> None:
        self._clock = clock
        self._crowd = crowd or Crowd()
        self._rest_s = rest_s
        self._turns_max = turns_max
        self._granted: dict[str, int] = {}
        """Turns that flows had in this slice; empty: it has not begun."""
        self._began = 0.0
        """When its first turn was granted."""
        self._flows: dict[str, deque[asyncio.Future[None]]] = {}
        """Waiting work by flow; the flow whose turn is next comes first."""

    def is_over(self, slices: int = 1) -> bool:
        """Whether the slice has lasted for *slices* times its length."""
        return self._clock() - self._began >= slices * SLICE_S

    async def turn(self, flow: str, *, is_begun: bool = False) -> None:
        """Wait until work of *flow* may run; work that *is_begun* goes before its other work."""
        loop = asyncio.get_running_loop()
        self._crowd.saw(flow, loop.time())
        if not self._flows and self._take(flow):
            return
        future = loop.create_future()
        waiting = self._flows.setdefault(flow, deque())
        if is_begun:
            waiting.appendleft(future)
        else:
            waiting.append(future)
        await future

    def _take(self, flow: str) -> bool:
        """Take a turn of this slice for *flow*; returns whether there was one."""
        granted = self._granted
        if not granted:
            self._began = self._clock()
            loop = asyncio.get_running_loop()
            if self._rest_s:
                loop.call_later(self._rest_s, self._next_slice)
            else:
                loop.call_soon(self._next_slice)
            granted[flow] = 1
            return True
        if self.is_over():
            return False
        had = granted.get(flow, 0)
        if had >= self._turns_max and self._crowd.is_there(asyncio.get_running_loop().time()):
            return False
        granted[flow] = had + 1
        return True

    def _next_slice(self) -> None:
        """Begin a slice, and let waiting work run."""
        self._granted.clear()
        self._grant()

    def _grant(self) -> None:
        """Let the next flow have its turn, and the one after it when that is over."""
        for flow, waiting in list(self._flows.items()):
            while waiting and waiting[0].done():  # its call was cancelled
                waiting.popleft()
            if not waiting:
                del self._flows[flow]
            elif self._take(flow):
                waiting.popleft().set_result(None)
                del self._flows[flow]
                if waiting:
                    self._flows[flow] = waiting  # behind all others
                if self._rest_s:
                    asyncio.get_running_loop().call_soon(self._grant)
                return


class Metered(Generic[R]):
    """Awaits a coroutine and measures the processor time of its steps, not that of its waits.

    Args:
        work: the coroutine.
        clock: seconds of processor time that this thread has used.

    Attributes:
        seconds: time used so far.
    """

    __slots__ = ("_clock", "_work", "seconds")

    def __init__(self, work: Coroutine[object, object, R], clock: Callable[[], float]) -> None:
        self._work = work
        self._clock = clock
        self.seconds = 0.0

    def __await__(self) -> Generator[object, object, R]:
        work, clock = self._work, self._clock
        error: BaseException | None = None
        value: object = None
        while True:
            began = clock()
            try:
                awaited = work.send(value) if error is None else work.throw(error)
            except StopIteration as end:
                result: R = end.value
                return result
            finally:
                self.seconds += clock() - began
            value, error = None, None
            try:
                value = yield awaited
            except BaseException as thrown:
                error = thrown
