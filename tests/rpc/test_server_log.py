"""The log: one line an event, and no caller can forge one."""

from __future__ import annotations

import json
import logging

import pytest
import structlog

from tests.log_lines import logged


def test_json_is_one_object_a_line() -> None:
    with logged("info") as out:
        structlog.get_logger("x").info("call", table_id="a\nb", ms=1.5)
        structlog.get_logger("x").debug("unseen")
    (line,) = out.getvalue().splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["table_id"], entry["ms"]) == ("call", "a\\nb", 1.5)
    assert (entry["level"], "timestamp" in entry) == ("info", True)


@pytest.mark.parametrize("form", ["auto", "console"])
def test_text_of_callers_cannot_forge_lines(form: str) -> None:
    with logged(form=form) as out:
        structlog.get_logger("x").debug("hello", client="x\n2026 [error] forged\x1b[2J\x00")
    assert len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_what_libraries_log_goes_the_same_way() -> None:
    with logged("info") as out:
        logging.getLogger("grpc").warning("about %s", "us")
        logging.getLogger("grpc").info("unseen")
    assert json.loads(out.getvalue())["event"] == "about us"
