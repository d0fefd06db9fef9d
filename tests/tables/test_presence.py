"""Players who go away: the table waits, or they forfeit, or a house bot takes over."""

from __future__ import annotations

import pytest

from croupier.v1 import game_pb2
from croupier_server.errors import Conflict, NotAllowed, Reason
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import Player
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.reception import HOUSE_KIND
from croupier_server.tables.durability import outages
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    ClockSpec,
    JoinTable,
    SeatSpec,
    StartMode,
    Status,
)
from tests.tables.test_lifecycle import MATCH
from tests.tables.world import World, asked, move_of, request

AWAY_MS = 1_000
CLOCKED = ClockSpec(base_ms=10**9)


def seated(absence: AbsencePolicy, **changes: object) -> tuple[World, Table, list[str]]:
    """A table at its turns; every seat has a stream."""
    world = World(away_ms=AWAY_MS)
    table, tickets = world.start(absence=absence, **changes)
    for ticket in tickets:
        world.watch(table, ticket)
    world.to_turns(table)
    return world, table, tickets


def pass_time(world: World, milliseconds: int) -> None:
    world.clock.advance(milliseconds)
    world.shard.tick()


def leave(table: Table, seat: int) -> None:
    watcher = table.seat_watchers[seat]
    assert watcher is not None
    watcher.close()  # type: ignore[attr-defined]


def result_of(table: Table) -> game_pb2.MatchResult:
    return game_pb2.MatchResult.FromString(table.result or b"")


def test_a_table_that_waits_waits() -> None:
    world, table, _ = seated(AbsencePolicy.WAIT)
    for seat in range(3):
        leave(table, seat)
    pass_time(world, 10 * AWAY_MS)
    assert table.status is Status.PLAYING


def test_a_seat_that_stays_away_forfeits() -> None:
    world, table, _ = seated(AbsencePolicy.FORFEIT, clock=CLOCKED)
    world.clock.advance(300)
    leave(table, 2)
    pass_time(world, AWAY_MS - 1)
    assert table.status is Status.PLAYING
    pass_time(world, 1)
    result = result_of(table)
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_FORFEIT, 2)
    assert result.detail == "away for too long"


def test_a_seat_that_comes_back_in_time_has_lost_nothing() -> None:
    world, table, tickets = seated(AbsencePolicy.FORFEIT, clock=CLOCKED)
    for _ in range(4):
        leave(table, 2)
        pass_time(world, AWAY_MS - 1)
        world.watch(table, tickets[2])
        pass_time(world, 5 * AWAY_MS)
    assert table.status is Status.PLAYING


def test_calls_are_a_sign_of_life() -> None:
    world, table, _ = seated(AbsencePolicy.FORFEIT, clock=CLOCKED)
    leave(table, 0)
    for _ in range(5):
        pass_time(world, AWAY_MS - 1)
        world.shard.heard_of(table, 0)
    assert table.status is Status.PLAYING
    pass_time(world, AWAY_MS)
    assert result_of(table).seat_at_fault == 0


def test_a_turn_that_waits_for_ever_is_absence_where_there_is_no_clock() -> None:
    world, table, _ = seated(AbsencePolicy.FORFEIT)
    decision = asked(table)[0]
    pass_time(world, AWAY_MS - 1)
    assert table.status is Status.PLAYING
    pass_time(world, 1)
    assert result_of(table).seat_at_fault == decision.seat


@pytest.mark.attack
@pytest.mark.parametrize("absence", [AbsencePolicy.FORFEIT, AbsencePolicy.HOUSE_BOT])
def test_joining_again_is_a_sign_of_life_and_answers_no_turn(absence: AbsencePolicy) -> None:
    """Or a player who must lose could keep the table waiting for ever, with a call now and then."""
    world, table, tickets = seated(absence)
    seat = asked(table)[0].seat
    pass_time(world, AWAY_MS - 1)
    world.shard.join(Caller(ticket=tickets[seat]), JoinTable("table-1"))
    pass_time(world, 1)
    if absence is AbsencePolicy.FORFEIT:
        assert result_of(table).seat_at_fault == seat
        return
    (house,) = [one for one in world.house if one.seat == seat]
    world.join(table, invite_code=house.invite_code, player="house")
    assert table.seats[seat].player == Player("house", kind=HOUSE_KIND)


def test_a_sealed_window_makes_nobody_absent() -> None:
    """It would show who was asked."""
    world = World(away_ms=AWAY_MS)
    table, tickets = world.start(absence=AbsencePolicy.FORFEIT)
    for ticket in tickets:
        world.watch(table, ticket)
    assert table.match.window_open
    pass_time(world, 10 * AWAY_MS)
    assert table.status is Status.PLAYING


