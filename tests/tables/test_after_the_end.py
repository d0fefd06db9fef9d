"""What callers get for matches that ended a while ago, and for calls repeated after a restart."""

from __future__ import annotations

import pytest

from croupier_server.errors import Conflict, CroupierError, NotAllowed, NotFound, Reason
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory import directory
from croupier_server.tables.directory.tickets import seat_at
from croupier_server.tables.spec import Access, DealKind, DealSource, JoinTable, SeatSpec
from tests.tables.world import World, request

BOARD = DealSource(DealKind.BOARD, root=bytes(32), tables=2)
TOKEN = "0123456789abcdef01234567"


def told(world: World, table_id: str, ticket: str = "") -> CroupierError:
    """What a call with this ticket is refused with."""
    with pytest.raises(CroupierError) as error:
        seat_at(Caller(ticket=ticket), world.shard.table, table_id)
    return error.value


def is_like_nothing(error: CroupierError) -> bool:
    return (error.reason, dict(error.metadata)) == (Reason.TICKET_INVALID, {})


@pytest.mark.fault
@pytest.mark.parametrize("restarted", [False, True])
def test_a_match_that_has_ended_names_its_record(restarted: bool) -> None:
    world = World(ended_max=0)
    table, tickets = world.start()
    world.play(table)
    if restarted:
        world.restart()
    for ticket in (tickets[0], "", "made up"):  # whoever plays may read records
        error = told(world, "table-1", ticket)
        assert isinstance(error, Conflict)
        assert (error.reason, dict(error.metadata)) == (
            Reason.TABLE_CLOSED,
            {"record_table_id": "table-1"},
        )
    assert world.record("table-1") is not None
    with pytest.raises(NotFound):
        world.shard.join(Caller(), JoinTable("table-1"))
    with pytest.raises(NotAllowed) as refused:
        world.shard.abort(Caller(), "table-1", "")
    assert refused.value.reason is Reason.PERMISSION_DENIED


@pytest.mark.fault
@pytest.mark.parametrize("restarted", [False, True])
def test_without_a_record_it_is_like_a_table_that_never_was(restarted: bool) -> None:
    world = World(ended_max=0)
    created = world.shard.create_table(Caller(), request())
    joined = world.join(created.table)
    world.shard.abort(Caller(host_ticket=created.host_ticket), "table-1", "")
    if restarted:
        world.restart()
    assert is_like_nothing(told(world, "table-1", joined.ticket))
    assert is_like_nothing(told(world, "table-9", joined.ticket))


@pytest.mark.fault
@pytest.mark.parametrize("restarted", [False, True])
def test_a_table_of_a_board_is_named_when_the_board_is_done(restarted: bool) -> None:
    world = World(ended_max=0)
    for table_id in ("table-1", "table-2"):
        created = world.shard.create_table(
            Caller(), request(deal=BOARD, seats=(SeatSpec(Access.RESERVED),) * 3)
        )
        for code in created.invite_codes:
            world.join(created.table, invite_code=code)
        world.play(created.table)
        if restarted:
            world.restart()
        is_done = table_id == "table-2"
        assert is_like_nothing(told(world, "table-1")) is not is_done
    assert told(world, "table-1").reason is Reason.TABLE_CLOSED


@pytest.mark.parametrize("restarted", [False, True])
def test_the_newest_records_are_known(monkeypatch: pytest.MonkeyPatch, restarted: bool) -> None:
    monkeypatch.setattr(directory, "RECORDED_MAX", 2)
    monkeypatch.setattr("croupier_server.tables.shard.shard.RECORDED_MAX", 2)
    world = World(ended_max=0)
    for _ in range(3):
        table, _ = world.start()
        world.play(table)
    if restarted:
        world.restart()
    known = [not is_like_nothing(told(world, f"table-{number}")) for number in (1, 2, 3)]
    assert known == [False, True, True]


@pytest.mark.fault
def test_a_repeated_request_gets_new_secrets_after_a_restart_and_ends_the_old_ones() -> None:
    """Only hashes are stored, so the first ones cannot be repeated."""
    world = World()
    creating, joining = request(request_id=TOKEN), JoinTable("table-1", request_id=TOKEN)
    first = world.shard.create_table(Caller(), creating)
    sat = world.shard.join(Caller(), joining)
    world.restart()
    again = world.shard.create_table(Caller(), creating)
    assert again.table.spec.table_id == "table-1"
    assert again.host_ticket != first.host_ticket
    sat_again = world.shard.join(Caller(), joining)
    assert (sat_again.seat, sat_again.epoch) == (sat.seat, sat.epoch + 1)
    assert told(world, "table-1", sat.ticket).reason is Reason.TICKET_SUPERSEDED
    with pytest.raises(NotAllowed):
        world.shard.abort(Caller(host_ticket=first.host_ticket), "table-1", "")
    for _ in range(2):
        assert world.shard.create_table(Caller(), creating)[1:] == again[1:]
        assert world.shard.join(Caller(), joining)[1:] == sat_again[1:]
