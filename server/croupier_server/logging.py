"""How the log looks: structlog on standard error, one JSON object or one console line an event.

What libraries log through the standard library goes the same way. Text from callers cannot forge
lines or steer a terminal: control characters are escaped.

Must not be put here: what is logged. Hidden cards and tickets never are, at any level.
"""

from __future__ import annotations

import logging
import sys
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

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
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    ending: list[Processor] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
        if form == "json"
        else [structlog.dev.ConsoleRenderer(colors=out.isatty())]
    )
    structlog.configure(
        processors=[*shared, printable, *ending],
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


def printable(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Escape what is not printable in texts of an event."""
    for key, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[key] = value.encode("unicode_escape").decode("ascii")
    return event
