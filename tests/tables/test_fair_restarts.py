"""Promise 5, Fair, over crashes: what seats have left, strikes and grace follow from the log."""

from __future__ import annotations

import contextlib
import random

import pytest

from croupier.record.v1 import record_pb2
from croupier_server.errors import CroupierError
from croupier_server.games.base import Seat
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec, Status, TimeoutPolicy
from tests.tables.answering import refuse_unreadable, submit
from tests.tables.test_replay import all_rows
from tests.tables.world import World, asked

CLOCKS = {
    "base": ClockSpec(base_ms=6_000, increment_ms=40),
    "bank": ClockSpec(base_ms=3_000, per_move_ms=200),
    "strikes": ClockSpec(per_move_ms=300, max_strikes=9),
    "windows": ClockSpec(base_ms=3_000, per_move_ms=200, window_ms=500),
    "fallback": ClockSpec(per_move_ms=300, max_strikes=2, on_timeout=TimeoutPolicy.FALLBACK),
    "grace": ClockSpec(base_ms=6_000, disconnect_grace_ms=1_500),
    "forfeit": ClockSpec(base_ms=9_000, on_timeout=TimeoutPolicy.FORFEIT, disconnect_grace_ms=900),
}


def left(table: Table) -> dict[str, list[int]]:
    """All that the seats have left, on show or not; grace but for the open decision's absence."""
    accounts = table.match.timing.accounts
    found = {
        name: list(getattr(accounts, name))
        for name in accounts.__slots__
        if name not in ("_spec", "grace")
    }
    absences = [0 if one is None else one.absent_ms for one in table.match.decisions]
    found["grace"] = [sum(pair) for pair in zip(accounts.grace, absences, strict=True)]
    return found


class Players:
    """Seats that think, move, are refused, vanish and come back at random."""

    def __init__(self, spec: ClockSpec, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World(reconnect_grace_ms=150)
        _, self.tickets = self.world.start(clock=spec, options={"deals": 3})
        for seat in range(3):
            self.come(seat)

    @property
    def table(self) -> Table:
        """The table as it is now."""
        return self.world.find()

    @property
    def is_playing(self) -> bool:
        """Whether the match goes on."""
        return self.table.status is Status.PLAYING

    def come(self, seat: Seat) -> None:
        """The seat opens a stream and reads it."""
        self.world.take(self.world.watch(self.table, self.tickets[seat]))

    def step(self) -> None:
        """Some time, and something."""
        rng, table = self.rng, self.table
        self.world.clock.advance(rng.choice((0, 20, 90, 250)))
        self.world.shard.tick()
        if not self.is_playing:
            return
        seat = rng.randrange(3)
        what = rng.random()
        watcher = table.seat_watchers[seat]
        if what < 0.15 and watcher is not None:
            watcher.close()  # type: ignore[attr-defined]
        elif what < 0.5 and watcher is None:
            self.come(seat)
        elif asked(table):
            self.answer(rng.choice(asked(table)).seat, is_bad=what > 0.97)

    def answer(self, seat: Seat, *, is_bad: bool) -> None:
        """The seat answers, or gives so many answers that are none that they are a strike."""
        decision = next(one for one in asked(self.table) if one.seat == seat)
        if is_bad:
            for _ in range(20):
                refuse_unreadable(self.world.shard, self.table, seat, decision.id)
            return
        move = self.rng.choice(self.table.legal(seat, decision.id).moves)
        with contextlib.suppress(CroupierError):  # its time had run out
            submit(self.world.shard, self.table, seat, decision.id, move)


@pytest.mark.usefixtures("deals_resume")
@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("seed", range(5))
def test_fair_accounts_follow_from_the_log(clock: str, seed: int) -> None:
    players = Players(CLOCKS[clock], seed)
    crashes = 0
    while players.is_playing:
        players.step()
        if players.rng.random() < 0.1 and players.is_playing:
            before = left(players.table)
            if players.rng.random() < 0.5:
                players.world.shard.drain()
            players.world.clock.advance(60_000)
            players.world.restart()
            assert left(players.table) == before
            crashes += 1
    assert crashes
    assert_sums(players, CLOCKS[clock])


def assert_sums(players: Players, spec: ClockSpec) -> None:
    """What is left at the end is what the record's moves leave of what there was."""
    table = players.table
    base = [spec.base_ms] * 3
    absent = [0] * 3
    for row in all_rows(players.world):
        if not row.input:
            continue
        cause = record_pb2.Input.FromString(row.input)
        kind = cause.WhichOneof("input")
        if kind not in ("move", "answer"):
            continue
        moved = cause.move if kind == "move" else cause.answer
        charged = moved.charged.ToMilliseconds()
        assert 0 <= charged <= spec.per_move_ms + base[moved.seat]
        beyond = max(charged - spec.per_move_ms, 0)
        base[moved.seat] -= beyond
        if kind == "move":
            base[moved.seat] += spec.increment_ms
        absent[moved.seat] += moved.absent.ToMilliseconds()
    assert [ms for _, ms, _ in table.match.timing.shown(0)] == base
    assert all(time <= spec.disconnect_grace_ms for time in absent)
