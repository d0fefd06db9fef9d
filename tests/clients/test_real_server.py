"""The SDK against the real server: whole matches, over lines that are cut again and again."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import duration_pb2

import croupier
from croupier import Bot, Client, Decision, EndReason, Move
from croupier.bots import GreedyBot, RandomBot
from croupier.client import Transport
from croupier.invites import Invite, play_invites
from croupier.record.v1 import record_pb2, record_service_pb2
from croupier.records import fetch_record
from croupier.v1 import game_pb2, spectate_service_pb2, table_pb2
from croupier.views import View
from croupier_server.games.registry import GAMES
from tests.clients.arena import SHORT
from tests.clients.conftest import RealServer
from tests.clients.proxy import CuttingProxy
from tests.more import first_of

TRANSPORTS: list[Transport] = ["session", "watch"]


class Noting(GreedyBot):
    """Plays like `greedy` and notes what it was asked, saw and did."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[tuple[str, str, str]] = []

    def decide(self, view: View, decision: Decision) -> Move:
        move = super().decide(view, decision)
        self.notes.append((decision.id, str(view), str(move)))
        return move


async def play_noted(
    address: str, direct: str, transport: Transport
) -> tuple[list[list[tuple[str, str, str]]], list[str]]:
    """One FIXED deal with four noting bots at *address*; their notes, and the events of the record
    (asked of *direct*) without their times."""
    bots = [Noting() for _ in range(4)]
    async with Client(address, transport=transport, patience=20) as client:
        made = await client.create_table(
            options={"max_deals": 1},
            seats=["reserved"] * 4,
            shared_seats=True,
            deal=table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=5)),
        )
        tickets = [await client.join(made.table_id, invite=code) for code in made.invites.values()]
        pairs = zip(bots, tickets, strict=True)
        await asyncio.gather(*[client.play(bot, ticket) for bot, ticket in pairs])
    async with Client(direct) as client:
        rows = in_order((await record(client, made.table_id)).rows)
    return [bot.notes for bot in bots], [timeless(row) for row in rows]


async def record(client: Client, table_id: str) -> record_pb2.MatchRecord:
    """The record of a finished match."""
    request = record_service_pb2.GetRecordRequest(table_id=table_id)
    connection = client._main
    get: Any = partial(fetch_record, connection.records)
    return record_pb2.MatchRecord.FromString(await connection.call(get, request))


def in_order(rows: Iterable[record_pb2.Row]) -> Iterator[record_pb2.Row]:
    """Rows of a log, the sealed answers of a window by seat: they are no events and have no order
    of their own."""
    answers: list[record_pb2.Row] = []
    for row in rows:
        if row.input.HasField("answer"):
            answers.append(row)
            continue
        yield from sorted(answers, key=lambda answer: answer.input.answer.seat)
        answers.clear()
        yield row


def timeless(row: record_pb2.Row) -> str:
    """A row of the log as text, without what differs between two runs: times, ids, nonces."""
    event = table_pb2.TableEvent.FromString(row.public_part)
    event.ClearField("time")
    if event.HasField("table_created"):
        event.table_created.ClearField("table")
    for seat in event.seats_filled.seats:
        seat.ClearField("nonce_hash")
    kind = row.input.WhichOneof("input")
    if kind in ("move", "answer"):
        for field in ("charged", "asked_time", "answered_time"):
            getattr(row.input, kind).ClearField(field)
    return f"{event}{[str(part) for part in row.private_parts]}{row.input}"


@pytest.mark.more
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_cuts_at_every_boundary_change_nothing(
    real_server: RealServer, transport: Transport
) -> None:
    connections = 0

    def should_cut(chunk: int, _: int) -> bool:
        """After the fifth chunk of one connection, the sixth of the next, and so on."""
        nonlocal connections
        if chunk < 5 + connections % 7:
            return False
        connections += 1
        return True

    async with real_server() as address:
        smooth = await play_noted(address, address, transport)
        async with CuttingProxy(address, should_cut) as proxy:
            cut = await play_noted(proxy.address, address, transport)
    assert proxy.cuts > 10
    assert cut[0] == smooth[0]
    assert cut[1] == smooth[1]
    assert sum(map(len, smooth[0])) > 80


@pytest.mark.more
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_lost_chunks_change_nothing(real_server: RealServer, transport: Transport) -> None:
    async with real_server() as address:
        smooth = await play_noted(address, address, transport)
        async with CuttingProxy(address, lambda chunk, _: chunk == 15, forward_last=False) as proxy:
            cut = await play_noted(proxy.address, address, transport)
    assert proxy.cuts > 5
    assert cut == smooth


