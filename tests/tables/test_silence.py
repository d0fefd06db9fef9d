"""Fair on a session whose line is half open: the client is gone, and nothing says so.

What `docs/security.md` promises of it is measured here on manual clocks; that a real connection is
closed after a ping without an answer is tested in `tests/rpc/test_half_open.py`.
"""

from __future__ import annotations

import pytest

from croupier_server.tables.match.table import Table
from croupier_server.tables.sessions.session import SILENT_BEATS
from croupier_server.tables.spec import ClockSpec
from tests.tables.test_session import Client, Sitting, answer, openings, sit
from tests.tables.world import World, asked

pytestmark = pytest.mark.fault

BEAT_MS = 10_000
CLOCK = ClockSpec(base_ms=300_000, disconnect_grace_ms=200_000)
NOTICED_MS = (SILENT_BEATS + 1) * BEAT_MS
"""A line that is lost is noticed so soon, as the docs say."""


def beat(sitting: Sitting) -> None:
    """One more heartbeat interval goes by."""
    sitting.world.clock.advance(BEAT_MS)
    sitting.world.shard.heartbeat()
    sitting.world.shard.tick()


def playing(clock: ClockSpec = CLOCK, *, echoes: bool = True) -> Sitting:
    """A session at its first turn, which has been asked on it, just after a heartbeat."""
    sitting = sit(clock=clock)
    sitting.world.to_turns(sitting.table)
    sitting.client.hear()
    beat(sitting)
    frame = sitting.client.hear()
    assert frame is not None
    assert frame.heartbeat.heartbeat_id == 1
    sitting.client.say(acknowledged=sitting.client.last, heartbeat_echo=1 if echoes else 0)
    return sitting


def charged(sitting: Sitting) -> int:
    """What the open decision has cost so far."""
    (decision,) = asked(sitting.table)
    return sitting.table.match.timing.used_ms(decision, sitting.world.clock.now)


def test_fair_a_line_that_is_half_open_stops_the_clock_when_two_echoes_are_missing() -> None:
    sitting = playing()
    before = charged(sitting)
    for _ in range(SILENT_BEATS + 1):
        beat(sitting)
    assert charged(sitting) == before + NOTICED_MS
    for _ in range(10):
        beat(sitting)
    assert charged(sitting) - before <= NOTICED_MS


def test_fair_any_frame_is_a_sign_of_life() -> None:
    sitting = playing()
    before = charged(sitting)
    for _ in range(10):
        beat(sitting)
        frame = sitting.client.hear()
        assert frame is not None
        sitting.client.say(acknowledged=frame.frame)  # without the echo
    assert charged(sitting) == before + 10 * BEAT_MS


def test_fair_a_client_that_never_echoes_is_not_missed() -> None:
    sitting = playing(echoes=False)
    before = charged(sitting)
    for _ in range(10):
        beat(sitting)
    assert charged(sitting) == before + 10 * BEAT_MS


def test_fair_a_client_that_comes_back_is_charged_again() -> None:
    sitting = playing()
    before = charged(sitting)
    for _ in range(SILENT_BEATS + 3):
        beat(sitting)
    sitting.client.say(acknowledged=sitting.client.last)
    sitting.world.clock.advance(3_000)
    assert charged(sitting) == before + NOTICED_MS + 3_000


def test_fair_silence_gains_no_more_than_the_grace() -> None:
    """A seat that says nothing on purpose is forgiven as much as one that cuts its stream."""
    sitting = playing(ClockSpec(base_ms=100_000, disconnect_grace_ms=15_000))
    (decision,) = asked(sitting.table)
    last = deadline = sitting.table.deadline
    while asked(sitting.table) == [decision]:
        beat(sitting)
        if asked(sitting.table) == [decision]:
            last = sitting.table.deadline
    assert last == deadline + 15_000


def test_fair_a_question_that_reaches_nobody_costs_nothing() -> None:
    """It is asked on a line that is known to be silent, and its seat is still absent."""
    world = World()
    table, tickets = world.start(clock=CLOCK)
    first = world.to_turns(table)
    rest = [seat for seat in range(3) if seat != first.seat]
    near, far = Client(world), Client(world)
    opens = openings(table, tickets)
    near.say(hello={}, opens=[opens[first.seat]])
    far.say(hello={}, opens=[opens[seat] for seat in rest])
    near.hear()
    far.hear()
    sitting = Sitting(world, table, near, tickets)
    beat(sitting)
    frame = far.hear()
    assert frame is not None
    far.say(acknowledged=frame.frame, heartbeat_echo=frame.heartbeat.heartbeat_id)
    for _ in range(SILENT_BEATS + 1):
        beat(sitting)
    near.say(acknowledged=near.last, moves=[answer(table)])
    far.session.next_frame()
    (decision,) = asked(table)
    assert decision.seat in rest
    assert decision.asked_ms is not None
    world.clock.advance(60_000)
    assert used(table, world) == 0


def used(table: Table, world: World) -> int:
    (decision,) = asked(table)
    return table.match.timing.used_ms(decision, world.clock.now)


def test_fair_a_later_stream_of_the_seat_is_not_taken_for_the_silent_one() -> None:
    sitting = playing()
    (decision,) = asked(sitting.table)
    for _ in range(SILENT_BEATS):
        beat(sitting)
    world = sitting.world
    world.take(world.watch(sitting.table, sitting.tickets[decision.seat]))
    before = charged(sitting)
    for _ in range(3):
        beat(sitting)
    assert charged(sitting) == before + 3 * BEAT_MS
