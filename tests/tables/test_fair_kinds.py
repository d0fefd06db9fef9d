"""Promise 5, Fair, by kind of clock: stories of one seat, and what they cost it, in seconds.

A story tells what the seat does from its first turn on: it thinks, its stream is gone and comes
back, the server is late, it moves (and the others do, at once, until it is its turn again). A flag
that falls in the meantime falls. What is left and how many strikes are shown is what everybody sees
afterwards. Where the match ends for a flag there is no move that could be charged.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.shard.upkeep import PERIOD_MS
from croupier_server.tables.spec import ClockSpec, Status, TimeoutPolicy
from tests.tables.answering import submit
from tests.tables.test_fair import LateClock
from tests.tables.test_replay import all_rows
from tests.tables.world import World, asked, move_of

KINDS = {
    "10 +1": ClockSpec(base_ms=10_000, increment_ms=1_000),
    "5 a move": ClockSpec(per_move_ms=5_000),
    "5 a move and 10": ClockSpec(per_move_ms=5_000, base_ms=10_000),
    "none": ClockSpec(),
}

STORIES = Path(__file__).parent / "cases" / "clocks.txt"


class Story(NamedTuple):
    """A line of the table."""

    clock: str
    policy: str
    grace: str
    story: str
    charged: str
    left: str
    strikes: str
    end: str


def stories() -> list[Story]:
    """The lines below the head."""
    lines = STORIES.read_text(encoding="utf-8").splitlines()[2:]
    return [Story(*(cell.strip() for cell in line.split("|"))) for line in lines]


class Seat:
    """The seat that the stories are about: the first to move at a table of the toy."""

    def __init__(self, spec: ClockSpec) -> None:
        self.world = World(unary_grace_ms=0)
        self.world.clock = LateClock(self.world.clock.now)
        self.world.shard.upkeep.clock = self.world.clock
        options = {"hand": 6, "deals": 1}
        self.table, tickets = self.world.start(clock=spec, options=options)
        for decision in asked(self.table):
            submit(self.world.shard, self.table, decision.seat, decision.id, 1)
        self.seat = asked(self.table)[0].seat
        self.ticket = tickets[self.seat]
        self.thought = 0
        self.connect()
        self.world.shard.loop_is_alive()

    def connect(self) -> None:
        """The seat has a stream, and reads it."""
        self.stream = self.world.watch(self.table, self.ticket)
        self.world.take(self.stream)

    def live(self, story: str) -> None:
        """What the story says."""
        for part in story.split(", "):
            what, _, seconds = part.partition(" ")
            getattr(self, what)(*[int(seconds) * 1_000 for _ in seconds[:1]])
            self.others()

    def think(self, milliseconds: int) -> None:
        """Time goes by; the loop is never late."""
        milliseconds -= self.thought
        self.thought = 0
        while milliseconds:
            step = min(milliseconds, PERIOD_MS)
            if self.table.match.deadline < 1 << 60:
                step = min(step, max(self.table.match.deadline - self.world.clock.now, 1))
            self.world.clock.advance(step)
            self.world.shard.loop_is_alive()
            self.world.shard.tick()
            milliseconds -= step

    def gone(self, milliseconds: int) -> None:
        """The stream is lost, time goes by, and it is opened again."""
        self.stream.close()
        self.think(milliseconds)
        if self.table.status is Status.PLAYING:
            self.connect()

    def late(self, milliseconds: int) -> None:
        """The loop is late by so much. Before it is called late some time is the seat's, which is
        taken from what it thinks next."""
        self.world.clock.advance(PERIOD_MS + milliseconds)
        self.world.shard.tick()
        self.world.shard.loop_is_alive()
        self.thought += PERIOD_MS

    def move(self) -> None:
        """The seat answers."""
        (decision,) = self.open()
        submit(self.world.shard, self.table, self.seat, decision.id, move_of(self.table, decision))

    def open(self) -> list[Decision]:
        return [one for one in asked(self.table) if one.seat == self.seat]

    def others(self) -> None:
        """The others move at once, and the seat is asked again."""
        while asked(self.table) and not self.open():
            other = asked(self.table)[0]
            submit(self.world.shard, self.table, other.seat, other.id, move_of(self.table, other))
        if not self.stream.is_done:
            self.world.take(self.stream)

    def charged(self) -> list[int]:
        """What the seat's moves were charged, in seconds."""
        inputs = [record_pb2.Input.FromString(row.input) for row in all_rows(self.world)]
        return [
            one.move.charged.ToMilliseconds() // 1_000
            for one in inputs
            if one.HasField("move") and one.move.seat == self.seat
        ]


@pytest.mark.more
@pytest.mark.parametrize("line", stories(), ids=lambda line: " ".join(line[:4]))
def test_fair_by_kind_of_clock(line: Story) -> None:
    spec = KINDS[line.clock]
    seat = Seat(
        ClockSpec(
            spec.base_ms,
            spec.increment_ms,
            spec.per_move_ms,
            max_strikes=3,
            on_timeout=TimeoutPolicy[line.policy.upper()],
            disconnect_grace_ms=int(line.grace or 0) * 1_000,
        )
    )
    seat.live(line.story)
    table = seat.table
    assert seat.charged() == [int(one) for one in line.charged.split()]
    shown = {one: (left, strikes) for one, left, strikes in table.match.timing.shown(0)}
    assert shown[seat.seat] == (int(line.left) * 1_000, int(line.strikes))
    if line.end == "goes on":
        assert table.result is None
    else:
        result = game_pb2.MatchResult.FromString(table.result or b"")
        assert result.reason == game_pb2.END_REASON_FORFEIT
        assert (result.seat_at_fault, result.detail) == (seat.seat, line.end)
