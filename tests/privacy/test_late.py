"""Private, where spectators are late: worlds that differ in nothing but what has not been shown yet
are the same to everybody who has no seat, byte by byte.

Second half: planted leaks of what is yet to be shown are all caught.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from itertools import count, islice
from typing import Final, NamedTuple

import grpc
import pytest

from croupier.v1 import spectate_service_pb2, table_pb2, table_service_pb2
from croupier_server.games.base import ChanceKind, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.tables.caller import Caller
from croupier_server.tables.feeds import feed, snapshots
from croupier_server.tables.match import delay, updates
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import JoinTable, Status
from tests.privacy.asking import TABLES, look_around
from tests.privacy.served import Manner, Times, Way, compare, compare_seen
from tests.privacy.serving import SEED, Served, serve
from tests.privacy.stories import Story, Telling, invent
from tests.privacy.subjects import SECRETS
from tests.privacy.tap import Tap, Watch
from tests.privacy.test_server import asks_others, case_of
from tests.privacy.witness import Leak, Seen
from tests.tables.answering import submit
from tests.wire import playouts

LATE: Final = 4
"""Decisions that are held back."""

MOVE_MS: Final = 500
BY_DECISIONS, BY_TIME = Manner(delay=LATE), Manner(delay_ms=1_000_000)
BY_BOTH = Manner(delay=2, delay_ms=1_000_000)
SLOWLY = pytest.param(BY_BOTH, marks=pytest.mark.slow)
SPECTATE = "croupier.v1.SpectateService/SpectateTable"


class Stage(NamedTuple):
    """A table of a running server, and what was given out for it."""

    served: Served
    table: Table
    host: str
    tickets: tuple[str, ...]


Twist = Callable[[Stage], Awaitable[None]]
"""Something that happens at the end of one of the worlds."""


class Worlds(NamedTuple):
    """Two stories that are the same for so many answers."""

    first: Story
    second: Story
    shared: int


def worlds(name: str, seed: int) -> Worlds:
    """A story, and the same with its last `LATE` decisions otherwise, none of them over."""
    rng = random.Random(f"late {name} {seed}")
    game, secrets = GAMES[name], SECRETS[name]
    options = playouts.options(game, game.rulesets()[0])
    while True:
        first = invent(secrets, options, rng, rng.randrange(LATE + 2, 40), deals=3)
        shared = len(first.answers) - LATE
        if shared > 0 and not is_over(first):
            second = otherwise(first, shared, rng)
            if not is_over(second) and second.answers != first.answers:
                return Worlds(first, second, shared)


def is_over(story: Story) -> bool:
    telling = Telling(story)
    telling.put_chance()
    for answers in story.answers:
        telling.answer(answers)
        telling.put_chance()
    return story.rules.turn(telling.state) is Turn.OVER


def otherwise(story: Story, shared: int, rng: random.Random) -> Story:
    """*story* with other answers, and chance, behind the first *shared* answers."""
    secrets, game = SECRETS[story.game], story.rules
    other = Story(story.game, story.options, list(story.lots), list(story.decks), [])
    telling = Telling(other)
    while len(other.answers) < len(story.answers):
        telling.put_chance()
        turn = game.turn(telling.state)
        if turn is Turn.OVER:
            break
        if turn is Turn.CHANCE:
            outcome = secrets.chance(telling.state, rng)
            if game.chance(telling.state).kind is ChanceKind.LOT:
                other.lots += outcome
            else:
                other.decks.append(outcome)
            game.apply_chance(telling.state, outcome)
            continue
        place = len(other.answers)
        answers = story.answers[place] if place < shared else None
        if answers is None:
            state = telling.state
            asked = {seat: game.legal_moves(state, seat) for seat in game.to_act(state)}
            answers = {seat: secrets.choose(legal, rng) for seat, legal in asked.items()}
        telling.answer(answers)
        other.answers.append(answers)
    return other


# What everybody gets ------------------------------------------------------------------------------


async def nothing(_stage: Stage) -> None:
    """Neither world has an end of its own."""


async def observe(
    story: Story, shared: int, rounds: int, manner: Manner, twist: Twist = nothing
) -> dict[str, list[Seen]]:
    """All that somebody without a seat gets in *rounds* rounds; its host, who may stop it, too."""
    wire = WIRES_BY_NAME[story.game]
    async with (
        serve(story, story.rules, wire) as served,
        grpc.aio.insecure_channel(served.address) as channel,
    ):
        tap = Tap(channel)
        stage = await seat_all(served, story, manner, channel)
        name = stage.table.spec.table_id
        lobby = Watch(tap, f"{TABLES}/WatchLobby", table_service_pb2.WatchLobbyRequest(follow=True))
        await lobby.take()
        await lobby.take()
        spectating = spectate_service_pb2.SpectateTableRequest(table_id=name)
        stream = Watch(tap, SPECTATE, spectating)
        await stream.until(lambda update: update.HasField("snapshot"))
        served.shard.start(Caller(host_ticket=stage.host), name)
        for number in range(rounds):
            tap.step = number
            if number < len(story.answers):
                await answer(stage, story, number)
            if number == rounds - 1:
                await twist(stage)
                await served.shard.committed()
            served.shard.heartbeat()
            await stream.until(lambda update: update.HasField("heartbeat"))
            if number >= shared or not number % 8:
                await ask(tap, name, number, stage.host)
        served.shard.drain()
        await stream.close()
        await lobby.close()
    return tap.seen


async def seat_all(
    served: Served,
    story: Story,
    manner: Manner,
    channel: grpc.aio.Channel,
    window_ms: int = 0,
) -> Stage:
    """The story's table with everybody sitting."""
    wire = WIRES_BY_NAME[story.game]
    spec = table_pb2.TableSpec(
        game=wire.kind,  # type: ignore[arg-type]  # a number of GameKind
        options=wire.options_message(story.options),
        shared_seats=True,
        start_mode=table_pb2.START_MODE_MANUAL,
    )
    spec.deal_source.fixed.seed = SEED
    spec.clock.base.FromSeconds(3_600)
    spec.clock.window_time.FromMilliseconds(window_ms)
    spec.spectator_delay.decisions = manner.delay
    spec.spectator_delay.time.FromMilliseconds(manner.delay_ms)
    request = table_service_pb2.CreateTableRequest(spec=spec)
    made = table_service_pb2.CreateTableResponse.FromString(
        await Tap(channel).call(f"{TABLES}/CreateTable", request)
    )
    name, shard = made.table.table_id, served.shard
    joined = [shard.join(Caller(), JoinTable(name, seat)) for seat in range(story.players)]
    tickets = tuple(one.ticket for one in joined)
    return Stage(served, shard.table(name), made.host_ticket, tickets)


