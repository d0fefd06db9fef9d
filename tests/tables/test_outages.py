"""Durable and Fair while the server cannot do its work: a store in trouble, a drain, a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from croupier_server.errors import CroupierError, Reason, Unavailable
from croupier_server.storage.base import StoredTable
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.decisions import DUE_GRACE_MS
from croupier_server.tables.durability import outages
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.upkeep import HANGS_MS, PATIENCE_MS, PERIOD_MS
from croupier_server.tables.spec import (
    AbsencePolicy,
    ClockSpec,
    DealSource,
    JoinTable,
    StartMode,
    Status,
)
from tests.tables.answering import refuse_unreadable, submit
from tests.tables.test_feeds import end_of
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.test_session import Client, answer, named, openings
from tests.tables.world import SlowLog, World, asked, kinds, move_of, request

BASE = ClockSpec(base_ms=10_000)


def troubled(**changes: object) -> tuple[SlowLog, World, Table, list[str]]:
    """A table at its first turn, all of it stored."""
    log = SlowLog()
    world = World(log)
    table, tickets = world.start(**changes)
    world.to_turns(table)
    log.store()
    return log, world, table, tickets


def refused(call: Callable[[], object]) -> None:
    """*call* is refused as nothing can be stored, and told to come again."""
    with pytest.raises(Unavailable) as error:
        call()
    assert error.value.reason is Reason.STORE_UNAVAILABLE
    assert error.value.retry_ms > 0


# The store ----------------------------------------------------------------------------------------


def test_durable_nothing_is_taken_while_nothing_can_be_stored() -> None:
    log, world, table, tickets = troubled()
    opening = world.create(deal=DealSource(), start_mode=StartMode.MANUAL)
    seats = [world.join(opening, nonce_hash=hashed(NONCES[seat])) for seat in range(2)]
    host = world.shard.create_table(Caller(), request())
    log.store()
    sequences = [one.journal.sequence for one in world.shard.directory]
    (decision,) = asked(table)
    move = move_of(table, decision)
    log.break_down()
    shard, caller = world.shard, Caller(host_ticket=host.host_ticket)
    refused(lambda: submit(shard, table, decision.seat, decision.id, move))
    refused(lambda: refuse_unreadable(shard, table, decision.seat, decision.id))
    refused(lambda: shard.concede(table, 0))
    refused(lambda: shard.open_nonce(opening, 0, NONCES[0]))
    refused(lambda: shard.create_table(Caller(), request()))
    refused(lambda: shard.join(Caller(), JoinTable(opening.spec.table_id)))
    refused(lambda: shard.leave(Caller(ticket=seats[0].ticket), opening.spec.table_id))
    refused(lambda: shard.start(caller, host.table.spec.table_id))
    refused(lambda: shard.abort(caller, host.table.spec.table_id, ""))
    world.clock.advance(10 * 86_400_000)
    world.shard.tick()
    world.shard.heartbeat()
    world.shard.heartbeat()
    assert [one.journal.sequence for one in world.shard.directory] == sequences
    assert decision.refusals == 0
    assert not log.waiting
    assert kinds(world.take(world.watch(table, tickets[0])))[0] == "snapshot"
    log.mend()
    assert submit(shard, table, decision.seat, decision.id, move) == sequences[0] + 1


def test_durable_what_was_held_up_is_published_once() -> None:
    log, world, table, tickets = troubled()
    feed = world.watch(table, tickets[0], mode=2)
    world.take(feed)
    decision = world.step(table)
    log.break_down()
    assert world.take(feed) == []
    log.mend()
    found = world.take(feed)
    events = [one.event.sequence for one in found if one.HasField("event")]
    assert events == list(range(decision.sequence + 1, table.journal.sequence + 1))
    assert world.take(feed) == []


async def test_durable_who_waits_for_the_store_is_told_after_a_while() -> None:
    log, world, table, _ = troubled()
    (decision,) = asked(table)
    move = move_of(table, decision)
    accepted = submit(world.shard, table, decision.seat, decision.id, move)
    waiter = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    log.break_down()
    world.clock.advance(PATIENCE_MS - 1)
    world.shard.loop_is_alive()
    await asyncio.sleep(0)
    assert not waiter.done()
    world.clock.advance(1)
    world.shard.loop_is_alive()
    with pytest.raises(Unavailable) as error:
        await waiter
    assert error.value.reason is Reason.STORE_UNAVAILABLE
    log.mend()
    assert table.journal.committed == table.journal.sequence
    assert submit(world.shard, table, decision.seat, decision.id, move) == accepted
    await world.shard.committed()


def test_durable_a_session_is_refused_at_once_and_answered_when_it_comes_again() -> None:
    log, world, table, tickets = troubled()
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    client.hear()
    move = answer(table)
    log.break_down()
    client.say(acknowledged=1, moves=[move])
    frame = client.hear()
    assert frame is not None
    ((_, kind),) = named(frame)
    assert kind == "move_refused"
    assert frame.items[0].update.move_refused.decision_id == move.decision_id
    log.mend()
    client.say(acknowledged=2, moves=[move])
    log.store()
    frame = client.hear()
    assert frame is not None
    assert "move_accepted" in [kind for _, kind in named(frame)]


def test_fair_time_in_which_nothing_could_be_stored_is_given_back() -> None:
    log, world, table, tickets = troubled(clock=BASE)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(1_000)
    log.break_down()
    world.clock.advance(3_600_000)
    world.shard.tick()
    log.mend()
    assert table.deadline == world.clock.now + RETRY_MS + 9_000
    world.shard.tick()
    assert asked(table) == [decision]
    world.clock.advance(RETRY_MS + 500)
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))
    (left,) = [left for seat, left, _ in table.match.rest() if seat == decision.seat]
    assert left == 10_000 - 1_500
    log.store()


RETRY_MS = 1_000
"""The retry delay of a refusal, as clients are told."""


@pytest.mark.fault
def test_fair_a_seat_that_was_told_to_retry_later_pays_for_no_waiting() -> None:
    """It is refused just before the store is back, and waits for as long as it was told."""
    log, world, table, tickets = troubled(clock=BASE)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(9_800)
    log.break_down()
    world.clock.advance(3_600_000)
    with pytest.raises(Unavailable) as error:
        answer_first(world, table)
    assert error.value.retry_ms == RETRY_MS
    log.mend()
    world.clock.advance(RETRY_MS + 199)
    world.shard.tick()
    assert asked(table) == [decision]
    answer_first(world, table)
    assert left_of(table, decision.seat) == 10_000 - 9_999
    log.store()


@pytest.mark.fault
def test_fair_time_used_before_an_outage_counts_however_soon_the_answer_comes() -> None:
    log, world, table, tickets = troubled(clock=BASE)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(4_000)
    log.break_down()
    world.clock.advance(60_000)
    log.mend()
    world.clock.advance(300)
    shown = {seat: left for seat, left, _ in table.match.timing.shown(world.clock.now)}
    assert shown[decision.seat] == 6_000
    answer_first(world, table)
    assert left_of(table, decision.seat) == 6_000
    log.store()


@pytest.mark.fault
def test_fair_refusals_during_an_outage_do_not_add_up() -> None:
    """However often a seat asks, and however often the store fails, clocks resume one retry delay
    after the store is back."""
    log, world, table, tickets = troubled(clock=BASE)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(4_000)
    for _ in range(5):
        log.break_down()
        for _ in range(50):
            refused(lambda: answer_first(world, table))
        world.clock.advance(10)
        log.mend()
    world.clock.advance(RETRY_MS + 5_999)
    world.shard.tick()
    assert asked(table) == [decision]
    world.clock.advance(1)
    world.shard.tick()
    assert asked(table) != [decision]
    log.store()


@pytest.mark.fault
def test_fair_a_question_that_opens_when_the_store_is_back_waits_for_the_retry_too() -> None:
    """Its seat may have been told to retry the answer before, which was in flight."""
    log, world, table, _ = troubled(clock=BASE)
    answer_first(world, table)
    log.break_down()
    world.clock.advance(60_000)
    log.mend()
    (decision,) = asked(table)
    assert table.deadline == world.clock.now + RETRY_MS + DUE_GRACE_MS + 10_000
    world.clock.advance(RETRY_MS + DUE_GRACE_MS + 2_000)
    answer_first(world, table)
    assert left_of(table, decision.seat) == 8_000
    log.store()


@pytest.mark.fault
def test_fair_a_window_waits_for_the_retry_whoever_was_refused() -> None:
    """The same for a window that asked nobody: its length tells nothing."""
    log = SlowLog()
    world = World(log)
    table, _ = world.start(clock=ClockSpec(window_ms=700))
    log.store()
    assert table.match.window_open
    world.clock.advance(600)
    log.break_down()
    world.clock.advance(60_000)
    log.mend()
    assert table.deadline == world.clock.now + RETRY_MS + 100


@pytest.mark.fault
def test_fair_a_table_released_after_an_outage_waits_for_the_retry() -> None:
    log, world, table, tickets = troubled(clock=BASE)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    outages.quarantine(table, world.clock.now)
    log.break_down()
    world.clock.advance(60_000)
    log.mend()
    world.clock.advance(100)
    outages.release(table, world.clock.now)
    assert table.deadline == world.clock.now - 100 + RETRY_MS + 10_000


@pytest.mark.fault
def test_fair_a_nonce_may_come_when_the_retry_is_over() -> None:
    log = SlowLog()
    world = World(log, nonce_ms=1_000)
    table = world.create(deal=DealSource())
    for seat in range(3):
        world.join(table, nonce_hash=hashed(NONCES[seat]))
    log.store()
    world.clock.advance(900)
    log.break_down()
    refused(lambda: world.shard.open_nonce(table, 0, NONCES[0]))
    log.mend()
    world.clock.advance(RETRY_MS + 99)
    world.shard.tick()
    for seat in range(3):
        world.shard.open_nonce(table, seat, NONCES[seat])
    assert table.status is Status.PLAYING


def left_of(table: Table, seat: int) -> int:
    """What *seat* has left of its base."""
    (left,) = [left for one, left, _ in table.match.rest() if one == seat]
    return left


def test_fair_a_server_that_starts_in_trouble_knows_it() -> None:
    """It hears of changes alone, and there may be none for long."""
    log, world, table, _ = troubled(clock=BASE, absence=AbsencePolicy.FORFEIT)
    log.break_down()
    world.restart()
    table = world.find()
    refused(lambda: answer_first(world, table))
    world.clock.advance(3_600_000)
    world.shard.tick()
    assert table.status is Status.PLAYING
    log.mend()
    world.shard.tick()
    log.store()
    assert table.status is Status.PLAYING
    answer_first(world, table)
    log.store()


def answer_first(world: World, table: Table) -> None:
    decision = asked(table)[0]
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))


def test_fair_nonces_may_come_after_the_trouble() -> None:
    log = SlowLog()
    world = World(log, nonce_ms=1_000)
    table = world.create(deal=DealSource())
    for seat in range(3):
        world.join(table, nonce_hash=hashed(NONCES[seat]))
    log.store()
    log.break_down()
    world.clock.advance(50_000)
    world.shard.tick()
    log.mend()
    world.clock.advance(900)
    world.shard.tick()
    for seat in range(3):
        world.shard.open_nonce(table, seat, NONCES[seat])
    assert table.status is Status.PLAYING


# A store that hangs -----------------------------------------------------------------------------


def live(world: World, milliseconds: int) -> None:
    """Let time pass, with a loop that is never late."""
    for _ in range(milliseconds // PERIOD_MS):
        world.clock.advance(PERIOD_MS)
        world.shard.tick()
        world.shard.loop_is_alive()


def two_tables() -> tuple[SlowLog, World, Table, Table]:
    """A table with a clock that runs, and one at which something has just been done that is not
    stored."""
    log, world, table, tickets = troubled(clock=BASE)
    other, _ = world.start()
    world.to_turns(other)
    log.store()
    live(world, PERIOD_MS)
    (decision,) = asked(table)
    world.take(world.watch(table, tickets[decision.seat]))
    answer_first(world, other)
    return log, world, table, other


@pytest.mark.more
def test_fair_a_store_that_hangs_charges_nobody() -> None:
    log, world, table, other = two_tables()
    (decision,) = asked(table)
    since = world.clock.now
    live(world, HANGS_MS)
    assert world.shard.upkeep.trouble == ""
    live(world, PERIOD_MS)
    assert world.shard.upkeep.trouble == "it hangs: nothing stored for 3 s"
    refused(lambda: answer_first(world, table))
    live(world, 3_600_000)
    assert asked(table) == [decision]
    log.store()
    assert world.shard.upkeep.trouble == ""
    assert other.journal.committed == other.journal.sequence
    left = table.deadline - world.clock.now
    assert 10_000 - PERIOD_MS <= left - RETRY_MS <= 10_000
    answer_first(world, table)
    assert world.clock.now - since > 3_600_000
    log.store()


def test_durable_a_store_that_is_slow_but_moves_is_not_taken_for_one_that_hangs() -> None:
    """The oldest append always waits, and for long, but something is stored now and then."""
    log, world, _, _ = two_tables()
    for _ in range(10):
        world.create()
        live(world, HANGS_MS - 2 * PERIOD_MS)
        assert world.shard.upkeep.trouble == ""
        log.store(1)
    assert len(log.waiting) > 0
    log.store()


def test_durable_a_store_without_anything_to_store_does_not_hang() -> None:
    log, world, _, other = two_tables()
    log.store()
    live(world, 2 * HANGS_MS)
    answer_first(world, other)
    live(world, HANGS_MS)
    assert world.shard.upkeep.trouble == ""
    log.store()


def test_durable_a_loop_that_is_late_is_no_store_that_hangs() -> None:
    """What the store has said meanwhile is still to be heard."""
    log, world, _, _ = two_tables()
    world.clock.advance(10 * HANGS_MS)
    world.shard.loop_is_alive()
    assert world.shard.upkeep.trouble == ""
    live(world, HANGS_MS - 2 * PERIOD_MS)
    assert world.shard.upkeep.trouble == ""
    live(world, 3 * PERIOD_MS)
    assert "hangs" in world.shard.upkeep.trouble
    log.store()


def test_durable_a_store_that_hangs_and_then_fails_is_in_trouble_until_it_has_stored() -> None:
    log, world, table, _ = two_tables()
    with capture_logs() as said:
        live(world, HANGS_MS + PERIOD_MS)
        log.break_down()
        assert world.shard.upkeep.trouble == "the disk is full"
        log.trouble = ""
        log._changed()
        assert "hangs" in world.shard.upkeep.trouble
        refused(lambda: answer_first(world, table))
        log.mend()
    assert world.shard.upkeep.trouble == ""
    hangs = "it hangs: nothing stored for 3 s"
    assert [(one["event"], one.get("why")) for one in said] == [
        ("store failing", hangs),
        ("store failing", "the disk is full"),
        ("store failing", hangs),
        ("store recovered", None),
    ]


async def test_durable_who_waits_for_a_store_that_hangs_is_told() -> None:
    log, world, _, _ = two_tables()
    waiter = asyncio.ensure_future(world.shard.committed())
    await asyncio.sleep(0)
    live(world, HANGS_MS + PERIOD_MS)
    with pytest.raises(Unavailable) as error:
        await waiter
    assert error.value.reason is Reason.STORE_UNAVAILABLE
    log.store()


# Restarts -----------------------------------------------------------------------------------------


def test_fair_nobody_loses_time_for_an_outage() -> None:
    world = World()
    table, tickets = world.start(clock=BASE)
    decision = world.to_turns(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(4_000)
    world.clock.advance(86_400_000)
    world.restart()
    table = world.find()
    world.clock.advance(9_999)  # of the grace for coming back
    world.shard.tick()
    (again,) = asked(table)
    assert again.id == decision.id
    assert [left for _, left, _ in table.match.timing.shown(world.clock.now)] == [10_000] * 3
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(2_000)
    submit(world.shard, table, again.seat, again.id, move_of(table, again))
    assert [left for _, left, _ in table.match.rest()][again.seat] == 8_000


def test_fair_a_seat_that_does_not_come_back_runs_out_of_time_behind_the_grace() -> None:
    world = World()
    table, _ = world.start(clock=BASE)
    decision = world.to_turns(table)
    world.restart()
    table = world.find()
    world.clock.advance(10_000 + 9_999)
    world.shard.tick()
    assert [one.id for one in asked(table)] == [decision.id]
    world.clock.advance(1)
    world.shard.tick()
    assert [one.id for one in asked(table)] != [decision.id]


def test_fair_time_used_before_a_drain_counts_and_the_outage_does_not() -> None:
    world = World()
    table, tickets = world.start(clock=BASE)
    decision = world.to_turns(table)
    feed = world.watch(table, tickets[decision.seat])
    world.take(feed)
    world.clock.advance(4_000)
    world.shard.drain()
    assert end_of(world.take(feed)) is not None
    world.clock.advance(86_400_000)
    world.restart()
    table = world.find()
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(1_000)
    (again,) = asked(table)
    submit(world.shard, table, again.seat, again.id, move_of(table, again))
    assert [left for _, left, _ in table.match.rest()][again.seat] == 5_000


def test_fair_a_window_begins_anew_after_a_restart() -> None:
    world = World()
    table, _ = world.start(clock=ClockSpec(window_ms=700))
    assert table.match.window_open
    world.clock.advance(600)
    world.restart()
    table = world.find()
    world.clock.advance(10_000 + 699)
    world.shard.tick()
    assert table.match.window_open
    world.clock.advance(1)
    world.shard.tick()
    assert not table.match.window_open


def test_resumable_a_stream_goes_on_behind_its_last_event() -> None:
    world = World()
    table, tickets = world.start(options={"deals": 3})
    world.play(table, lambda: table.match.state.deal == 3)
    for _ in range(3):
        world.step(table)
    feed = world.watch(table, tickets[0], mode=2)
    (first, *_) = world.take(feed)
    after, kept_from = first.snapshot.sequence - 5, table.journal.kept_from
    plain = [row.public for row in table.journal.since(after, table.journal.committed)]
    world.restart()
    table = world.find()
    assert table.journal.kept_from == kept_from > 1
    found = world.take(world.watch(table, tickets[0], mode=2, epoch=1, after=after))
    assert kinds(found)[0] == "resumed"
    events = [one.event for one in found if one.HasField("event")]
    assert [one.sequence for one in events] == list(range(after + 1, table.journal.sequence + 1))
    for one in events:
        one.ClearField("private_part")
    assert [one.SerializeToString(deterministic=True) for one in events] == plain
    found = world.take(world.watch(table, tickets[0], mode=2, epoch=1, after=kept_from - 2))
    assert kinds(found)[:2] == ["reset", "snapshot"]
    with pytest.raises(CroupierError) as error:
        world.watch(table, tickets[0], epoch=1, after=table.journal.sequence + 1)
    assert error.value.reason is Reason.SEQUENCE_AHEAD


class RestoredLog(MemoryLog):
    """A log that was restored from a backup, which raises the epoch of its tables."""

    async def load(self, table_id: str) -> StoredTable | None:
        stored = await super().load(table_id)
        return stored and stored._replace(epoch=7)


def test_resumable_a_restored_backup_resets_every_stream() -> None:
    world = World(RestoredLog())
    table, tickets = world.start()
    world.play(table, lambda: table.match.state.deal == 2)
    world.restart()
    table = world.find()
    found = world.take(world.watch(table, tickets[0], mode=2, epoch=1, after=9_999))
    assert kinds(found)[:2] == ["reset", "snapshot"]
    assert found[1].snapshot.table.table_epoch == 7
    world.step(table)
    assert [row.epoch for row in world.rows("table-1")][-1] == 7
    world.play(table)
    assert world.record("table-1") is not None


def test_a_table_that_is_still_to_come_is_said_to_be_recovering() -> None:
    world = World()
    world.start()
    second, tickets = world.start()
    world.shard = world.new_shard()
    begun = world.shard.begin()
    with pytest.raises(StopIteration):
        begun.send(None)
    caller = Caller(ticket=tickets[0])
    calls: list[Callable[[], object]] = [
        lambda: world.find("table-2"),
        lambda: world.find("never-was"),
        world.shard.list_tables,
        world.shard.watch_lobby,
        lambda: world.shard.leave(caller, "table-2"),
        lambda: world.shard.join(caller, JoinTable("table-2")),
        lambda: world.shard.create_table(Caller(), request(request_id="again")),
    ]
    for call in calls:
        with pytest.raises(Unavailable) as error:
            call()
        assert error.value.reason is Reason.TABLE_RECOVERING
        assert error.value.retry_ms > 0
    new = world.create()
    assert new.number > second.number
    with pytest.raises(StopIteration):
        world.shard.recover().send(None)
    assert [table.number for table in world.shard.list_tables().tables] == [3, 2, 1]
    assert world.find("table-2").status is Status.PLAYING
    with pytest.raises(CroupierError) as missing:
        world.find("never-was")
    assert missing.value.reason is Reason.NOT_FOUND
