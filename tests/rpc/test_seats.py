"""SeatService over the wire: who is shown which seats, and what a key may do with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack

import grpc
import pytest

from croupier.v1 import seat_service_pb2 as pb
from croupier.v1 import system_service_pb2, table_pb2, table_service_pb2
from croupier_server.identity.keys import Scope
from croupier_server.tables.feeds.readers import SEAT_STREAMS_MAX
from tests.rpc.calls import Caller, build
from tests.rpc.conftest import Running
from tests.rpc.hostile import SEATS, TABLES
from tests.rpc.keyed import OWN, PLAYERS, Keyed, bearer, keyed
from tests.rpc.players import Seats, first_move
from tests.rpc.webcalls import WebCaller

CALLED = OWN + "".join(
    f"seats {{ access: SEAT_ACCESS_RESERVED player {{ player_id: '{name}' }} }} "
    for name in PLAYERS
)
PRIVATE = "spec { visibility: VISIBILITY_PRIVATE } "


@pytest.fixture
async def live() -> AsyncIterator[Keyed]:
    async with keyed() as found:
        yield found


def watch(call: Caller) -> AsyncGenerator[pb.WatchSeatsResponse, None]:
    return call.stream(f"{SEATS}/WatchSeats", b"", pb.WatchSeatsResponse)


async def seat(stream: AsyncIterator[pb.WatchSeatsResponse]) -> tuple[str, str]:
    """What comes next on a stream: its kind, and the state of the seat."""
    update = await anext(stream)
    kind = update.WhichOneof("item") or ""
    state = pb.SeatAssignmentState.Name(update.seat.state)
    return kind, state.removeprefix("SEAT_ASSIGNMENT_STATE_")


async def take(
    call: Caller, table_id: str, number: int, **changes: object
) -> table_service_pb2.JoinTableResponse:
    request = table_service_pb2.JoinTableRequest(table_id=table_id, seat=number, **changes)  # type: ignore[arg-type]
    answer = table_service_pb2.JoinTableResponse
    return await call.unary(f"{TABLES}/JoinTable", request, answer)


async def test_a_player_is_called_sits_down_and_gets_its_lost_ticket_back(live: Keyed) -> None:
    ann = await live.player("ann")
    stream = watch(ann)
    assert await seat(stream) == ("caught_up", "UNSPECIFIED")
    seats = await live.table(CALLED + PRIVATE, players=())
    assert await seat(stream) == ("seat", "RESERVED")
    await take(ann, seats.id, 0)
    assert await seat(stream) == ("seat", "SEATED")
    for number, name in enumerate(PLAYERS[1:], 1):
        player = await live.player(name)
        seats.tickets[number] = (await take(player, seats.id, number)).ticket
        assert await seat(stream) == ("seat", "SEATED")
    again = await take(ann, seats.id, 0, replace_ticket=True)
    assert again.seat_epoch == 2
    seats.tickets[0] = again.ticket
    await play(live, seats)
    while (update := await anext(stream)).HasField("seat"):
        pass
    assert update.released == pb.SeatReleased(table_id=seats.id, seat=0)
    await stream.aclose()


async def play(live: Keyed, seats: Seats) -> None:
    """Play a match, each seat with the key of its player."""
    while True:
        for number, name in enumerate(PLAYERS):
            seats.call = await live.player(name)
            view = await seats.view(number)
            if view.snapshot.table.status == table_pb2.TABLE_STATUS_ENDED:
                return
            if view.HasField("decision"):
                await seats.submit(view.decision, first_move(view.decision))


async def test_what_is_shown_is_what_joining_shows(live: Keyed) -> None:
    seats = await live.table(CALLED, players=())
    ann = await live.player("ann")
    joined = await take(ann, seats.id, 0)
    (found,) = (await ann.unary(f"{SEATS}/ListSeats", b"", pb.ListSeatsResponse)).seats
    assert found.table == joined.table
    state = pb.SEAT_ASSIGNMENT_STATE_SEATED
    assert (found.seat, found.state, found.host_player_id) == (0, state, "hal")
    assert joined.ticket.encode() not in found.SerializeToString()


@pytest.mark.attack
async def test_other_keys_see_and_take_nothing(live: Keyed) -> None:
    seats = await live.table(CALLED, players=("ann",))
    mal = await live.player("mal")
    listed = await mal.unary(f"{SEATS}/ListSeats", b"", pb.ListSeatsResponse)
    assert listed == pb.ListSeatsResponse()
    stream = watch(mal)
    assert await seat(stream) == ("caught_up", "UNSPECIFIED")
    await stream.aclose()
    told = set()
    for number in (0, 1, 11):
        request = table_service_pb2.JoinTableRequest(
            table_id=seats.id, seat=number, replace_ticket=True
        )
        told.add((await mal.refused(f"{TABLES}/JoinTable", request))[:4])
    ((_, reason, fields, _),) = told
    assert (reason, fields) == ("TICKET_INVALID", ("seat",))
    seats.call = await live.player("ann")
    assert (await seats.view(0)).snapshot.table.table_id == seats.id


@pytest.mark.attack
async def test_a_stream_of_seats_ends_with_its_key_and_another_key_goes_on(live: Keyed) -> None:
    seats = await live.table(CALLED, players=("ann",))
    key = live.texts["ann", frozenset({Scope.PLAY})]
    stream = watch(live.caller(key))
    assert await seat(stream) == ("seat", "SEATED")
    assert await seat(stream) == ("caught_up", "UNSPECIFIED")
    await live.revoke(key)
    end = (await anext(stream)).end
    assert end.reason == table_pb2.STREAM_END_REASON_KEY_REVOKED
    request = table_service_pb2.JoinTableRequest(table_id=seats.id, seat=0, replace_ticket=True)
    for method, asked in ((f"{SEATS}/ListSeats", b""), (f"{TABLES}/JoinTable", request)):
        assert (await live.caller(key).refused(method, asked)).reason == "UNAUTHENTICATED"
    again = live.caller(await live.key("ann"))
    seats.tickets[0] = (await take(again, seats.id, 0, replace_ticket=True)).ticket
    seats.call = again
    assert (await seats.view(0)).snapshot.table.table_id == seats.id


@pytest.mark.attack
async def test_the_seats_at_the_start_of_a_stream_are_paid_for() -> None:
    async with keyed(calls_per_second=10, calls_burst=10) as live:
        for _ in range(100):
            live.running.clock.advance(1_000)
            await live.table(CALLED, players=())
        ann = await live.player("ann")
        for _ in range(2):
            stream = watch(ann)
            while (await seat(stream))[0] != "caught_up":
                pass
            await stream.aclose()
        assert (await ann.refused(f"{SEATS}/WatchSeats", b"")).reason == "RATE_LIMITED"
        other = watch(await live.player("bob"))
        assert await seat(other) == ("seat", "RESERVED")
        await other.aclose()


@pytest.mark.attack
async def test_a_flood_of_streams_is_bounded(live: Keyed) -> None:
    ann = await live.player("ann")
    async with AsyncExitStack() as stack:
        for _ in range(SEAT_STREAMS_MAX):
            stream = watch(ann)
            stack.push_async_callback(stream.aclose)
            await seat(stream)
        refused = await ann.refused(f"{SEATS}/WatchSeats", b"")
        assert (refused.reason, refused.retry_ms) == ("TOO_MANY_STREAMS", 1_000)
        other = watch(await live.player("bob"))
        assert await seat(other) == ("caught_up", "UNSPECIFIED")
        await other.aclose()


async def test_a_page_token_is_good_for_its_principal_alone(live: Keyed) -> None:
    for _ in range(2):
        await live.table(CALLED, players=())
    ann, bob = await live.player("ann"), await live.player("bob")
    request = pb.ListSeatsRequest(page_size=1)
    first = await ann.unary(f"{SEATS}/ListSeats", request, pb.ListSeatsResponse)
    request.page_token = first.next_page_token
    second = await ann.unary(f"{SEATS}/ListSeats", request, pb.ListSeatsResponse)
    assert not second.next_page_token
    assert first.seats[0].table.table_id != second.seats[0].table.table_id
    refused = await bob.refused(f"{SEATS}/ListSeats", request)
    assert refused.reason == "INVALID_PAGE_TOKEN"


async def test_seats_are_served_to_browsers_too() -> None:
    async with keyed(web="0") as live:
        seats = await live.table(CALLED, players=())
        web = live.running.app.server.web
        assert web is not None
        ann = WebCaller(web.address, bearer(await live.good("ann", Scope.PLAY)))
        (found,) = (await ann.unary(f"{SEATS}/ListSeats", b"", pb.ListSeatsResponse)).seats
        assert found.table.table_id == seats.id
        stream = watch(ann)
        assert await seat(stream) == ("seat", "RESERVED")
        await stream.aclose()


async def test_without_keys_nobody_has_a_list_of_seats(whole: Running) -> None:
    for method in ("WatchSeats", "ListSeats"):
        refused = await whole.call.refused(f"{SEATS}/{method}", b"")
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED,
            "PERMISSION_DENIED",
        )
        assert "requires no keys" in refused.message
    request = build(
        table_service_pb2.JoinTableRequest, "table_id: 'x' seat: 0 replace_ticket: true"
    )
    assert (await whole.call.refused(f"{TABLES}/JoinTable", request)).reason == "NOT_FOUND"


@pytest.mark.parametrize("asks", [True, False])
async def test_the_server_says_whether_it_knows_whose_seats_are_whose(
    whole: Running, asks: bool
) -> None:
    method = "croupier.v1.SystemService/GetServerInfo"
    answer = system_service_pb2.GetServerInfoResponse
    if not asks:
        info = await whole.call.unary(method, b"", answer)
    else:
        async with keyed() as live:
            info = await live.running.call.unary(method, b"", answer)
    assert info.capabilities.seats is asks
