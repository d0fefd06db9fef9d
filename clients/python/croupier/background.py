"""Tasks that run beside a program until it is done with them.

A task group whose tasks are cancelled at the end, and whose end does not hide what went wrong in
the body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

__all__ = ["Background", "first_error"]


def first_error(errors: BaseExceptionGroup) -> BaseException:
    """The first error of a task group that failed, as it was raised."""
    first: BaseException = errors
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


class Background:
    """Tasks that live no longer than this; a task that fails by a bug of ours ends the body too."""

    def __init__(self) -> None:
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin; tasks can be started from now on."""
        await self._group.__aenter__()

    async def close(self) -> None:
        """Cancel what runs, and wait until it has ended.

        Raises:
            ExceptionGroup: tasks that failed.
        """
        for task in list(self._tasks):
            task.cancel()
        # Nothing is said of the body's own error, which the group would wrap: it passes by itself.
        await self._group.__aexit__(None, None, None)

    def start(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run *work* beside the body."""
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
