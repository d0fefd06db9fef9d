"""How long a server that was killed takes to go on with many live tables.

The tables are played to the middle of a deal by clients, on a file of their own; then the server
is killed, and another one is started on the file. Measured is from the start of its process.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeVar

import grpc

from croupier.v1 import table_service_pb2, table_service_pb2_grpc
from croupier_server.bench.in_process import deal_decisions
from croupier_server.bench.marks import Measured, MeasureFailed, cpu_seconds
from croupier_server.bench.served import PLAYER, server
from croupier_server.games.registry import GAMES

T = TypeVar("T")

TABLES: Final = 1000
DEALS: Final = 1.5
PATIENCE_S: Final = 300.0
RESTART_S: Final = 120.0
_PAUSE_S: Final = 0.02
_PAGE: Final = 1000


class RestartResult(NamedTuple):
    """A restart, in seconds from the start of the process.

    Attributes:
        game: played at the tables.
        tables: that were live when the server was killed.
        decisions: played before.
        listening_s: it listens.
        first_s: the table that was asked for at once has answered.
        all_s: the list of all tables has.
        cpu_s: CPU time of the process until then.
        lost: tables that did not come back.
    """

    game: str
    tables: int
    decisions: int
    listening_s: float
    first_s: float
    all_s: float
    cpu_s: float
    lost: int


def measure_restart(
    report: Callable[[str], None], game: str, tables: int = TABLES, deals: float = DEALS
) -> RestartResult:
    """Kill a server with so many live tables and start another one."""
    with TemporaryDirectory(prefix="croupier-bench-") as folder:
        store = f"sqlite:{Path(folder, 'croupier.db')}"
        report(f"restart: playing {deals} deals at {tables} tables")
        live, decisions = _play(store, game, tables, deals)
        report("restart: starting again")
        began = time.perf_counter()
        with server(store) as (address, pid):
            listening = time.perf_counter() - began
            with grpc.insecure_channel(address) as channel:
                stub = table_service_pb2_grpc.TableServiceStub(channel)
                some = table_service_pb2.GetTableRequest(table_id=live[len(live) // 2])
                _until_answered(lambda: stub.GetTable(some))
                first = time.perf_counter() - began
                found = _until_answered(lambda: _listed(stub))
                everything, cpu = time.perf_counter() - began, cpu_seconds(pid)
    lost = len(set(live) - set(found))
    return RestartResult(game, len(live), decisions, listening, first, everything, cpu, lost)


def _play(store: str, game: str, tables: int, deals: float) -> tuple[list[str], int]:
    """Ids of tables that were live when their server was killed, and decisions played there."""
    wanted = tables * deals * deal_decisions(GAMES[game], GAMES[game].rulesets()[0])
    with (
        server(store) as (address, pid),
        Measured(PLAYER, address, game, str(tables), "listed") as (players),
    ):
        first = players.mark()
        played = first.since(first)
        while played.done < wanted and played.time_s < PATIENCE_S:
            time.sleep(0.2)
            played = players.mark().since(first)
        with grpc.insecure_channel(address) as channel:
            live = _listed(table_service_pb2_grpc.TableServiceStub(channel))
        os.kill(pid, signal.SIGKILL)
    return live, played.done


def _listed(stub: table_service_pb2_grpc.TableServiceStub) -> list[str]:
    """Ids of the tables that play."""
    found: list[str] = []
    token = ""
    while True:
        page = stub.ListTables(
            table_service_pb2.ListTablesRequest(page_size=_PAGE, page_token=token)
        )
        found += [table.table_id for table in page.tables if not table.HasField("result")]
        token = page.next_page_token
        if not token:
            return found


def _until_answered(call: Callable[[], T]) -> T:
    """What *call* gives once the server can say.

    Raises:
        MeasureFailed: it could not for too long.
    """
    ends = time.perf_counter() + RESTART_S
    while time.perf_counter() < ends:
        try:
            return call()
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise MeasureFailed(f"after a restart: {error.details()}") from error
        time.sleep(_PAUSE_S)
    raise MeasureFailed(f"tables were not up after {RESTART_S:g} s")
