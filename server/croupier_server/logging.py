"""How the log looks: structlog on standard error, one JSON object or one console line an event.

What libraries log through the standard library goes the same way. Text from callers cannot forge
lines or steer a terminal: control characters are escaped.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from croupier_server.printable import printable

LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def configure(level: str, form: str, stream: TextIO | None = None) -> None:
    """Set the log up for this process.

    Args:
        level: a key of `LEVELS`.
        form: ``json``, ``console``, or ``auto``: console on a terminal.
        stream: where to; standard error.
    """
    out = stream or sys.stderr
    if form == "auto":
        form = "console" if out.isatty() else "json"
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        wordless,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    ending: list[Processor] = [
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=out.isatty())
    ]
    structlog.configure(
        processors=[*shared, escape, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(LEVELS[level], logging.WARNING), force=True)


class Throttle:
    """Limits how many lines anybody can cause, so that nobody fills the disk with the log.

    Each second begins anew. No source can use up the lines of the others, unless very many of them
    work together.

    Args:
        of_each: lines a second of one source.
        of_all: lines a second of all sources together.
        seconds: the time.
    """

    __slots__ = ("_left_out", "_lines", "_of_all", "_of_each", "_second", "_seconds", "_total")

    def __init__(
        self,
        of_each: int = 50,
        of_all: int = 500,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._of_each = of_each
        self._of_all = of_all
        self._seconds = seconds
        self._second = 0
        self._lines: Counter[str] = Counter()
        self._total = 0
        self._left_out = 0

    def admit(self, source: str) -> int | None:
        """Returns how many lines were suppressed since the last one that was not; None: suppress
        this one too."""
        second = int(self._seconds())
        if second != self._second:
            self._second = second
            self._lines.clear()
            self._total = 0
        if self._lines[source] >= self._of_each or self._total >= self._of_all:
            self._left_out += 1
            return None
        self._lines[source] += 1
        self._total += 1
        left_out, self._left_out = self._left_out, 0
        return left_out


def fault(error: BaseException) -> dict[str, object]:
    """What the log says of an error that nobody expected: its kind and where it came from.

    Its text stays out, and what its frames hold: they may name a card.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "trace": where}


def wordless(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Put `fault` in the place of an exception, whoever logs it."""
    found = event.pop("exc_info", None)
    event.pop("stack_info", None)
    event.pop("stack", None)
    if found is True:
        found = sys.exc_info()
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event.update(fault(error))
    return event


def loop_fault(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """To be the event loop's exception handler: its own prints what callbacks were given."""
    error = context.get("exception")
    facts = fault(error) if isinstance(error, BaseException) else {}
    structlog.get_logger(__name__).error("event loop", **facts)


def escape(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Make the texts of an event safe to print."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = printable(value)
    return event
