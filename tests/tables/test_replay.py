"""A log replays: the same inputs give the same state and the same bytes."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence

import pytest

from croupier_server.errors import Conflict, NotYourTurn, StaleDecision
from croupier_server.games.base import Seat
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import LogRow, Player
from croupier_server.storage.codec import read_record
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.durability.replay import ReplayError, replay
from croupier_server.tables.match.codec import read_spec
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry, Shard
from croupier_server.tables.spec import ClockSpec, CreateTable, DealSource, JoinTable, Status
from tests.tables.answering import refuse_unreadable, submit
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.world import (
    ENTRY,
    FIXED,
    START_MS,
    World,
    asked,
    known_ids,
    known_secrets,
    now,
)

CLOCKS = {
    "no clock": ClockSpec(),
    "base": ClockSpec(base_ms=5_000, increment_ms=50, per_move_ms=100),
    "base and windows": ClockSpec(base_ms=5_000, window_ms=700),
    "strikes": ClockSpec(per_move_ms=300, max_strikes=5),
    "windows": ClockSpec(window_ms=700),
}


def all_rows(world: World) -> list[LogRow]:
    """The whole log of the first table, live or archived."""
    record = world.record("table-1")
    if record is not None:
        return list(read_record(record.record)[1])
    return world.rows("table-1")


def said(rows: Sequence[LogRow]) -> list[tuple[object, ...]]:
    """Rows without what was kept with them, which records leave out."""
    return [row[:6] for row in rows if row.sequence or row.input]


def assert_replays(table: Table, entry: GameEntry, rows: list[LogRow]) -> None:
    """What comes out of the log is the table that made it."""
    again = replay(table.spec, entry, rows)
    assert said(again.journal.outbox) == said(rows)
    assert again.resource() == table.resource()
    assert again.status is table.status
    fresh = entry.wire.views()
    for seat in range(len(table.seats)):
        expected = table.match.views.seat(table.match.state, seat)
        assert fresh.seat(again.match.state, seat) == expected
    assert fresh.public(again.match.state) == table.match.views.public(table.match.state)
    assert [one.id for one in asked(again)] == [one.id for one in asked(table)]
    accounts, again_accounts = table.match.timing.accounts, again.match.timing.accounts
    assert again_accounts.grace == accounts.grace
    for seat in range(len(table.seats)):
        budget = accounts.budget_ms(seat, sealed=True)
        assert again_accounts.budget_ms(seat, sealed=True) == budget


class Rogues:
    """Seats that play at random, late, or not at all, and join again now and then."""

    def __init__(self, world: World, table: Table, tickets: list[str], seed: int) -> None:
        self.world = world
        self.table = table
        self.tickets = tickets
        self.rng = random.Random(seed)

    def play(self, steps: int) -> None:
        rng, world, table = self.rng, self.world, self.table
        for _ in range(steps):
            if table.status is not Status.PLAYING:
                return
            world.clock.advance(rng.choice((0, 1, 30, 90, 120)))
            if not asked(table) or rng.random() < 0.15:
                world.clock.advance(rng.choice((200, 400, 900)))
                world.shard.tick()
            elif rng.random() < 0.05:
                self.join_again(rng.randrange(3))
            else:
                self.answer()

    def answer(self) -> None:
        decision = self.rng.choice(asked(self.table))
        move = self.rng.choice(self.table.legal(decision.seat, decision.id).moves)
        with contextlib.suppress(StaleDecision, NotYourTurn, Conflict):  # its time had run out
            submit(self.world.shard, self.table, decision.seat, decision.id, move)

    def join_again(self, seat: Seat) -> None:
        caller = Caller(ticket=self.tickets[seat])
        joined = self.world.shard.join(caller, JoinTable("table-1", player=Player(f"again {seat}")))
        self.tickets[seat] = joined.ticket


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("seed", range(8))
def test_a_finished_match_replays(clock: str, seed: int) -> None:
    world = World()
    table, tickets = world.start(clock=CLOCKS[clock], options={"deals": 3})
    Rogues(world, table, tickets, seed).play(10_000)
    assert table.status is Status.ENDED
    assert_replays(table, ENTRY, all_rows(world))


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("seed", range(3))
def test_a_match_under_way_replays_from_any_moment(clock: str, seed: int) -> None:
    world = World()
    table, tickets = world.start(clock=CLOCKS[clock], options={"deals": 3})
    rogues = Rogues(world, table, tickets, seed)
    while table.status is Status.PLAYING:
        rogues.play(3)
        assert_replays(table, ENTRY, all_rows(world))


@pytest.mark.parametrize("how", ["concede", "abort", "refusals", "no show", "halt", "left"])
def test_every_end_replays(how: str) -> None:
    world = World(nonce_ms=60_000)
    deal = DealSource() if how == "no show" else FIXED
    clock = ClockSpec(max_strikes=1 if how == "refusals" else 0, start_timeout_ms=60_000)
    options = {"bomb": 4} if how == "halt" else {}
    table = world.create(deal=deal, clock=clock, options=options)
    if how == "left":
        world.shard.leave(Caller(ticket=world.join(table).ticket), "table-1")
    for seat in range(3):
        world.join(table, nonce_hash=hashed(NONCES[seat]))
    if how == "no show":
        world.shard.open_nonce(table, 1, NONCES[1])
        world.clock.advance(60_000)
        world.shard.tick()
    elif how == "concede":
        world.step(table)
        world.shard.concede(table, 2)
    elif how == "refusals":
        decision = world.to_turns(table)
        for _ in range(20):
            refuse_unreadable(world.shard, table, decision.seat, decision.id)
    elif how == "halt":
        with pytest.raises(Exception, match="TABLE_HALTED"):
            world.play(table)
        rows = all_rows(world)
        again = replay(table.spec, ENTRY, rows)
        assert said(again.journal.outbox) == said(rows)
        assert again.is_halted
        return
    else:
        world.step(table)
        table.abort("rain", world.clock.now)
        world.shard.commits.touch(table)
        world.shard.commits.flush()
    assert table.status is Status.ENDED
    assert_replays(table, ENTRY, all_rows(world))


def test_nonces_that_were_opened_replay() -> None:
    world = World()
    table = world.create(deal=DealSource())
    for seat in range(3):
        world.join(table, nonce_hash=hashed(NONCES[seat]))
    for seat in (2, 0, 1):
        world.shard.open_nonce(table, seat, NONCES[seat])
    world.play(table)
    assert_replays(table, ENTRY, all_rows(world))


def test_a_log_that_was_changed_does_not_replay() -> None:
    world = World()
    table, _ = world.start()
    world.play(table)
    rows = all_rows(world)
    sealed = [place for place, row in enumerate(rows) if not row.sequence]
    for place in range(1, len(rows)):
        if place not in sealed:
            dropped = rows[:place] + rows[place + 1 :]
            with pytest.raises((ReplayError, ValueError)):
                replay(table.spec, ENTRY, dropped)
    moved = [place for place, row in enumerate(rows) if row.input and row.sequence]
    changed = list(rows)
    changed[moved[-1]] = rows[moved[-1]]._replace(input=rows[moved[-2]].input)
    with pytest.raises((ReplayError, ValueError)):
        replay(table.spec, ENTRY, changed)


def test_a_log_that_stops_within_an_input_does_not_replay() -> None:
    world = World()
    table, _ = world.start()
    rows = all_rows(world)
    with pytest.raises(ReplayError, match="middle"):
        replay(table.spec, ENTRY, rows[:-1])


# Tractor ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", GAMES["tractor"].rulesets())
@pytest.mark.parametrize("window_ms", [0, 500])
def test_tractor_replays_from_its_record(ruleset: str, window_ms: int) -> None:
    """From the record's bytes alone: options, spec, rows."""
    clock = ManualClock(START_MS)
    wire = next(iter(WIRES.values()))
    entry = GameEntry(GAMES[wire.name], wire)
    log = MemoryLog()
    shard = Shard(
        clock=clock,
        secrets=known_secrets(),
        ids=known_ids(),
        log=log,
        games={wire.kind: entry},
    )
    request = CreateTable(
        kind=wire.kind,
        ruleset=ruleset,
        overrides={"max_deals": "2"},
        clock=ClockSpec(base_ms=10_000, window_ms=window_ms),
    )
    table = shard.create_table(Caller(), request).table
    for _ in range(len(table.seats)):
        shard.join(Caller(), JoinTable("table-1"))
    rng = random.Random(ruleset)
    words = iter(lambda: rng.getrandbits(64), None)
    while table.status is Status.PLAYING:
        if not asked(table) or rng.random() < 0.02:
            clock.advance(700)
            shard.tick()
            continue
        decision = asked(table)[0]
        legal = table.legal(decision.seat, decision.id)
        clock.advance(1)
        submit(shard, table, decision.seat, decision.id, entry.game.sample(legal, words))
    assert not table.is_halted, table.fault
    entry_of_record = now(log.records.get("table-1"))
    assert entry_of_record is not None
    match, rows = read_record(entry_of_record.record)
    spec = read_spec(match.table, dict(match.option_text), entry)
    again = replay(spec, entry, rows, match.reveal.nonces)
    assert said(again.journal.outbox) == said(rows)
    assert again.result == table.result == match.result
    assert again.match.state == table.match.state
