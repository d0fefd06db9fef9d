"""Fair scheduling of the bots of one process that think: owners take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock
from typing import Generic, TypeVar

__all__ = ["FairQueue", "Turns"]

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items of several owners: owners take turns, items of one owner keep their order.

    >>> queue = FairQueue[str]()
    >>> for owner, item in [("ann", "a1"), ("ann", "a2"), ("bob", "b1")]:
    ...     queue.push(owner, item)
    >>> queue.pop(), queue.pop(), queue.pop(), queue.pop()
    ('a1', 'b1', 'a2', None)
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[T]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def push(self, owner: str, item: T) -> None:
        """Add an item of *owner*."""
        self._lines.setdefault(owner, deque()).append(item)

    def pop(self) -> T | None:
        """The next item; None if there is none."""
        for owner in self._lines:
            line = self._lines.pop(owner)
            item = line.popleft()
            if line:  # the dict is ordered: the owner goes to its end
                self._lines[owner] = line
            return item
        return None


class Turns:
    """Lets one thread at a time work; a `FairQueue` decides which waiting thread is next.

    Args:
        new_gate: makes the event that a thread waits for.
    """

    def __init__(self, new_gate: Callable[[], Event] = Event) -> None:
        self._new_gate = new_gate
        self._lock = Lock()
        self._waiting = FairQueue[Event]()
        self._is_busy = False

    @contextmanager
    def turn(self, owner: str) -> Iterator[int]:
        """Wait for a turn of *owner*; it lasts as long as the context.

        Yields:
            Number of threads that wait for their turn.
        """
        self._enter(owner)
        try:
            with self._lock:
                waiting = len(self._waiting)
            yield waiting
        finally:
            self._leave()

    def _enter(self, owner: str) -> None:
        with self._lock:
            if not self._is_busy:
                self._is_busy = True
                return
            gate = self._new_gate()
            self._waiting.push(owner, gate)
        gate.wait()

    def _leave(self) -> None:
        with self._lock:
            gate = self._waiting.pop()
            self._is_busy = gate is not None
        if gate is not None:
            gate.set()
