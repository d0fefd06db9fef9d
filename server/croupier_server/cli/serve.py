"""``croupier serve``: run the server.

The options are the fields of ``config.Settings``, so what a setting means is said there alone.
Must not be put here: settings, and what the server does.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from croupier_server.cli.common import fail
from croupier_server.config import FILE_VARIABLE, Settings, SettingsError, Value, load

CANNOT_LISTEN = 1

_File = Annotated[
    Path | None,
    typer.Option(
        "--config", help=f"TOML file with settings; else {FILE_VARIABLE} names it.", metavar="FILE"
    ),
]
_Announce = Annotated[
    int | None,
    typer.Option(
        "--announce-fd",
        help="Write one line of JSON with address and pid to this file descriptor when ready.",
        metavar="FD",
    ),
]
_Until = Annotated[
    int | None,
    typer.Option(
        "--until-fd",
        help="Stop when nobody holds the other end of this pipe any more.",
        metavar="FD",
    ),
]


def command(
    config: Path | None = None,
    announce_fd: int | None = None,
    until_fd: int | None = None,
    **flags: Value | None,
) -> None:
    """Run the server.

    A setting comes from its flag, else from the environment (CROUPIER_PORT),
    else from the TOML file (port = 7421), else it has its default.
    """
    try:
        settings = load(flags, config)
    except SettingsError as error:
        fail(str(error))
    for flag, fd in (("--announce-fd", announce_fd), ("--until-fd", until_fd)):
        try:
            if fd is not None:
                os.fstat(fd)
        except (OSError, OverflowError):
            fail(f"{flag}: {fd} is not an open file descriptor")
    _run(settings, announce_fd, until_fd)


def _run(settings: Settings, announce_fd: int | None, until_fd: int | None) -> None:
    # gRPC's core writes lines of its own about a port that is taken; we write a better one.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from croupier_server import app, logging
    from croupier_server.rpc.server import CannotListen

    logging.configure(settings.log_level, settings.log_format)
    factory = None
    if settings.loop != "asyncio":
        try:
            import uvloop
        except ImportError:
            if settings.loop == "uvloop":
                fail("loop: uvloop is not installed")
        else:
            factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            runner.run(app.serve(settings, announce_fd, until_fd))
        except CannotListen as error:
            fail(str(error), CANNOT_LISTEN)


def _parameters() -> Iterator[inspect.Parameter]:
    """One option a setting, and the three that are none."""
    for name, field in Settings.model_fields.items():
        flag = f"--{name.replace('_', '-')}"
        annotation: object = field.annotation
        default = str(field.default)
        if annotation is bool and field.default:
            # A switch that is on takes a value: a second name to turn it off fills the help.
            annotation, default = Literal["true", "false"], default.lower()
        option = typer.Option(
            flag, help=field.description, show_default=False if default == "False" else default
        )
        yield _parameter(name, Annotated[annotation | None, option])  # type: ignore[operator]
    yield _parameter("config", _File)
    yield _parameter("announce_fd", _Announce)
    yield _parameter("until_fd", _Until)


def _parameter(name: str, annotation: object) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


# typer reads the signature of a command; this one is made from the settings.
command.__signature__ = inspect.Signature(list(_parameters()))  # type: ignore[attr-defined]
command.__annotations__ = {option.name: option.annotation for option in _parameters()}
