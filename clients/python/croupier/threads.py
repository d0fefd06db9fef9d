"""Threads for bots that take their time: as many as tables wait, up to a bound, and no more.

They are daemons, so that a bot that sleeps does not hold up the end of the program; the standard
pool would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread

__all__ = ["Threads"]


class Threads:
    """Runs jobs, each at once while fewer than *limit* are running. A job must not raise."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._unfinished = 0
        self._threads = 0

    def run(self, job: Callable[[], None]) -> None:
        """Have *job* run in a thread."""
        with self._lock:
            self._unfinished += 1
            grow = self._threads < min(self._unfinished, self._limit)
            self._threads += grow
            name = f"croupier-bot-{self._threads}"
        self._jobs.put(job)
        if grow:
            Thread(target=self._work, name=name, daemon=True).start()

    def close(self) -> None:
        """End every thread once it is idle; jobs that wait are still run."""
        with self._lock:
            threads = self._threads
        for _ in range(threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            with self._lock:
                self._unfinished -= 1
