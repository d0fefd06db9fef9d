"""What a table knows of those who read it.

Must not be put here: what they read; see ``feed.py``.
"""

from __future__ import annotations

from typing import Protocol

from croupier_server.tables.updates import StreamEnd


class Watcher(Protocol):
    """A reader of a table, to be told when there may be something new."""

    @property
    def sees_events(self) -> bool:
        """Whether every event is for it, and not decisions and the result alone."""
        ...

    def wake(self) -> None:
        """There may be something to read."""
        ...

    def beat(self) -> None:
        """A heartbeat is due."""
        ...

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """The stream is to end."""
        ...


class SeatWatcher(Watcher, Protocol):
    """A reader with a seat."""

    def part(self, reason: StreamEnd, detail: str) -> None:
        """The stream is to end once all that has happened by now is stored."""
        ...


class Spectator(Watcher, Protocol):
    """A reader without a seat."""

    @property
    def principal(self) -> str:
        """Who reads."""
        ...
