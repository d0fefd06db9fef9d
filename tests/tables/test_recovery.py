"""Durable: a start that meets something else: a store in trouble, a damaged deal, a drain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from structlog.testing import capture_logs

from croupier_server.errors import CroupierError, NotAllowed, Reason, Unavailable
from croupier_server.storage.base import Done, LogRow, StoredTable
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.house_seats import HouseSeats
from croupier_server.tables.durability import recovery, replay, restore
from croupier_server.tables.durability.replay import follow
from croupier_server.tables.feeds.readers import Readers
from croupier_server.tables.match import match
from croupier_server.tables.match.delay import Delayed
from croupier_server.tables.match.journal import Journal
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.operating import Operating
from croupier_server.tables.spec import ClockSpec, JoinTable, SpectatorDelay, Status
from tests.tables.answering import submit
from tests.tables.conftest import Unforgiving
from tests.tables.test_durable import ForgetfulLog, NotingLog
from tests.tables.test_idle import IDLE_MS, has_ended
from tests.tables.world import SlowLog, World, asked, move_of, now, request


@pytest.fixture(autouse=True)
def _every_deal_can_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CARRY_EVENTS", 0)


BASE = ClockSpec(base_ms=10_000)


# Deals that are resumed ---------------------------------------------------------------------------


@pytest.mark.usefixtures("deals_resume")
@pytest.mark.parametrize("dies", [False, True])
def test_durable_time_used_before_a_drain_is_charged_once(dies: bool) -> None:
    world = World()
    table, tickets = world.start(clock=BASE)
    decision = world.to_turns(table)
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(4_000)
    world.shard.drain()
    world.restart()
    table = world.find()
    other = (decision.seat + 1) % 3
    rejoined = JoinTable("table-1", seat=other)
    world.shard.join(Caller(ticket=tickets[other]), rejoined)
    if dies:
        world.restart()
        table = world.find()
    world.take(world.watch(table, tickets[decision.seat]))
    world.clock.advance(1_000)
    (again,) = asked(table)
    assert again.id == decision.id
    submit(world.shard, table, again.seat, again.id, move_of(table, again))
    assert [left for _, left, _ in table.match.rest()][again.seat] == 5_000
    world.restart()
    assert [left for _, left, _ in world.find().match.rest()][again.seat] == 5_000


def damage(log: MemoryLog) -> None:
    """Let the last deal of the table not be resumed."""
    deals = log._tables["table-1"].deals
    deals[-1] = deals[-1]._replace(results=deals[-1].results[:-1])


def test_durable_a_deal_that_cannot_be_resumed_is_replayed_from_the_whole_log() -> None:
    """And the next one is resumed again, with the results of all deals before it."""
    log = MemoryLog()
    world = World(log)
    table, _ = world.start(options={"deals": 5})
    world.play(table, lambda: table.match.state.deal == 3)
    damage(log)
    world.restart()
    again = world.find()
    assert again.journal.sequence == table.journal.sequence
    assert again.match.state == table.match.state
    world.play(again, lambda: again.match.state.deal == 4)
    assert log._tables["table-1"].deals[-1].results == b'[0,["deal 1","deal 2","deal 3"]]'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "_log", Unforgiving())
        world.restart()
    assert world.find().match.state == again.match.state
    world.play(world.find())
    assert world.record("table-1") is not None


@pytest.mark.more
@pytest.mark.usefixtures("deals_resume")
@pytest.mark.parametrize("events", [0, 50])
def test_durable_the_rows_since_a_deal_that_can_be_resumed_are_replayed_at_most(
    monkeypatch: pytest.MonkeyPatch, events: int
) -> None:
    """Whatever the number of deals before."""
    monkeypatch.setattr(match, "CARRY_EVENTS", events)
    world = World()
    table, _ = world.start(options={"deals": 1_000})
    replayed: list[int] = []
    read = []

    def note(*args: object) -> Iterator[None]:
        replayed.append(len(args[1]))  # type: ignore[arg-type]
        return follow(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(restore, "follow", note)
    for deal in (2, 10, 1_000):
        while table.match.state.deal < deal:
            world.step(table)
        world.step(table)
        world.restart()
        before, table = table, world.find()
        assert table.match.state == before.match.state
        assert table.journal.kept == before.journal.kept
        stored = now(world.log.load("table-1"))
        assert stored is not None
        read.append(len(stored.rows))
    assert max(replayed) < 2 * events + 10
    assert replayed[-1] < events + 10
    assert max(read) < 3 * events + 40  # the first deal that can be resumed comes later
    assert read[-1] < 2 * events + 40


def test_isolated_a_table_that_cannot_be_published_harms_none_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both tables are in one batch."""
    log = SlowLog()
    world = World(log)
    tables = [world.start()[0] for _ in range(2)]
    for table in tables:
        world.to_turns(table)
    log.store()

    publish = Readers.publish

    def fail(self: Readers, table: Table) -> None:
        if table is tables[0]:
            raise RecursionError
        publish(self, table)

    monkeypatch.setattr(Readers, "publish", fail)
    for table in tables:
        (decision,) = asked(table)
        table.submit(decision.seat, decision.id, move_of(table, decision), world.clock.now)
        world.shard.commits.touch(table)
    world.shard.commits.flush()
    log.store()
    assert tables[0].is_halted
    assert tables[1].journal.committed == tables[1].journal.sequence
    assert not has_ended(tables[1])
    world.step(tables[1])
    log.store()
    assert tables[1].journal.committed == tables[1].journal.sequence


