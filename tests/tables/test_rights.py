"""Who may act: tickets are bound to principals, and principals to so many seats and tables."""

from __future__ import annotations

import pytest

from croupier_server.errors import Conflict, CroupierError, Exhausted, NotAllowed, Reason
from croupier_server.identity.keys import HOUSE
from croupier_server.tables.caller import Caller
from croupier_server.tables.spec import Access, DealKind, DealSource, JoinTable, SeatSpec, Status
from tests.tables.world import World, request

HELD = SeatSpec(Access.INVITED)
ANN, BOB = Caller("ann"), Caller("bob")


def reason(caught: pytest.ExceptionInfo[CroupierError]) -> Reason:
    return caught.value.reason


def test_a_ticket_is_good_for_the_principal_that_joined_alone() -> None:
    world = World()
    table = world.create()
    ticket = world.shard.join(ANN, JoinTable("table-1")).ticket
    stolen, own = BOB._replace(ticket=ticket), ANN._replace(ticket=ticket)
    for thief in (stolen, Caller(ticket=ticket)):
        with pytest.raises(NotAllowed) as caught:
            world.shard.watch_seat(thief, table, epoch=0, after=0, mode=1)
        assert reason(caught) is Reason.TICKET_INVALID
        with pytest.raises(NotAllowed) as caught:
            world.shard.leave(thief, "table-1")
        assert reason(caught) is Reason.TICKET_INVALID
    world.shard.watch_seat(own, table, epoch=0, after=0, mode=1)
    world.shard.leave(own, "table-1")
    assert not table.seats[0].player


def test_only_its_principal_learns_that_a_ticket_was_superseded() -> None:
    world = World()
    table = world.create()
    old = world.shard.join(ANN, JoinTable("table-1")).ticket
    world.shard.join(ANN._replace(ticket=old), JoinTable("table-1"))
    for caller, word in ((ANN, Reason.TICKET_SUPERSEDED), (BOB, Reason.TICKET_INVALID)):
        with pytest.raises(NotAllowed) as caught:
            world.shard.watch_seat(caller._replace(ticket=old), table, epoch=0, after=0, mode=1)
        assert reason(caught) is word


def test_a_host_ticket_is_good_for_the_principal_that_made_the_table_alone() -> None:
    world = World()
    made = world.shard.create_table(ANN, request())
    for thief in (BOB, Caller()):
        with pytest.raises(NotAllowed) as caught:
            world.shard.abort(thief._replace(host_ticket=made.host_ticket), "table-1", "")
        assert reason(caught) is Reason.PERMISSION_DENIED
    table = world.shard.abort(ANN._replace(host_ticket=made.host_ticket), "table-1", "")
    assert table.status is Status.ENDED


@pytest.mark.parametrize("table_id", ["table-1", "nowhere"])
def test_nobody_learns_whether_a_table_is_there_that_is_not_theirs(table_id: str) -> None:
    world = World()
    world.create()
    with pytest.raises(CroupierError) as seat:
        world.shard.leave(ANN._replace(ticket="x" * 43), table_id)
    with pytest.raises(CroupierError) as host:
        world.shard.abort(ANN._replace(host_ticket="x" * 43), table_id, "")
    told = [(e.value.reason, e.value.message, e.value.field) for e in (seat, host)]
    assert told == [
        (Reason.TICKET_INVALID, "no ticket for a seat at such a table", ""),
        (Reason.PERMISSION_DENIED, "the host ticket of such a table is needed", ""),
    ]


@pytest.mark.parametrize("rated", [True, False])
def test_a_rated_table_gives_a_principal_one_seat_whatever_codes_it_has(rated: bool) -> None:
    world = World()
    made = world.shard.create_table(
        ANN, request(seats=(HELD, HELD, HELD), rated=rated, deal=DealSource(DealKind.MATCH))
    )
    codes = made.invite_codes

    def join(seat: int) -> None:
        world.shard.join(BOB, JoinTable("table-1", invite_code=codes[seat]))

    join(0)
    join(0)  # the same seat again
    if not rated:
        join(1)
        return
    with pytest.raises(Conflict) as caught:
        join(1)
    assert reason(caught) is Reason.SEAT_TAKEN


def test_house_bots_may_sit_in_several_seats_of_a_rated_table() -> None:
    world = World()
    house = SeatSpec(Access.HOUSE, house_bot="greedy")
    made = world.shard.create_table(
        ANN, request(seats=(house, house), rated=True, deal=DealSource(DealKind.MATCH))
    )
    for one in world.house:
        world.shard.join(Caller(HOUSE), JoinTable("table-1", invite_code=one.invite_code))
    assert [seat.principal for seat in made.table.seats] == [HOUSE, HOUSE, ""]


def test_a_principal_has_so_many_tables_and_no_more() -> None:
    world = World(tables_per_key=2)
    made = [world.shard.create_table(ANN, request()) for _ in range(2)]
    with pytest.raises(Exhausted) as caught:
        world.shard.create_table(ANN, request())
    assert (reason(caught), caught.value.retry_ms) == (Reason.TOO_MANY_TABLES, 1_000)
    world.shard.create_table(BOB, request())
    for _ in range(3):
        world.shard.create_table(Caller(), request())
    host = ANN._replace(host_ticket=made[0].host_ticket)
    world.shard.abort(host, made[0].table.spec.table_id, "")
    world.shard.create_table(ANN, request())
