"""Who may act: tickets are bound to principals, and principals to so many seats and tables."""

from __future__ import annotations

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2
from croupier_server.errors import Conflict, CroupierError, Exhausted, NotAllowed, Reason
from croupier_server.games.base import EndReason
from croupier_server.identity.keys import HOUSE
from croupier_server.tables.caller import Caller
from croupier_server.tables.match import codec
from croupier_server.tables.match.seats import ticket_hash
from croupier_server.tables.shard.operating import Operating
from croupier_server.tables.spec import (
    AbortedBy,
    AbsencePolicy,
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    Status,
)
from tests.tables.world import World, request

RESERVED = SeatSpec(Access.RESERVED)
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
        (
            Reason.TICKET_INVALID,
            "no valid ticket for a seat at this table; send the one that JoinTable returned as "
            "metadata croupier-ticket",
            "",
        ),
        (
            Reason.PERMISSION_DENIED,
            "send the host ticket that CreateTable returned as metadata croupier-host-ticket",
            "",
        ),
    ]


@pytest.mark.parametrize("rated", [True, False])
def test_a_rated_table_gives_a_principal_one_seat_whatever_codes_it_has(rated: bool) -> None:
    world = World()
    made = world.shard.create_table(
        ANN,
        request(seats=(RESERVED, RESERVED, RESERVED), rated=rated, deal=DealSource(DealKind.MATCH)),
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
    world = World(own_tables_max=2)
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


# Aborting -----------------------------------------------------------------------------------------


class Hosted(World):
    """A rated table of ann's, with seats for whoever is invited."""

    def __init__(self, **changes: object) -> None:
        super().__init__(away_ms=1_000)
        values = {"rated": True, "deal": DealSource(), "options": {"players": 2}} | changes
        made = self.shard.create_table(ANN, request(seats=(RESERVED, RESERVED), **values))
        self.codes = made.invite_codes
        self.host = ANN._replace(host_ticket=made.host_ticket)

    def sit(self, caller: Caller, seat: int, **changes: object) -> Caller:
        """*caller* takes a seat; returned with its ticket."""
        wanted = JoinTable("table-1", seat, self.codes[seat], **changes)  # type: ignore[arg-type]
        return caller._replace(ticket=self.shard.join(caller, wanted).ticket)

    def aborted_by(self) -> int:
        """Who stopped the match, as its record says."""
        entry = self.record("table-1")
        assert entry is not None
        result = record_pb2.MatchRecord.FromString(entry.record).result
        assert result.reason == game_pb2.END_REASON_ABORTED
        return result.aborted_by

    def expect_refusal(self) -> None:
        """The host cannot abort the match, which goes on."""
        rows = self.rows("table-1")
        status = self.find().status
        with pytest.raises(Conflict) as caught:
            self.shard.abort(self.host, "table-1", "I am behind")
        assert reason(caught) is Reason.HOST_HAS_SEAT
        assert "concede" in caught.value.message
        assert self.find().status is status
        assert self.rows("table-1") == rows


@pytest.mark.attack
@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_host_that_plays_in_a_rated_match_cannot_void_it(is_restarted: bool) -> None:
    world = Hosted()
    world.sit(ANN, 0)
    world.sit(BOB, 1)
    assert world.find().status is Status.PLAYING
    if is_restarted:
        world.restart()
    world.expect_refusal()
    world.shard.concede(world.find(), 0)
    assert world.find().status is Status.ENDED


@pytest.mark.attack
def test_a_host_cannot_void_a_rated_match_while_nonces_are_opened() -> None:
    """Or it would look at whose nonces come, and have the deck made anew."""
    world = Hosted()
    world.sit(ANN, 0)
    world.sit(BOB, 1, nonce_hash=bytes(32))
    assert world.find().status is Status.AWAITING_NONCES
    world.expect_refusal()


@pytest.mark.attack
@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("is_restarted", [False, True])
def test_private_a_used_invite_code_opens_the_seat_to_nobody_else(
    is_restarted: bool, rated: bool
) -> None:
    """Or the host, who has all codes, could look at every hand."""
    world = Hosted(rated=rated)
    mine = world.sit(BOB, 0)
    with pytest.raises(Conflict) as caught:
        world.sit(Caller("eve"), 0)
    assert reason(caught) is Reason.SEAT_TAKEN
    world.sit(Caller("cy"), 1)
    assert world.find().status is Status.PLAYING
    if is_restarted:
        world.restart()
    for thief in (ANN, Caller("eve")):
        with pytest.raises(Conflict) as caught:
            world.sit(thief, 0)
        assert reason(caught) is Reason.SEAT_TAKEN
        assert caught.value.field == "invite_code"
    assert world.find().seats[0].ticket == ticket_hash("bob", mine.ticket)
    assert world.sit(BOB, 0).ticket != mine.ticket


def test_a_seat_that_was_left_is_open_to_its_code_again() -> None:
    world = Hosted()
    mine = world.sit(BOB, 0)
    world.shard.leave(mine, "table-1")
    assert world.sit(Caller("cy"), 0).ticket


@pytest.mark.attack
def test_a_host_for_whom_a_house_bot_plays_cannot_void_the_match() -> None:
    world = Hosted(absence=AbsencePolicy.HOUSE_BOT, clock=ClockSpec(base_ms=10**9))
    world.sit(ANN, 0)
    world.sit(BOB, 1)
    world.clock.advance(1_000)
    world.shard.tick()
    code = next(one.invite_code for one in world.house if one.seat == 0)
    world.shard.join(Caller(HOUSE), JoinTable("table-1", invite_code=code))
    assert world.find().seats[0].principal == HOUSE
    world.expect_refusal()


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_host_that_does_not_play_may_abort_and_the_record_says_so(is_restarted: bool) -> None:
    world = Hosted()
    world.sit(BOB, 0)
    world.sit(Caller("cy"), 1)
    if is_restarted:
        world.restart()
    world.shard.abort(world.host, "table-1", "the hall is on fire")
    assert world.aborted_by() == game_pb2.ABORTED_BY_HOST


def test_a_host_that_plays_may_abort_a_match_that_does_not_count_or_has_not_begun() -> None:
    world = Hosted(rated=False)
    world.sit(ANN, 0)
    world.sit(BOB, 1)
    world.shard.abort(world.host, "table-1", "")
    assert world.aborted_by() == game_pb2.ABORTED_BY_HOST
    world = Hosted()
    world.sit(ANN, 0)
    world.shard.abort(world.host, "table-1", "nobody else comes")
    assert world.find().status is Status.ENDED


@pytest.mark.attack
def test_a_host_that_withheld_its_nonce_may_not_abort_the_match() -> None:
    """Else it dodges opponents whom it dislikes, without a trace."""
    world = Hosted()
    world.sit(ANN, 0, nonce_hash=b"a" * 32)
    world.sit(BOB, 1)
    world.shard.commits.flush()
    world.clock.advance(world.shard.limits.nonce_ms)
    world.shard.tick()
    assert world.find().status is Status.OPEN
    with pytest.raises(Conflict) as caught:
        world.shard.abort(world.host, "table-1", "")
    assert caught.value.reason is Reason.HOST_HAS_SEAT


def test_an_operator_may_abort_any_match_and_the_record_says_so() -> None:
    world = Hosted()
    world.sit(ANN, 0)
    world.sit(BOB, 1)
    Operating(world.shard).abort("table-1", "the host has died")
    assert world.aborted_by() == game_pb2.ABORTED_BY_OPERATOR


@pytest.mark.parametrize("by", [None, AbortedBy.HOST, AbortedBy.OPERATOR])
def test_who_aborted_a_match_is_the_same_after_a_replay(by: AbortedBy | None) -> None:
    """None: in records that were made before it was said."""
    world = Hosted()
    world.sit(BOB, 0)
    world.sit(Caller("cy"), 1)
    table = world.find()
    table.end(EndReason.ABORTED, world.clock.now, aborted_by=by)
    result = table.result
    world.shard.commits.touch(table)
    stored = table.journal.outbox[:]
    world.shard.commits.flush()
    step, _ = codec.read_step(stored[-1], table.wire)
    assert isinstance(step, codec.Ended)
    assert step.aborted_by is by
    assert game_pb2.MatchResult.FromString(result or b"").aborted_by == (by or 0)
