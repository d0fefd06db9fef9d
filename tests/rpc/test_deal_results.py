"""The results of finished deals, in pages, on a real server."""

from __future__ import annotations

import grpc
import pytest

from croupier.v1 import game_pb2, pokex_pb2
from croupier.v1 import play_service_pb2 as play_pb
from croupier.v1 import spectate_service_pb2 as spectate_pb
from croupier_server.identity.keys import Scope
from tests.rpc.calls import Caller, refusal
from tests.rpc.keyed import keyed
from tests.rpc.players import PLAY, Seats, first_move, make_full, ticket_of
from tests.rpc.test_boards import board_table

PUBLIC_RESULTS = "croupier.v1.SpectateService/ListPublicDealResults"
DEALS = 5
TABLE = (
    "spec { game: GAME_KIND_POKEX shared_seats: true deal_source { fixed { seed: 5 } } } "
    f"spec {{ options {{ pokex {{ max_deals: {DEALS} target: 1000 }} }} }} "
)


async def of_seat(
    call: Caller, seats: Seats, page_size: int = 0, token: str = ""
) -> play_pb.ListDealResultsResponse:
    return await call.unary(
        f"{PLAY}/ListDealResults",
        play_pb.ListDealResultsRequest(table_id=seats.id, page_size=page_size, page_token=token),
        play_pb.ListDealResultsResponse,
        ticket_of(seats.tickets[1]),
    )


async def of_everybody(call: Caller, seats: Seats) -> list[game_pb2.DealResult]:
    request = spectate_pb.ListPublicDealResultsRequest(table_id=seats.id)
    answer = spectate_pb.ListPublicDealResultsResponse
    return list((await call.unary(PUBLIC_RESULTS, request, answer)).results)


async def play_out(seats: Seats) -> list[pokex_pb2.PokexDealResult]:
    """Play to the end; what the views show as the last result, each once."""
    shown: list[pokex_pb2.PokexDealResult] = []
    while (decision := await seats.open()) is not None:
        view = decision.view.pokex.public_view
        assert view.HasField("last_result") is (view.deal > 1)
        if view.HasField("last_result") and view.last_result not in shown:
            shown.append(view.last_result)
        await seats.submit(decision, first_move(decision))
    shown.append((await seats.view(0)).snapshot.seat_view.pokex.public_view.last_result)
    return shown


@pytest.mark.more
async def test_pages_have_every_result_once_and_in_order(call: Caller) -> None:
    seats = await make_full(call, TABLE)
    assert not (await of_seat(call, seats)).results
    shown = await play_out(seats)
    found: list[game_pb2.DealResult] = []
    sizes: list[int] = []
    token = ""
    while not sizes or token:
        page = await of_seat(call, seats, page_size=2, token=token)
        found += page.results
        sizes.append(len(page.results))
        token = page.next_page_token
    assert sizes == [2, 2, 1]
    assert [one.pokex for one in found] == shown
    assert [one.pokex.deal for one in found] == list(range(1, DEALS + 1))
    assert await of_everybody(call, seats) == found


@pytest.mark.more
async def test_a_page_token_of_another_table_is_refused(call: Caller) -> None:
    first, second = [await make_full(call, TABLE) for _ in range(2)]
    await play_out(first)
    token = (await of_seat(call, first, page_size=1)).next_page_token
    request = play_pb.ListDealResultsRequest(table_id=second.id, page_token=token)
    refused = await call.refused(f"{PLAY}/ListDealResults", request, ticket_of(second.tickets[1]))
    assert (refused.reason, refused.fields) == ("INVALID_PAGE_TOKEN", ("page_token",))


async def test_private_spectators_hear_of_a_deal_as_late_as_of_all_else(call: Caller) -> None:
    seats = await make_full(call, TABLE + "spec { spectator_delay { time { seconds: 3600 } } } ")
    while (decision := await seats.open()) is not None and decision.view.pokex.public_view.deal < 3:
        await seats.submit(decision, first_move(decision))
    assert len((await of_seat(call, seats)).results) == 2
    assert await of_everybody(call, seats) == []


@pytest.mark.attack
async def test_private_whoever_plays_a_board_may_not_see_how_its_deals_went() -> None:
    async with keyed() as live:
        await board_table(live, ["ann"])
        other = await board_table(live, ["eve", "fay", "gus", "ida"])
        ann = live.caller(await live.good("ann", Scope.SPECTATE))
        request = spectate_pb.ListPublicDealResultsRequest(table_id=other.id)
        refused = await ann.refused(PUBLIC_RESULTS, request)
        assert refused.reason == "BOARD_CONFLICT"


@pytest.mark.attack
async def test_private_whoever_has_seen_how_its_deals_went_may_not_play_a_board() -> None:
    async with keyed() as live:
        played = await board_table(live, ["eve", "fay", "gus", "ida"])
        zoe = live.caller(await live.good("zoe", Scope.SPECTATE, Scope.PLAY))
        request = spectate_pb.ListPublicDealResultsRequest(table_id=played.id)
        await zoe.unary(PUBLIC_RESULTS, request, spectate_pb.ListPublicDealResultsResponse)
        other = await board_table(live, [])
        other.call = zoe
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await other.join(0, code=other.invites[0])
        assert refusal(caught.value).reason == "BOARD_CONFLICT"
