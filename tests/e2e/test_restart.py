"""A server is killed in the middle of matches, and started again on the same store and port."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from croupier import Client, Decision, Move
from croupier.bots import GreedyBot
from croupier.client import Transport
from croupier.errors import NotFound
from croupier.record.v1 import record_pb2, record_service_pb2
from croupier.records import fetch_record
from croupier.results import EndReason
from croupier.v1 import table_pb2
from croupier.views import View
from tests.e2e.serving import COMMAND, SECONDS, clean_environment
from tests.more import first_of
from tests.storage.postgres import Cluster


class Restarted:
    """A server process that comes back where it was."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; returns when it listens."""
        reading, writing = os.pipe()
        arguments = ["--port", str(self.port), "--announce-fd", str(writing)]
        self._process = subprocess.Popen(
            [*COMMAND, *arguments, "--store", self._store, "--log-level", "error"],
            pass_fds=[writing],
            env=clean_environment(),
        )
        os.close(writing)
        with os.fdopen(reading) as announced:
            line = announced.readline()
        assert line, "the server did not start"
        self.port = int(json.loads(line)["address"].rpartition(":")[2])

    def stop(self, number: int) -> int:
        """Send it signal *number* and return its exit status."""
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(SECONDS)

    def kill_house(self) -> None:
        """Kill the process of its house bots."""
        assert self._process is not None
        (pid,) = house_bots_of(self._process.pid)
        os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop(signal.SIGKILL)


def house_bots_of(pid: int) -> list[int]:
    """Processes of house bots that the server with this id has started."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    children = [int(one) for thread in threads for one in (thread / "children").read_text().split()]
    return [
        child for child in children if b"bots.house" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.fixture(params=first_of(["sqlite", "postgresql"]))
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty durable store."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'croupier.db'}"
    cluster: Cluster = request.getfixturevalue("cluster")
    return await cluster.create()


@pytest.fixture
def server(store: str) -> Iterator[Restarted]:
    """A server on a durable store."""
    found = Restarted(store)
    found.start()
    try:
        yield found
    finally:
        found.close()


class Count:
    """How many answers the bots of a test have given."""

    def __init__(self) -> None:
        self._given = 0
        self._changed = asyncio.Condition()

    async def add(self) -> None:
        """Count one more answer."""
        async with self._changed:
            self._given += 1
            self._changed.notify_all()

    async def reaches(self, number: int) -> None:
        """Return when this many have been given."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._given >= number)


class Noting(GreedyBot):
    """Plays like `greedy`, and notes each answer."""

    inline = False

    def __init__(self, count: Count) -> None:
        super().__init__()
        self.notes: list[str] = []
        self._count = count

    async def decide(self, view: View, decision: Decision) -> Move:  # type: ignore[override]
        move = super().decide(view, decision)
        await self._count.add()
        self.notes.append(decision.id)
        return move


async def record_of(client: Client, table_id: str) -> record_pb2.MatchRecord:
    """The record of a match that has ended, which is made a moment later."""
    connection, wanted = client._main, record_service_pb2.GetRecordRequest(table_id=table_id)
    get: Any = partial(fetch_record, connection.records)
    while True:
        try:
            return record_pb2.MatchRecord.FromString(await connection.call(get, wanted))
        except NotFound:
            await asyncio.sleep(0.05)


async def play(
    address: str, transport: Transport, game: str, options: dict[str, int], count: Count
) -> None:
    """A match whose record tells each answer of each bot once, and no other."""
    async with Client(address, transport=transport, patience=60) as client:
        players = await client.players(game)
        made = await client.create_table(
            game,
            options=options,
            seats=["reserved"] * players,
            shared_seats=True,
            deal=table_pb2.DealSource(match=table_pb2.MatchDeal()),
        )
        bots = [Noting(count) for _ in range(players)]
        tickets = [await client.join(made.table_id, invite=code) for code in made.invites.values()]
        pairs = zip(bots, tickets, strict=True)
        results = await asyncio.gather(*[client.play(bot, ticket) for bot, ticket in pairs])
        assert {result.reason for result in results} == {EndReason.FINISHED}
        record = await record_of(client, made.table_id)
    inputs = [row.input for row in record.rows if row.HasField("input")]
    moves = [one.move for one in inputs if one.HasField("move")]
    moves += [one.answer for one in inputs if one.HasField("answer")]
    answered = Counter(move.decision_id for move in moves)
    assert set(answered.values()) == {1}
    assert answered.keys() == {decision for bot in bots for decision in bot.notes}
    assert [row.sequence for row in record.rows if row.sequence] == list(
        range(1, max(row.sequence for row in record.rows) + 1)
    )


