"""``croupier watch``: a table, or the lobby, live and readable, as everybody may see it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from croupier_server.cli.common import DEFAULT_SERVER, fail, say
from croupier_server.cli.credentials import Authority, KeyFile, ask, invited

if TYPE_CHECKING:
    import grpc

    from croupier.v1 import table_pb2

_ENDS_WELL: Final = ("MATCH_ENDED", "CLIENT_CLOSED")


def command(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Id of the table; without it, the lobby.")
    ] = "",
    server: Annotated[str, typer.Option(help="Address of the server.")] = DEFAULT_SERVER,
    key_file: KeyFile = None,
    ca: Authority = None,
) -> int:
    """Follow a table to its end, or the tables in the lobby.

    To watch a private table, set the environment variable CROUPIER_INVITE to an invite code of it.
    """
    from croupier_server.cli.narrator import Untellable

    async def watch(channel: grpc.aio.Channel) -> int:
        if table:
            return await _watch_table(channel, table, say)
        return await _watch_lobby(channel, say)

    try:
        return ask(server, watch, key_file, ca, missing=f"has no table {table}", missing_status=2)
    except Untellable as error:
        fail(f"{server}: {error}", exit_code=1)


async def _watch_table(channel: grpc.aio.Channel, table: str, show: Callable[[str], None]) -> int:
    """Show a table until its stream ends; 0 if the match ended."""
    from croupier.v1 import spectate_service_pb2, spectate_service_pb2_grpc

    stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    request = spectate_service_pb2.SpectateTableRequest(table_id=table)
    call = stub.SpectateTable(request, metadata=invited())
    try:
        return await _show_updates((response.update async for response in call), show)
    finally:
        call.cancel()


async def _show_updates(
    updates: AsyncIterator[table_pb2.TableUpdate], show: Callable[[str], None]
) -> int:
    from croupier.seat import reason_word
    from croupier_server.cli.narrator import Narrator

    narrator: Narrator | None = None
    async for update in updates:
        kind = update.WhichOneof("update")
        lines: list[str] = []
        if kind == "snapshot":
            narrator = Narrator(update.snapshot.table)
            lines = narrator.snapshot(update.snapshot)
        elif kind == "reset":
            lines = ["... some events were missed; the table stands like this:"]
        elif kind == "event" and narrator is not None:
            lines = narrator.tell(update.event, {})
        elif kind == "heartbeat" and narrator is not None:
            lines = narrator.clocks(update.heartbeat.clocks)
        elif kind == "end":
            reason = reason_word(update.end)
            if reason in _ENDS_WELL:
                return 0
            show(f"the stream ends: {reason.lower().replace('_', ' ')} {update.end.detail}".strip())
            return 1
        for line in lines:
            show(line)
    show("the server ended the stream")
    return 1


async def _watch_lobby(channel: grpc.aio.Channel, show: Callable[[str], None]) -> int:
    """Show tables as they come and change until the server ends the stream."""
    from croupier.v1 import table_service_pb2, table_service_pb2_grpc
    from croupier_server.cli.narrator import table_lines

    stub = table_service_pb2_grpc.TableServiceStub(channel)
    call = stub.WatchLobby(table_service_pb2.WatchLobbyRequest(follow=True))
    try:
        async for response in call:
            kind = response.WhichOneof("item")
            if kind == "table":
                for line in table_lines(response.table):
                    show(line)
            elif kind == "lost":
                show(f"table {response.lost.table_id} was lost by the server; it does not count")
            elif kind == "caught_up":
                show("--- changes follow; Ctrl-C ends ---")
            elif kind == "end":
                break
    finally:
        call.cancel()
    show("the server ended the stream")
    return 1
