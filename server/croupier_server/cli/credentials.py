"""Options of commands that call a server: where the key and the authority's certificate are.

A key itself is never an argument: everybody on the machine can read those of a running program.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from croupier_server.cli.common import fail

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import grpc

    from croupier.credentials import Credentials, Metadata

T = TypeVar("T")

_SERVER: Final = "Croupier server"

KeyFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the API key. Default: the file in CROUPIER_KEY_FILE, or the key in "
        "CROUPIER_KEY.",
        metavar="FILE",
        show_default=False,
    ),
]
Authority = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        help="PEM file with the authority of the server's certificate. Default: CROUPIER_CA.",
        metavar="FILE",
        show_default=False,
    ),
]


def use(key_file: Path | None = None, ca: Path | None = None) -> Credentials:
    """The credentials for this command and for the programs that it starts.

    Options take the place of the environment's variables, which those programs read too.
    """
    from croupier.credentials import Credentials
    from croupier.errors import UsageError

    if key_file is not None:
        os.environ.pop("CROUPIER_KEY", None)
        os.environ["CROUPIER_KEY_FILE"] = str(key_file.absolute())
    if ca is not None:
        os.environ["CROUPIER_CA"] = str(ca.absolute())
    try:
        return Credentials.from_environment()
    except UsageError as error:
        fail(str(error))


def invited() -> Metadata:
    """Metadata that shows a private table to whoever set CROUPIER_INVITE."""
    from croupier.credentials import invite_metadata
    from croupier.errors import UsageError

    try:
        return invite_metadata()
    except UsageError as error:
        fail(str(error))


def ask(
    server: str,
    work: Callable[[grpc.aio.Channel], Awaitable[T]],
    key_file: Path | None = None,
    ca: Path | None = None,
    *,
    missing: str = "",
    missing_status: int = 1,
    what: str = _SERVER,
) -> T:
    """What *work* returns with a channel to *server*, or one line that says why it does not.

    Args:
        server: its address.
        work: makes the calls.
        key_file, ca: see `use`.
        missing: said, behind the address, of what is not found there; `missing_status` is the
            exit status then.
        what: that should answer there.
    """
    import asyncio

    import grpc

    from croupier.connection import is_lost
    from croupier.credentials import encryption_advice
    from croupier.errors import NotFound, UsageError, from_rpc_error

    credentials = use(key_file, ca)

    async def with_channel() -> T:
        async with credentials.channel(server) as channel:
            return await work(channel)

    try:
        return asyncio.run(with_channel())
    except UsageError as error:
        fail(str(error))
    except grpc.aio.AioRpcError as error:
        refused = from_rpc_error(error)
        said = refused.message
        if missing and isinstance(refused, NotFound):
            fail(f"{server} {missing}", missing_status)
        if refused.reason == "UNIMPLEMENTED":
            fail(f"{server} is no {what}", exit_code=1)
        if is_lost(refused):
            advice = encryption_advice(said)
            if not advice and what == _SERVER:
                advice = "; start one with `croupier serve`"
            fail(f"no {what} answers at {server}: {said}{advice}", exit_code=1)
        fail(f"{server}: {said}", exit_code=1)
