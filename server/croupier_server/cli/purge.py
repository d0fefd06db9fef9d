"""``croupier purge``: old records are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from croupier_server.cli.common import fail
from croupier_server.cli.options import ConfigFile
from croupier_server.cli.stores import StoreUrl, audited, now_ms, run_beside, store_url
from croupier_server.cli.times import read_moment, read_span

if TYPE_CHECKING:
    from croupier_server.storage.beside import Beside


def command(
    before: Annotated[
        str,
        typer.Option(
            metavar="DATE",
            help="Delete records of matches that ended before this date or time (UTC), such as "
            "2026-01-31.",
        ),
    ] = "",
    older_than: Annotated[
        str,
        typer.Option(
            metavar="SPAN",
            help="Delete records of matches that ended longer ago than this, such as 90d or 12h.",
        ),
    ] = "",
    store: StoreUrl = "",
    config: ConfigFile = None,
) -> None:
    """Delete the records of old matches permanently, while the server runs or not."""
    if bool(before) == bool(older_than):
        fail("pass exactly one of --before and --older-than")
    if before:
        until = int(read_moment("--before", before).timestamp() * 1_000)
    else:
        until = now_ms() - int(read_span("--older-than", older_than).total_seconds() * 1_000)

    async def purge(beside: Beside) -> int:
        detail = f"--before {before}" if before else f"--older-than {older_than}"
        return await audited(beside, "purge", "records", detail, beside.records.purge(until))

    number = run_beside(store_url(store, config), purge)
    print(f"{number} record{'' if number == 1 else 's'} deleted")