async def answer(stage: Stage, story: Story, number: int) -> None:
    """Answer number *number* of the story, some time after the one before."""
    served, table = stage.served, stage.table
    served.clock.advance(MOVE_MS)
    served.shard.tick()
    for seat, move in sorted(story.answers[number].items()):
        decision = table.match.decisions[seat]
        assert decision is not None
        submit(served.shard, table, seat, decision.id, move)
    await served.shard.committed()


async def ask(tap: Tap, name: str, number: int, host: str) -> None:
    """All that can be asked, and streams from where they may resume and may not."""
    await look_around(tap, name, number)
    start = table_service_pb2.StartTableRequest(table_id=name)
    metadata = (("croupier-host-ticket", host),)
    await tap.call(f"{TABLES}/StartTable", start, metadata)
    for after in (0, 1, 12):
        again = spectate_service_pb2.SpectateTableRequest(
            table_id=name, table_epoch=1, after_sequence=after
        )
        watch = Watch(tap, SPECTATE, again)
        try:
            await watch.take()
        except grpc.aio.AioRpcError:
            await watch.close()
        else:
            watch.cut()


async def compare_late(two: Worlds, manner: Manner, twist: Twist = nothing) -> int:
    """Raise `Leak` where the second world shows before its time that it is another one."""
    rounds = len(two.first.answers)
    first = await observe(two.first, two.shared, rounds, manner)
    second = await observe(two.second, two.shared, rounds, manner, twist)
    return compare_seen(first, second)


@pytest.mark.more
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("manner", [BY_DECISIONS, BY_TIME, SLOWLY])
async def test_private_what_is_not_due_is_not_shown(name: str, manner: Manner) -> None:
    assert await compare_late(worlds(name, 1), manner) > 200


async def aborted(stage: Stage) -> None:
    stage.served.shard.abort(Caller(host_ticket=stage.host), stage.table.spec.table_id, "rain")


async def conceded(stage: Stage) -> None:
    stage.served.shard.concede(stage.table, 1)


async def halted(stage: Stage) -> None:
    stage.served.shard.failed(stage.table, AssertionError("a fault"))


async def joined_again(stage: Stage) -> None:
    caller = Caller(ticket=stage.tickets[1])
    stage.served.shard.join(caller, JoinTable(stage.table.spec.table_id, 1))


async def played_to_the_end(stage: Stage) -> None:
    table = stage.table
    rng = random.Random(1)
    while table.status is Status.PLAYING:
        for decision in [one for one in table.match.decisions if one is not None]:
            legal = table.game.legal_moves(table.match.state, decision.seat)
            move = playouts.choose(table.game, legal, rng)
            submit(stage.served.shard, table, decision.seat, decision.id, move)


