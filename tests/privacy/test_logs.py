"""Private: no line of the log, at any level and from whatever part, holds what an exception says,
what its frames hold, or what a statement was given: all of them may name cards.
"""

from __future__ import annotations

import ast
import asyncio
import logging
from collections.abc import Callable

import pytest
import structlog

from croupier_server import house
from croupier_server import logging as server_logging
from tests.log_lines import logged
from tests.meta.sources import modules

CARDS = "QS of 7H 7H"
ENGINES = ("create_engine", "create_async_engine")


def faulty() -> None:
    """Fails over a hand, which is in its words and in its frame."""
    hand = f"{CARDS} in a frame"
    raise AssertionError(f"{hand} in the words")


def ours() -> None:
    try:
        faulty()
    except AssertionError:
        structlog.get_logger("x").exception("it failed", seat=1)


def a_librarys() -> None:
    try:
        try:
            faulty()
        except AssertionError as error:
            raise ValueError(CARDS) from error
    except ValueError:
        logging.getLogger("sqlalchemy").exception("it failed")


def a_librarys_with_a_stack() -> None:
    logging.getLogger("sqlalchemy").error("it failed", stack_info=True)


@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize("log", [ours, a_librarys, a_librarys_with_a_stack])
def test_private_the_log_of_a_fault_tells_its_kind_and_place(
    form: str, log: Callable[[], None]
) -> None:
    with logged(form=form) as out:
        log()
    said = out.getvalue()
    assert "it failed" in said
    assert CARDS not in said
    assert "7H" not in said
    if log is not a_librarys_with_a_stack:
        assert "Error" in said
        assert "test_logs.py" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("form", ["json", "console"])
def test_private_what_the_event_loop_stumbles_over(form: str) -> None:
    """Callbacks and tasks that nobody waits for."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(server_logging.loop_fault)
        loop.call_soon(lambda _: faulty(), CARDS)
        task = loop.create_task(fail())
        await asyncio.wait([task])
        del task

    async def fail() -> None:
        faulty()

    with logged(form=form) as out:
        asyncio.run(run())
    said = out.getvalue()
    assert said.count("AssertionError") == 2
    assert "7H" not in said
    assert len(said.splitlines()) == 2


@pytest.mark.more
def test_private_statements_do_not_tell_what_they_were_given() -> None:
    """An error of the database names the statement and, unless told otherwise, its values."""
    talkative = [
        f"{path}:{node.lineno}"
        for path, text in modules("server")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ENGINES
        and "hide_parameters" not in [word.arg for word in node.keywords]
    ]
    assert talkative == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"table t, seat 1: {CARDS}", "table t, seat 1"),
        (f"croupier.errors.BotError: the bot failed: {CARDS}", "croupier.errors.BotError"),
        ('  File "bot.py", line 3, in decide', '  File "bot.py", line 3, in decide'),
        ("Traceback (most recent call last):", "Traceback (most recent call last)"),
        (f"hand {CARDS}", "(words left out)"),
        ("    raise ValueError(cards)", "(words left out)"),
    ],
)
def test_private_what_house_bots_say_is_cut_to_kinds_and_places(line: str, told: str) -> None:
    """They know the cards of their seats, and their errors may name them."""
    assert house.without_words(line) == told
