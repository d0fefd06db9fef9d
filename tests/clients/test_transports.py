"""Both transports against a scripted server: same answers, whatever happens to the line."""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from dataclasses import replace

import pytest

import croupier
from croupier import Bot, Client, Decision, Move, Result, connection
from croupier.client import Transport
from croupier.errors import Refused
from croupier.options import options_message
from croupier.session import _first_error
from croupier.v1 import table_pb2
from croupier.views import View
from tests.clients.fake_server import FakeServer, Script

TRANSPORTS: list[Transport] = ["session", "watch"]

both = pytest.mark.parametrize("transport", TRANSPORTS)


class First(Bot):
    """Takes the first move and counts how often it was asked."""

    inline = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def decide(self, view: View, decision: Decision) -> Move:
        self.asked.append(decision.id)
        return decision.legal[0]


class InThread(First):
    """The same, in a thread."""

    inline = False


class InTask(Bot):
    """The same, on the loop."""

    async def decide(self, view: View, decision: Decision) -> Move:
        await asyncio.sleep(0)
        return decision.legal[0]


async def play(
    server: FakeServer, bot: Bot, transport: Transport, table: str = "t0", patience: float = 5.0
) -> Result:
    """Sit down at a table of the fake server and play it."""
    async with Client(server.address, transport=transport, patience=patience) as client:
        ticket = await client.join(table, seat=0)
        return await client.play(bot, ticket)


@pytest.mark.parametrize("kind", [First, InThread, InTask])
@both
async def test_a_match_is_played_to_its_end(transport: Transport, kind: type[Bot]) -> None:
    async with FakeServer(Script(questions=7)) as server:
        result = await play(server, kind(), transport)
    assert server.tables["t0"].answers == ["1"] * 7
    assert (result.reason, result.score, result.place) == (croupier.EndReason.FINISHED, 2, 1)
    assert result.decisions == 7
    assert hashlib.sha256(result.nonce).digest() == server.tables["t0"].nonce_hash


@both
async def test_the_nonce_is_opened_when_wanted(transport: Transport) -> None:
    async with FakeServer(Script(wants_nonce=True)) as server:
        result = await play(server, First(), transport)
    assert server.tables["t0"].nonce == result.nonce
    assert len(result.nonce) == 32


@both
async def test_a_cut_stream_resumes_and_asks_the_bot_once(transport: Transport) -> None:
    bot = First()
    async with FakeServer(Script(questions=20, cut_after=[1, 3, 2, 4])) as server:
        result = await play(server, bot, transport)
    table = server.tables["t0"]
    assert table.answers == ["1"] * 20
    assert bot.asked == [f"{number}-0" for number in range(1, 21)]
    assert len(table.opens) == 5
    assert result.score == 2


@both
async def test_an_answer_found_while_the_line_is_down_is_not_lost(transport: Transport) -> None:
    class Slow(InThread):
        def decide(self, view: View, decision: Decision) -> Move:
            went_on.wait(5)
            return super().decide(view, decision)

    went_on = threading.Event()
    bot = Slow()
    async with FakeServer(Script(questions=2)) as server:
        server.tables["t0"].script.cut_after = [2] if transport == "watch" else [1]
        asyncio.get_running_loop().call_later(0.2, went_on.set)
        await play(server, bot, transport)
    assert bot.asked == ["1-0", "2-0"]
    assert server.tables["t0"].answers == ["1", "1"]


@both
async def test_a_refused_move_is_an_error_with_its_clause(transport: Transport) -> None:
    async with FakeServer(Script(refusals={1: ["MUST_FOLLOW_SUIT"]})) as server:
        with pytest.raises(croupier.IllegalMove) as caught:
            await play(server, First(), transport)
    assert (caught.value.rule, caught.value.clause) == ("MUST_FOLLOW_SUIT", "T-6.2")
    assert len(server.tables["t0"].answers) == 1


@pytest.mark.parametrize("kind", [First, InThread])
@both
async def test_a_bot_may_answer_a_refusal_with_another_move(
    transport: Transport, kind: type[First]
) -> None:
    class Second(kind):  # type: ignore[misc, valid-type]
        def on_refused(self, view: View, decision: Decision, move: Move, error: Refused) -> Move:
            assert move == decision.legal[0]
            return decision.legal[1]

    async with FakeServer(Script(questions=3, refusals={1: ["MUST_FOLLOW_SUIT"]})) as server:
        await play(server, Second(), transport)
    assert server.tables["t0"].answers == ["1", "2", "1"]


@both
async def test_the_exception_of_a_bot_is_the_cause_of_the_error(transport: Transport) -> None:
    class Broken(First):
        def decide(self, view: View, decision: Decision) -> Move:
            raise ZeroDivisionError("oh")

    class BrokenInThread(Broken):
        inline = False

    async with FakeServer(Script(), Script()) as server:
        for number, kind in enumerate((Broken, BrokenInThread)):
            with pytest.raises(croupier.BotError, match="ZeroDivisionError: oh") as caught:
                await play(server, kind(), transport, f"t{number}")
            assert isinstance(caught.value.__cause__, ZeroDivisionError)


