"""The log: one line an event, and no caller can forge one."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from croupier_server import logging as server_logging


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_json_is_one_object_a_line() -> None:
    out = io.StringIO()
    server_logging.configure("info", "json", out)
    structlog.get_logger("x").info("call", table_id="a\nb", ms=1.5)
    structlog.get_logger("x").debug("unseen")
    (line,) = out.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["table_id"], entry["ms"]) == ("call", "a\\nb", 1.5)
    assert (entry["level"], "timestamp" in entry) == ("info", True)


@pytest.mark.parametrize("form", ["auto", "console"])
def test_text_of_callers_cannot_forge_lines(form: str) -> None:
    out = io.StringIO()
    server_logging.configure("debug", form, out)
    structlog.get_logger("x").debug("hello", client="x\n2026 [error] forged\x1b[2J\x00")
    assert len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_what_libraries_log_goes_the_same_way() -> None:
    out = io.StringIO()
    server_logging.configure("info", "json", out)
    logging.getLogger("grpc").warning("about %s", "us")
    logging.getLogger("grpc").info("unseen")
    assert json.loads(out.getvalue())["event"] == "about us"
