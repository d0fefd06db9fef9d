"""The house bots' process gets its seats, is started again when it dies, and is stopped."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier_server import house
from croupier_server.house import HouseBots
from croupier_server.tables.shard.shard import HouseSeat

ADDRESS = "127.0.0.1:1"

# Tells the test each line that it gets, over a connection that ends with the process. Dies of the
# bot "dies", and listens no more after the bot "deaf".
PROGRAM = """
import json, signal, socket, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN if "stubborn" in sys.argv else signal.SIG_DFL)
out = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for line in sys.stdin:
    out.sendall(line.encode())
    if json.loads(line)["bot"] == "dies":
        print("so long", file=sys.stderr)
        sys.exit(3)
"""


def seat(table_id: str, bot: str = "greedy") -> HouseSeat:
    return HouseSeat(table_id, 1, "code", bot, 7, "ann")


class Process:
    """One process of house bots, as the test hears from it."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def line(self) -> dict[str, object] | None:
        """The next line that it got; None when it is gone."""
        line = await self._reader.readline()
        return dict(json.loads(line)) if line else None

    async def table(self) -> object:
        """The table of the next line; None when it is gone."""
        line = await self.line()
        return line and line["table_id"]


class World:
    """House bots under test, the processes that they start, and which tables have ended."""

    def __init__(self, bots: HouseBots, processes: asyncio.Queue[Process]) -> None:
        self.bots = bots
        self._processes = processes

    async def process(self) -> Process:
        """The next process that was started."""
        return await self._processes.get()


Run = Callable[..., AbstractAsyncContextManager[World]]


@pytest.fixture
def ended() -> set[str]:
    """Tables whose match has ended."""
    return set()


@pytest.fixture
def run(ended: set[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Starts house bots; at the end they are stopped."""
    monkeypatch.setattr(house, "_BACKOFF_FIRST", 0.001)

    @asynccontextmanager
    async def start(*arguments: str) -> AsyncIterator[World]:
        processes: asyncio.Queue[Process] = asyncio.Queue()
        writers = []

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            processes.put_nowait(Process(reader))

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        port = str(server.sockets[0].getsockname()[1])
        command = (sys.executable, "-c", PROGRAM, port, *arguments)
        bots = HouseBots(lambda table_id: table_id not in ended, command)
        bots.start(ADDRESS)
        try:
            yield World(bots, processes)
        finally:
            await bots.stop()
            for writer in writers:
                writer.close()
            server.close()
            await server.wait_closed()

    return start


async def test_seats_are_handed_over_as_lines(run: Run) -> None:
    async with run() as world:
        world.bots.sit(seat("a"))
        process = await world.process()
        assert await process.line() == {
            "address": ADDRESS,
            "table_id": "a",
            "seat": 1,
            "invite_code": "code",
            "bot": "greedy",
            "seed": 7,
            "owner": "ann",
        }
        world.bots.sit(seat("b"))
        world.bots.sit(seat("c"))
        assert [await process.table(), await process.table()] == ["b", "c"]


async def test_without_a_seat_there_is_no_process(run: Run) -> None:
    with capture_logs() as log:
        async with run():
            pass
    assert log == []


async def test_a_process_that_dies_is_followed_by_one_with_the_seats_still_on(
    run: Run, ended: set[str]
) -> None:
    with capture_logs() as log:
        async with run() as world:
            world.bots.sit(seat("a"))
            world.bots.sit(seat("b"))
            first = await world.process()
            assert [await first.table(), await first.table()] == ["a", "b"]
            ended.update(("a", "x"))
            world.bots.sit(seat("x", "dies"))
            assert [await first.table(), await first.table()] == ["x", None]
            second = await world.process()
            assert await second.table() == "b"
            world.bots.sit(seat("c"))
            assert await second.table() == "c"
    died = [event for event in log if event["event"] == "house bots died"]
    assert [(event["status"], event["seats"]) for event in died] == [(3, 1)]
    said = [event["line"] for event in log if event["event"] == "house bots stderr"]
    assert said == ["(words left out)"], "it said so long; what bots say could name cards"


class Heard:
    """A log that can be waited for."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[tuple[str, dict[str, object]]] = asyncio.Queue()

    def info(self, event: str, **facts: object) -> None:
        self.events.put_nowait((event, facts))

    warning = error = info

    async def hear(self, wanted: str) -> dict[str, object]:
        """The facts of the next event of that name."""
        while True:
            event, facts = await self.events.get()
            if event == wanted:
                return facts


async def test_a_process_that_cannot_be_started_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    monkeypatch.setattr(house, "_BACKOFF_FIRST", 0.001)
    monkeypatch.setattr(house, "_log", heard)
    program = tmp_path / "program"
    bots = HouseBots(lambda _: True, (str(program),))
    bots.start(ADDRESS)
    bots.sit(seat("a"))
    assert await heard.hear("house bots died") == {"status": -1, "seats": 1, "again_in": 0.001}
    (tmp_path / "written").write_text("#!/bin/sh\nexec sed -u 's/^/bot.Error: /' >&2\n")
    (tmp_path / "written").chmod(0o755)
    (tmp_path / "written").rename(program)
    said = await heard.hear("house bots stderr")
    assert said["line"] == "bot.Error"
    await bots.stop()


DEAF = """
import os, signal, sys
sys.stdin.readline()
os.close(0)
print("deaf", file=sys.stderr, flush=True)
signal.pause()
"""


async def test_a_process_that_hears_no_more_is_followed_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = Heard()
    monkeypatch.setattr(house, "_BACKOFF_FIRST", 0.001)
    monkeypatch.setattr(house, "_log", heard)
    bots = HouseBots(lambda _: True, (sys.executable, "-c", DEAF))
    bots.start(ADDRESS)
    bots.sit(seat("a"))
    for _ in range(2):
        await heard.hear("house bots started")
        await heard.hear("house bots stderr")
        for table in "bcd":
            bots.sit(seat(table))
        await heard.hear("house bots died")
    await bots.stop()


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_seats_for_a_process_that_has_just_died_wait_for_the_next(loop: str) -> None:
    # Where asyncio raises a ConnectionError for a closed pipe, uvloop raises a RuntimeError.
    module = pytest.importorskip(loop)

    async def story() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "", stdin=asyncio.subprocess.PIPE
        )
        await process.wait()
        bots = HouseBots(lambda _: True)
        for table in "abc":
            bots.sit(seat(table))
        await bots._write_seats(process)
        assert [one.table_id for one in bots.seats] == ["a", "b", "c"]

    with asyncio.Runner(loop_factory=module.new_event_loop) as runner:
        runner.run(story())


async def test_the_process_is_stopped(run: Run) -> None:
    async with run() as world:
        world.bots.sit(seat("a"))
        process = await world.process()
        assert await process.table() == "a"
        await world.bots.stop()
        assert await process.line() is None


async def test_a_process_that_will_not_stop_is_killed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "_STOP_SECONDS", 0.01)
    async with run("stubborn") as world:
        world.bots.sit(seat("a"))
        process = await world.process()
        assert await process.table() == "a"
        await world.bots.stop()
        assert await process.line() is None


async def test_seats_of_ended_matches_are_forgotten(run: Run, ended: set[str]) -> None:
    async with run() as world:
        ended.update(str(number) for number in range(1_000))
        for number in range(1_000):
            world.bots.sit(seat(str(number)))
        assert len(world.bots.seats) < 200
        process = await world.process()
        assert await process.table() is not None
