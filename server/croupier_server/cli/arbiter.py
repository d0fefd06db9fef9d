"""``croupier arbiter``: serve tournaments and ratings; matches run on a server of tables."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Final

import typer

from croupier_server.cli.common import DEFAULT_SERVER, fail
from croupier_server.cli.credentials import Authority, KeyFile, use
from croupier_server.config import is_loopback

_CANNOT_START: Final = 1
DEFAULT_LISTEN: Final = "127.0.0.1:7431"


def command(
    server: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address of the server of tables.")
    ] = DEFAULT_SERVER,
    key_file: KeyFile = None,
    ca: Authority = None,
    listen: Annotated[
        str,
        typer.Option(metavar="HOST:PORT", help="Address to listen on; port 0: any free port."),
    ] = DEFAULT_LISTEN,
    folder: Annotated[
        Path,
        typer.Option(help="Folder for the arbiter's store and the data of each tournament."),
    ] = Path("arbiter"),
    keys: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Store of the keys that callers need; may be the store of the server of tables. "
            "Default: keys.db in --folder.",
            show_default=False,
        ),
    ] = "",
    concurrency: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="Maximum number of simultaneous matches of each tournament."
        ),
    ] = 32,
    tls_cert: Annotated[
        Path | None, typer.Option(help="PEM file with the arbiter's certificate chain.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file with the private key.")] = None,
    insecure_listen: Annotated[
        bool,
        typer.Option("--insecure-listen", help="Allow a non-loopback address without TLS."),
    ] = False,
    announce_fd: Annotated[
        int | None,
        typer.Option(
            metavar="FD",
            help="When ready, write one line of JSON with address and pid to this file descriptor.",
        ),
    ] = None,
    until_fd: Annotated[
        int | None,
        typer.Option(metavar="FD", help="Stop when the other end of this pipe is closed."),
    ] = None,
) -> None:
    """Serve tournaments and ratings over gRPC.

    The arbiter is a client of a Croupier server (the server of tables), where it needs a key with
    the scopes host and play. Callers of the arbiter always need a key: with the scope organise to
    create tournaments, with play or spectate to see them. To create one, run
    `croupier keys create NAME --scope organise --store URL`.
    """
    from croupier_server import logging
    from croupier_server.arbiter.process import ArbiterSettings, FolderInUse, serve
    from croupier_server.contest.ladder.log import LogError
    from croupier_server.rpc.server import CannotListen
    from croupier_server.rpc.tls import CertificateError, Files
    from croupier_server.storage.base import StoreError

    use(key_file, ca)
    host, _, port = listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        fail(f"--listen: {listen!r} must be an address such as {DEFAULT_LISTEN}")
    host = host.removeprefix("[").removesuffix("]")
    if (tls_cert is None) != (tls_key is None):
        fail("--tls-cert and --tls-key belong together; set both or neither")
    if tls_cert is None and not (insecure_listen or is_loopback(host)):
        fail(
            f"--listen: {host} is reachable from other machines, and keys would be sent "
            "unencrypted; set --tls-cert and --tls-key, or pass --insecure-listen to allow it"
        )
    for flag, fd in (("--announce-fd", announce_fd), ("--until-fd", until_fd)):
        try:
            if fd is not None:
                os.fstat(fd)
        except (OSError, OverflowError):
            fail(f"{flag}: {fd} is not an open file descriptor")
    logging.configure("info", "auto")
    files = Files(tls_cert, tls_key, None) if tls_cert is not None and tls_key is not None else None
    settings = ArbiterSettings(server, folder, keys, host, int(port), files, concurrency)
    try:
        asyncio.run(serve(settings, announce_fd, until_fd))
    except CertificateError as error:
        fail(str(error))
    except (CannotListen, FolderInUse, LogError, StoreError) as error:
        fail(str(error), _CANNOT_START)
