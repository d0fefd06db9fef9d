"""Time, as tables get it from outside: whole milliseconds since the epoch of Unix."""

from __future__ import annotations

import time
from typing import Final, Protocol

FOREVER: Final = 1 << 62
"""A time that never comes."""

_NANOS_PER_MILLI: Final = 1_000_000


class Clock(Protocol):
    """A source of time that never goes back."""

    @property
    def goes_by_itself(self) -> bool:
        """Whether it goes on while nobody looks, so that it tells how late something is."""
        ...

    def now_ms(self) -> int:
        """Milliseconds since the epoch of Unix."""
        ...


class SystemClock:
    """The machine's time when it was made, carried on by the steady clock."""

    __slots__ = ("_offset",)

    goes_by_itself = True

    def __init__(self) -> None:
        self._offset = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Milliseconds since the epoch of Unix."""
        return (time.monotonic_ns() + self._offset) // _NANOS_PER_MILLI


class ManualClock:
    """A clock that moves when it is told to, for tests and replays."""

    __slots__ = ("now",)

    goes_by_itself = False

    def __init__(self, now: int = 0) -> None:
        self.now = now

    def now_ms(self) -> int:
        """Where the clock was put."""
        return self.now

    def advance(self, milliseconds: int) -> None:
        """Move the clock on."""
        assert milliseconds >= 0
        self.now += milliseconds
