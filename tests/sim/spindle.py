"""What every simulated disk has: time that a commit takes, trouble, and hanging."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.sim.loop import VirtualLoop

Step = Callable[[str], None]
"""Told of each step of the store; may raise `Crashed`."""


class Crashed(BaseException):
    """The server dies here. It passes through code that would catch any other error."""


class Spindle:
    """A disk but for what is on it.

    Args:
        loop: the time.
        commit_ms: milliseconds that the next commit takes, drawn for each.
        step: told of every step.

    Attributes:
        trouble: why nothing can be stored now.
        noticed_ms: when the store noticed, of the loop's time; None: it has not.
        hangs: what is to be written is neither written nor refused.
        timer: of the server of now, while there is one.
    """

    def __init__(self, loop: VirtualLoop, commit_ms: Callable[[], float], step: Step) -> None:
        self.loop = loop
        self.commit_ms = commit_ms
        self.step = step
        self.trouble = ""
        self.noticed_ms: int | None = None
        self.hangs = False
        self.timer: CommitTimer | None = None

    @property
    def now_ms(self) -> int:
        """The loop's time."""
        return self.loop.micros // 1_000

    @property
    def hung_ms(self) -> int | None:
        """When something first waited for the disk that hangs; None: nothing does."""
        return self.timer.hung_ms if self.timer is not None else None

    def notice(self) -> str:
        """The store notices the trouble that there is."""
        if self.noticed_ms is None:
            self.noticed_ms = self.now_ms
        return self.trouble

    def set_trouble(self, why: str) -> None:
        """Nothing can be stored from now on, or everything can again."""
        self.trouble = why
        if not why and self.timer is not None:
            self.timer.set_trouble("")  # that there is trouble it notices when it writes

    def set_hanging(self, *, hangs: bool) -> None:
        """Nothing is answered from now on, or everything is again."""
        self.hangs = hangs
        if self.timer is not None:
            self.timer.hung_ms = None
            self.timer.schedule()


class CommitTimer:
    """Commits when the disk has the time, for one life of the server.

    Args:
        disk: the disk.
        waits: whether there is something to commit.
        commit: commits all that waits.
        changed: told that `trouble` has changed.

    Attributes:
        trouble: that the store knows of.
        hung_ms: see `Spindle.hung_ms`.
        is_dead: the server is.
    """

    def __init__(
        self,
        disk: Spindle,
        waits: Callable[[], bool],
        commit: Callable[[], None],
        changed: Callable[[], None],
    ) -> None:
        self._disk = disk
        self._waits = waits
        self._commit = commit
        self._changed = changed
        self._timer: asyncio.TimerHandle | None = None
        self.trouble = ""
        self.hung_ms: int | None = None
        self.is_dead = False

    def schedule(self) -> None:
        """Have what waits committed, if nothing is in the way."""
        if not self._waits() or self._timer is not None or self.trouble or self.is_dead:
            return
        if self._disk.hangs:
            self._hang()
            return
        self._timer = self._disk.loop.call_later(self._disk.commit_ms() / 1000, self._fire)

    def set_trouble(self, why: str) -> None:
        """The store has noticed that nothing can be stored, or that everything can again."""
        if self.trouble != why:
            self.trouble = why
            self._changed()
        self.schedule()

    def _hang(self) -> None:
        if self.hung_ms is None:
            self.hung_ms = self._disk.now_ms

    def _fire(self) -> None:
        self._timer = None
        if self.is_dead:
            return
        if self._disk.hangs:
            self._hang()
        elif self._disk.trouble:
            self.set_trouble(self._disk.notice())
        else:
            self._disk.step("before commit")
            self._commit()
            self.schedule()
