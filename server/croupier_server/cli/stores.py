"""What commands that work on the server's store have in common."""

from __future__ import annotations

import asyncio
import getpass
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from croupier_server.cli.common import fail
from croupier_server.cli.options import expect_store, read_settings

if TYPE_CHECKING:
    from croupier_server.storage.beside import Beside

T = TypeVar("T")

StoreUrl = Annotated[
    str,
    typer.Option(
        "--store", help="The store. Default: that of the server's settings.", show_default=False
    ),
]


def store_url(store: str, config: Path | None) -> str:
    """*store*, or that of the settings."""
    return expect_store(store) if store else read_settings({}, config).store_url


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do *work*; a store that cannot be opened or reached ends the command with one line."""
    from croupier_server.errors import CroupierError
    from croupier_server.storage.base import StoreError

    try:
        return asyncio.run(work)
    except StoreError as error:
        fail(str(error), exit_code=1)
    except CroupierError as error:
        fail(error.message, exit_code=1)


def run_beside(url: str, work: Callable[[Beside], Awaitable[T]], *, may_make: bool = False) -> T:
    """Do *work* on the store at *url*, whether it is served from or not."""
    from croupier_server.storage.beside import beside

    async def with_store() -> T:
        async with beside(url, may_make=may_make) as opened:
            return await work(opened)

    return run(with_store())


async def audited(beside: Beside, action: str, subject: str, detail: str, work: Awaitable[T]) -> T:
    """Do *work* and write down what was done, and what came of it."""
    from croupier_server.storage.base import AuditEntry

    outcome = "FAILED"
    try:
        done = await work
        outcome = "NOT_FOUND" if done is False else "OK"
        return done
    finally:
        entry = AuditEntry(now_ms(), operator(), action, subject, detail, outcome)
        await beside.audit.add(entry)


def operator() -> str:
    """Who runs the command, as far as the system knows."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # nobody with a name
        return "command line"


def now_ms() -> int:
    """The time, milliseconds since 1970."""
    return time.time_ns() // 1_000_000
