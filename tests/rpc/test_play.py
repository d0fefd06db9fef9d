"""PlayService on a real server: Tractor by single calls and by the seat's stream."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator

import pytest

from croupier.v1 import game_pb2, table_pb2, tractor_pb2
from croupier.v1 import play_service_pb2 as pb
from tests.rpc.calls import Caller, Refusal, on_stream
from tests.rpc.conftest import Running
from tests.rpc.players import (
    NONCES,
    PLAY,
    SHORT,
    Seats,
    first_move,
    make,
    make_full,
    ticket_of,
)

MATCH = "spec { game: GAME_KIND_TRACTOR } " + SHORT


def watch(
    call: Caller, seats: Seats, seat: int, **fields: int
) -> AsyncGenerator[pb.WatchTableResponse, None]:
    """The stream of a seat."""
    request = pb.WatchTableRequest(table_id=seats.id, **fields)  # type: ignore[arg-type]
    metadata = ticket_of(seats.tickets[seat])
    return call.stream(f"{PLAY}/WatchTable", request, pb.WatchTableResponse, metadata)


async def check(
    call: Caller, seats: Seats, decision: table_pb2.Decision, move: game_pb2.Move
) -> pb.CheckMoveResponse:
    request = pb.CheckMoveRequest(table_id=seats.id, decision_id=decision.decision_id, move=move)
    metadata = ticket_of(seats.tickets[decision.seat])
    return await call.unary(f"{PLAY}/CheckMove", request, pb.CheckMoveResponse, metadata)


async def listed(
    call: Caller, seats: Seats, decision: table_pb2.Decision, size: int
) -> list[list[game_pb2.LegalMove]]:
    """Every page of the legal moves of a decision."""
    pages = []
    token = ""
    while True:
        request = pb.ListLegalMovesRequest(
            table_id=seats.id,
            decision_id=decision.decision_id,
            page_size=size,
            page_token=token,
        )
        page = await call.unary(
            f"{PLAY}/ListLegalMoves",
            request,
            pb.ListLegalMovesResponse,
            ticket_of(seats.tickets[decision.seat]),
        )
        pages.append(list(page.moves))
        token = page.next_page_token
        if not token:
            return pages


async def test_a_match_by_single_calls(call: Caller) -> None:
    seats = await make_full(call)
    result = await seats.finish()
    assert len(result.seats) == 4
    assert sorted(one.place for one in result.seats)[0] == 1


async def test_a_match_by_streams(whole: Running) -> None:
    """Four players, each on its own stream, answer what they are asked."""
    call = whole.call
    seats = await make_full(call)

    async def play(seat: int) -> list[table_pb2.TableUpdate]:
        found = []
        async for message in watch(call, seats, seat):
            found.append(message.update)
            if message.update.HasField("decision"):
                decision = message.update.decision
                await seats.submit(decision, first_move(decision))
        return found

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(play(seat)) for seat in range(4)]
    for seat, task in enumerate(tasks):
        found = task.result()
        assert found[0].snapshot.seat_view.tractor.seat == seat
        assert found[-2].HasField("result")
        assert found[-1].end.reason == table_pb2.STREAM_END_REASON_MATCH_ENDED
        asked = [one.decision for one in found if one.HasField("decision")]
        assert len(asked) > 20
        assert all(one.view.tractor.seat == seat == one.seat for one in asked)


async def test_events_reach_every_seat_in_order(call: Caller) -> None:
    seats = await make_full(call)

    listening = [asyncio.Event() for _ in range(4)]

    async def listen(seat: int) -> list[table_pb2.TableEvent]:
        found = []
        async for message in watch(call, seats, seat, view_mode=table_pb2.VIEW_MODE_EVENTS):
            found.append(message.update)
            listening[seat].set()
        assert not any(one.decision.HasField("view") for one in found)
        first = found[0].snapshot.sequence
        events = [one.event for one in found if one.HasField("event")]
        assert [one.sequence for one in events] == list(range(first + 1, first + 1 + len(events)))
        return events

    listeners = [asyncio.create_task(listen(seat)) for seat in range(4)]
    for event in listening:
        await event.wait()
    await seats.finish()
    heard = [await task for task in listeners]
    last = [events[-1].sequence for events in heard]
    assert len(set(last)) == 1
    assert heard[0][-1].HasField("match_ended")


async def test_a_stream_resumes_where_it_was_left(whole: Running) -> None:
    call = whole.call
    seats = await make_full(call)
    await seats.play_to(tractor_pb2.TractorDecisionKind.TRACTOR_DECISION_KIND_FOLLOW, 5)
    head = (await seats.table()).sequence
    for after in (1, head // 2, head):
        stream = watch(call, seats, 0, table_epoch=1, after_sequence=after, view_mode=2)
        first = (await anext(stream)).update
        assert first.resumed.after_sequence == after
        assert first.resumed.sequence == head
        numbers = [(await anext(stream)).update.event.sequence for _ in range(head - after)]
        assert numbers == list(range(after + 1, head + 1))
        await stream.aclose()
    stream = watch(call, seats, 0, table_epoch=3, after_sequence=head)
    assert (await anext(stream)).update.reset.reason == table_pb2.RESET_REASON_EPOCH
    assert (await anext(stream)).update.HasField("snapshot")
    await stream.aclose()
    ahead = pb.WatchTableRequest(table_id=seats.id, table_epoch=1, after_sequence=head + 1)
    refused = await call.refused(f"{PLAY}/WatchTable", ahead, ticket_of(seats.tickets[0]))
    assert refused.reason == "SEQUENCE_AHEAD"


async def test_the_newest_stream_of_a_seat_replaces_the_older(call: Caller) -> None:
    seats = await make_full(call)
    older = watch(call, seats, 0)
    await anext(older)
    newer = watch(call, seats, 0)
    await anext(newer)
    rest = [message.update async for message in older]
    assert rest[-1].end.reason == table_pb2.STREAM_END_REASON_REPLACED
    await newer.aclose()


async def test_a_repeated_answer_gets_the_same_answer(call: Caller) -> None:
    seats = await make_full(call)
    decision = await seats.open()
    assert decision is not None
    move = first_move(decision)
    sequence = await seats.submit(decision, move)
    assert await seats.submit(decision, move) == sequence


async def test_check_says_why_not_and_changes_nothing(call: Caller) -> None:
    seats = await make_full(call)
    await seats.play_to(tractor_pb2.TractorDecisionKind.TRACTOR_DECISION_KIND_BURY)
    decision = await seats.open()
    assert decision is not None
    before = await seats.view(decision.seat)
    good = first_move(decision)
    assert (await check(call, seats, decision, good)).legal
    good.tractor.bury.cards.pop()
    bad = await check(call, seats, decision, good)
    assert (bad.legal, bad.refusal.rule, bad.refusal.clause) == (False, "WRONG_CARD_COUNT", "T-9.1")
    assert bad.refusal.detail
    good.tractor.bury.cards.append(77)  # type: ignore[arg-type]
    odd = await check(call, seats, decision, good)
    assert (odd.legal, on_stream(odd.refusal).reason) == (False, "MALFORMED_MOVE")
    assert await seats.view(decision.seat) == before


@pytest.mark.more
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_legal_moves_are_paged_each_once(call: Caller, size: int) -> None:
    seats = await make_full(call)
    await seats.play_to(tractor_pb2.TractorDecisionKind.TRACTOR_DECISION_KIND_LEAD)
    decision = await seats.open()
    assert decision is not None
    pages = await listed(call, seats, decision, size)
    assert all(len(page) == size for page in pages[:-1])
    found = [one.SerializeToString() for page in pages for one in page]
    assert len(set(found)) == len(found)
    given = [one.SerializeToString() for one in decision.legal.moves]
    assert found[: len(given)] == given
    if not decision.legal.patterns:
        assert found == given
    else:
        assert len(found) > len(given)
        assert all(one.kind.tractor for page in pages for one in page)


async def test_pages_of_a_long_answer_go_on_where_the_last_one_ended(call: Caller) -> None:
    seats = await make_full(call)
    await seats.play_to(tractor_pb2.TractorDecisionKind.TRACTOR_DECISION_KIND_BURY)
    decision = await seats.open()
    assert decision is not None
    token, found = "", []
    for _ in range(3):
        request = pb.ListLegalMovesRequest(
            table_id=seats.id, decision_id=decision.decision_id, page_size=50, page_token=token
        )
        metadata = ticket_of(seats.tickets[decision.seat])
        page = await call.unary(
            f"{PLAY}/ListLegalMoves", request, pb.ListLegalMovesResponse, metadata
        )
        found += [one.move.SerializeToString() for one in page.moves]
        token = page.next_page_token
        assert token
    assert len(set(found)) == 150
    other = pb.ListLegalMovesRequest(
        table_id=seats.id, decision_id=decision.decision_id, page_token=token[:-2] + "xx"
    )
    refused = await call.refused(
        f"{PLAY}/ListLegalMoves", other, ticket_of(seats.tickets[decision.seat])
    )
    assert (refused.reason, refused.fields) == ("INVALID_PAGE_TOKEN", ("page_token",))


async def test_a_view_shows_one_hand_and_its_decision(call: Caller) -> None:
    seats = await make_full(call)
    decision = await seats.open()
    assert decision is not None
    for seat in range(4):
        view = await seats.view(seat)
        assert view.snapshot.seat_view.tractor.seat == seat
        assert view.snapshot.sequence == view.snapshot.table.sequence
        if view.HasField("decision"):
            assert view.decision.seat == seat
            assert not view.decision.HasField("view")


async def test_nonces_are_opened_and_the_match_begins(call: Caller) -> None:
    seats = await make(call, MATCH)
    for seat in range(4):
        await seats.join(seat, nonce=NONCES[seat])
    assert (await seats.table()).status == table_pb2.TABLE_STATUS_AWAITING_NONCES

    async def open_nonce(seat: int, nonce: bytes) -> None:
        request = pb.OpenNonceRequest(table_id=seats.id, nonce=nonce)
        metadata = ticket_of(seats.tickets[seat])
        await call.unary(f"{PLAY}/OpenNonce", request, pb.OpenNonceResponse, metadata)

    wrong = pb.OpenNonceRequest(table_id=seats.id, nonce=b"x" * 32)
    refused: Refusal = await call.refused(f"{PLAY}/OpenNonce", wrong, ticket_of(seats.tickets[0]))
    assert (refused.reason, refused.fields) == ("NONCE_MISMATCH", ("nonce",))
    for seat in range(4):
        await open_nonce(seat, NONCES[seat])
    table = await seats.table()
    assert table.status == table_pb2.TABLE_STATUS_PLAYING
    assert [one.nonce_hash for one in table.seats] == [
        hashlib.sha256(nonce).digest() for nonce in NONCES[:4]
    ]


async def test_a_concession_ends_the_match(call: Caller) -> None:
    seats = await make_full(call)
    answer = await call.unary(
        f"{PLAY}/Concede",
        pb.ConcedeRequest(table_id=seats.id),
        pb.ConcedeResponse,
        ticket_of(seats.tickets[3]),
    )
    assert answer.ended
    result = (await seats.table()).result
    assert result.seat_at_fault == 3
    assert [one.place for one in result.seats] == [1, 2, 1, 2]
