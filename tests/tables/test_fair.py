"""Promise 5, Fair: what the network takes and what the server was late is not charged."""

from __future__ import annotations

import asyncio

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import session_service_pb2 as pb
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.clocks.clock import ManualClock, SystemClock
from croupier_server.tables.clocks.timing import RoundTrips
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.shard.upkeep import PERIOD_MS, TOLERANCE_MS
from croupier_server.tables.spec import ClockSpec
from tests.tables.answering import submit
from tests.tables.test_session import Client, answer, named, openings
from tests.tables.world import World, asked, events, move_of

BASE = ClockSpec(base_ms=1_000)


def charged(world: World) -> int:
    """What the last move was charged."""
    rows = world.rows("table-1")
    cause = next(row.input for row in reversed(rows) if row.input)
    return record_pb2.Input.FromString(cause).move.charged.ToMilliseconds()


def left(world: World, table: Table, seat: int) -> int:
    return [time for _, time, _ in table.match.timing.shown(world.clock.now)][seat]


# The network ------------------------------------------------------------------------------------


def test_the_network_takes_the_smallest_of_the_last_eight_round_trips() -> None:
    trips = RoundTrips()
    assert trips.network_ms(7) == 7
    for number, took in enumerate((40, 30, 50), 1):
        trips.sent(number, 1_000)
        trips.echoed(number, 1_000 + took)
    assert trips.network_ms(7) == 30
    for number in range(4, 12):
        trips.sent(number, 1_000)
        trips.echoed(number, 1_090)
    assert trips.network_ms(7) == 90


def test_echoes_that_answer_nothing_say_nothing() -> None:
    trips = RoundTrips()
    trips.echoed(0, 5)
    trips.echoed(1, 5)
    trips.sent(1, 10)
    trips.sent(2, 20)
    trips.echoed(1, 21)
    trips.echoed(3, 22)
    trips.echoed(2, 60)
    trips.echoed(2, 61)
    assert trips.network_ms(7) == 40


def on_a_session(trip: int, grace: int = 500) -> tuple[World, Table, Client]:
    """A table at its first turn, on a session whose heartbeat took *trip* to come back."""
    world = World(network_grace_ms=grace)
    table, tickets = world.start(clock=BASE)
    client = Client(world)
    client.say(hello={})
    client.hear()
    client.session.beat()
    frame = client.hear()
    assert frame is not None
    world.clock.advance(trip)
    client.say(acknowledged=client.last, heartbeat_echo=frame.heartbeat.heartbeat_id)
    client.say(opens=openings(table, tickets))
    client.hear()
    while asked(table)[0].sealed:
        client.talk(moves=[answer(table)])
    return world, table, client


@pytest.mark.parametrize(
    ("trip", "took", "costs"),
    [(80, 300, 220), (80, 60, 0), (80, 80, 0), (0, 300, 300), (900, 300, 100), (900, 150, 0)],
)
def test_fair_a_move_costs_its_time_less_the_network(trip: int, took: int, costs: int) -> None:
    """At most ``network_grace`` is left out, and nothing is ever charged below zero."""
    world, table, client = on_a_session(trip, grace=200)
    decision = asked(table)[0]
    assert decision.asked_ms == world.clock.now
    world.clock.advance(took)
    assert left(world, table, decision.seat) == 1_000 - costs
    client.talk(moves=[answer(table)])
    assert charged(world) == costs
    assert left(world, table, decision.seat) == 1_000 - costs


def test_fair_an_answer_that_the_network_made_late_is_in_time() -> None:
    world, table, client = on_a_session(80)
    world.clock.advance(1_079)
    world.shard.tick()
    assert (0, "move_accepted") not in client.talk(moves=[answer(table)])
    assert charged(world) == 999
    assert not [event for event in events(world, table) if event.HasField("seat_timed_out")]
    world.clock.advance(1_080)
    world.shard.tick()
    assert events(world, table)[-2].HasField("seat_timed_out")


