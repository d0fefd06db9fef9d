"""An operator at work on a real server: `croupier admin` and the page for Prometheus."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from croupier import Bot, Client, Decision, Move
from croupier.bots import GreedyBot
from croupier.client import NewTable, Transport
from croupier.record.v1 import record_pb2
from croupier.results import EndReason, Result
from croupier_server import app, metrics
from croupier_server.cli import run
from croupier_server.config import Settings, load
from croupier_server.storage.base import RecordEntry
from tests.e2e.serving import clean_environment, served

SEATS = 4


async def admin(address: str, key_file: Path, command: str, *arguments: str) -> tuple[int, str]:
    """Exit status of a `croupier admin` command, and all that it printed."""
    options = ("--server", address, "--key-file", str(key_file))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "croupier_server", "admin", command, *options, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=clean_environment(),
    )
    printed, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, printed.decode()


class Operator:
    """Runs `croupier admin` against *server* with a key of that scope."""

    def __init__(self, server: app.App, key_file: Path) -> None:
        self.server = server
        self._key_file = key_file

    async def __call__(self, command: str, *arguments: str) -> tuple[int, str]:
        """Exit status of the command, and all that it printed."""
        return await admin(self.server.operators.admin, self._key_file, command, *arguments)

    async def numbers(self) -> dict[str, float]:
        """The page for Prometheus: numbers by name and labels."""
        url = f"http://{self.server.operators.metrics}/metrics"
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
        lines = [line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}


class Gated(Bot):
    """Plays as greedy does, but waits with its third decision until it may go on, so that the match
    is under way."""

    def __init__(self) -> None:
        self.waits = asyncio.Event()
        self.may = asyncio.Event()
        self._asked = 0
        self._greedy = GreedyBot()

    async def decide(self, view: Any, decision: Decision) -> Move:
        self._asked += 1
        if self._asked == 3:
            self.waits.set()
            await self.may.wait()
        return self._greedy.decide(view, decision)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load(
        {
            "port": 0,
            "store": f"sqlite:{tmp_path / 'croupier.db'}",
            "admin_port": 0,
            "metrics_port": 0,
            "house_bots": False,
        }
    )


@pytest.fixture
def key_file(settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A file with a key of the scope admin, made before the server starts."""
    assert run(["keys", "create", "olga", "--scope", "admin", "--store", settings.store]) == 0
    path = tmp_path / "key"
    path.write_text(capsys.readouterr().out)
    return path


@pytest.fixture
async def operator(settings: Settings, key_file: Path) -> AsyncIterator[Operator]:
    async with app.running(settings) as running:
        yield Operator(running, key_file)


class Match:
    """A match of Pokex under way, one of its bots waiting."""

    def __init__(self, made: NewTable, bot: Gated, ends: asyncio.Future[list[Result]]) -> None:
        self.table_id = made.table_id
        self.bot = bot
        self.ends = ends


@pytest.fixture(params=["session", "watch"])
def transport(request: pytest.FixtureRequest) -> Transport:
    return request.param  # type: ignore[no-any-return]


async def begin(client: Client) -> Match:
    made = await client.create_table("pokex", options={"max_deals": 1})
    bots = [Gated(), *(GreedyBot() for _ in range(SEATS - 1))]
    tickets = [await client.join(made.table_id) for _ in bots]
    plays = [client.play(bot, ticket) for bot, ticket in zip(bots, tickets, strict=True)]
    ends = asyncio.gather(*plays)
    gated = bots[0]
    assert isinstance(gated, Gated)
    await gated.waits.wait()
    return Match(made, gated, ends)


async def entry_of(server: app.App, table_id: str) -> RecordEntry:
    """What the store has of a match that has ended, once it has it."""
    records = server.store.records
    wake = asyncio.Event()
    unsubscribe = records.subscribe(wake.set)
    try:
        while (entry := await records.get(table_id)) is None:
            await wake.wait()
            wake.clear()
    finally:
        unsubscribe()
    return entry


async def record_of(server: app.App, table_id: str) -> record_pb2.MatchRecord:
    return record_pb2.MatchRecord.FromString((await entry_of(server, table_id)).record)


@pytest.mark.more
async def test_an_operator_decides_how_a_match_ends(operator: Operator) -> None:
    async with Client(operator.server.server.address) as client:
        match = await begin(client)
        outcome = ["--", "2:1", "-2:2", "2:1", "-2:2"]
        status, printed = await operator("adjudicate", "--why", "crashed", match.table_id, *outcome)
        assert status == 0, printed
        match.bot.may.set()
        results = await match.ends
        assert {result.reason for result in results} == {EndReason.ADJUDICATED}
        record = await record_of(operator.server, match.table_id)
        assert [seat.score for seat in record.result.seats] == [2, -2, 2, -2]
        assert record.result.detail == "crashed"


