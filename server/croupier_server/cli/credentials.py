"""Options of commands that call a server: where the key and the authority's certificate are.

A key itself is never an argument: everybody on the machine can read those of a running program.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc

    from croupier.credentials import Credentials, Metadata

KeyFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the API key; else CROUPIER_KEY_FILE names it or CROUPIER_KEY has it.",
        metavar="FILE",
        show_default=False,
    ),
]
Authority = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        help="PEM file of the authority that the server's certificate is from; else CROUPIER_CA.",
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


def open_channel(
    credentials: Credentials, server: str, options: Sequence[tuple[str, int]] = ()
) -> grpc.aio.Channel:
    """A channel to *server*, or one line that says why there is none."""
    from croupier.errors import UsageError

    try:
        return credentials.channel(server, options)
    except UsageError as error:
        fail(str(error))


def open_blocking(credentials: Credentials, server: str) -> grpc.Channel:
    """As `open_channel`, for commands without an event loop."""
    from croupier.errors import UsageError

    try:
        return credentials.blocking_channel(server)
    except UsageError as error:
        fail(str(error))
