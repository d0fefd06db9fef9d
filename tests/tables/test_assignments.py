"""Seats by their principals: what a stream of them reports, and how a key takes a seat back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from croupier.v1 import seat_service_pb2 as pb
from croupier.v1 import table_pb2
from croupier_server.errors import Conflict, CroupierError, Exhausted, NotAllowed, Reason
from croupier_server.identity.keys import HOUSE
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.assignments import State
from croupier_server.tables.directory.reception import Joined
from croupier_server.tables.feeds.assignments import SLICE, SeatAssignmentsFeed
from croupier_server.tables.feeds.readers import SEAT_STREAMS_MAX
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import StreamEnd
from croupier_server.tables.spec import (
    AbsencePolicy,
    Access,
    DealKind,
    DealSource,
    JoinTable,
    SeatSpec,
    Status,
    Visibility,
)
from tests.tables.toy_game import KIND
from tests.tables.world import SlowLog, World, asked, exactly, request

HAL, ANN, BOB = Caller("hal"), Caller("ann"), Caller("bob")
FOR_ANN = SeatSpec(Access.RESERVED, player_id="ann")
FOR_BOB = SeatSpec(Access.RESERVED, player_id="bob")
TWO = {"options": {"players": 2}}


def make(world: World, *seats: SeatSpec, **changes: object) -> Table:
    """A table of hal's for two, with *seats*."""
    return world.shard.create_table(HAL, request(seats=seats, **(TWO | changes))).table


def join(world: World, caller: Caller, table: Table, **changes: object) -> Joined:
    return world.shard.join(caller, JoinTable(table.spec.table_id, **changes))  # type: ignore[arg-type]


def ask(world: World, caller: Caller = ANN, **changes: int) -> SeatAssignmentsFeed:
    return world.shard.watch_seats(caller, **changes)


def said(payloads: Sequence[bytes]) -> list[str]:
    """What a stream of seats carries, a word each."""
    found: list[str] = []
    for payload in payloads:
        message = exactly(pb.WatchSeatsResponse, payload)
        kind: str = message.WhichOneof("item") or ""
        seat, released = message.seat, message.released
        match kind:
            case "seat":
                state = State(seat.state).name.lower()
                kind = f"{seat.table.table_id} {seat.seat} {state}"
            case "released":
                kind = f"{released.table_id} {released.seat} released"
            case "end":
                kind = StreamEnd(message.end.reason).name
        found.append(kind)
    return found


def listed(world: World, caller: Caller = ANN, **changes: int) -> list[tuple[str, int, State]]:
    kind = changes.get("kind", 0)
    page = world.shard.directory.assignments.page(
        caller.principal, kind=kind, before=None, limit=100
    )
    return [(table.spec.table_id, seat, state) for table, seat, state in page.seats]


# Streams ------------------------------------------------------------------------------------------


def test_a_stream_begins_with_the_seats_and_goes_on_with_what_changes() -> None:
    world = World()
    first = make(world, FOR_ANN, FOR_BOB)
    feed = ask(world)
    assert said(feed.take(0)) == ["table-1 0 reserved", "caught_up"]
    make(world, SeatSpec(), FOR_ANN)
    assert said(feed.take(0)) == ["table-2 1 reserved"]
    join(world, ANN, first)
    assert said(feed.take(0)) == ["table-1 0 seated"]
    join(world, BOB, first)
    assert first.status is Status.PLAYING
    assert said(feed.take(0)) == ["table-1 0 seated"]
    world.play(first)
    assert said(feed.take(0)) == ["table-1 0 released"]
    assert feed.take(0) == []


def test_what_is_not_stored_is_not_reported() -> None:
    log = SlowLog()
    world = World(log)
    table = make(world, FOR_ANN)
    feed = ask(world)
    assert said(feed.take(0)) == ["caught_up"]
    log.store()
    assert said(feed.take(0)) == ["table-1 0 reserved"]
    join(world, ANN, table)
    assert feed.take(0) == []
    assert listed(world) == [("table-1", 0, State.RESERVED)]
    log.store()
    assert said(feed.take(0)) == ["table-1 0 seated"]
    join(world, BOB, table)
    log.fail()
    assert said(feed.take(0)) == ["table-1 0 released"]


def test_only_the_principal_is_shown_its_seats_and_its_host() -> None:
    world = World()
    table = make(world, FOR_ANN, visibility=Visibility.PRIVATE)
    bob, eve = ask(world, BOB), ask(world, Caller("eve"))
    for feed in (bob, eve):
        assert said(feed.take(0)) == ["caught_up"]
    (seat, _) = ask(world).take(0)
    found = pb.WatchSeatsResponse.FromString(seat).seat
    assert found.host_player_id == "hal"
    assert found.table.spec.visibility == table_pb2.VISIBILITY_PRIVATE
    assert world.shard.table("table-1", ANN) is table
    join(world, ANN, table)
    assert (bob.take(0), eve.take(0)) == ([], [])