# A store that does not answer ---------------------------------------------------------------------


class SilentLog(MemoryLog):
    """A log that does not answer what it is asked for some times."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = 0

    def _answer(self) -> None:
        if self.silent:
            self.silent -= 1
            raise Unavailable(Reason.STORE_UNAVAILABLE, "the store does not respond; retry")

    async def load(self, table_id: str) -> StoredTable | None:
        self._answer()
        return await super().load(table_id)

    async def read(self, table_id: str) -> list[LogRow]:
        self._answer()
        return await super().read(table_id)


@pytest.mark.parametrize("is_damaged", [False, True])
async def test_durable_a_store_that_does_not_answer_halts_no_table(
    is_damaged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_RETRY_MS", 1)
    log = SilentLog()
    world = World(log)
    table, _ = world.start()
    world.to_turns(table)
    if is_damaged:
        damage(log)
    world.shard = world.new_shard()
    log.silent = 3
    await world.shard.begin()
    await world.shard.recover()
    assert log.silent == 0
    assert world.find().journal.sequence == table.journal.sequence


class DamagedLog(MemoryLog):
    """A log that cannot read what it has of one table."""

    async def load(self, table_id: str) -> StoredTable | None:
        if table_id == "table-2":
            raise Unavailable(Reason.STORE_UNAVAILABLE, "the store does not respond; retry")
        return await super().load(table_id)


async def test_isolated_a_table_that_the_store_cannot_read_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recovery, "_RETRY_MS", 1)
    world = World(DamagedLog())
    for _ in range(3):
        world.start()
    world.shard = world.new_shard()
    await world.shard.begin()
    await world.shard.recover()
    assert [one.number for one in world.shard.list_tables().tables] == [3, 1]
    assert world.shard.directory.recovery is not None
    assert world.shard.directory.recovery.broken == 1
    with pytest.raises(CroupierError) as error:
        world.find("table-2")
    assert error.value.reason is Reason.TABLE_HALTED
    assert "table-2" in world.logged()


class ForeignLog(MemoryLog):
    """A log in which another version has written other events of one table."""

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        unknown = b"\xa2\x06\x00"
        changed = [
            row._replace(public=row.public + unknown)
            if row.table_id == "table-2" and row.sequence > 1
            else row
            for row in rows
        ]
        super().append(changed, done)


def test_an_operator_is_told_once_what_to_do_with_tables_of_another_version() -> None:
    world = World(ForeignLog())
    for _ in range(3):
        world.start()
    with capture_logs() as log:
        world.restart()
    halted, up, told = [one for one in log if one["event"] != "deal not resumed"]
    assert (halted["event"], halted["table_id"]) == ("table halted", "table-2")
    assert (up["event"], up["tables"], up["halted"]) == ("tables restored", 2, 1)
    assert (told["event"], told["tables"]) == ("tables of another version", 1)
    assert "another version wrote the store" in told["why"]
    assert "start the version that wrote them on your backup" in told["do"]


def test_isolated_a_table_that_cannot_be_taken_up_harms_none_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.start()
    world.start()
    take_up = HouseSeats.take_up

    def fail(self: HouseSeats, table: Table) -> None:
        assert table.spec.table_id != "table-2"
        take_up(self, table)

    monkeypatch.setattr(HouseSeats, "take_up", fail)
    world.restart()
    assert world.find("table-1").status is Status.PLAYING
    with pytest.raises(CroupierError) as error:
        world.find("table-2")
    assert error.value.reason is Reason.TABLE_HALTED


def test_fair_clocks_go_on_at_a_table_that_was_taken_up_in_trouble() -> None:
    log = SlowLog()
    world = World(log)
    table, _ = world.start(clock=BASE)
    world.to_turns(table)
    log.store()
    world.shard = world.new_shard()
    now(world.shard.begin())
    log.break_down()
    now(world.shard.recover())
    (decision,) = asked(world.find())
    world.clock.advance(86_400_000)
    log.mend()
    world.shard.tick()
    assert asked(world.find()) == [decision]
    world.clock.advance(1_000 + 10_000 + 10_000)  # the retry delay, the grace, the base
    world.shard.tick()
    assert asked(world.find()) != [decision]


def test_isolated_a_table_that_is_shown_late_is_made_anew_bit_by_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What its spectators see is the whole match once more, for which nobody else waits."""
    monkeypatch.setattr(replay, "PAUSE_ROWS", 2)
    world = World()
    table, _ = world.start(delay=SpectatorDelay(1), options={"deals": 4})
    world.play(table, lambda: table.match.state.deal == 4)
    steps: list[int] = []
    advance = Delayed.advance

    def note(self: Delayed, journal: Journal, now: int) -> bool:
        before = self.sequence
        found = advance(self, journal, now)
        steps.append(self.sequence - before)
        return found

    shown, kept_from = table.delayed and table.delayed.sequence, table.journal.kept_from
    monkeypatch.setattr(Delayed, "advance", note)
    world.restart()
    again = world.find()
    assert again.delayed is not None
    assert again.delayed.sequence == shown == sum(steps)
    assert max(steps) <= 8
    assert again.journal.kept_from == kept_from > 1


