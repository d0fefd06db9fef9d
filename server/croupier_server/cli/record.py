"""``croupier record``: records of a server, one as a file or the newest as a list."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from croupier_server.cli.common import DEFAULT_SERVER, fail, say
from croupier_server.cli.credentials import Authority, KeyFile, ask, invited

if TYPE_CHECKING:
    from croupier.record.v1 import record_service_pb2, record_service_pb2_grpc

T = TypeVar("T")


def command(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="Id of the table; without it, list records.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; default: TABLE.croupier.")
    ] = None,
    server: Annotated[str, typer.Option(help="Address of the server.")] = DEFAULT_SERVER,
    limit: Annotated[
        int, typer.Option(min=1, max=1000, help="Maximum number of records in the list.")
    ] = 20,
    key_file: KeyFile = None,
    ca: Authority = None,
) -> int:
    """Fetch the record of a finished match into a file, or list the newest records.

    `croupier verify`, `replay` and `notation` read the file. For the record of a private table, set
    the environment variable CROUPIER_INVITE to an invite code of the table.
    """
    if not table:
        return _list(server, limit, key_file, ca)
    from croupier.record.v1 import record_service_pb2 as pb
    from croupier.records import fetch_record

    request = pb.GetRecordRequest(table_id=table)
    data = call(server, lambda stub: fetch_record(stub, request, metadata=invited()), key_file, ca)
    file = out or Path(f"{table}.croupier")
    try:
        file.write_bytes(data)
    except OSError as error:
        fail(f"cannot write {file}: {error.strerror}", exit_code=1)
    say(str(file))
    return 0


Call = Callable[["record_service_pb2_grpc.RecordServiceAsyncStub"], Awaitable[T]]


def call(server: str, make: Call[T], key_file: Path | None = None, ca: Path | None = None) -> T:
    """What *server* answers, or one line that says why it does not."""
    from croupier.record.v1 import record_service_pb2_grpc

    return ask(
        server,
        lambda channel: make(record_service_pb2_grpc.RecordServiceStub(channel)),
        key_file,
        ca,
        missing="has no such record, or does not show it yet",
    )


def _list(server: str, limit: int, key_file: Path | None, ca: Path | None) -> int:
    from croupier.record.v1 import record_service_pb2 as pb

    request = pb.ListRecordsRequest(page_size=limit)
    answer = call(server, lambda stub: stub.ListRecords(request), key_file, ca)
    for info in answer.records:
        say(_line(info))
    return 0


def _line(info: record_service_pb2.RecordInfo) -> str:
    """A record in one line: table, when it ended, game, how it ended, who played."""
    from croupier.v1 import game_pb2
    from croupier_server.cli.narrator import game_name, word

    game, reason = game_name(info.game), word(game_pb2.EndReason.DESCRIPTOR, info.result.reason)
    ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(info.end_time.seconds))
    voided = "  (void)" if info.voided else ""
    scores = [f"{seat.score:+d}" for seat in info.result.seats] or ["-"] * len(info.players)
    seats = ", ".join(
        f"{player.display_name or '(empty)'} {score}"
        for player, score in zip(info.players, scores, strict=True)
    )
    return f"{info.table_id}  {ended}  {game}  {reason.replace('_', ' ')}  {seats}{voided}"