class Held(Bot):
    """Waits with its answers until it is let go."""

    def __init__(self) -> None:
        self.may_go = asyncio.Event()
        self.legal_moves: Callable[[str], AsyncIterator[Move]] | None = None

    async def decide(self, view: View, decision: Decision) -> Move:
        await self.may_go.wait()
        if self.legal_moves is not None:
            moves = [move async for move in self.legal_moves(decision.id)]
            return decision.random.choice(moves)
        return decision.legal.sample(decision.random)


async def begun_and_joined(client: Client, table_id: str) -> AsyncIterator[str]:
    """A word when the match begins, and the names of players as they take seats."""
    request = spectate_service_pb2.SpectateTableRequest(table_id=table_id)
    async for message in client._main.spectate.SpectateTable(request):
        event, snapshot = message.update.event, message.update.snapshot
        if (
            event.HasField("match_started")
            or snapshot.table.status == table_pb2.TABLE_STATUS_PLAYING
        ):
            yield "begun"
        elif event.HasField("seat_joined"):
            yield event.seat_joined.seat.player.display_name


@pytest.mark.more
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_isolated_a_bot_that_was_away_takes_its_seat_back_from_the_house(
    real_server: RealServer, transport: Transport
) -> None:
    is_away = False
    held, other = Held(), Held()
    async with (
        real_server(house_bots=True, away_ms=100) as address,
        CuttingProxy(address, lambda *_: is_away) as proxy,
        Client(address) as here,
        Client(proxy.address, transport=transport, patience=20) as client,
    ):
        made = await here.create_table(
            "tongits",
            options={"max_hands": 1},
            seats=["open", "open", "random"],
            clock=table_pb2.ClockSpec(base=duration_pb2.Duration(seconds=1_000)),
            absence="house_bot",
        )
        tickets = [
            await client.join(made.table_id, player="me"),
            await here.join(made.table_id, player="other"),
        ]
        held.legal_moves = partial(client.legal_moves, tickets[0])  # by the ticket of the join
        playing = asyncio.gather(client.play(held, tickets[0]), here.play(other, tickets[1]))
        told = begun_and_joined(here, made.table_id)
        while await anext(told) != "begun":
            pass
        is_away = True
        proxy.cut()
        assert "greedy" in await anext(told)
        is_away = False
        assert await anext(told) == "me"
        held.may_go.set()
        other.may_go.set()
        results = await playing
    assert proxy.cuts
    assert results[0].reason == results[1].reason is EndReason.FINISHED


@pytest.mark.parametrize("game", first_of(GAMES))
@pytest.mark.parametrize("transport", first_of(TRANSPORTS))
async def test_run_plays_against_house_bots(
    real_server: RealServer, transport: Transport, game: str
) -> None:
    class First(Bot):
        def decide(self, view: View, decision: Decision) -> Move:
            return decision.legal[0]

    async with real_server(house_bots=True) as address:
        results = await croupier.run_async(
            First,
            address,
            game=game,
            options={SHORT[game]: 1},
            matches=3,
            at_once=2,
            transport=transport,
        )
    assert len(results) == 3
    assert all(result.reason is croupier.EndReason.FINISHED for result in results)
    assert str(results).count("First, finished") == 3


@pytest.mark.more
async def test_a_seed_repeats_the_cards_and_the_choices(real_server: RealServer) -> None:
    async with real_server() as address:
        scores = [
            [
                (result.score, result.decisions)
                for result in await croupier.run_async(
                    RandomBot, address, seats=range(4), options={"max_deals": 2}, seed=seed
                )
            ]
            for seed in (3, 3, 4)
        ]
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


@pytest.mark.more
async def test_a_seed_repeats_a_match_against_house_bots(real_server: RealServer) -> None:
    """Whatever the table is called and whichever server it is on."""
    scores = []
    for seed in (3, 3, 4):
        async with real_server(house_bots=True) as address:
            (result,) = await croupier.run_async(
                RandomBot, address, against="random", options={"max_deals": 3}, seed=seed
            )
        scores.append((result.score, result.decisions, result.place))
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


@pytest.mark.more
@pytest.mark.parametrize(
    ("game", "ruleset"), [(name, one) for name, game in GAMES.items() for one in game.rulesets()]
)
async def test_house_bots_play_every_ruleset(
    real_server: RealServer, game: str, ruleset: str
) -> None:
    async with real_server(house_bots=True) as address:
        results = await croupier.run_async(
            GreedyBot,
            address,
            game=game,
            ruleset=ruleset,
            seats=(0, 2),
            against="random",
            options={SHORT[game]: 1},
        )
    assert [result.reason.name for result in results] == ["FINISHED"] * 2


