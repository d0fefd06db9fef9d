"""``croupier backup``: everything that the server keeps, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier_server.cli.options import ConfigFile
from croupier_server.cli.stores import StoreUrl, run, store_url


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite FILE if it exists.")
    ] = False,
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Write a backup of the store, while the server runs or not.

    The file holds live tables, records, keys (hashed) and the audit log. It reveals every card, so
    keep it secret. It can be restored to any kind of store.
    """
    from croupier_server.storage.backup import back_up

    size = run(back_up(store_url(store, config), file, replace=replace))
    print(f"{file}: {size} bytes")
