"""Runs a measured process on uvloop where it is installed, as the server does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


def run(main: Coroutine[None, None, None]) -> None:
    """Run *main* to its end."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(main)
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(main)
