"""Promise 7: a nonce that is withheld frees its seat, and another secret takes the place of the
table's before any card was derived. Promise 5: a match that does not begin in time ends."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import InvalidRequest, NotAllowed, Reason
from croupier_server.storage.base import AbandonedSecret
from croupier_server.storage.codec import read_record
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.directory.reception import Joined
from croupier_server.tables.durability.replay import replay
from croupier_server.tables.match import deals
from croupier_server.tables.match.creation import terms
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import (
    Access,
    ClockSpec,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    StartMode,
    Status,
)
from tests.tables.test_replay import said
from tests.tables.world import ENTRY, SlowLog, World, events, kinds, request

MATCH = DealSource(DealKind.MATCH)
NONCES = [bytes([seat + 1]) * 32 for seat in range(3)]
NEXT = [bytes([seat + 101]) * 32 for seat in range(3)]
NONCE_MS = 5_000


def hashed(nonce: bytes) -> bytes:
    return hashlib.sha256(nonce).digest()


def filled(**changes: object) -> tuple[World, Table, list[Joined]]:
    """A table that waits for the nonces of its three seats."""
    world = World(nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH, **changes)
    joined = [world.join(table, nonce_hash=hashed(nonce)) for nonce in NONCES]
    assert table.status is Status.AWAITING_NONCES
    return world, table, joined


def pass_time(world: World, milliseconds: int) -> None:
    world.clock.advance(milliseconds)
    world.shard.tick()


def withhold(world: World, table: Table, *seats: int) -> list[table_pb2.SeatNoShow]:
    """All but *seats* open their nonces, and time goes by; what the table says about it."""
    before = table.journal.sequence
    for seat in range(3):
        if seat not in seats:
            world.shard.open_nonce(table, seat, NONCES[seat], hashed(NEXT[seat]))
    pass_time(world, NONCE_MS)
    found = [one for one in events(world, table) if one.sequence > before]
    return [one.seat_no_show for one in found if one.HasField("seat_no_show")]


def resource(table: Table) -> table_pb2.Table:
    return table_pb2.Table.FromString(table.resource())


def result_of(table: Table) -> game_pb2.MatchResult:
    return game_pb2.MatchResult.FromString(table.result or b"")


def test_a_nonce_withheld_frees_that_seat_and_replaces_the_secret() -> None:
    world, table, _ = filled()
    first = resource(table).commitment
    (event,) = withhold(world, table, 1)
    assert event.seat == 1
    shown = resource(table)
    assert shown.status == table_pb2.TABLE_STATUS_OPEN
    assert shown.commitment == event.commitment != first
    assert [seat.HasField("player") for seat in shown.seats] == [True, False, True]
    assert not any(seat.nonce_hash for seat in shown.seats)
    assert table.result is None


def test_nonces_are_waited_for_as_long_as_the_server_says() -> None:
    world, table, _ = filled()
    pass_time(world, NONCE_MS - 1)
    assert resource(table).status == table_pb2.TABLE_STATUS_AWAITING_NONCES
    pass_time(world, 1)
    assert resource(table).status == table_pb2.TABLE_STATUS_OPEN


def test_fair_the_time_for_a_nonce_begins_when_its_seat_can_know_that_it_is_wanted() -> None:
    log = SlowLog()
    world = World(log, nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH)
    for nonce in NONCES:
        world.join(table, nonce_hash=hashed(nonce))
    pass_time(world, NONCE_MS)
    log.store()
    pass_time(world, NONCE_MS - 1)
    assert table.status is Status.AWAITING_NONCES
    pass_time(world, 1)
    assert world.find().status is Status.OPEN


def test_the_other_seats_keep_their_tickets_and_their_next_nonces_are_wanted() -> None:
    world, table, joined = filled()
    feeds = [world.watch(table, one.ticket) for one in joined]
    for feed in feeds:
        assert kinds(world.take(feed)) == ["snapshot", "nonce_wanted"]
    withhold(world, table, 1)
    end = world.take(feeds[1])[-1].end
    assert end.reason == table_pb2.STREAM_END_REASON_NONCE_WITHHELD
    with pytest.raises(NotAllowed) as old:
        world.watch(table, joined[1].ticket)
    assert old.value.reason is Reason.TICKET_SUPERSEDED
    again = world.join(table, nonce_hash=hashed(NEXT[1]))
    assert again.seat == 1
    assert table.status is Status.AWAITING_NONCES
    last = events(world, table)[-1].seats_filled
    assert [seat.nonce_hash for seat in last.seats] == [hashed(nonce) for nonce in NEXT]
    assert "nonce_wanted" in kinds(world.take(feeds[0]))
    assert "nonce_wanted" in kinds(world.take(world.watch(table, joined[2].ticket)))


def test_a_seat_that_reads_late_is_asked_for_its_next_nonce_all_the_same() -> None:
    world, table, joined = filled()
    feed = world.watch(table, joined[0].ticket)
    world.take(feed)
    withhold(world, table, 1)
    world.join(table, nonce_hash=hashed(NEXT[1]))
    assert kinds(world.take(feed)) == ["nonce_wanted"]
    assert kinds(world.take(feed)) == []


def test_verifiable_the_cards_come_from_the_last_secret_and_the_next_nonces() -> None:
    world, table, _ = filled()
    first_secret = table.opening.reveal.secret
    (event,) = withhold(world, table, 1)
    world.join(table, nonce_hash=hashed(NEXT[1]))
    for seat in (2, 0, 1):
        world.shard.open_nonce(table, seat, NEXT[seat])
    world.play(table)
    entry = world.record("table-1")
    assert entry is not None
    match, rows = read_record(entry.record)
    reveal = match.reveal
    assert reveal.secret != first_secret
    assert reveal.nonces == tuple(NEXT)
    assert reveal.root == deals.match_root(reveal.secret, "table-1", NEXT)
    spec = table.spec
    created = table_pb2.Table.FromString(match.table)
    assert event.commitment == deals.commitment(terms(spec), reveal.secret)
    assert created.commitment == deals.commitment(terms(spec), first_secret)
    assert reveal.abandoned == (AbandonedSecret(first_secret, (NONCES[0], b"", NONCES[2])),)
    again = replay(spec, ENTRY, rows, reveal.nonces)
    assert said(again.journal.outbox) == said(rows)
    assert again.resource() == table.resource()


def test_two_seats_that_withhold_are_both_freed_under_one_new_commitment() -> None:
    world, table, _ = filled()
    found = withhold(world, table, 0, 2)
    assert [event.seat for event in found] == [0, 2]
    assert found[0].commitment == found[1].commitment == resource(table).commitment
    assert [seat.HasField("player") for seat in resource(table).seats] == [False, True, False]


def test_a_seat_without_a_next_nonce_adds_nothing() -> None:
    world, table, _ = filled()
    world.shard.open_nonce(table, 0, NONCES[0])
    world.shard.open_nonce(table, 2, NONCES[2], hashed(NEXT[2]))
    pass_time(world, NONCE_MS)
    world.join(table)
    assert [table.opening.wants_nonce(seat) for seat in range(3)] == [False, False, True]
    world.shard.open_nonce(table, 2, NEXT[2])
    assert table.status is Status.PLAYING
    assert table.opening.reveal.nonces == (b"", b"", NEXT[2])


# Restarts are bounded ---------------------------------------------------------------------------


def nonce_of(life: int, seat: int) -> bytes:
    return hashed(f"{life} {seat}".encode())


def open_in_life(world: World, table: Table, life: int, *but: int) -> None:
    """Seats open their nonces of this *life* of the opening, and promise those of the next one."""
    for seat in range(3):
        if seat not in but:
            following = hashed(nonce_of(life + 1, seat))
            world.shard.open_nonce(table, seat, nonce_of(life, seat), following)


def restarted(times: int, *, principal: str = LOCAL) -> tuple[World, Table]:
    """A table of which seat 1 has withheld its nonce that often; each time somebody else, where
    principals count, takes the seat. It waits for nonces again."""
    world = World(nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH)
    for seat in range(3):
        who = Caller(f"{principal} 0 {seat}" if principal != LOCAL else LOCAL)
        wanted = JoinTable("table-1", seat=seat, nonce_hash=hashed(nonce_of(0, seat)))
        world.shard.join(who, wanted)
    for life in range(times):
        open_in_life(world, world.find(), life, 1)
        pass_time(world, NONCE_MS)
        who = Caller(f"{principal} {life + 1} 1" if principal != LOCAL else LOCAL)
        wanted = JoinTable("table-1", seat=1, nonce_hash=hashed(nonce_of(life + 1, 1)))
        world.shard.join(who, wanted)
    assert table.status is Status.AWAITING_NONCES
    return world, table


@pytest.mark.attack
@pytest.mark.parametrize("principal", [LOCAL, "key"])
@pytest.mark.parametrize("with_crash", [False, True])
def test_the_deck_is_rolled_again_twice_and_then_the_table_ends(
    principal: str, *, with_crash: bool
) -> None:
    """An operator with a seat sees the deck before it opens its nonce: three decks at most."""
    world, table = restarted(2, principal=principal)
    if with_crash:
        world.restart()
        table = world.find()
    open_in_life(world, table, 2, 1)
    pass_time(world, 20_000)
    result = result_of(table)
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_NO_SHOW, 1)
    assert result.detail == "seat 1 withheld the nonce, and only two restarts are allowed"
    assert not result.seats


def test_the_last_one_of_two_restarts_may_still_begin() -> None:
    world, table = restarted(2)
    open_in_life(world, table, 2)
    assert table.status is Status.PLAYING


def test_two_seats_that_withhold_the_last_time_are_both_named() -> None:
    world, table = restarted(2)
    open_in_life(world, table, 2, 0, 2)
    pass_time(world, NONCE_MS)
    result = result_of(table)
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_NO_SHOW, 0)
    assert result.detail.startswith("seat 0 and seat 2 withheld the nonce")


@pytest.mark.attack
@pytest.mark.parametrize("with_crash", [False, True])
@pytest.mark.parametrize("seat", [None, 1])
def test_a_principal_that_withheld_is_not_seated_again(
    seat: int | None, *, with_crash: bool
) -> None:
    world = World(nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH)
    for own in range(3):
        wanted = JoinTable("table-1", seat=own, nonce_hash=hashed(nonce_of(0, own)))
        world.shard.join(Caller(f"key {own}"), wanted)
    open_in_life(world, table, 0, 1)
    pass_time(world, NONCE_MS)
    if with_crash:
        world.restart()
    with pytest.raises(NotAllowed) as error:
        world.shard.join(Caller("key 1"), JoinTable("table-1", seat=seat))
    assert error.value.reason is Reason.NONCE_WITHHELD
    assert world.shard.join(Caller("key 3"), JoinTable("table-1", seat=seat)).seat == 1


def test_a_principal_that_withheld_on_one_of_its_seats_keeps_the_other() -> None:
    world = World(nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH, shared_seats=True)
    tickets = []
    for own in range(3):
        wanted = JoinTable("table-1", seat=own, nonce_hash=hashed(nonce_of(0, own)))
        tickets.append(world.shard.join(Caller("key"), wanted).ticket)
    open_in_life(world, table, 0, 1)
    pass_time(world, NONCE_MS)
    assert world.shard.join(Caller("key", ticket=tickets[0]), JoinTable("table-1")).seat == 0
    with pytest.raises(NotAllowed):
        world.shard.join(Caller("key"), JoinTable("table-1", seat=1))


def test_without_keys_everybody_is_the_same_principal_and_may_sit_again() -> None:
    _, table = restarted(1)
    assert table.opening.withholders == ()
    assert table.seats[1].player


# The record of restarts -------------------------------------------------------------------------


@pytest.mark.parametrize("with_crash", [False, True])
def test_verifiable_a_record_has_all_that_was_abandoned(*, with_crash: bool) -> None:
    world, table = restarted(2)
    if with_crash:
        world.restart()
        table = world.find()
    open_in_life(world, table, 2)
    world.play(table)
    entry = world.record("table-1")
    assert entry is not None
    match, rows = read_record(entry.record)
    created = table_pb2.Table.FromString(match.table)
    told = [table_pb2.TableEvent.FromString(row.public).seat_no_show for row in rows]
    commitments = [created.commitment, *(one.commitment for one in told if one.commitment)]
    abandoned = match.reveal.abandoned
    assert [one.nonces for one in abandoned] == [
        (nonce_of(life, 0), b"", nonce_of(life, 2)) for life in range(2)
    ]
    secrets = [*(one.secret for one in abandoned), match.reveal.secret]
    assert len(set(secrets)) == 3
    pinned = terms(replace(table.spec, epoch=created.table_epoch))
    assert commitments == [deals.commitment(pinned, secret) for secret in secrets]


@pytest.mark.parametrize("next_hash", [b"x", bytes(31), bytes(33), hashed(NONCES[0])])
def test_a_next_nonce_that_is_none_is_refused_and_nothing_is_opened(next_hash: bytes) -> None:
    world, table, _ = filled()
    before = table.journal.sequence
    with pytest.raises(InvalidRequest) as error:
        world.shard.open_nonce(table, 0, NONCES[0], next_hash)
    assert (error.value.reason, error.value.field) == (
        Reason.MALFORMED_REQUEST,
        "next_nonce_hash",
    )
    assert table.journal.sequence == before
    assert table.opening.wants_nonce(0)


def test_a_reserved_seat_that_is_freed_keeps_its_invite() -> None:
    world = World(nonce_ms=NONCE_MS)
    seats = (SeatSpec(Access.RESERVED, "Ann"),)
    created = world.shard.create_table(Caller(), request(deal=MATCH, seats=seats))
    table = created.table
    invite = created.invite_codes[0]
    for code in (invite, "", ""):
        world.join(table, invite_code=code, nonce_hash=hashed(NONCES[0]))
    assert table.status is Status.AWAITING_NONCES
    pass_time(world, NONCE_MS)
    assert [seat.player for seat in table.seats] == [None] * 3
    assert world.join(table, invite_code=invite).seat == 0
    assert world.join(table).seat == 1


# Seats of the house -----------------------------------------------------------------------------

HOUSE = (SeatSpec(), SeatSpec(Access.HOUSE, house_bot="greedy"), SeatSpec())


def house_sits(world: World) -> None:
    """A new house bot comes, which has a nonce of its own like any bot."""
    bot = world.house[-1]
    nonce = world.clock.now.to_bytes(32, "big")
    assert world.join(world.find(), invite_code=bot.invite_code, nonce_hash=hashed(nonce)).seat == 1


@pytest.mark.parametrize("dies", ["house", "server"])
@pytest.mark.parametrize("when", ["made", "joined", "filled", "opening"])
def test_durable_a_match_waits_for_no_nonce_of_a_house_bot_that_died(when: str, dies: str) -> None:
    world = World(nonce_ms=NONCE_MS)
    world.create(deal=MATCH, seats=HOUSE)

    def reach(moment: str) -> None:
        world.clock.advance(1)
        if moment == when:
            if dies == "server":
                world.restart()
            house_sits(world)

    reach("made")
    house_sits(world)
    reach("joined")
    world.join(world.find(), seat=0, nonce_hash=hashed(NONCES[0]))
    world.join(world.find(), seat=2, nonce_hash=hashed(NONCES[2]))
    reach("filled")
    world.shard.open_nonce(world.find(), 2, NONCES[2], hashed(NEXT[2]))
    reach("opening")
    world.shard.open_nonce(world.find(), 0, NONCES[0], hashed(NEXT[0]))
    table = world.find()
    assert table.status is Status.PLAYING
    assert table.opening.reveal.nonces == (NONCES[0], b"", NONCES[2])
    found = events(world, table)
    (filled,) = [one.seats_filled for one in found if one.HasField("seats_filled")]
    assert [bool(seat.nonce_hash) for seat in filled.seats] == [True, False, True]


def test_a_house_seat_is_freed_by_nobodys_nonce_and_stays_through_that_of_another() -> None:
    world = World(nonce_ms=NONCE_MS)
    table = world.create(deal=MATCH, seats=HOUSE)
    house_sits(world)
    for seat in (0, 2):
        world.join(table, seat=seat, nonce_hash=hashed(NONCES[seat]))
    world.shard.open_nonce(table, 2, NONCES[2], hashed(NEXT[2]))
    pass_time(world, NONCE_MS)
    assert [bool(seat.player) for seat in table.seats] == [False, True, True]
    house_sits(world)  # it died meanwhile, say
    world.join(table, seat=0, nonce_hash=hashed(NEXT[0]))
    assert [table.opening.wants_nonce(seat) for seat in range(3)] == [True, False, True]
    for seat in (0, 2):
        world.shard.open_nonce(table, seat, NEXT[seat])
    assert table.status is Status.PLAYING


# Start timeout ----------------------------------------------------------------------------------

START = ClockSpec(start_timeout_ms=20_000)


def test_fair_a_match_that_does_not_begin_in_time_names_the_first_seat_that_is_missing() -> None:
    world = World()
    table = world.create(clock=START)
    world.join(table, seat=0)
    world.join(table, seat=2)
    pass_time(world, 19_999)
    assert table.status is Status.OPEN
    pass_time(world, 1)
    result = result_of(table)
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_NO_SHOW, 1)
    assert result.detail == "the match had not begun in time"
    assert not result.seats


def test_no_show_a_start_that_waits_for_a_nonce_ends_in_time() -> None:
    world, table, _ = filled(clock=ClockSpec(start_timeout_ms=NONCE_MS - 1))
    world.shard.open_nonce(table, 0, NONCES[0])
    pass_time(world, NONCE_MS - 1)
    assert (result_of(table).reason, result_of(table).seat_at_fault) == (
        game_pb2.END_REASON_NO_SHOW,
        1,
    )


def test_no_show_a_seat_that_was_freed_is_waited_for_no_longer_than_that() -> None:
    world, table, _ = filled(clock=START)
    withhold(world, table, 2)
    pass_time(world, 20_000)
    assert (result_of(table).reason, result_of(table).seat_at_fault) == (
        game_pb2.END_REASON_NO_SHOW,
        2,
    )


def test_no_show_of_a_host_who_does_not_start_is_no_seats_fault() -> None:
    world = World()
    table, _ = world.start(clock=START, start_mode=StartMode.MANUAL)
    pass_time(world, 20_000)
    result = result_of(table)
    assert result.reason == game_pb2.END_REASON_NO_SHOW
    assert not result.HasField("seat_at_fault")


def test_a_match_that_has_begun_is_not_ended_by_the_start_timeout() -> None:
    world = World()
    table, _ = world.start(clock=START)
    pass_time(world, 60_000)
    assert table.status is Status.PLAYING
