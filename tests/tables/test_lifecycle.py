"""A table from its making to its end: OPEN, AWAITING_NONCES, PLAYING, ENDED."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from croupier.record.v1 import record_pb2
from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import (
    Conflict,
    CroupierError,
    InvalidRequest,
    NotAllowed,
    NotFound,
    Reason,
)
from croupier_server.storage.base import Player
from croupier_server.storage.codec import read_record
from croupier_server.tables.caller import Caller
from croupier_server.tables.match import deals
from croupier_server.tables.match.creation import terms
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import (
    Access,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    StartMode,
    Status,
    Visibility,
)
from tests.tables.answering import refuse_unreadable
from tests.tables.world import FIXED, World, asked, events, now, request

RESERVED = SeatSpec(Access.RESERVED, "Ann")
HOUSE = SeatSpec(Access.HOUSE, house_bot="greedy")
MATCH = DealSource(DealKind.MATCH)
NONCES = [bytes([seat + 1]) * 32 for seat in range(3)]


def arms(world: World, table_id: str = "table-1") -> list[str]:
    """What each stored event is."""
    table = world.shard.table(table_id)
    return [event.WhichOneof("event") or "" for event in events(world, table)]


def is_at(table: Table, status: Status) -> bool:
    """Whether *table* stands at *status* now."""
    return table.status is status


def hashed(nonce: bytes) -> bytes:
    return hashlib.sha256(nonce).digest()


def refused(error: pytest.ExceptionInfo[CroupierError]) -> tuple[Reason, str]:
    return error.value.reason, error.value.field


def test_a_whole_match() -> None:
    world = World()
    table, _ = world.start()
    assert is_at(table, Status.PLAYING)
    world.play(table)
    assert is_at(table, Status.ENDED)
    found = arms(world) if world.logged() else []
    assert found == []  # the record has taken the log's place
    record = world.record("table-1")
    assert record is not None
    rows = read_record(record.record)[1]
    numbered = [row.sequence for row in rows if row.sequence]
    assert numbered == list(range(1, table.journal.sequence + 1))
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.reason == game_pb2.END_REASON_FINISHED
    assert len(result.seats) == 3
    assert record.players == tuple(Player(f"player {seat}") for seat in range(3))
    assert record.ended_ms == world.clock.now


def test_events_are_gapless_and_start_with_the_table() -> None:
    world = World()
    table, _ = world.start()
    found = events(world, table)
    assert [event.sequence for event in found] == list(range(1, len(found) + 1))
    assert arms(world)[:7] == [
        "table_created",
        "seat_joined",
        "seat_joined",
        "seat_joined",
        "seats_filled",
        "match_started",
        "game",
    ]
    created = found[0].table_created.table
    assert created.sequence == 0
    assert created.status == table_pb2.TABLE_STATUS_OPEN


def test_a_private_part_goes_to_its_seat_alone() -> None:
    world = World()
    table, _ = world.start()
    seats = [events(world, table, seat) for seat in range(3)]
    everybody = events(world, table)
    hands = [
        {event.private_part.SerializeToString() for event in seen if event.HasField("private_part")}
        for seen in seats
    ]
    assert all(len(one) == 1 for one in hands)
    assert len(set.union(*hands)) == 3
    assert not any(event.HasField("private_part") for event in everybody)


# Seats ------------------------------------------------------------------------------------------


def test_seats_fill_in_order_and_by_number() -> None:
    world = World()
    table = world.create()
    assert world.join(table, seat=1).seat == 1
    assert world.join(table).seat == 0
    with pytest.raises(Conflict) as error:
        world.join(table, seat=1)
    assert refused(error) == (Reason.SEAT_TAKEN, "seat")
    with pytest.raises(InvalidRequest) as invalid:
        world.join(table, seat=3)
    assert refused(invalid) == (Reason.MALFORMED_REQUEST, "seat")


def test_a_full_table_is_full() -> None:
    world = World()
    table = world.create(start_mode=StartMode.MANUAL)
    for _ in range(3):
        world.join(table)
    with pytest.raises(Conflict) as error:
        world.join(table)
    assert error.value.reason is Reason.TABLE_FULL


def test_a_table_whose_free_seats_are_all_reserved_is_not_full() -> None:
    world = World()
    seats = (SeatSpec(), SeatSpec(), RESERVED)
    table = world.shard.create_table(Caller(), request(seats=seats)).table
    for _ in range(2):
        world.join(table)
    with pytest.raises(NotAllowed) as error:
        world.join(table)
    assert refused(error) == (Reason.SEAT_RESERVED, "invite_code")


def test_a_reserved_seat_needs_its_invite_code() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(seats=(RESERVED,)))
    assert len(made.invite_codes[0]) == 43
    assert made.invite_codes[1:] == ("", "")
    with pytest.raises(NotAllowed) as error:
        world.join(made.table, seat=0)
    assert refused(error) == (Reason.SEAT_RESERVED, "seat")
    with pytest.raises(NotAllowed) as wrong:
        world.join(made.table, invite_code="x" * 43)
    assert refused(wrong) == (Reason.SEAT_RESERVED, "invite_code")
    assert world.join(made.table, player="Bob").seat == 1
    joined = world.join(made.table, invite_code=made.invite_codes[0], player="Bob")
    assert joined.seat == 0
    assert made.table.seats[0].player == Player("Ann")
    with pytest.raises(InvalidRequest):
        world.join(made.table, invite_code=made.invite_codes[0], seat=2)


def test_house_seats_are_told_to_the_house_and_to_nobody_else() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(seats=(SeatSpec(), HOUSE, HOUSE)))
    assert made.invite_codes == ("", "", "")
    assert [(one.table_id, one.seat, one.bot) for one in world.house] == [
        ("table-1", 1, "greedy"),
        ("table-1", 2, "greedy"),
    ]
    assert len({one.seed for one in world.house}) == 2
    for one in world.house:
        assert world.join(made.table, invite_code=one.invite_code).seat == one.seat


def test_joining_again_raises_the_epoch_and_supersedes_the_ticket() -> None:
    world = World()
    table, tickets = world.start()
    again = world.shard.join(
        Caller(ticket=tickets[1]), JoinTable("table-1", player=Player("new name"))
    )
    assert (again.seat, again.epoch) == (1, 2)
    with pytest.raises(NotAllowed) as error:
        world.watch(table, tickets[1])
    assert error.value.reason is Reason.TICKET_SUPERSEDED
    with pytest.raises(NotAllowed) as other:
        world.watch(table, "x" * 43)
    assert other.value.reason is Reason.TICKET_INVALID
    last = events(world, table)[-1].seat_joined.seat
    assert (last.seat, last.seat_epoch, last.player.display_name) == (1, 2, "new name")
    world.watch(table, again.ticket)


def test_an_invite_code_takes_its_seat_again_while_the_match_is_on() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(seats=(RESERVED,)))
    code = made.invite_codes[0]
    world.join(made.table, invite_code=code)
    world.join(made.table)
    world.join(made.table)
    assert is_at(made.table, Status.PLAYING)
    assert world.join(made.table, invite_code=code).epoch == 2


def test_nobody_new_joins_a_match_that_is_on_or_over() -> None:
    world = World()
    table, _ = world.start()
    with pytest.raises(Conflict) as started:
        world.join(table)
    assert started.value.reason is Reason.TABLE_STARTED
    world.play(table)
    with pytest.raises(Conflict) as closed:
        world.join(table)
    assert closed.value.reason is Reason.TABLE_CLOSED


def test_leaving_frees_the_seat_before_the_start() -> None:
    world = World()
    table = world.create()
    joined = world.join(table)
    world.shard.leave(Caller(ticket=joined.ticket), "table-1")
    assert arms(world)[-1] == "seat_left"
    assert not table.seats[0].player
    with pytest.raises(NotAllowed):
        world.shard.leave(Caller(ticket=joined.ticket), "table-1")
    assert world.join(table).epoch == 2
    world.join(table)
    last = world.join(table)
    with pytest.raises(Conflict) as error:
        world.shard.leave(Caller(ticket=last.ticket), "table-1")
    assert error.value.reason is Reason.TABLE_STARTED


def test_a_key_holds_one_seat_unless_they_are_shared() -> None:
    world = World()
    key = Caller("key-1")
    table = world.create()
    world.shard.join(key, JoinTable("table-1"))
    with pytest.raises(Conflict) as error:
        world.shard.join(key, JoinTable("table-1"))
    assert error.value.reason is Reason.SEAT_TAKEN
    world.shard.join(Caller("key-2"), JoinTable("table-1"))
    shared = world.create(shared_seats=True)
    for _ in range(3):
        world.shard.join(key, JoinTable(shared.spec.table_id))
    assert (table.status, shared.status) == (Status.OPEN, Status.PLAYING)


def test_what_is_kept_of_tickets_is_their_hash() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(seats=(RESERVED,)))
    joined = world.join(made.table, invite_code=made.invite_codes[0])
    seat = made.table.seats[0]
    bound = b"\0\0\0\5local"
    assert seat.ticket == hashlib.sha256(bound + joined.ticket.encode()).digest()
    assert seat.invite == hashlib.sha256(made.invite_codes[0].encode()).digest()
    assert made.table.opening.host == hashlib.sha256(bound + made.host_ticket.encode()).digest()
    assert joined.ticket not in repr(Caller(ticket=joined.ticket))
    for row in world.rows("table-1"):
        for secret in (joined.ticket, made.invite_codes[0], made.host_ticket):
            assert secret.encode() not in row.public + row.input


# Start ------------------------------------------------------------------------------------------


def test_a_table_started_by_hand_waits_for_its_host() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request(start_mode=StartMode.MANUAL))
    host = Caller(host_ticket=made.host_ticket)
    with pytest.raises(Conflict) as empty:
        world.shard.start(host, "table-1")
    assert empty.value.reason is Reason.TABLE_NOT_READY
    for _ in range(3):
        world.join(made.table)
    assert is_at(made.table, Status.OPEN)
    for nobody in (Caller(), Caller(host_ticket="x"), Caller(ticket=made.host_ticket)):
        with pytest.raises(NotAllowed) as error:
            world.shard.start(nobody, "table-1")
        assert error.value.reason is Reason.PERMISSION_DENIED
    world.shard.start(host, "table-1")
    assert is_at(made.table, Status.PLAYING)
    with pytest.raises(Conflict) as twice:
        world.shard.start(host, "table-1")
    assert twice.value.reason is Reason.TABLE_STARTED


def test_nonces_are_opened_before_a_match_begins() -> None:
    """Promise 7: hashes first, then all of them public, then the nonces, then the root."""
    world = World()
    table = world.create(deal=MATCH)
    for seat in range(3):
        world.join(table, nonce_hash=hashed(NONCES[seat]) if seat != 1 else b"")
        shown = [one.nonce_hash for one in table_pb2.Table.FromString(table.resource()).seats]
        assert any(shown) == (seat == 2)
    assert is_at(table, Status.AWAITING_NONCES)
    filled = events(world, table)[-1].seats_filled
    assert [one.nonce_hash for one in filled.seats] == [hashed(NONCES[0]), b"", hashed(NONCES[2])]
    assert [table.opening.wants_nonce(seat) for seat in range(3)] == [True, False, True]

    with pytest.raises(InvalidRequest) as wrong:
        world.shard.open_nonce(table, 0, NONCES[2])
    assert refused(wrong) == (Reason.NONCE_MISMATCH, "nonce")
    with pytest.raises(Conflict) as unwanted:
        world.shard.open_nonce(table, 1, NONCES[1])
    assert unwanted.value.reason is Reason.NONCE_NOT_EXPECTED
    world.shard.open_nonce(table, 0, NONCES[0])
    world.shard.open_nonce(table, 0, NONCES[0])
    assert is_at(table, Status.AWAITING_NONCES)
    world.shard.open_nonce(table, 2, NONCES[2])
    assert is_at(table, Status.PLAYING)
    assert arms(world).count("nonce_opened") == 2
    for row in world.rows("table-1"):
        assert NONCES[0] not in row.public

    world.play(table)
    record = world.record("table-1")
    assert record is not None
    reveal = read_record(record.record)[0].reveal
    spec = table.spec
    assert reveal.nonces == (NONCES[0], b"", NONCES[2])
    assert reveal.root == deals.match_root(reveal.secret, "table-1", reveal.nonces)
    assert spec.commitment == deals.commitment(terms(spec), reveal.secret)


def test_no_nonces_no_waiting() -> None:
    world = World()
    table, _ = world.start(deal=MATCH)
    assert is_at(table, Status.PLAYING)


def test_equal_seeds_give_equal_cards_at_every_table() -> None:
    world = World()
    first, _ = world.start(deal=DealSource(DealKind.FIXED, seed=5))
    second, _ = world.start(deal=DealSource(DealKind.FIXED, seed=5))
    third, _ = world.start(deal=DealSource(DealKind.FIXED, seed=6))
    assert first.match.state == second.match.state
    assert first.match.state != third.match.state


def test_decks_of_the_host_are_dealt_first_also_after_a_restart() -> None:
    world = World()
    pack = bytes(range(1, 10))
    decks = (pack, pack[::-1])
    world.start(deal=replace(FIXED, decks=decks), options={"deals": 3})
    world.restart()
    world.play(world.find())
    record = world.record("table-1")
    assert record is not None
    message = record_pb2.MatchRecord.FromString(record.record)
    dealt = [row.input.chance.outcome for row in message.rows]
    from_seed = deals.RootDealer(message.reveal.root).deck(3, 0, pack)
    assert [bytes(deck) for deck in dealt if len(deck) > 1] == [*decks, bytes(from_seed)]


# The end ----------------------------------------------------------------------------------------


def test_the_host_aborts_a_match_and_it_does_not_count() -> None:
    world = World()
    made = world.shard.create_table(Caller(), request())
    for _ in range(3):
        world.join(made.table)
    with pytest.raises(NotAllowed):
        world.shard.abort(Caller(), "table-1", "")
    world.shard.abort(Caller(host_ticket=made.host_ticket), "table-1", "rain")
    result = game_pb2.MatchResult.FromString(made.table.result or b"")
    assert (result.reason, result.detail) == (game_pb2.END_REASON_ABORTED, "rain")
    assert not result.seats
    with pytest.raises(Conflict) as error:
        world.shard.abort(Caller(host_ticket=made.host_ticket), "table-1", "again")
    assert error.value.reason is Reason.TABLE_CLOSED


def test_a_concession_ends_an_unrated_match_at_once() -> None:
    world = World()
    table, _ = world.start()
    assert world.shard.concede(table, 1)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_CONCEDED, 1)
    assert [one.place for one in result.seats] == [1, 2, 1]


def test_a_concession_after_a_refused_move_says_so() -> None:
    world = World()
    table, _ = world.start()
    decision = asked(table)[0]
    refuse_unreadable(world.shard, table, decision.seat, decision.id)
    assert world.shard.concede(table, decision.seat)
    result = game_pb2.MatchResult.FromString(table.result or b"")
    assert result.detail == "after a refused move"


def test_a_match_given_away_keeps_its_scores_and_is_lost() -> None:
    """The team at fault is last, even when it was ahead; the others follow from their scores."""
    world = World()
    table, _ = world.start()
    spec = replace(table.spec, teams=(0, 1, 2))
    assert spec.lost_by(0, (7, -9, 2)).seats == ((7, 3), (-9, 2), (2, 1))
    assert spec.lost_by(1, (4, -8, 4)).seats == ((4, 1), (-8, 3), (4, 1))
    spec = replace(table.spec, teams=(0, 1, 0, 1))
    assert spec.lost_by(2, (3, -3, 3, -3)).seats == ((3, 2), (-3, 1), (3, 2), (-3, 1))


def test_partners_must_agree_to_concede_a_rated_match() -> None:
    world = World()
    made = world.shard.create_table(
        Caller("key-0"), request(rated=True, deal=MATCH, options={"players": 4})
    )
    for seat in range(4):
        world.shard.join(Caller(f"key-{seat}"), JoinTable("table-1"))
    assert not world.shard.concede(made.table, 0)
    assert not world.shard.concede(made.table, 1)
    assert is_at(made.table, Status.PLAYING)
    assert world.shard.concede(made.table, 2)
    result = game_pb2.MatchResult.FromString(made.table.result or b"")
    assert [one.place for one in result.seats] == [2, 1, 2, 1]


def test_nobody_concedes_before_the_start() -> None:
    world = World()
    table = world.create()
    with pytest.raises(Conflict) as error:
        world.shard.concede(table, 0)
    assert error.value.reason is Reason.TABLE_NOT_READY


def test_ended_tables_are_answered_for_until_there_are_too_many() -> None:
    world = World(ended_max=2)
    for number in range(1, 5):
        table, _ = world.start(options={"deals": 1})
        world.play(table)
        assert is_at(world.shard.table(f"table-{number}"), Status.ENDED)
    for number in (1, 2):
        with pytest.raises(NotFound) as error:
            world.shard.table(f"table-{number}")
        assert refused(error) == (Reason.NOT_FOUND, "table_id")
    assert world.shard.directory.live == 0
    assert now(world.records.head()) == 4
    assert world.logged() == ()


def test_lists_show_the_newest_first_and_leave_out_the_unlisted() -> None:
    world = World()
    tables = [
        world.create(visibility=Visibility.UNLISTED if number == 2 else Visibility.LISTED)
        for number in range(5)
    ]
    found = world.shard.list_tables(limit=2).tables
    assert [one.spec.table_id for one in found] == ["table-5", "table-4"]
    rest = world.shard.list_tables(before=found[-1].number).tables
    assert [one.spec.table_id for one in rest] == ["table-2", "table-1"]
    assert world.shard.list_tables(kind=5).tables == []
    world.join(tables[0])
    assert world.shard.list_tables(status=Status.PLAYING).tables == []
    assert world.shard.table("table-3") is tables[2]