@pytest.mark.more
async def test_a_match_in_quarantine_stands_and_then_goes_on(
    operator: Operator, transport: Transport
) -> None:
    async with Client(operator.server.server.address, transport=transport) as client:
        match = await begin(client)
        assert (await operator("quarantine", "--why", "odd", match.table_id))[0] == 0
        assert match.table_id in (await operator("status"))[1]
        match.bot.may.set()
        assert (await operator("release", "--why", "fine", match.table_id))[0] == 0
        results = await match.ends
        assert {result.reason for result in results} == {EndReason.FINISHED}
        await entry_of(operator.server, match.table_id)
        assert (await operator("void", "--why", "collusion", match.table_id))[0] == 0
        assert (await entry_of(operator.server, match.table_id)).voided


@pytest.mark.more
async def test_what_operators_do_is_written_down_refused_or_not(operator: Operator) -> None:
    status, printed = await operator("abort", "--why", "test", "nosuchtable")
    assert status == 1
    assert "no such table" in printed
    status, printed = await operator("abort", "--why", "test", "two\nlines")
    assert status == 1, "an entry of the audit log is one line"
    assert "table_id: only printable characters are allowed" in printed
    assert (await operator("drain"))[0] == 0
    assert (await operator("resume"))[0] == 0
    _, printed = await operator("audit")
    lines = [" ".join(line.split()[2:]) for line in printed.splitlines()]
    assert lines[:3] == [
        "olga ResumeServer OK",
        "olga DrainServer OK",
        "olga AbortTable NOT_FOUND nosuchtable test",
    ]


async def test_the_page_counts_what_happened(operator: Operator) -> None:
    async with Client(operator.server.server.address) as client:
        match = await begin(client)
        assert (await operator.numbers())['croupier_tables{game="pokex",status="PLAYING"}'] == 1
        match.bot.may.set()
        await match.ends
    found = await operator.numbers()
    record = await record_of(operator.server, match.table_id)
    moves = sum(row.input.HasField("move") for row in record.rows)
    assert found['croupier_decisions_total{game="pokex"}'] == moves > 0
    assert found['croupier_tables_ended_total{game="pokex"}'] == 1
    assert 'croupier_tables{game="pokex",status="PLAYING"}' not in found
    assert found["croupier_store_rows_total"] >= len(record.rows)
    created = 'method="croupier.v1.TableService/CreateTable"'
    assert found[f'croupier_call_seconds_count{{code="OK",{created}}}'] == 1
    assert not any(match.table_id in name for name in found), "labels are bounded"


@pytest.mark.more
async def test_a_server_in_drain_takes_no_new_tables(operator: Operator) -> None:
    async with Client(operator.server.server.address) as client:
        assert (await operator("drain"))[0] == 0
        assert "takes no new tables" in (await operator("status"))[1]
        found = await operator.numbers()
        assert found["croupier_tables_recovering"] == 0
        assert (await operator("resume"))[0] == 0
        await begin_and_stop(client)


@pytest.mark.more
async def test_a_drain_with_stop_ends_the_server_and_the_log_says_who_did_it(
    settings: Settings, key_file: Path
) -> None:
    flags = ("--store", settings.store, "--admin-port", "0", "--log-format", "json")
    with served(*flags) as server:
        status, printed = await admin(server.admin, key_file, "drain", "--stop")
        assert (status, printed) == (0, "the server stops; 0 live tables\n")
        status, text = await asyncio.to_thread(server.end)
    assert status == 0
    said = [json.loads(line) for line in text.splitlines()]
    events = [line for line in said if line["event"] in {"stopping", "stopped"}]
    assert [line["event"] for line in events] == ["stopping", "stopped"]
    assert events[0]["by"] == "olga"


async def begin_and_stop(client: Client) -> None:
    made = await client.create_table("pokex")
    await client.abort_table(made)


@pytest.mark.more
@pytest.mark.attack
async def test_the_metrics_page_does_not_wait_for_ever_for_a_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics, "REQUEST_S", 0.01)
    nothing: Any = None
    source = metrics.Source(nothing, nothing, lambda: 0, lambda: 0)
    async with metrics.page(CollectorRegistry(), "127.0.0.1", 0, source) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HT")
        assert await reader.read() == b"", "the connection is closed"
        writer.close()


@pytest.mark.attack
async def test_the_metrics_page_is_not_read_through_a_browser_that_was_sent_here(
    operator: Operator,
) -> None:
    host, _, port = operator.server.operators.metrics.rpartition(":")
    for name, status in {
        f"{host}:{port}": 200,
        f"localhost:{port}": 200,
        "[::1]:80": 200,
        f"prometheus-target:{port}": 200,
        "": 200,
        f"rebound.example.org:{port}": 403,
        "127.0.0.1.example.org": 403,
        "[::1].example.org": 403,
        "example%2eorg": 403,
    }.items():
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())
        answer = (await reader.read()).decode()
        writer.close()
        assert answer.split(maxsplit=2)[1] == str(status), name
        assert ("croupier_tables" in answer) == (status == 200)