def test_before_any_echo_and_without_a_session_the_grace_is_flat() -> None:
    world = World(unary_grace_ms=100)
    table, tickets = world.start(clock=BASE)
    for decision in asked(table):
        submit(world.shard, table, decision.seat, decision.id, 1)
    decision = asked(table)[0]
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(300)
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    assert charged(world) == 200
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    frame = client.hear()
    assert frame is not None
    assert "decision" in [kind for _, kind in named(frame)]
    world.clock.advance(300)
    client.say(moves=[answer(table)])
    assert charged(world) == 200


def test_a_frame_that_is_written_again_starts_no_clock_anew() -> None:
    world, table, client = on_a_session(80)
    decision = asked(table)[0]
    world.clock.advance(500)
    client.session.close()
    again = Client(world)
    again.say(hello=pb.SessionHello())
    again.hear()
    assert left(world, table, decision.seat) == 1_000 - 420


# The server -------------------------------------------------------------------------------------


class LateClock(ManualClock):
    """A clock that tests move, which may tell how late the loop is."""

    goes_by_itself = True


def late_world() -> tuple[World, Table]:
    """A table at its first turn, with the clock of its seat running and the loop alive."""
    world = World()
    world.clock = LateClock(world.clock.now)
    world.shard.upkeep.clock = world.clock
    table, tickets = world.start(clock=BASE)
    for decision in asked(table):
        submit(world.shard, table, decision.seat, decision.id, 1)
    world.take(world.watch(table, tickets[asked(table)[0].seat]))
    world.shard.loop_is_alive()
    return world, table


def test_fair_time_in_which_the_loop_was_late_is_given_back() -> None:
    world, table = late_world()
    decision = asked(table)[0]
    world.clock.advance(PERIOD_MS + 700)
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    assert charged(world) == PERIOD_MS


def test_a_seat_whose_answer_waited_for_the_loop_is_not_late() -> None:
    world, table = late_world()
    decision = asked(table)[0]
    world.clock.advance(60_000)
    world.shard.tick()
    assert asked(table) == [decision]
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    assert charged(world) == PERIOD_MS


def test_each_late_moment_is_given_back_once() -> None:
    world, table = late_world()
    decision = asked(table)[0]
    world.clock.advance(PERIOD_MS + 100)
    assert world.shard.now_ms() == world.clock.now
    world.clock.advance(5)
    world.shard.now_ms()
    world.clock.advance(95)
    world.shard.now_ms()
    world.shard.loop_is_alive()
    for _ in range(10):
        world.clock.advance(PERIOD_MS + TOLERANCE_MS)
        world.shard.loop_is_alive()
    used = 10 * (PERIOD_MS + TOLERANCE_MS) + PERIOD_MS
    assert left(world, table, decision.seat) == 1_000 - used


def test_a_clock_that_started_while_the_loop_was_late_gets_its_part() -> None:
    world, table = late_world()
    decision = asked(table)[0]
    world.clock.advance(PERIOD_MS + 300)
    now = world.clock.now
    decision.clock_from_ms = now - 100
    world.shard.now_ms()
    assert decision.clock_from_ms == now
    decision.clock_from_ms = now + 50
    world.clock.advance(40)
    world.shard.now_ms()
    assert decision.clock_from_ms == now + 50


def test_a_window_stays_open_for_the_time_that_the_loop_was_late() -> None:
    world = World()
    world.clock = LateClock(world.clock.now)
    world.shard.upkeep.clock = world.clock
    table, _ = world.start(clock=ClockSpec(base_ms=1_000, window_ms=500))
    world.shard.loop_is_alive()
    closes = table.match.deadline
    world.clock.advance(PERIOD_MS + 1_000)
    world.shard.tick()
    assert table.match.window_open
    assert table.match.deadline == closes + 1_000


async def test_a_loop_that_is_blocked_is_noticed() -> None:
    clock = SystemClock()
    shard = Shard(
        clock=clock,
        secrets=lambda size: bytes(size),
        ids=lambda: "table-1",
        log=MemoryLog(),
        games={},
    )
    shard.run()
    try:
        await asyncio.sleep(0)
        late = shard.upkeep.lag.noticed_from
        assert late <= clock.now_ms() + PERIOD_MS + TOLERANCE_MS
        while clock.now_ms() <= late + 50:
            pass
        shard.now_ms()
        assert shard.upkeep.lag.noticed_from > late + 50
    finally:
        shard.stop()
