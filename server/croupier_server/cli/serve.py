"""``croupier serve``: run the server.

The options are the fields of ``config.Settings``, so what a setting means is said there alone.
"""

from __future__ import annotations

import asyncio
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from croupier_server.cli.common import fail
from croupier_server.cli.options import ConfigFile, expect_startable, read_settings, takes_settings
from croupier_server.config import Settings, Value

CANNOT_START = 1

_Announce = Annotated[
    int | None,
    typer.Option(
        "--announce-fd",
        help="When ready, write one line of JSON with addresses and pid to this file descriptor.",
        metavar="FD",
    ),
]
_Until = Annotated[
    int | None,
    typer.Option(
        "--until-fd",
        help="Stop when the other end of this pipe is closed.",
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

    The value of a setting comes from its flag, else from the environment (CROUPIER_PORT), else from
    the TOML file (port = 7421), else it is the default.
    """
    settings = read_settings(flags, config)
    expect_startable(settings)
    for flag, fd in (("--announce-fd", announce_fd), ("--until-fd", until_fd)):
        try:
            if fd is not None:
                os.fstat(fd)
        except (OSError, OverflowError):
            fail(f"{flag}: {fd} is not an open file descriptor")
    _run(settings, announce_fd, until_fd)


def _run(settings: Settings, announce_fd: int | None, until_fd: int | None) -> None:
    from croupier_server import allocator, app, logging
    from croupier_server.metrics import CannotShowMetrics
    from croupier_server.rpc.server import CannotListen
    from croupier_server.rpc.tls import CertificateError
    from croupier_server.storage.base import StoreError

    if settings.web and not (find_spec("connectrpc") and find_spec("uvicorn")):
        fail("web: the web port needs more packages; run pip install 'croupier-server[web]'")
    allocator.give_large_blocks_back()
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
        except CertificateError as error:
            fail(str(error))
        except (CannotListen, CannotShowMetrics, StoreError) as error:
            fail(str(error), CANNOT_START)
        except app.StoreGone as gone:  # the log has said why
            raise typer.Exit(gone.status) from None


takes_settings(command, config=ConfigFile, announce_fd=_Announce, until_fd=_Until)