@pytest.mark.parametrize(
    ("transport", "how"),
    [
        ("session", signal.SIGKILL),
        pytest.param("watch", signal.SIGKILL, marks=pytest.mark.slow),
        pytest.param("session", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("watch", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
async def test_durable_matches_go_on_after_the_server_was_killed(
    server: Restarted, transport: Transport, how: int
) -> None:
    chance = random.Random(f"{transport} {how}")
    count = Count()

    async def stop_now_and_then() -> None:
        answers = 0
        for _ in range(3):
            answers += chance.randint(10, 40)
            await count.reaches(answers)
            status = await asyncio.to_thread(server.stop, how)
            assert status == (-how if how == signal.SIGKILL else 0)
            await asyncio.to_thread(server.start)

    matches = [
        play(server.address, transport, "tractor", {"max_deals": 1}, count),
        play(server.address, transport, "tongits", {"max_hands": 4}, count),
        play(server.address, transport, "pokex", {"max_deals": 3}, count),
    ]
    await asyncio.gather(stop_now_and_then(), *matches)


@pytest.mark.slow
async def test_durable_house_bots_of_the_new_server_play_on(server: Restarted) -> None:
    count = Count()

    async def stop_once() -> None:
        await count.reaches(5)
        await asyncio.to_thread(server.stop, signal.SIGKILL)
        await asyncio.to_thread(server.start)

    async def play_house() -> None:
        async with Client(server.address, patience=60) as client:
            made = await client.create_table(
                "tongits", options={"max_hands": 6}, seats=["reserved", "greedy", "greedy"]
            )
            ticket = await client.join(made.table_id, invite=made.invites[0])
            result = await client.play(Noting(count), ticket)
            assert result.reason is EndReason.FINISHED

    await asyncio.gather(stop_once(), play_house())


async def all_sit(client: Client, table_id: str) -> None:
    """Wait until a table asks for nonces."""
    while True:
        table = await client.get_table(table_id)
        if table.status == table_pb2.TABLE_STATUS_AWAITING_NONCES:
            return
        await asyncio.sleep(0.02)


@pytest.mark.more
@pytest.mark.parametrize("dies", ["house", "server"])
async def test_durable_nobody_waits_for_a_nonce_of_house_bots_that_died(
    server: Restarted, dies: str
) -> None:
    """They die when all sit; our seat opens its nonce when they have."""
    async with Client(server.address, patience=60) as client:
        made = await client.create_table(
            "tongits", options={"max_hands": 1}, seats=["reserved", "greedy", "greedy"]
        )
        ticket = await client.join(made.table_id, invite=made.invites[0])
        await all_sit(client, made.table_id)
        if dies == "server":
            await asyncio.to_thread(server.stop, signal.SIGKILL)
            await asyncio.to_thread(server.start)
        else:
            server.kill_house()
        result = await client.play(GreedyBot(), ticket)
        assert result.reason is EndReason.FINISHED
        record = await record_of(client, made.table_id)
    kinds = [
        table_pb2.TableEvent.FromString(row.public_part).WhichOneof("event")
        for row in record.rows
        if row.sequence
    ]
    filled = kinds.index("seats_filled")
    assert [kind for kind in kinds[filled:] if kind != "seat_joined"][:3] == [
        "seats_filled",
        "nonce_opened",
        "match_started",
    ]
    assert "seat_no_show" not in kinds
    assert [bool(nonce) for nonce in record.reveal.nonces] == [True, False, False]
