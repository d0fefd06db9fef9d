"""``croupier restore``: a backup becomes the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.options import ConfigFile
from croupier_server.cli.stores import StoreUrl, audited, now_ms, run, run_beside, store_url

if TYPE_CHECKING:
    from croupier_server.storage.beside import Beside


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite the store if it is not empty.")
    ] = False,
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Make the store what it was when the backup was made; no server may run on it.

    Live tables go on from there. Clients that have seen more are sent a reset.
    Keys that were revoked since, as far as the store knows, stay revoked.
    """
    from croupier_server.storage.restoring import restore

    url = store_url(store, config)
    tables = run(restore(file, url, replace=replace, now_ms=now_ms()))
    told = f"{tables} live table{'' if tables == 1 else 's'}"

    async def write_down(beside: Beside) -> None:
        await audited(beside, "restore", str(file), told, _nothing())

    run_beside(url, write_down)
    print(f"restored, with {told}")


async def _nothing() -> None:
    """What is left to do when all is done."""