def test_a_house_bot_takes_over() -> None:
    world, table, tickets = seated(AbsencePolicy.HOUSE_BOT)
    seat = asked(table)[0].seat
    other = (seat + 1) % 3
    leave(table, other)
    pass_time(world, AWAY_MS)
    assert sorted(one.seat for one in world.house) == sorted([seat, other])
    for house in world.house:
        assert house.bot == "greedy"
        joined = world.join(table, invite_code=house.invite_code, player="house")
        assert joined.seat == house.seat
    assert table.seats[other].player == Player("house", kind=HOUSE_KIND)
    with pytest.raises(NotAllowed) as error:
        world.watch(table, tickets[other])
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    assert table.status is Status.PLAYING


def test_a_bot_is_given_as_long_to_come_and_is_sent_for_again() -> None:
    world, table, _ = seated(AbsencePolicy.HOUSE_BOT, clock=CLOCKED)
    leave(table, 1)
    pass_time(world, AWAY_MS)
    pass_time(world, AWAY_MS - 1)
    assert len(world.house) == 1
    pass_time(world, 1)
    assert [one.seat for one in world.house] == [1, 1]
    with pytest.raises(NotAllowed):
        world.join(table, invite_code=world.house[0].invite_code)
    world.join(table, invite_code=world.house[1].invite_code)


def relieved(world: World, table: Table, seat: int) -> str:
    """The code by which a house bot may take *seat*, whose player has gone away."""
    leave(table, seat)
    pass_time(world, AWAY_MS)
    assert [one.seat for one in world.house].count(seat) == 1
    return next(one.invite_code for one in world.house if one.seat == seat)


def test_isolated_a_player_takes_the_seat_back_by_the_ticket_that_was_replaced() -> None:
    world, table, tickets = seated(AbsencePolicy.HOUSE_BOT, clock=CLOCKED)
    code = relieved(world, table, 1)
    world.join(table, invite_code=code, player="house")
    bot = world.join(table, invite_code=code, player="house")  # of a house process that follows
    with pytest.raises(Conflict) as started:  # as without a ticket
        world.shard.join(Caller("other", ticket=tickets[1]), JoinTable("table-1"))
    assert started.value.reason is Reason.TABLE_STARTED
    back = world.shard.join(Caller(ticket=tickets[1]), JoinTable("table-1", player=Player("me")))
    assert (back.seat, table.seats[1].player) == (1, Player("me"))
    world.watch(table, back.ticket)
    for old in (tickets[1], bot.ticket):
        with pytest.raises(NotAllowed) as error:
            world.shard.join(Caller(ticket=old), JoinTable("table-1"))
        assert error.value.reason is Reason.TICKET_SUPERSEDED
    with pytest.raises(NotAllowed) as error:
        world.join(table, invite_code=code)
    assert error.value.reason is Reason.SEAT_RESERVED


def test_private_a_player_who_is_away_holds_its_one_seat_of_a_rated_table() -> None:
    world = World(away_ms=AWAY_MS)
    made = world.shard.create_table(
        Caller("host"),
        request(
            absence=AbsencePolicy.HOUSE_BOT,
            clock=CLOCKED,
            rated=True,
            deal=MATCH,
            seats=[SeatSpec(Access.RESERVED)] * 3,
        ),
    )
    joined = [
        world.shard.join(Caller(f"key-{seat}"), JoinTable("table-1", invite_code=code))
        for seat, code in enumerate(made.invite_codes)
    ]
    pass_time(world, AWAY_MS)
    code = next(one.invite_code for one in world.house if one.seat == 0)
    world.shard.join(Caller(HOUSE), JoinTable("table-1", invite_code=code))
    wanted = JoinTable("table-1", invite_code=made.invite_codes[1])
    with pytest.raises(Conflict) as error:
        world.shard.join(Caller("key-0"), wanted)
    assert error.value.reason is Reason.SEAT_TAKEN
    mine = Caller("key-0", ticket=joined[0].ticket)
    assert world.shard.join(mine, JoinTable("table-1")).seat == 0


def test_isolated_a_seat_that_another_person_took_is_not_given_back() -> None:
    world = World(away_ms=AWAY_MS)
    seats = (SeatSpec(Access.RESERVED, "Ann"), SeatSpec(), SeatSpec())
    made = world.shard.create_table(
        Caller("host"), request(absence=AbsencePolicy.HOUSE_BOT, seats=seats)
    )
    table, invite = made.table, made.invite_codes[0]
    mine = world.join(table, invite_code=invite).ticket
    for _ in range(2):
        world.watch(table, world.join(table).ticket)
    world.to_turns(table)
    pass_time(world, AWAY_MS)
    world.join(table, invite_code=world.house[0].invite_code)
    world.join(table, invite_code=invite)
    with pytest.raises(NotAllowed) as error:
        world.shard.join(Caller(ticket=mine), JoinTable("table-1"))
    assert error.value.reason is Reason.TICKET_SUPERSEDED