def test_a_seat_that_nobody_was_called_to_does_not_name_the_host() -> None:
    world = World()
    table = make(world)
    join(world, ANN, table)
    (seat, _) = ask(world).take(0)
    assert pb.WatchSeatsResponse.FromString(seat).seat.host_player_id == ""
    assert said([seat]) == ["table-1 0 seated"]


def test_a_seat_that_was_left_is_released_or_free_to_take_again() -> None:
    world = World()
    reserved, opened = make(world, FOR_ANN), make(world)
    own = [join(world, ANN, table).ticket for table in (reserved, opened)]
    feed = ask(world)
    feed.take(0)
    for table, ticket in zip((reserved, opened), own, strict=True):
        world.shard.leave(ANN._replace(ticket=ticket), table.spec.table_id)
    assert said(feed.take(0)) == ["table-1 0 reserved", "table-2 0 released"]


def test_a_withheld_nonce_ends_the_call() -> None:
    world = World(nonce_ms=1_000)
    table = make(world, FOR_ANN, FOR_BOB, deal=DealSource(DealKind.MATCH))
    feed = ask(world)
    join(world, ANN, table, nonce_hash=b"n" * 32)
    join(world, BOB, table)
    feed.take(0)
    world.clock.advance(2_000)
    world.shard.tick()
    assert said(feed.take(0)) == ["table-1 0 released"]
    with pytest.raises(NotAllowed) as caught:
        join(world, ANN, table)
    assert caught.value.reason is Reason.NONCE_WITHHELD


def test_streams_and_lists_go_on_after_a_restart() -> None:
    world = World()
    playing, waiting = make(world, FOR_ANN, FOR_BOB), make(world, FOR_ANN)
    for caller in (ANN, BOB):
        join(world, caller, playing)
    assert waiting.status is Status.OPEN
    before = listed(world)
    assert before == [("table-2", 0, State.RESERVED), ("table-1", 0, State.SEATED)]
    world.restart()
    assert listed(world) == before
    found = said(ask(world).take(0))
    assert found == ["table-1 0 seated", "table-2 0 reserved", "caught_up"]


def test_many_seats_come_in_slices_and_what_ends_meanwhile_is_not_sent() -> None:
    world = World()
    tables = [make(world, FOR_ANN) for _ in range(SLICE + 3)]
    feed = ask(world)
    assert len(feed.take(0)) == SLICE
    assert feed.has_more
    tables[-1].abort("", world.clock.now)
    world.shard.done(tables[-1])
    tables[0].abort("", world.clock.now)
    world.shard.done(tables[0])
    assert said(feed.take(0)) == [
        f"table-{SLICE + 1} 0 reserved",
        f"table-{SLICE + 2} 0 reserved",
        "caught_up",
        "table-1 0 released",
    ]


def test_streams_and_lists_are_of_one_game_if_asked() -> None:
    world = World()
    make(world, FOR_ANN)
    assert said(ask(world, kind=KIND).take(0)) == ["table-1 0 reserved", "caught_up"]
    other = ask(world, kind=KIND + 1)
    assert said(other.take(0)) == ["caught_up"]
    make(world, FOR_ANN)
    assert other.take(0) == []
    assert listed(world, kind=KIND + 1) == []


def test_streams_beat_and_end_with_the_server() -> None:
    world = World()
    feed = ask(world)
    world.shard.heartbeat()
    assert said(feed.take(world.clock.now)) == ["caught_up", "heartbeat"]
    world.shard.drain()
    assert said(feed.take(0)) == ["SERVER_DRAINING"]
    with pytest.raises(CroupierError) as caught:
        ask(world)
    assert caught.value.reason is Reason.SERVER_DRAINING


def test_a_principal_has_so_many_streams_of_its_seats() -> None:
    world = World()
    feeds = [ask(world) for _ in range(SEAT_STREAMS_MAX)]
    with pytest.raises(Exhausted) as caught:
        ask(world)
    assert caught.value.reason is Reason.TOO_MANY_STREAMS
    ask(world, BOB)
    feeds[0].close()
    ask(world)


def test_pages_hold_every_seat_once() -> None:
    world = World()
    for _ in range(3):
        make(world, FOR_ANN, FOR_ANN)
    assignments, place = world.shard.directory.assignments, None
    found: list[tuple[str, int]] = []
    while True:
        page = assignments.page("ann", kind=0, before=place, limit=2 if found else 1)
        found += [(table.spec.table_id, seat) for table, seat, _ in page.seats]
        place = page.last
        if place is None:
            break
    assert found == [(f"table-{number}", seat) for number in (3, 2, 1) for seat in (0, 1)]


# Taking seats -------------------------------------------------------------------------------------


