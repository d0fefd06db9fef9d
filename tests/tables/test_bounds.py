"""What grows with calls that do not bring a match on is bounded, table by table and key by key."""

from __future__ import annotations

import pytest

from croupier_server.errors import Conflict, CroupierError, Exhausted, Reason, Unavailable
from croupier_server.identity.keys import HOUSE, LOCAL
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.reception import ABANDONED_MS
from croupier_server.tables.match.match import REFUSALS_MAX, REFUSED_STRIKES_MAX
from croupier_server.tables.spec import Access, ClockSpec, JoinTable, SeatSpec, Status
from tests.tables.answering import submit
from tests.tables.test_lifecycle import MATCH
from tests.tables.toy_game import CARD
from tests.tables.world import World, asked, now, request

# Seats ------------------------------------------------------------------------------------------


def come_and_go(world: World, table_id: str = "table-1") -> int:
    """Join and leave until one of the two is refused; returns how often both went well."""
    for times in range(1_000):
        try:
            joined = world.shard.join(Caller(), JoinTable(table_id, seat=0))
        except Conflict as error:
            return times if error.reason is Reason.TOO_MANY_JOINS else -1
        world.shard.leave(Caller(ticket=joined.ticket), table_id)
    raise AssertionError("it goes on for ever")


def test_a_seat_is_taken_so_often_and_no_more() -> None:
    world = World(joins_max=5)
    table = world.create()
    assert come_and_go(world) == 5
    rows = len(world.rows("table-1"))
    assert rows == 1 + 2 * 5
    assert come_and_go(world) == 0
    assert len(world.rows("table-1")) == rows
    assert [world.join(table).seat for _ in range(2)] == [1, 2]  # the others are free
    with pytest.raises(Conflict) as error:
        world.join(table)
    assert error.value.reason is Reason.TOO_MANY_JOINS


def test_how_often_a_seat_was_taken_outlives_the_server() -> None:
    world = World(joins_max=5)
    world.create()
    assert come_and_go(world) == 5
    world.restart()
    assert come_and_go(world) == 0


def test_a_ticket_is_superseded_so_often_and_the_last_one_stays_good() -> None:
    world = World(joins_max=5)
    table, tickets = world.start()
    ticket = tickets[0]
    for _ in range(4):
        ticket = world.shard.join(Caller(ticket=ticket), JoinTable("table-1")).ticket
    with pytest.raises(Conflict) as error:
        world.shard.join(Caller(ticket=ticket), JoinTable("table-1"))
    assert error.value.reason is Reason.TOO_MANY_JOINS
    assert world.watch(table, ticket).seat == 0
    world.play(table)
    assert table.seats[0].epoch == 5


def test_a_join_that_is_repeated_after_restarts_is_bounded_too() -> None:
    world = World(joins_max=3)
    world.create()
    wanted = JoinTable("table-1", request_id="mine")
    for epoch in (1, 2, 3):
        assert world.shard.join(Caller(), wanted).epoch == epoch
        world.restart()
    with pytest.raises(Conflict) as error:
        world.shard.join(Caller(), wanted)
    assert error.value.reason is Reason.TOO_MANY_JOINS


def test_house_bots_come_as_often_as_they_are_sent() -> None:
    world = World(joins_max=2)
    world.create(seats=(SeatSpec(Access.HOUSE, house_bot="greedy"),))
    for epoch in range(1, 6):
        (told,) = world.house
        wanted = JoinTable("table-1", invite_code=told.invite_code)
        assert world.shard.join(Caller(HOUSE), wanted).epoch == epoch
        world.restart()


# Notes ------------------------------------------------------------------------------------------


def test_a_concession_that_is_repeated_is_stored_once() -> None:
    world = World()
    wanted = request(rated=True, deal=MATCH, options={"players": 4})
    table = world.shard.create_table(Caller("key-0"), wanted).table
    for seat in range(4):
        world.shard.join(Caller(f"key-{seat}"), JoinTable("table-1"))
    assert not world.shard.concede(table, 0)
    rows = len(world.rows("table-1"))
    for _ in range(50):
        assert not world.shard.concede(table, 0)
    assert len(world.rows("table-1")) == rows
    assert world.shard.concede(table, 2)


def test_strikes_for_refusals_on_one_decision_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.tables.match.match.REFUSED_STRIKES_MAX", 3)
    world = World()
    table, _ = world.start(clock=ClockSpec(max_strikes=0))
    decision = world.to_turns(table)
    before = len(world.rows("table-1"))
    for _ in range(10 * REFUSALS_MAX):
        with pytest.raises(CroupierError):
            submit(world.shard, table, decision.seat, decision.id, CARD + 99)
    assert len(world.rows("table-1")) == before + 3
    world.play(table)
    assert table.status is Status.ENDED


def test_so_many_strikes_are_enough_for_any_table() -> None:
    """The contract lets a table have a thousand."""
    assert REFUSED_STRIKES_MAX == 1_000


# Tables of a key --------------------------------------------------------------------------------


def make(world: World, who: str) -> str:
    return world.shard.create_table(Caller(who), request()).table.spec.table_id


def refusal(world: World, who: str) -> Reason:
    with pytest.raises(CroupierError) as error:
        make(world, who)
    return error.value.reason


def test_tables_that_are_still_to_be_taken_up_count_too() -> None:
    world = World(own_tables_max=3)
    for who in ("ann", "ann", "bob"):
        make(world, who)
    world.shard = world.new_shard()
    now(world.shard.begin())
    with pytest.raises(Unavailable) as error:
        make(world, "ann")
    assert error.value.reason is Reason.TABLE_RECOVERING
    assert error.value.retry_ms
    now(world.shard.recover())
    make(world, "ann")
    assert refusal(world, "ann") is Reason.TOO_MANY_TABLES
    make(world, "bob")


