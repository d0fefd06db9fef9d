"""Whatever a table lists of the legal moves, every shipped bot plays it to the end.

A host chooses the mode. If a bot failed at a table that lists nothing, any host could win against
it without playing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final, get_args

import pytest

import croupier
from croupier import Bot, Decision, EndReason, Move
from croupier.bots import GreedyBot, RandomBot
from croupier.client import LegalListing, Transport
from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, play_service_pb2, table_pb2
from croupier.views import View
from croupier_server.app import running
from croupier_server.bots.search import SearchBot
from croupier_server.config import Settings
from croupier_server.games.modules import WIRES, WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.play_service import PlayService
from croupier_server.rpc.validate import Requests
from croupier_server.tables.caller import Caller
from croupier_server.tables.shard.shard import GameEntry
from croupier_server.tables.spec import ClockSpec, Status, TimeoutPolicy
from croupier_server.wire.moves import LegalMode
from tests.clients.arena import SHORT
from tests.conformance.subjects import CASES
from tests.tables.answering import submit
from tests.tables.world import World, asked

MODES: Final[tuple[LegalListing, ...]] = get_args(LegalListing)


class InThread(RandomBot):
    """Runs in a thread, and asks for legal moves when it needs them."""

    inline = False


class OnLoop(Bot):
    """Runs as a coroutine."""

    async def decide(self, view: View, decision: Decision) -> Move:
        """Draw one of the legal moves."""
        return decision.legal.sample(decision.random)


BOTS: Final[dict[str, Callable[[], Bot]]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "search": lambda: SearchBot(iterations=2),
    "in a thread": InThread,
    "a coroutine": OnLoop,
}


@asynccontextmanager
async def serve(*, house_bots: bool = False) -> AsyncIterator[str]:
    """A server on the loopback; gives its address."""
    settings = Settings.model_validate(
        {"port": 0, "house_bots": house_bots, "shutdown_grace_ms": 100, "log_level": "error"}
    )
    async with running(settings) as app:
        yield app.server.address


@pytest.fixture
async def address() -> AsyncIterator[str]:
    """A server without house bots."""
    async with serve() as found:
        yield found


async def play(
    address: str,
    game: str,
    make: Callable[[], Bot],
    mode: LegalListing,
    transport: Transport = "session",
) -> list[croupier.Result]:
    """One deal of known cards; all seats are played by bots of one kind."""
    async with croupier.Client(address, transport=transport) as client:
        players = await client.players(game)
        made = await client.create_table(
            game,
            options={SHORT[game]: 1},
            seats=["open"] * players,
            deal=table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=5)),
            shared_seats=True,
            legal_mode=mode,
        )
        tickets = [await client.join(made.table_id, seat=seat) for seat in range(players)]
        assert tickets[0].table.spec.legal_mode == MODES.index(mode) + 1
        return await asyncio.gather(*(client.play(make(), one, seed="s") for one in tickets))


class Real(World):
    """A shard with the real games."""

    games = MappingProxyType({one.kind: GameEntry(GAMES[one.name], one) for one in WIRES.values()})


@pytest.mark.parametrize("mode", LegalMode)
@pytest.mark.parametrize("game", GAMES)
def test_a_decision_is_listed_in_full_on_demand(game: str, mode: LegalMode) -> None:
    """Whatever the mode is."""
    wire = WIRES_BY_NAME[game]
    world = Real()
    table, tickets = world.start(kind=wire.kind, legal_mode=int(mode))
    service = PlayService(world.shard, PageTokens(b"key"), Calls(Requests(1 << 16), 1))
    for _ in range(20):
        decision = asked(table)[0]
        legal = table.legal(decision.seat, decision.id)
        request = play_service_pb2.GetLegalMovesRequest(
            table_id=table.spec.table_id, decision_id=decision.id
        )
        answer = asyncio.run(
            service.get_legal_moves(Caller(ticket=tickets[decision.seat]), request)
        )
        found = play_service_pb2.GetLegalMovesResponse.FromString(answer)
        full = game_pb2.LegalMoves.FromString(wire.legal_bytes(legal, LegalMode.FULL))
        assert found == play_service_pb2.GetLegalMovesResponse(legal=full)
        assert full.moves or full.patterns
        move = next(iter(GAMES[game].members(legal, 0)))
        submit(world.shard, table, decision.seat, decision.id, move)


FALLING = ClockSpec(per_move_ms=1_000, on_timeout=TimeoutPolicy.FALLBACK)
"""A second for each move, and no forfeit."""


@pytest.mark.parametrize("mode", LegalMode)
@pytest.mark.parametrize(("game", "ruleset"), CASES)
def test_the_fallback_of_a_decision_is_what_a_timeout_plays(
    game: str, ruleset: str, mode: LegalMode
) -> None:
    """It is there whatever is listed, in sealed windows too, and it is legal."""
    wire = WIRES_BY_NAME[game]
    world = Real()
    table, tickets = world.start(
        kind=wire.kind, ruleset=ruleset, legal_mode=int(mode), clock=FALLING
    )
    feeds = [world.watch(table, ticket) for ticket in tickets]
    played = 0
    while played < 150 and table.status is Status.PLAYING:
        told: dict[str, game_pb2.Move] = {}
        for seat, feed in enumerate(feeds):
            for update in world.take(feed):
                if update.HasField("decision"):
                    assert update.decision.seat == seat
                    told[update.decision.decision_id] = update.decision.fallback
        for decision in asked(table):
            move = told[decision.id]
            table.check(decision.seat, decision.id, wire.move_code(move))
        stored = len(world.rows(table.spec.table_id))
        world.clock.advance(1_000)
        world.shard.tick()
        for row in world.rows(table.spec.table_id)[stored:]:
            cause = record_pb2.Input.FromString(row.input)
            answer = cause.answer if cause.HasField("answer") else cause.move
            if answer.timed_out:
                assert answer.move == told[answer.decision_id]
                played += 1
    assert played >= 20


@pytest.mark.more
@pytest.mark.fault
@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("game", GAMES)
async def test_every_bot_plays_the_same_whatever_is_listed(
    address: str, game: str, bot: str
) -> None:
    ends = []
    for mode in MODES:
        results = await play(address, game, BOTS[bot], mode)
        assert {result.reason for result in results} == {EndReason.FINISHED}, mode
        ends.append([(result.score, result.decisions) for result in results])
    assert ends[1:] == [ends[0]] * (len(MODES) - 1)


@pytest.mark.parametrize("bot", ["random", "in a thread"])
async def test_also_with_a_call_a_move(address: str, bot: str) -> None:
    for mode in MODES:
        results = await play(address, "tongits", BOTS[bot], mode, "watch")
        assert {result.reason for result in results} == {EndReason.FINISHED}


@pytest.mark.more
@pytest.mark.fault
@pytest.mark.attack
@pytest.mark.parametrize("game", GAMES)
async def test_a_host_wins_nothing_by_listing_no_moves_to_house_bots(game: str) -> None:
    async with serve(house_bots=True) as address, croupier.Client(address) as client:
        others = ["random", "greedy", "search"][: await client.players(game) - 1]

        async def ends(mode: LegalListing) -> EndReason:
            made = await client.create_table(
                game, options={SHORT[game]: 1}, seats=["open", *others], legal_mode=mode
            )
            return (await client.play(RandomBot(), await client.join(made.table_id))).reason

        found = await asyncio.gather(*map(ends, MODES))
    assert found == [EndReason.FINISHED] * len(MODES)
