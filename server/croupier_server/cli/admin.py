"""``croupier admin``: operate a running server over its Admin port."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from croupier_server.cli.common import fail, say
from croupier_server.cli.credentials import Authority, KeyFile, ask
from croupier_server.printable import printable

if TYPE_CHECKING:
    import grpc
    from google.protobuf.timestamp_pb2 import Timestamp

    from croupier.admin.v1 import admin_service_pb2 as pb

_SECONDS: Final = 10.0

group = typer.Typer(help="Operate a running server over its Admin port.")

_Server = Annotated[
    str,
    typer.Option(
        help="Address of the server's Admin port (`serve --admin-port`).",
        metavar="HOST:PORT",
        envvar="CROUPIER_ADMIN",
    ),
]
_TableId = Annotated[str, typer.Argument(metavar="TABLE", help="Id of the table.")]
_Why = Annotated[str, typer.Option("--why", help="The reason, for the audit log and the players.")]


@group.callback()
def _group() -> None:
    """Operate a running server over its Admin port.

    Every command needs a key with the scope admin (`croupier keys create NAME --scope admin`), in
    --key-file or the environment. What changes something is written to the audit log.
    """


@group.command("status")
def status(server: _Server, key_file: KeyFile = None, ca: Authority = None) -> None:
    """Show the version, store, tables and streams of the server."""
    found: pb.GetServerStatusResponse = _call(server, key_file, ca, "GetServerStatus")
    store = f"{found.store}, FAILING" if found.store_failing else found.store
    say(f"Croupier {found.version}, up since {_time(found.start_time)}, store {store}")
    recovering = f", {found.recovering_tables} to be taken up" if found.recovering_tables else ""
    live = _counted(found.live_tables, "live table")
    print(f"{live}{recovering}, {_counted(found.streams, 'stream')}")
    if found.draining:
        print("takes no new tables")
    for table_id in found.quarantined_table_ids:
        say(f"in quarantine: {table_id}")


@group.command("drain")
def drain(
    server: _Server,
    stop: Annotated[bool, typer.Option(help="Also stop the server, as after SIGTERM.")] = False,
    key_file: KeyFile = None,
    ca: Authority = None,
) -> None:
    """Create no new tables; live tables are played on."""
    found: pb.DrainServerResponse = _call(server, key_file, ca, "DrainServer", stop=stop)
    does = "stops" if stop else "takes no new tables"
    print(f"the server {does}; {_counted(found.live_tables, 'live table')}")


@group.command("resume")
def resume(server: _Server, key_file: KeyFile = None, ca: Authority = None) -> None:
    """Create new tables again after `drain`."""
    found: pb.ResumeServerResponse = _call(server, key_file, ca, "ResumeServer")
    print(f"the server creates new tables again; {_counted(found.live_tables, 'live table')}")


@group.command("abort")
def abort(
    table: _TableId, why: _Why, server: _Server, key_file: KeyFile = None, ca: Authority = None
) -> None:
    """End a live match without a result; it does not count."""
    _call(server, key_file, ca, "AbortTable", table_id=table, detail=why)
    print(f"stopped {table}")


@group.command("void")
def void(
    table: _TableId, why: _Why, server: _Server, key_file: KeyFile = None, ca: Authority = None
) -> None:
    """Declare an ended match void; its record stays."""
    _call(server, key_file, ca, "VoidMatch", table_id=table, detail=why)
    print(f"the match of {table} is void")


@group.command("adjudicate")
def adjudicate(
    table: _TableId,
    seats: Annotated[
        list[str],
        typer.Argument(
            metavar="SCORE:PLACE...", help="Outcomes as SCORE:PLACE, one per seat, such as 3:1."
        ),
    ],
    why: _Why,
    server: _Server,
    key_file: KeyFile = None,
    ca: Authority = None,
) -> None:
    """End a live match with the given outcome; it counts.

    Put a double dash before negative scores: adjudicate --why ... TABLE -- 3:1 -3:2
    """
    from croupier.admin.v1 import admin_service_pb2 as pb

    request = pb.AdjudicateTableRequest()
    for number, text in enumerate(seats):
        score, _, place = text.partition(":")
        try:
            request.seats.add(seat=number, score=int(score), place=int(place))
        except ValueError:
            fail(f"{text!r} is not an outcome of a seat; write SCORE:PLACE, such as 3:1")
    _call(server, key_file, ca, "AdjudicateTable", table_id=table, detail=why, seats=request.seats)
    print(f"the match of {table} has ended with your outcome")


@group.command("quarantine")
def quarantine(
    table: _TableId, why: _Why, server: _Server, key_file: KeyFile = None, ca: Authority = None
) -> None:
    """Pause play and clocks at a table."""
    _call(server, key_file, ca, "QuarantineTable", table_id=table, detail=why)
    print(f"paused play at {table}")


@group.command("release")
def release(
    table: _TableId, why: _Why, server: _Server, key_file: KeyFile = None, ca: Authority = None
) -> None:
    """Resume play and clocks at a table in quarantine."""
    _call(server, key_file, ca, "ReleaseTable", table_id=table, detail=why)
    print(f"resumed play at {table}")


@group.command("audit")
def audit(
    server: _Server,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of entries.")] = 50,
    key_file: KeyFile = None,
    ca: Authority = None,
) -> None:
    """List what operators did, newest first."""
    found: pb.ListAuditEntriesResponse = _call(
        server, key_file, ca, "ListAuditEntries", page_size=limit
    )
    rows = [
        tuple(
            map(
                printable,
                (_time(one.time), one.principal, one.action, one.outcome, one.subject, one.detail),
            )
        )
        for one in found.entries
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _call(server: str, key_file: Path | None, ca: Path | None, method: str, **fields: Any) -> Any:
    """The answer of a call with such a request, or one line that says why there is none."""
    from croupier.admin.v1 import admin_service_pb2 as pb
    from croupier.admin.v1 import admin_service_pb2_grpc as rpc

    request = getattr(pb, f"{method}Request")(**fields)

    async def call(channel: grpc.aio.Channel) -> Any:
        return await getattr(rpc.AdminServiceStub(channel), method)(request, timeout=_SECONDS)

    return ask(server, call, key_file, ca, what="Admin port (see `croupier serve --admin-port`)")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _time(stamp: Timestamp) -> str:
    return stamp.ToDatetime().strftime("%Y-%m-%d %H:%M:%S")