@pytest.mark.more
@pytest.mark.parametrize("twist", [aborted, conceded, halted, joined_again, played_to_the_end])
@pytest.mark.parametrize("manner", [BY_TIME, SLOWLY])
async def test_private_an_end_that_is_not_due_is_not_shown(manner: Manner, twist: Twist) -> None:
    """The other world goes on; its host may stop it, and is not told that there is nothing to."""
    assert await compare_late(worlds("tongits", 2), manner, twist) > 200


# Planted leaks ------------------------------------------------------------------------------------


async def caught(manner: Manner, twist: Twist = nothing, name: str = "tongits") -> str:
    """In what the first leak was found; nothing in three cases is a failure."""
    for seed in range(3):
        try:
            await compare_late(worlds(name, seed), manner, twist)
        except Leak as leak:
            return leak.what
    raise AssertionError("no leak was found")


@pytest.mark.more
async def test_a_planted_event_before_its_time_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    head = feed.TableFeed._head
    monkeypatch.setattr(feed.PublicFeed, "_head", head)
    assert await caught(BY_DECISIONS) == "SpectateTable message"


@pytest.mark.more
async def test_a_planted_sign_of_life_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "public_heartbeat", snapshots.seat_heartbeat)
    assert await caught(BY_TIME) == "SpectateTable beats message"


@pytest.mark.more
async def test_a_planted_clock_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks as they are, beside the number of the event that is shown."""

    def telling(table: Table, now: int) -> bytes:
        clocks = updates.clocks(table.match.timing.shown(now), None)
        assert table.delayed is not None
        return updates.heartbeat(table.delayed.sequence, clocks, now)

    monkeypatch.setattr(snapshots, "public_heartbeat", telling)
    assert await caught(BY_TIME) == "SpectateTable beats message"


@pytest.mark.more
async def test_a_planted_state_with_the_hands_left_out_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The table as it is, as everybody would see it on time, numbered as what is shown."""

    def blanked(table: Table, _now: int) -> bytes:
        assert table.delayed is not None
        view = table.match.views.public(table.match.state)
        number = table.delayed.sequence
        return updates.snapshot(table.resource(), number, seat=None, public=view, clocks=[])

    monkeypatch.setattr(snapshots, "public_snapshot", blanked)
    assert await caught(BY_DECISIONS) == "SpectateTable message"


@pytest.mark.more
async def test_a_planted_resource_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "resource", lambda table, **_: table.seat_resource())
    assert await caught(BY_DECISIONS) == "GetTable answer"


@pytest.mark.more
@pytest.mark.parametrize("twist", [aborted, halted])
async def test_a_planted_refusal_is_caught(monkeypatch: pytest.MonkeyPatch, twist: Twist) -> None:
    """Who may not know is told that the match has ended."""
    monkeypatch.setattr(Table, "expect_seen_live", lambda table, **_: table.expect_live())
    assert await caught(BY_TIME, twist) in ("JoinTable status", "JoinTable trailing metadata")


@pytest.mark.more
async def test_a_planted_status_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists find a table by what it is."""
    monkeypatch.setattr(Table, "seen", property(lambda table: table.shown))
    assert await caught(BY_TIME, conceded) in ("JoinTable trailing metadata", "ListTables answer")


@pytest.mark.more
async def test_a_planted_bound_of_what_is_kept_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """How far back a stream may resume goes by the deals that were played."""
    start_deal = delay.Delayed.start_deal

    def at_once(self: delay.Delayed, first: int, kept_from: int) -> None:
        start_deal(self, first, kept_from)
        self.kept_from = kept_from

    monkeypatch.setattr(delay.Delayed, "start_deal", at_once)
    assert await caught(BY_TIME, played_to_the_end) == "SpectateTable message"


@pytest.mark.more
async def test_a_planted_count_of_sealed_answers_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every answer of a window counts, so that what is shown tells how many were asked."""
    sealed = delay.Delayed.sealed

    def counted(self: delay.Delayed, cause: bytes) -> None:
        sealed(self, cause)
        self._answered += 1

    monkeypatch.setattr(delay.Delayed, "sealed", counted)
    manner = Manner(delay=3)
    for one in islice(filter(asks_others, map(case_of, count())), 5):
        try:
            await compare(one, Way.WATCH_EVENTS, Times(window=1_000), manner=manner)
        except Leak:
            return
    raise AssertionError("no leak was found")


@pytest.mark.more
async def test_private_sealed_windows_count_once_however_many_were_asked() -> None:
    one = next(filter(asks_others, map(case_of, range(40))))
    how = (one, Way.WATCH_EVENTS, Times(window=1_000))
    assert await compare(*how, manner=Manner(delay=3)) > 100