def test_whoever_has_room_for_all_of_them_makes_tables_meanwhile() -> None:
    world = World(own_tables_max=5)
    for who in ("ann", "ann", "bob"):
        make(world, who)
    world.shard = world.new_shard()
    now(world.shard.begin())
    for _ in range(2):
        make(world, "cat")
    assert refusal(world, "cat") is Reason.TABLE_RECOVERING


def test_tables_that_have_ended_or_were_given_up_count_no_more() -> None:
    world = World(own_tables_max=2, ended_max=1)
    for _ in range(5):
        name = make(world, "ann")
        table = world.find(name)
        table.abort("", world.clock.now)
        world.shard.done(table)
    names = [make(world, "ann") for _ in range(2)]
    assert refusal(world, "ann") is Reason.TOO_MANY_TABLES
    assert world.shard.directory.made_by("ann") == 2
    world.shard.directory.drop(world.find(names[0]))
    assert world.shard.directory.made_by("ann") == 1
    make(world, "ann")
    assert refusal(world, "ann") is Reason.TOO_MANY_TABLES


@pytest.mark.attack
def test_one_client_without_a_key_cannot_fill_the_server() -> None:
    """Tables at which nobody is give way, the oldest first; those of who is there do not."""
    world = World(tables_max=4)
    honest, tickets = world.start()
    for ticket in tickets:
        world.watch(honest, ticket)
    left = world.create()
    world.join(left)
    world.start()
    world.create()
    with pytest.raises(Exhausted) as error:
        world.create()
    assert error.value.reason is Reason.TOO_MANY_TABLES
    world.clock.advance(ABANDONED_MS)
    for _ in range(5):
        made = world.create()
        world.shard.commits.flush()
        assert (made.status, honest.status) == (Status.OPEN, Status.PLAYING)
        assert world.shard.directory.live == 4
        world.clock.advance(ABANDONED_MS)
    assert left.status is Status.ENDED


@pytest.mark.attack
def test_house_bots_do_not_keep_a_table_that_was_abandoned() -> None:
    world = World(tables_max=1)
    left = world.create(seats=(SeatSpec(Access.HOUSE, house_bot="greedy"),))
    (invited,) = world.house
    house = Caller(HOUSE)
    joined = world.shard.join(house, JoinTable("table-1", invite_code=invited.invite_code))
    world.shard.commits.flush()
    caller = house._replace(ticket=joined.ticket)
    world.shard.watch_seat(caller, left, epoch=0, after=0, mode=1)
    world.clock.advance(ABANDONED_MS)
    world.create()
    assert left.status is Status.ENDED


@pytest.mark.attack
def test_tables_of_who_has_a_key_never_give_way() -> None:
    world = World(tables_max=2)
    for who in ("ann", "bob"):
        make(world, who)
    world.clock.advance(ABANDONED_MS)
    assert refusal(world, "cat") is Reason.TOO_MANY_TABLES


def test_a_match_needs_each_seat_taken_once() -> None:
    world = World(joins_max=1)
    table, _ = world.start()
    assert asked(table)
    world.play(table)
    assert table.status is Status.ENDED


# House bots of a key ----------------------------------------------------------------------------

THINKER = SeatSpec(Access.HOUSE, house_bot="search")


def make_with_house(world: World, who: str, seats: int) -> str:
    wanted = request(seats=(THINKER,) * seats)
    return world.shard.create_table(Caller(who), wanted).table.spec.table_id


def house_refusal(world: World, who: str, seats: int) -> Reason:
    with pytest.raises(CroupierError) as error:
        make_with_house(world, who, seats)
    return error.value.reason


@pytest.mark.attack
def test_a_principal_has_so_many_seats_of_house_bots() -> None:
    world = World(house_seats_max=3)
    names = [make_with_house(world, "ann", seats) for seats in (2, 1)]
    assert house_refusal(world, "ann", 1) is Reason.TOO_MANY_HOUSE_SEATS
    make_with_house(world, "bob", 2)
    make(world, "ann")
    table = world.find(names[1])
    table.abort("", world.clock.now)
    world.shard.done(table)
    assert house_refusal(world, "ann", 2) is Reason.TOO_MANY_HOUSE_SEATS
    make_with_house(world, "ann", 1)


@pytest.mark.attack
def test_a_principal_has_so_many_tables_with_house_bots_alone() -> None:
    world = World(house_tables_max=1)
    seats = len(world.find(make(world, "ann")).spec.seats)
    make_with_house(world, "ann", seats)
    assert house_refusal(world, "ann", seats) is Reason.TOO_MANY_HOUSE_SEATS
    make_with_house(world, "ann", seats - 1)
    make_with_house(world, "bob", seats)


def test_without_keys_any_number_of_house_bots_is_fine() -> None:
    """There everybody is the same principal."""
    world = World(house_seats_max=1, house_tables_max=1)
    seats = len(world.find(make(world, "ann")).spec.seats)
    for _ in range(3):
        make_with_house(world, LOCAL, seats)


@pytest.mark.attack
def test_house_bots_of_tables_that_are_still_to_be_taken_up_count_too() -> None:
    world = World(house_seats_max=3)
    for _ in range(3):
        make_with_house(world, "ann", 1)
    world.shard = world.new_shard()
    now(world.shard.begin())
    assert house_refusal(world, "ann", 1) is Reason.TABLE_RECOVERING
    now(world.shard.recover())
    assert house_refusal(world, "ann", 1) is Reason.TOO_MANY_HOUSE_SEATS