async def test_joining_by_id_and_by_invite(real_server: RealServer) -> None:
    async with real_server() as address, Client(address) as client:
        made = await client.create_table(
            options={"max_deals": 1}, seats=["reserved", "open", "open", "open"], shared_seats=True
        )
        code, table = made.invites[0], made.table_id
        async with asyncio.TaskGroup() as group:
            invited = group.create_task(
                croupier.run_async(RandomBot, address, table=table, invite=code, name="me")
            )
            group.create_task(croupier.run_async(RandomBot, address, table=table, seats=(2, 3)))
            group.create_task(croupier.run_async(RandomBot, address, table=table))
        assert invited.result()[0].seat == 0
        assert (await client.get_table(table)).seats[0].player.display_name == "me"
        assert table in [found.table_id async for found in client.tables()]


async def test_wrong_arguments_are_told_before_anything_is_made() -> None:
    nowhere = "127.0.0.1:1"
    for arguments, words in [
        ({"matches": 0}, "at least 1"),
        ({"invite": "x"}, "invite code requires table"),
        ({"table": "t", "matches": 2}, "one match"),
        ({"table": "t", "invite": "x", "seats": (0, 1)}, "for one seat"),
        ({"game": "whist"}, "no game"),
        ({"transport": "pigeon"}, "no transport"),
    ]:
        with pytest.raises(croupier.UsageError, match=words):
            await croupier.run_async(RandomBot, nowhere, **arguments)  # type: ignore[arg-type]
    with pytest.raises(croupier.UsageError, match=r"await croupier\.run_async"):
        croupier.run(RandomBot, nowhere)
    with pytest.raises(croupier.ConnectionFailed, match="no Croupier server answers at"):
        await croupier.run_async(RandomBot, nowhere)


async def test_seats_and_house_bots_must_fit_the_table(real_server: RealServer) -> None:
    async with real_server() as address:
        with pytest.raises(
            croupier.UsageError, match="are not valid: give different numbers from 0 to 5"
        ):
            await croupier.run_async(RandomBot, address, seats=(6,), options={"players": 6})
        with pytest.raises(croupier.UsageError, match="3 seats are for house bots, but 1"):
            await croupier.run_async(RandomBot, address, against=["greedy"])
        async with croupier.connect(address) as client:
            with pytest.raises(croupier.UsageError, match="seats is a list with a word"):
                await client.create_table(seats="greedy")
            with pytest.raises(croupier.UsageError, match="write 'open' for 'Open'"):
                await client.create_table(seats=["Open"])
            with pytest.raises(croupier.InvalidRequest, match="there is no house bot 'gready'"):
                await client.create_table(seats=["gready"])
        with pytest.raises(croupier.InvalidRequest) as caught:
            await croupier.run_async(RandomBot, address, ruleset="nonsense")
        assert caught.value.reason == "UNKNOWN_RULESET"


async def test_a_table_that_its_maker_cannot_finish_is_stopped(real_server: RealServer) -> None:
    class Broken(Bot):
        def decide(self, view: View, decision: Decision) -> Move:
            raise RuntimeError("oh")

    async with real_server() as address:
        with pytest.raises(croupier.BotError, match="Broken: RuntimeError: oh"):
            await croupier.run_async(Broken, address, seats=range(4))
        async with Client(address) as client:
            (table,) = [table async for table in client.tables()]
    assert table.result.reason == game_pb2.END_REASON_ABORTED


async def test_a_move_that_is_illegal_names_reason_and_clause(real_server: RealServer) -> None:
    class Cheat(Bot):
        def decide(self, view: View, decision: Decision) -> Move:
            if decision.kind is croupier.tractor.DecisionKind.BURY:
                return croupier.tractor.bury([1] * 6 + [2] * 2)
            return decision.legal[0]

    async with real_server() as address:
        with pytest.raises(croupier.IllegalMove) as caught:
            await croupier.run_async(Cheat, address, seats=range(4))
    assert (caught.value.reason, caught.value.rule) == ("ILLEGAL_MOVE", "CARDS_NOT_IN_HAND")
    assert caught.value.clause.startswith("T-")


async def test_a_later_join_takes_the_seat_over(real_server: RealServer) -> None:
    class Waits(Bot):
        async def decide(self, view: View, decision: Decision) -> Move:
            asked.set()
            await asyncio.sleep(60)
            return decision.legal[0]

    asked = asyncio.Event()
    async with real_server() as address, Client(address) as client:
        made = await client.create_table(seats=["reserved"] * 4, shared_seats=True)
        tickets = [await client.join(made.table_id, invite=code) for code in made.invites.values()]
        playing = [asyncio.create_task(client.play(Waits(), ticket)) for ticket in tickets]
        await asked.wait()
        await client.join(made.table_id, invite=made.invites[2])
        with pytest.raises(croupier.SeatLost):
            await playing[2]
        await client.abort_table(made, "enough")
        for other in (playing[0], playing[1], playing[3]):
            assert (await other).reason is croupier.EndReason.ABORTED