def test_a_key_opens_the_seat_that_is_reserved_for_it() -> None:
    world = World()
    table = make(world, SeatSpec(), FOR_ANN)
    for caller in (BOB, Caller(), Caller(HOUSE)):
        with pytest.raises(NotAllowed) as caught:
            join(world, caller, table, seat=1)
        assert caught.value.reason is Reason.SEAT_RESERVED
    assert join(world, ANN, table).seat == 1
    with pytest.raises(Conflict) as refused:
        join(world, ANN, table, seat=1)
    assert refused.value.reason is Reason.SEAT_TAKEN
    assert "replace_ticket" in refused.value.message


def test_a_rated_table_gives_a_key_one_of_the_seats_that_are_reserved_for_it() -> None:
    world = World()
    table = make(world, FOR_ANN, FOR_ANN, rated=True, deal=DealSource())
    join(world, ANN, table)
    with pytest.raises(Conflict) as caught:
        join(world, ANN, table, seat=1)
    assert caught.value.reason is Reason.SEAT_TAKEN


@pytest.mark.parametrize("spec", [FOR_ANN, SeatSpec()])
def test_a_key_that_lost_its_ticket_gets_a_new_one_in_the_middle_of_a_match(
    spec: SeatSpec,
) -> None:
    world = World()
    table = make(world, spec, FOR_BOB)
    old = join(world, ANN, table, seat=0).ticket
    join(world, BOB, table)
    stream = world.shard.watch_seat(ANN._replace(ticket=old), table, epoch=0, after=0, mode=1)
    world.take(stream)
    made = join(world, ANN, table, seat=0, replaces_ticket=True)
    assert (made.seat, made.epoch) == (0, 2)
    (end,) = world.take(stream)
    assert end.end.reason == table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED
    with pytest.raises(NotAllowed) as caught:
        world.shard.watch_seat(ANN._replace(ticket=old), table, epoch=0, after=0, mode=1)
    assert caught.value.reason is Reason.TICKET_SUPERSEDED
    own = ANN._replace(ticket=made.ticket)
    world.take(world.shard.watch_seat(own, table, epoch=0, after=0, mode=1))
    world.play(table)
    assert table.status is Status.ENDED


@pytest.mark.attack
def test_nobody_else_replaces_a_ticket_and_no_seat_is_told_from_another() -> None:
    world = World()
    table = make(world, FOR_ANN, FOR_BOB)
    join(world, ANN, table)
    sequence = table.journal.sequence
    told = set()
    for caller, seat in ((BOB, 0), (BOB, 1), (BOB, 9), (Caller("eve"), 0), (ANN, 1)):
        with pytest.raises(NotAllowed) as caught:
            join(world, caller, table, seat=seat, replaces_ticket=True)
        told.add((caught.value.reason, caught.value.message, caught.value.field))
    assert told == {(Reason.TICKET_INVALID, "your principal does not hold this seat", "seat")}
    with pytest.raises(NotAllowed) as caught:
        join(world, Caller(), table, seat=0, replaces_ticket=True)
    assert (caught.value.reason, caught.value.field) == (
        Reason.PERMISSION_DENIED,
        "replace_ticket",
    )
    assert table.journal.sequence == sequence


@pytest.mark.attack
def test_tickets_alone_tell_programs_apart_that_share_a_key() -> None:
    """Entrants of a contest call with its host's key, and may not take each other's seats."""
    world = World()
    table = make(world, SeatSpec(), FOR_ANN, shared_seats=True)
    for seat in (0, 1):
        join(world, ANN, table, seat=seat)
    with pytest.raises(NotAllowed) as caught:
        join(world, ANN, table, seat=0, replaces_ticket=True)
    assert caught.value.reason is Reason.TICKET_INVALID
    assert join(world, ANN, table, seat=1, replaces_ticket=True).epoch == 2
    board = DealSource(DealKind.BOARD, board_id="b", root=b"r" * 32, shared_principals=True)
    reserved = SeatSpec(Access.RESERVED)
    made = world.shard.create_table(HAL, request(seats=(reserved,) * 2, deal=board, **TWO))
    join(world, ANN, made.table, invite_code=made.invite_codes[0])
    with pytest.raises(NotAllowed) as caught:
        join(world, ANN, made.table, seat=0, replaces_ticket=True)
    assert caught.value.reason is Reason.TICKET_INVALID


def test_a_key_takes_its_seat_back_from_a_house_bot() -> None:
    world = World(away_ms=1_000, relief_bot="greedy")
    table = make(world, FOR_ANN, FOR_BOB, absence=AbsencePolicy.HOUSE_BOT)
    for caller in (ANN, BOB):
        join(world, caller, table)
    feed = ask(world)
    feed.take(0)
    while asked(table)[0].seat != 0:
        world.step(table)
    world.clock.advance(1_500)
    world.shard.tick()
    (sent,) = [one for one in world.house if one.seat == 0]
    world.shard.join(Caller(HOUSE), JoinTable("table-1", invite_code=sent.invite_code))
    assert said(feed.take(0))[-1] == "table-1 0 substituted"
    join(world, ANN, table, seat=0, replaces_ticket=True)
    assert said(feed.take(0)) == ["table-1 0 seated"]