@both
async def test_an_answer_that_is_no_move_is_an_error(transport: Transport) -> None:
    class Wrong(First):
        def decide(self, view: View, decision: Decision) -> Move:
            return None  # type: ignore[return-value]

    async with FakeServer(Script()) as server:
        with pytest.raises(croupier.BotError, match="answered None"):
            await play(server, Wrong(), transport)


@pytest.mark.parametrize(
    "reason", [table_pb2.STREAM_END_REASON_REPLACED, table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED]
)
@both
async def test_a_seat_that_was_taken_over_is_lost(
    transport: Transport, reason: table_pb2.StreamEndReason.ValueType
) -> None:
    async with FakeServer(Script(ends=reason)) as server:
        with pytest.raises(croupier.SeatLost, match="scripted"):
            await play(server, First(), transport)


@both
async def test_a_result_that_was_missed_is_fetched(transport: Transport) -> None:
    async with FakeServer(Script(silent_result=True)) as server:
        assert (await play(server, First(), transport)).score == 2


@both
async def test_a_bot_that_sleeps_delays_no_other_table(transport: Transport) -> None:
    release = threading.Event()

    class Sleeper(InThread):
        def decide(self, view: View, decision: Decision) -> Move:
            release.wait(20)
            return decision.legal[0]

    async with (
        FakeServer(Script(questions=1), *[Script(questions=20) for _ in range(5)]) as server,
        Client(server.address, transport=transport) as client,
    ):
        slow = asyncio.create_task(client.play(Sleeper(), await client.join("t0", seat=0)))
        tickets = [await client.join(f"t{number}", seat=0) for number in range(1, 6)]
        others = await asyncio.gather(*[client.play(InThread(), ticket) for ticket in tickets])
        assert [result.decisions for result in others] == [20] * 5
        assert not slow.done()
        release.set()
        assert (await slow).decisions == 1


@both
async def test_hooks_run_before_the_first_decision_and_after_the_last(
    transport: Transport,
) -> None:
    class Hooked(InThread):
        def on_start(self, table: object, seat: int) -> None:
            self.asked.append(f"start {seat} {threading.current_thread().name[:12]}")

        def on_end(self, result: Result) -> None:
            self.asked.append(f"end {result.score}")

    bot = Hooked()
    async with FakeServer(Script(questions=1)) as server:
        await play(server, bot, transport)
    assert bot.asked == ["start 0 croupier-bot", "1-0", "end 2"]


@pytest.mark.more
@both
async def test_a_server_that_goes_away_for_good_is_an_error(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "_TOLD_SECONDS", 0.1)

    class Waits(InTask):
        async def decide(self, view: View, decision: Decision) -> Move:
            asked.set()
            await asyncio.sleep(0.05)
            return decision.legal[0]

    asked = asyncio.Event()
    server = FakeServer(Script(questions=1000))
    async with server:
        playing = asyncio.create_task(play(server, Waits(), transport, patience=2))
        await asked.wait()
    with pytest.raises(croupier.ConnectionFailed, match="gave up on"):
        await playing
    (told,) = [line.getMessage() for line in caplog.records if line.name == "croupier"]
    assert told.startswith(f"{server.address}: ")
    assert re.search(r"; trying again for [0-2] seconds$", told)


async def test_every_frame_is_acknowledged_and_heartbeats_are_echoed() -> None:
    async with FakeServer(Script(questions=6)) as server:
        await play(server, InTask(), "session")
    assert server.acknowledged == sorted(set(server.acknowledged))
    assert server.acknowledged[0] == 1
    assert server.echoes == [77]


async def test_a_frame_is_acknowledged_before_its_decisions_are_answered() -> None:
    class Thinks(InThread):
        def decide(self, view: View, decision: Decision) -> Move:
            assert acknowledged.wait(10)
            return super().decide(view, decision)

    acknowledged = threading.Event()

    async with FakeServer(Script(questions=1)) as server:
        server.on_acknowledged = acknowledged.set
        await play(server, Thinks(), "session")
    assert acknowledged.is_set()


async def test_a_server_that_goes_down_is_come_back_to() -> None:
    bot = First()
    async with FakeServer(Script(questions=6, drain_after=3)) as server:
        await play(server, bot, "session")
    assert server.sessions == 2
    assert server.tables["t0"].answers == ["1"] * 6
    assert len(bot.asked) == 6


