"""Decision ids in a table's second life: its store was restored from a backup, and events that
clients had seen were lost."""

from __future__ import annotations

import pytest

from croupier_server.errors import CroupierError, Reason, StaleDecision
from croupier_server.storage.base import StoredTable
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.clocks import decisions
from croupier_server.tables.clocks.decisions import Decision, Name
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import ClockSpec
from tests.tables.answering import submit
from tests.tables.world import World, asked, move_of

pytestmark = pytest.mark.fault

EPOCH = 1_795_000_000


class RestoredLog(MemoryLog):
    """A log that may be restored from a copy of itself."""

    epoch = 0

    async def load(self, table_id: str) -> StoredTable | None:
        stored = await super().load(table_id)
        return stored and stored._replace(epoch=max(self.epoch, stored.epoch))


def playing(**changes: object) -> tuple[World, Table]:
    world = World(RestoredLog())
    table, _ = world.start(**changes)
    world.to_turns(table)
    return world, table


def backup_of(world: World) -> RestoredLog:
    """What is stored now."""
    copy = RestoredLog()
    copy.append(world.rows("table-1"), lambda _: None)
    return copy


def restored(world: World, backup: RestoredLog, epoch: int = EPOCH) -> Table:
    """The table as it was when *backup* was made, in its next life."""
    backup.epoch = epoch
    world.log = backup
    world.records = backup.records
    world.restart()
    return world.find()


def reason(world: World, table: Table, decision: Decision, decision_id: str) -> Reason:
    with pytest.raises(CroupierError) as error:
        submit(world.shard, table, decision.seat, decision_id, move_of(table, decision))
    return error.value.reason


def test_durable_a_retry_from_before_a_restore_answers_no_other_question() -> None:
    world, table = playing()
    backup = backup_of(world)
    world.step(table)
    (lost,) = asked(table)
    table = restored(world, backup)
    world.step(table)
    (decision,) = asked(table)
    assert decision.name[:2] == lost.name[:2]
    assert decision.id == f"{lost.id}-{EPOCH}"
    sequence = table.journal.sequence
    with pytest.raises(StaleDecision, match=f"epoch 1, .* epoch {EPOCH}"):
        submit(world.shard, table, lost.seat, lost.id, move_of(table, decision))
    assert table.journal.sequence == sequence
    assert decision.refusals == 0
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))


def test_durable_the_question_that_a_restore_finds_open_is_another_one_too() -> None:
    """It may have been answered since the backup was made."""
    world, table = playing()
    (before,) = asked(table)
    backup = backup_of(world)
    table = restored(world, backup)
    (decision,) = asked(table)
    assert decision.id != before.id
    assert reason(world, table, decision, before.id) is Reason.STALE_DECISION
    submit(world.shard, table, decision.seat, decision.id, move_of(table, decision))


def test_durable_an_answer_from_before_the_backup_is_still_known() -> None:
    world, table = playing()
    (before,) = asked(table)
    move = move_of(table, before)
    accepted = submit(world.shard, table, before.seat, before.id, move)
    table = restored(world, backup_of(world))
    assert submit(world.shard, table, before.seat, before.id, move) == accepted


@pytest.mark.parametrize("epoch", ["0", "2", str(EPOCH + 1), f"0{EPOCH}", "-1", "x", ""])
def test_durable_an_id_of_no_life_is_unknown(epoch: str) -> None:
    world, table = playing()
    table = restored(world, backup_of(world))
    (decision,) = asked(table)
    place = f"{decision.sequence}-{decision.seat}"
    expected = {Reason.UNKNOWN_DECISION}
    if epoch in ("0", "2"):
        expected.add(Reason.STALE_DECISION)  # an earlier life, though there was none
    assert reason(world, table, decision, f"{place}-{epoch}") in expected


def test_durable_several_lives_replay_and_end_in_a_record() -> None:
    """Rows hold the ids that they were written with; an ordinary restart changes none."""
    world, table = playing(options={"deals": 3})
    world.step(table)
    for epoch in (EPOCH, EPOCH + 1, EPOCH + 2):
        table = restored(world, backup_of(world), epoch)
        answers = []
        for _ in range(3):
            decision = asked(table)[0]
            move = move_of(table, decision)
            accepted = submit(world.shard, table, decision.seat, decision.id, move)
            answers.append((decision.seat, decision.id, move, accepted))
        before = [one.id for one in asked(table)]
        world.restart()
        table = world.find()
        assert [one.id for one in asked(table)] == before
        assert all(one.endswith(f"-{epoch}") for one in before)
        for seat, decision_id, move, accepted in answers:
            assert submit(world.shard, table, seat, decision_id, move) == accepted
    world.play(table)
    assert world.record("table-1") is not None


def test_durable_a_log_of_an_earlier_version_in_a_later_life_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its ids do not say the epoch, whatever that is."""
    world, table = playing()
    with monkeypatch.context() as earlier:
        earlier.setattr(decisions, "id_of", lambda sequence, seat, _: f"{sequence}-{seat}")
        table = restored(world, backup_of(world))
        (before,) = asked(table)
        assert before.id == f"{before.sequence}-{before.seat}"
        move = move_of(table, before)
        accepted = submit(world.shard, table, before.seat, before.id, move)
    world.restart()
    table = world.find()
    assert submit(world.shard, table, before.seat, before.id, move) == accepted
    (decision,) = asked(table)
    assert decision.id.endswith(f"-{EPOCH}")
    world.play(table)
    assert world.record("table-1") is not None


def test_fair_time_used_before_a_backup_counts_in_the_next_life() -> None:
    world, table = playing(clock=ClockSpec(base_ms=60_000))
    (decision,) = asked(table)
    world.clock.advance(50 + 4_000)
    world.shard.drain()
    assert isinstance(world.log, RestoredLog)
    table = restored(world, world.log)
    (decision,) = asked(table)
    assert table.match.timing.used_ms(decision, world.clock.now) == 4_000


@pytest.mark.parametrize(
    "decision_id",
    ["", "-", "1", "1-", "-1", "1-2-", "1-2-3-4", "01-2", "1-2-03", "1-2-1", "1-٢", f"{1 << 32}-1"],
)
def test_what_is_no_name_is_read_as_none(decision_id: str) -> None:
    assert Name.read(decision_id) is None


@pytest.mark.parametrize("name", [Name(1, 0), Name(77, 3), Name(12, 2, 7), Name(4, 1, EPOCH)])
def test_a_name_is_read_as_it_was_written(name: Name) -> None:
    assert Name.read(str(name)) == name
