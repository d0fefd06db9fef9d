"""Late spectators of every game: the state that they are shown is the one of that moment."""

from __future__ import annotations

import random

import pytest

from croupier.v1 import table_pb2
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.feeds.snapshots import public_results, public_snapshot
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry, Shard
from croupier_server.tables.spec import (
    ClockSpec,
    CreateTable,
    JoinTable,
    SpectatorDelay,
    Status,
)
from tests.tables.answering import submit
from tests.tables.world import FIXED, START_MS, asked, known_ids, known_secrets
from tests.wire import playouts

DECISIONS_MAX = 400


class Match:
    """A match of a real game, played at random; equal seeds play equal matches."""

    def __init__(self, name: str, delay: SpectatorDelay | None, window_ms: int) -> None:
        wire = WIRES_BY_NAME[name]
        self.clock = ManualClock(START_MS)
        self.shard = Shard(
            clock=self.clock,
            secrets=known_secrets(),
            ids=known_ids(),
            log=MemoryLog(),
            games={wire.kind: GameEntry(GAMES[name], wire)},
        )
        clock = ClockSpec(base_ms=3_600_000, window_ms=window_ms)
        request = CreateTable(wire.kind, deal=FIXED, clock=clock, delay=delay)
        self.table: Table = self.shard.create_table(Caller(), request).table
        for _ in self.table.seats:
            self.shard.join(Caller(), JoinTable(self.table.spec.table_id))
        self._rng = random.Random(name)

    def step(self) -> None:
        """Some time, and one answer if one is waited for."""
        self.clock.advance(300)
        self.shard.tick()
        for decision in asked(self.table)[:1]:
            legal = self.table.legal(decision.seat, decision.id)
            move = playouts.choose(self.table.game, legal, self._rng)
            submit(self.shard, self.table, decision.seat, decision.id, move)

    def snapshot(self) -> table_pb2.Snapshot:
        """What a spectator is shown first now."""
        data = public_snapshot(self.table, self.clock.now)
        found = table_pb2.Snapshot.FromString(data)
        found.table.spec.ClearField("spectator_delay")
        return found

    def results(self) -> list[object]:
        """The results of deals that a spectator is shown now."""
        return list(public_results(self.table))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("window_ms", [0, 500])
@pytest.mark.parametrize(
    "delay", [SpectatorDelay(decisions=7), SpectatorDelay(2, 3_000)], ids=["decisions", "both"]
)
def test_private_a_late_state_is_the_state_of_that_time(
    name: str, window_ms: int, delay: SpectatorDelay
) -> None:
    on_time, late = Match(name, None, window_ms), Match(name, delay, window_ms)
    there: dict[int, tuple[table_pb2.Snapshot, list[object]]] = {}
    compared = 0
    for number in range(DECISIONS_MAX):
        one = on_time.snapshot()
        there[one.sequence] = one, on_time.results()
        if late.table.status is not Status.PLAYING:
            break
        if number % 3 == 0:
            found = late.snapshot()
            if found.sequence in there:
                assert (found, late.results()) == there[found.sequence]
                compared += 1
        on_time.step()
        late.step()
    assert on_time.table.journal.sequence == late.table.journal.sequence
    assert compared > 20
