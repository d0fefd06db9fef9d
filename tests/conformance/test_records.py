"""A match of every game, played at a table, comes back from its record: bytes, state and result.

From the record's bytes alone: options, table, rows.
"""

from __future__ import annotations

import random

import pytest

from croupier_server.games.registry import find
from croupier_server.storage.codec import read_record, record_bytes
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.durability.replay import replay
from croupier_server.tables.match.codec import read_spec
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry, Shard
from croupier_server.tables.spec import ClockSpec, CreateTable, JoinTable, Status
from tests.conformance.subjects import CASES, limits, wire_of
from tests.tables.answering import submit
from tests.tables.test_replay import said
from tests.tables.world import START_MS, asked, known_ids, known_secrets, now


def play(shard: Shard, clock: ManualClock, entry: GameEntry, ruleset: str, window_ms: int) -> Table:
    """A finished match of random moves, in which a seat comes too late now and then."""
    request = CreateTable(
        kind=entry.wire.kind,
        ruleset=ruleset,
        overrides=dict.fromkeys(limits(entry.game), "2"),
        clock=ClockSpec(base_ms=10_000, window_ms=window_ms),
    )
    table = shard.create_table(Caller(), request).table
    for _ in table.seats:
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
    return table


@pytest.mark.parametrize(("name", "ruleset"), CASES)
@pytest.mark.parametrize("window_ms", [0, 500])
def test_a_match_comes_back_from_its_record(name: str, ruleset: str, window_ms: int) -> None:
    game = find(name)
    wire = wire_of(game)
    entry = GameEntry(game, wire)
    clock, log = ManualClock(START_MS), MemoryLog()
    shard = Shard(
        clock=clock,
        secrets=known_secrets(),
        ids=known_ids(),
        log=log,
        games={wire.kind: entry},
    )
    table = play(shard, clock, entry, ruleset, window_ms)
    kept = now(log.records.get("table-1"))
    assert kept is not None
    match, rows = read_record(kept.record)
    assert record_bytes(match, rows) == kept.record
    spec = read_spec(match.table, dict(match.option_text), entry)
    assert spec.options == table.spec.options
    again = replay(spec, entry, rows, match.reveal.nonces)
    assert said(again.journal.outbox) == said(rows)
    assert again.result == table.result == match.result
    assert again.match.state == table.match.state