# Requests -----------------------------------------------------------------------------------------


def test_durable_a_create_that_comes_again_leaves_no_rows_behind_a_finished_match() -> None:
    world = World(ForgetfulLog())
    first = world.shard.create_table(Caller(), request(request_id="one"))
    for _ in range(3):
        world.join(first.table)
    world.play(first.table)
    finish = NotingLog.finish.__get__(world.log)
    world.log.finish = finish  # type: ignore[method-assign]
    world.restart()
    again = world.shard.create_table(Caller(), request(request_id="one"))
    assert again.table.spec.table_id == "table-1"
    assert again.host_ticket
    assert not world.logged()
    with pytest.raises(CroupierError) as error:
        world.shard.abort(Caller(host_ticket=again.host_ticket), "table-1", "")
    assert error.value.reason is Reason.TABLE_CLOSED
    with pytest.raises(NotAllowed):
        world.shard.abort(Caller(host_ticket=first.host_ticket), "table-1", "")


# Time that is nobody's ----------------------------------------------------------------------------


def test_fair_time_in_which_nothing_could_be_stored_makes_no_table_idle() -> None:
    log = SlowLog()
    world = World(log, idle_ms=IDLE_MS)
    table, _ = world.start()
    log.store()
    world.shard.heartbeat()
    log.break_down()
    world.clock.advance(10 * IDLE_MS)
    world.shard.heartbeat()
    log.mend()
    world.shard.heartbeat()
    world.clock.advance(IDLE_MS - 1)
    world.shard.heartbeat()
    assert not has_ended(table)
    world.clock.advance(1)
    world.shard.heartbeat()
    assert has_ended(table)


def test_fair_a_table_whose_play_an_operator_has_stopped_is_not_idle() -> None:
    world = World(idle_ms=IDLE_MS)
    table, _ = world.start()
    operating = Operating(world.shard)
    world.shard.heartbeat()
    operating.quarantine("table-1")
    for _ in range(10):
        world.clock.advance(IDLE_MS)
        world.shard.heartbeat()
    assert not has_ended(table)
    operating.release("table-1")
    world.clock.advance(IDLE_MS - 1)
    world.shard.heartbeat()
    assert not has_ended(table)
    world.clock.advance(1)
    world.shard.heartbeat()
    assert has_ended(table)
