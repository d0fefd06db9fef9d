"""A key that makes and aborts tables as fast as it may, to fill the disk."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import table_service_pb2 as pb
from croupier.v1 import table_service_pb2_grpc as services
from croupier.v1.game_pb2 import GAME_KIND_TONGITS
from croupier.v1.table_pb2 import TableSpec
from scripts.attack.stage import Finding, good_keys, running

ALLOWED_MB: Final = 1
CHURN_BYTES: Final = 1 << 20
"""To which the file may grow by rows that are deleted again: SQLite reuses their room."""

_AT_ONCE: Final = 8


async def attack(folder: Path, seconds: float) -> list[Finding]:
    """One key makes and aborts tables: what stays in the store, and when it is refused."""
    rates = ("--calls-per-second", "0", "--rows-mb-per-day", str(ALLOWED_MB))
    with running(folder, "--auth", "keys", "--log-level", "warning", *rates) as server:
        (key,) = await good_keys(folder, "eve")
        ended: Counter[str] = Counter()
        began = time.perf_counter()
        async with grpc.aio.insecure_channel(server.address) as channel:
            loops = [_make_and_abort(channel, key, began + seconds, ended) for _ in range(_AT_ONCE)]
            await asyncio.gather(*loops)
        took = time.perf_counter() - began
        grown, records = _left(folder / "croupier.db")
    growth = f"the store has {records} records and {grown / took / 1e3:.1f} kB more a second"
    made, refused = ended["made"], ended["RATE_LIMITED"]
    limit = (
        f"{made} tables made and aborted ({made / took:.0f}/s), then {refused} times RATE_LIMITED"
    )
    others = sorted(set(ended) - {"made", "RATE_LIMITED"})
    return [
        Finding(growth, not records and grown <= CHURN_BYTES),
        Finding(f"with {ALLOWED_MB} MB a day: {limit}", bool(made and refused)),
        Finding(f"other refusals: {', '.join(others) or 'none'}", not others),
    ]


async def _make_and_abort(
    channel: grpc.aio.Channel, key: str, until: float, ended: Counter[str]
) -> None:
    tables: Any = services.TableServiceStub(channel)
    bearer = ("authorization", f"Bearer {key}")
    while time.perf_counter() < until:
        try:
            made = await tables.CreateTable(
                pb.CreateTableRequest(spec=TableSpec(game=GAME_KIND_TONGITS)), metadata=(bearer,)
            )
            aborting = pb.AbortTableRequest(table_id=made.table.table_id)
            host = ("croupier-host-ticket", made.host_ticket)
            await tables.AbortTable(aborting, metadata=(bearer, host))
            ended["made"] += 1
        except grpc.aio.AioRpcError as error:
            ended[_reason(error)] += 1


def _reason(error: grpc.aio.AioRpcError) -> str:
    """The published reason of a refusal."""
    for name, value in error.trailing_metadata() or ():
        if name == "grpc-status-details-bin" and isinstance(value, bytes):
            info = error_details_pb2.ErrorInfo()
            for detail in status_pb2.Status.FromString(value).details:
                if detail.Unpack(info):
                    return str(info.reason)
    return error.code().name


def _left(file: Path) -> tuple[int, int]:
    """Bytes of the store, whose server has stopped, and records in it."""
    with contextlib.closing(sqlite3.connect(file)) as store:
        (records,) = store.execute("SELECT count(*) FROM records").fetchone()
    return file.stat().st_size, int(records)
