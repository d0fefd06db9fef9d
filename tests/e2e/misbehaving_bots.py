"""Entrants that misbehave, each otherwise the house bot `greedy`: its honest twin is `Greedy`.

A contest starts the classes as ``misbehaving_bots.py:Class``, and the programs below as
``cmd:python misbehaving_bots.py KIND``.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import grpc

import croupier
from croupier.bots import load_bot
from croupier.record.v1 import record_service_pb2, record_service_pb2_grpc
from croupier.v1 import spectate_service_pb2, spectate_service_pb2_grpc, table_pb2
from croupier.v1 import table_service_pb2 as tables_pb2
from croupier.v1 import table_service_pb2_grpc as tables_grpc

HOUR = 3600
CALLS = 3_000
ORPHAN = "croupier-test-orphan"


class Greedy(croupier.Bot):
    """The honest twin of all others."""

    def __init__(self) -> None:
        self.greedy = load_bot("greedy")()
        self.decisions = 0

    def decide(self, view: Any, decision: croupier.Decision) -> Any:
        self.decisions += 1
        self.misbehave(view, decision)
        return self.greedy.decide(view, decision)

    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        """What makes it none."""


class Hangs(Greedy):
    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        if self.decisions == 3:
            time.sleep(HOUR)


class Exits(Greedy):
    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        if self.decisions == 3:
            os._exit(0)


class ExitsWhenBehind(Greedy):
    """Exits as soon as its side is behind, be it within a deal or after one."""

    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        if is_behind(view, decision.seat):
            os._exit(0)


class Concedes(Greedy):
    """Raises as soon as it is behind."""

    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        if is_behind(view, decision.seat):
            raise RuntimeError("this is not my day")


class Raises(Greedy):
    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        raise KeyError("\x1b[31mno such card\u202e")


class Leaves(Greedy):
    def on_start(self, table: Any, seat: int) -> None:
        raise ValueError("I do not want to")


class Illegal(Greedy):
    def decide(self, view: Any, decision: croupier.Decision) -> Any:
        game = type(view).__module__.split(".")[1]
        if game == "pokex":
            return croupier.pokex.bid(99)
        if game == "tractor":
            return croupier.tractor.play("3S 3S 3S")  # there are two packs
        return croupier.tongits.take_and_lay_off(99)


class Slow(Greedy):
    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        time.sleep(2.0)


class Floods(Greedy):
    def misbehave(self, view: Any, decision: croupier.Decision) -> None:
        sys.stdout.write("noise " * 100_000)
        sys.stderr.write("\x1b[2J\x00\u202e" * 50_000)


class Forks(Greedy):
    """Leaves children behind, in groups and sessions of their own."""

    def __init__(self) -> None:
        super().__init__()
        sleep = [sys.executable, "-c", f"import time; time.sleep({HOUR})", ORPHAN]
        subprocess.Popen(sleep, start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            os.execv(sys.executable, sleep)


def is_behind(view: Any, seat: int) -> bool:
    """Whether the side of *seat* has less than another one."""
    public = view.public
    name = type(public).__name__
    if name.startswith("Tongits"):
        sizes, chips = public.hand_sizes, public.chips
        return bool(chips[seat] < max(chips) or sizes[seat] > min(sizes))
    if name.startswith("Pokex"):
        own = seat % 2
        counts = [list(public.totals), list(public.taken)]
    else:
        own = seat % 2
        counts = [list(public.levels)]
        if public.HasField("declaring_team"):
            points = public.opponents_points - 80
            counts.append(
                [points * (1 if team != public.declaring_team else -1) for team in (0, 1)]
            )
    return any(len(found) == 2 and found[own] < found[1 - own] for found in counts)


# Programs ---------------------------------------------------------------------------------------


class Honest:
    """A worker that plays honestly, and the address that its invitations come from."""

    def __init__(self) -> None:
        source = os.fdopen(int(os.environ["CROUPIER_INVITES_FD"]), "rb", 0)
        readable, self._writable = os.pipe()
        words = ["-m", "croupier.worker", "--bot", f"{__file__}:Greedy"]
        self.process = subprocess.Popen(
            [sys.executable, *words, "--invites-fd", str(readable)], pass_fds=[readable]
        )
        os.close(readable)
        self._first: list[dict[str, Any]] = []
        self._ready = threading.Event()
        self._source = source
        self.tables: list[str] = []
        self._thread = threading.Thread(target=self._forward)
        self._thread.start()

    def _forward(self) -> None:
        for line in self._source:
            invite = json.loads(line)
            self.tables.append(invite["table_id"])
            self._first.append(invite)
            self._ready.set()
            with contextlib.suppress(BrokenPipeError):
                os.write(self._writable, line)
        self._ready.set()
        os.close(self._writable)

    def address(self) -> str:
        """Where the server is."""
        self._ready.wait()
        return str(self._first[0]["address"])

    def finish(self) -> int:
        """Play to the end."""
        self._thread.join()
        return self.process.wait()


def flood(honest: Honest) -> None:
    """Ask the server for tables and records as fast as it answers."""
    with grpc.insecure_channel(honest.address()) as channel:
        tables = tables_grpc.TableServiceStub(channel)
        for _ in range(CALLS):
            try:
                tables.ListTables(tables_pb2.ListTablesRequest(page_size=100), timeout=5)
            except grpc.RpcError:
                continue


def babble(honest: Honest) -> None:
    """Send bytes that are no gRPC, and some that look like it."""
    host, _, port = honest.address().rpartition(":")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    for data in (b"\x00" * 5000, preface + b"\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n", preface):
        for _ in range(20):
            with socket.create_connection((host, int(port)), 5) as found:
                try:
                    found.sendall(data)
                except OSError:
                    continue


def disconnect(honest: Honest) -> None:
    """End the process that plays as soon as a match has begun, and stay."""
    with grpc.insecure_channel(honest.address()) as channel:
        tables = tables_grpc.TableServiceStub(channel)
        request = tables_pb2.GetTableRequest(table_id=honest.tables[0])
        while tables.GetTable(request).table.status == table_pb2.TABLE_STATUS_OPEN:
            continue
    honest.process.kill()
    time.sleep(HOUR)


def spy(honest: Honest) -> None:
    """Try to see scores and cards of matches under way, and records, all the time; write what was
    seen of whom, by table, to ``seen.json``: the first board that was seen of each table."""
    seen: dict[str, str] = {}
    asked = 0
    with grpc.insecure_channel(honest.address()) as channel:
        spectating = spectate_service_pb2_grpc.SpectateServiceStub(channel)
        tables = tables_grpc.TableServiceStub(channel)
        records = record_service_pb2_grpc.RecordServiceStub(channel)
        while honest.process.poll() is None:
            try:
                found = tables.ListTables(tables_pb2.ListTablesRequest(page_size=100), timeout=5)
                known = {table.table_id: table for table in found.tables}
                for table_id in sorted({*honest.tables, *known}):
                    asked += 1
                    one = tables.GetTable(tables_pb2.GetTableRequest(table_id=table_id), timeout=5)
                    if one.table.status == table_pb2.TABLE_STATUS_ENDED:
                        continue
                    request = record_service_pb2.GetRecordRequest(table_id=table_id)
                    with contextlib.suppress(grpc.RpcError):
                        list(records.GetRecord(request, timeout=5))
                        asking = tables_pb2.GetTableRequest(table_id=table_id)
                        one = tables.GetTable(asking, timeout=5)
                        # A table has ended for others once all of its board have.
                        if one.table.status != table_pb2.TABLE_STATUS_ENDED:
                            seen[table_id] = "record"
                    watched = spectate_service_pb2.SpectateTableRequest(table_id=table_id)
                    call = spectating.SpectateTable(watched, timeout=5)
                    with contextlib.suppress(grpc.RpcError):
                        first = next(iter(call))
                        if first.update.WhichOneof("update") == "snapshot":
                            seen.setdefault(table_id, str(first)[:4000])
                    call.cancel()
            except grpc.RpcError:
                continue
    found_at = Path(__file__).parent / "seen.json"
    found_at.write_text(json.dumps({"asked": asked, "seen": seen, "own": honest.tables}))


def main() -> int:
    """A program of the kind that is named."""
    kind = sys.argv[1]
    if kind == "garbage":
        sys.stdout.write("\x1b[31m\x00garbage\u202e\n")
        return 3
    if kind == "hang":
        time.sleep(HOUR)
    honest = Honest()
    {"flood": flood, "babble": babble, "disconnect": disconnect, "spy": spy}[kind](honest)
    return honest.finish()


if __name__ == "__main__":
    sys.exit(main())
