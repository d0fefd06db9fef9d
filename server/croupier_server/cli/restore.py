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
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite the store if it is not empty.")
    ] = False,
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Restore the store from a backup; the server must not be running.

    Live tables continue from the backup, and clients that have seen more get a reset. Keys that
    were revoked since stay revoked, if the replaced store can be read.
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
