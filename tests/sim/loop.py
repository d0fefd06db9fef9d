"""An event loop whose time is a number: when there is nothing to do it jumps to the next timer.

Nothing sleeps, there are no threads and no sockets, so a run depends on nothing but its inputs.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any, Final

START_MS: Final = 1_700_000_000_000
"""When simulations begin, in milliseconds of Unix time."""

_MICROS: Final = 1_000_000
_MICROS_PER_MILLI: Final = 1_000
_TURNS_MAX: Final = 20_000
"""So often the loop may go round at one moment."""


class Stuck(Exception):
    """Nothing will ever happen again, or so much happens at once that time does not go on."""


class _Jump:
    """In place of a selector: waiting moves the clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._last = -1
        self._turns = 0

    def select(self, timeout: float | None) -> list[object]:
        if timeout is None:
            raise Stuck("nothing is left to happen")
        if timeout > 0:
            self._loop.micros += math.ceil(timeout * _MICROS)
        self._turns = 0 if self._loop.micros > self._last else self._turns + 1
        self._last = self._loop.micros
        if self._turns > _TURNS_MAX:
            raise Stuck("the loop goes round and round, and time does not go on")
        return []


class VirtualLoop(asyncio.BaseEventLoop):
    """A loop for one simulation.

    Attributes:
        micros: microseconds since the simulation began.
        on_fault: called with what nobody caught.
    """

    def __init__(self) -> None:
        super().__init__()
        self.micros = 0
        self.on_fault: Callable[[BaseException], None] | None = None
        self._selector = _Jump(self)
        self.set_exception_handler(self._tell_fault)

    def time(self) -> float:
        """Seconds since the simulation began."""
        return self.micros / _MICROS

    def stall(self, milliseconds: int) -> None:
        """Let the loop be busy for so long: time goes on and nothing runs."""
        self.micros += milliseconds * _MICROS_PER_MILLI

    def _tell_fault(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or RuntimeError(context["message"])
        if self.on_fault is not None:
            self.on_fault(error)

    # What `asyncio.BaseEventLoop` leaves to loops with sockets; nothing comes from outside here.

    def _process_events(self, event_list: list[object]) -> None:
        assert not event_list

    def _write_to_self(self) -> None:
        """Nobody waits in a selector that would have to be woken."""


class VirtualClock:
    """The loop's time as tables want it; see `croupier_server.tables.clocks.clock.Clock`."""

    goes_by_itself = True

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        """Milliseconds since the epoch of Unix."""
        return START_MS + self._loop.micros // _MICROS_PER_MILLI