async def test_many_seats_share_one_session() -> None:
    async with (
        FakeServer(*[Script(questions=4) for _ in range(20)]) as server,
        Client(server.address) as client,
    ):
        tickets = [await client.join(f"t{number}", seat=0) for number in range(20)]
        results = await asyncio.gather(*[client.play(First(), ticket) for ticket in tickets])
    assert [result.decisions for result in results] == [4] * 20
    assert server.sessions == 1


async def test_a_ticket_that_is_not_valid_costs_only_its_seat() -> None:
    async with (
        FakeServer(Script(), Script()) as server,
        Client(server.address) as client,
    ):
        good = await client.join("t0", seat=0)
        bad = replace(await client.join("t1", seat=0), secret="ticket-of-another")
        playing = asyncio.create_task(client.play(First(), good))
        with pytest.raises(croupier.NotAllowed, match="TICKET_INVALID"):
            await client.play(First(), bad)
        assert (await playing).score == 2


async def test_no_secret_is_printed() -> None:
    async with FakeServer(Script()) as server, Client(server.address) as client:
        made = await client.create_table(seats=["reserved"])
        ticket = await client.join("t0", seat=0)
    shown = f"{ticket!r} {made!r}"
    assert ticket.secret not in shown
    assert "nonce" not in shown
    assert "code0" not in shown


async def test_a_stop_that_comes_just_as_a_stream_breaks_is_not_lost() -> None:
    broke = asyncio.Event()

    async def breaks() -> None:
        broke.set()
        raise ConnectionError("cut")

    async def waits() -> None:
        await asyncio.Event().wait()

    async def again_and_again() -> None:
        while True:
            error = await _first_error(breaks(), waits())
            assert isinstance(error, ConnectionError)
            await asyncio.Event().wait()

    running = asyncio.create_task(again_and_again())
    await broke.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@both
async def test_a_bot_whose_own_task_was_cancelled_has_failed(transport: Transport) -> None:
    class Cancelled(Bot):
        async def decide(self, view: View, decision: Decision) -> Move:
            raise asyncio.CancelledError

    async with FakeServer(Script()) as server:
        with pytest.raises(croupier.BotError):
            await play(server, Cancelled(), transport)


@both
async def test_a_hook_that_exits_in_its_thread_has_failed(transport: Transport) -> None:
    class Leaving(InThread):
        def on_end(self, result: Result) -> None:
            raise SystemExit(3)

    async with FakeServer(Script()) as server:
        with pytest.raises(croupier.BotError, match="on_end: SystemExit: 3"):
            await play(server, Leaving(), transport)


async def test_the_number_of_seats_comes_from_options_ruleset_or_catalogue() -> None:
    async with FakeServer() as server, Client(server.address) as client:
        six = options_message("tractor", {"players": 6})
        assert await client.players("tractor", options=six) == 6
        assert await client.players("tractor") == 4
        assert await client.players("tongits") == 3
        with pytest.raises(croupier.UsageError, match="does not have the game 'pokex'"):
            await client.players("pokex")


@pytest.mark.parametrize(
    ("host", "allowed"), [("127.0.0.1", False), ("localhost", True), ("localhost", False)]
)
@both
async def test_a_table_that_has_moved_is_followed_where_that_is_allowed(
    transport: Transport, host: str, allowed: bool
) -> None:
    """To the host that was called, and to addresses that were named; nothing is sent elsewhere."""
    script = Script(ends=table_pb2.STREAM_END_REASON_MOVED)
    async with FakeServer(script) as first, FakeServer(Script()) as second:
        script.endpoint = second.address.replace("127.0.0.1", host)
        there = second.tables["t0"]
        there.answers += ["1", "1"]
        endpoints = [script.endpoint] if allowed else []
        bot = First()
        async with Client(first.address, transport=transport, endpoints=endpoints) as client:
            ticket = await client.join("t0", seat=0)
            if host == "localhost" and not allowed:
                with pytest.raises(croupier.TableMoved, match="pass the address in `endpoints`"):
                    await client.play(bot, ticket)
                assert there.opens == []
                return
            result = await client.play(bot, ticket)
    assert result.reason is croupier.EndReason.FINISHED
    assert (len(first.tables["t0"].answers), there.answers) == (2, ["1"] * 5)
    assert len(bot.asked) == len(set(bot.asked)) == 5
    assert all(there.opens), "the second server is asked to resume, not to begin again"


async def test_run_follows_a_table_to_an_endpoint_that_is_given() -> None:
    script = Script(ends=table_pb2.STREAM_END_REASON_MOVED)
    async with FakeServer(script) as first, FakeServer(Script()) as second:
        script.endpoint = second.address.replace("127.0.0.1", "localhost")
        second.tables["t0"].answers += ["1", "1"]
        (result,) = await croupier.run_async(
            First(), first.address, table="t0", seats=[0], endpoints=[script.endpoint]
        )
    assert result.reason is croupier.EndReason.FINISHED
    assert second.tables["t0"].answers == ["1"] * 5