@pytest.mark.parametrize("by", ["stream", "call"])
@pytest.mark.parametrize("clock", [CLOCKED, ClockSpec()])
def test_isolated_a_player_who_is_back_before_the_bot_came_keeps_the_seat(
    clock: ClockSpec, by: str
) -> None:
    world, table, tickets = seated(AbsencePolicy.HOUSE_BOT, clock=clock)
    seat = asked(table)[0].seat
    code = relieved(world, table, seat)
    if by == "stream":
        world.watch(table, tickets[seat])
    else:
        world.shard.heard_of(table, seat)
    with pytest.raises(Conflict) as error:
        world.join(table, invite_code=code)
    assert error.value.reason is Reason.SEAT_TAKEN
    assert table.seats[seat].player != Player("house", kind=HOUSE_KIND)


def test_isolated_a_turn_that_was_answered_before_the_bot_came_is_not_taken_over() -> None:
    world, table, _ = seated(AbsencePolicy.HOUSE_BOT)
    decision = asked(table)[0]
    pass_time(world, AWAY_MS)
    (house,) = world.house
    table.submit(decision.seat, decision.id, move_of(table, decision), world.clock.now)
    with pytest.raises(Conflict) as error:
        world.join(table, invite_code=house.invite_code)
    assert error.value.reason is Reason.SEAT_TAKEN


def test_a_player_whose_seat_many_bots_have_had_is_known_still() -> None:
    """And none of them used up its joins."""
    world, table, tickets = seated(AbsencePolicy.HOUSE_BOT, clock=CLOCKED)
    world.shard.limits = world.shard.limits._replace(joins_max=12)
    code = relieved(world, table, 1)
    for _ in range(20):
        world.shard.join(Caller(HOUSE), JoinTable("table-1", invite_code=code))
    with pytest.raises(NotAllowed) as error:
        world.watch(table, tickets[1])
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    assert world.shard.join(Caller(ticket=tickets[1]), JoinTable("table-1")).seat == 1


def test_a_turn_that_still_waits_is_taken_over_while_its_stream_is_open() -> None:
    world, table, _ = seated(AbsencePolicy.HOUSE_BOT)
    seat = asked(table)[0].seat
    pass_time(world, AWAY_MS)
    (house,) = world.house
    world.clock.advance(5)
    assert world.join(table, invite_code=house.invite_code).seat == seat


def test_a_player_who_comes_back_is_not_relieved_any_more() -> None:
    world, table, tickets = seated(AbsencePolicy.HOUSE_BOT, clock=CLOCKED)
    leave(table, 1)
    pass_time(world, AWAY_MS)
    (house,) = world.house
    world.join(table, invite_code=house.invite_code)
    world.join(table, invite_code=house.invite_code)
    leave(table, 2)
    pass_time(world, AWAY_MS)
    code = world.house[-1].invite_code
    world.shard.join(Caller(ticket=tickets[2]), JoinTable("table-1"))
    with pytest.raises(Conflict) as error:
        world.join(table, invite_code=code)
    assert error.value.reason is Reason.SEAT_TAKEN


def test_an_absence_before_the_start_is_none() -> None:
    world = World(away_ms=AWAY_MS)
    table = world.create(absence=AbsencePolicy.FORFEIT, start_mode=StartMode.MANUAL)
    for _ in range(3):
        world.join(table)
    pass_time(world, 10 * AWAY_MS)
    table.start(world.clock.now, 0)
    assert table.status is Status.PLAYING
    assert table.away(world.clock.now + AWAY_MS - 1) == []
    assert table.away(world.clock.now + AWAY_MS) == [0, 1, 2]


def test_fair_an_outage_makes_nobody_absent() -> None:
    """Neither the streams that it ended nor the turn that waited through it."""
    world, table, _ = seated(AbsencePolicy.FORFEIT)
    for seat in range(3):
        leave(table, seat)
    world.clock.advance(AWAY_MS - 1)
    since = world.clock.now
    world.clock.advance(100 * AWAY_MS)
    outages.reopen(table, since, world.clock.now, grace_ms=500, nonce_ms=0, used={})
    assert table.away(world.clock.now + 500 + AWAY_MS - 1) == []
    assert table.away(world.clock.now + 500 + AWAY_MS) == [0, 1, 2]


def test_fair_time_in_which_the_server_can_do_nothing_makes_nobody_absent() -> None:
    world, table, _ = seated(AbsencePolicy.FORFEIT)
    leave(table, 1)
    world.clock.advance(300)
    since = world.clock.now
    outages.stand_still(table, since)
    world.clock.advance(100 * AWAY_MS)
    outages.go_on(table, since, world.clock.now)
    assert table.away(world.clock.now + AWAY_MS - 301) == []
    assert table.away(world.clock.now + AWAY_MS - 300) == sorted({1, asked(table)[0].seat})
