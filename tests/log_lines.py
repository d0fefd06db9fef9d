"""What the server logs, in its own form, for tests of the log."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from croupier_server import logging as server_logging


@contextmanager
def logged(level: str = "debug", form: str = "json") -> Iterator[io.StringIO]:
    """What is logged while this lasts; at the end logging is as it was before."""
    root = logging.getLogger()
    handlers, before = root.handlers[:], root.level
    out = io.StringIO()
    try:
        server_logging.configure(level, form, out)
        # A cached logger would go on writing here when this is over.
        structlog.configure(cache_logger_on_first_use=False)
        yield out
    finally:
        structlog.reset_defaults()
        root.handlers[:] = handlers
        root.setLevel(before)