async def test_every_legal_move_can_be_paged_and_checked(real_server: RealServer) -> None:
    pages: list[tuple[set[Move], set[Move]]] = []

    class Pages(Bot):
        async def decide(self, view: View, decision: Decision) -> Move:
            if not decision.legal.is_listed and decision.kind is croupier.tractor.DecisionKind.LEAD:
                ticket = tickets[decision.seat]
                local = set(decision.legal) if len(decision.legal) < 500 else set()
                if local:
                    paged = {m async for m in client.legal_moves(ticket, decision.id)}
                    pages.append((local, paged))
                    joker = croupier.tractor.play("RJ")
                    wrong = await client.check_move(ticket, decision.id, joker)
                    assert wrong.legal == (joker in decision.legal)
            return decision.legal.sample(decision.random)

    async with real_server() as address, Client(address, seed=2) as client:
        made = await client.create_table(
            options={"max_deals": 1}, seats=["reserved"] * 4, shared_seats=True
        )
        tickets = [await client.join(made.table_id, invite=code) for code in made.invites.values()]
        await asyncio.gather(*[client.play(Pages(), ticket) for ticket in tickets])
    assert pages
    assert all(local == paged for local, paged in pages)


async def test_invitations_by_pipe(
    real_server: RealServer, capfd: pytest.CaptureFixture[str]
) -> None:
    class Fails(Bot):
        def decide(self, view: View, decision: Decision) -> Move:
            raise RuntimeError("bad bot")

    reader, writer = os.pipe()
    try:
        async with real_server() as address, Client(address) as client:
            lines = ["not json\n"]
            for bot in ("random", "fails"):
                made = await client.create_table(
                    options={"max_deals": 1}, seats=["reserved"] * 4, shared_seats=True
                )
                for seat, code in made.invites.items():
                    name = bot if seat == 0 else "random"
                    invite = {"address": address, "table_id": made.table_id, "invite_code": code}
                    lines.append(
                        json.dumps({**invite, "seat": seat, "seed": seat, "bot": name}) + "\n"
                    )
            os.write(writer, "".join(lines).encode())
            os.close(writer)

            def bots(invite: Invite) -> Bot:
                return Fails() if invite.bot == "fails" else RandomBot()

            failures = await play_invites(bots, reader)
            ends = {table.result.reason async for table in client.tables()}
    finally:
        os.close(reader)
    assert failures == 2
    assert ends == {game_pb2.END_REASON_FINISHED, game_pb2.END_REASON_CONCEDED}
    told = capfd.readouterr().err
    assert "invitation: an invitation must be a JSON object" in told
    assert "RuntimeError: bad bot" in told


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("random_bot", []),
        ("random_bot", ["tongits"]),
        ("random_bot", ["pokex"]),
        ("tractor_basic", []),
        ("stubs_only", []),
    ],
)
async def test_the_examples_run(
    real_server: RealServer, root: Path, name: str, more: list[str]
) -> None:
    path = root / "clients/python/examples" / f"{name}.py"
    async with real_server(house_bots=True) as address:
        # A program of its own: gRPC's event loops in two threads of one process do not mix.
        example = await asyncio.create_subprocess_exec(
            sys.executable, str(path), address, *more, stdout=PIPE, stderr=PIPE
        )
        out, err = await example.communicate()
    assert err.decode() == ""
    assert "finished" in out.decode() or "END_REASON_FINISHED" in out.decode()


async def test_results_of_all_deals(real_server: RealServer) -> None:
    class Notes(GreedyBot):
        def decide(self, view: View, decision: Decision) -> Move:
            last.append(view.last_result)
            return super().decide(view, decision)

    last: list[object] = []
    async with real_server() as address, Client(address) as client:
        made = await client.create_table(
            game="pokex", options={"max_deals": 3}, seats=["reserved"] * 4, shared_seats=True
        )
        tickets = [await client.join(made.table_id, invite=code) for code in made.invites.values()]
        await asyncio.gather(*[client.play(Notes(), ticket) for ticket in tickets])
        found = await client.deal_results(tickets[2])
        assert [one.deal for one in found] == [1, 2, 3]
        assert found == await client.deal_results(made.table_id)
    assert last[0] is None
    assert last[-1] == found[1]
