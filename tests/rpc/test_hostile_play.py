"""Hostile calls to live tables: decisions that are not open, moves that may not be made.

Each is refused with its own status, reason and clause, and no table is any different after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio

from croupier.v1 import game_pb2, play_service_pb2
from tests.rpc.calls import on_stream
from tests.rpc.conftest import server
from tests.rpc.hostile import PLAY, SPECTATE, TABLES, Row, World, world
from tests.rpc.hostile_moves import (
    ANSWERED,
    BAD_MOVE,
    CLOSED,
    MOVES,
    STALE,
    TURN,
    UNEXPECTED,
    UNKNOWN,
    bury,
)
from tests.rpc.players import first_move, make_full, ticket_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[World]:
    """Live tables, which no call of this module changes."""
    async with world() as found:
        yield found


def move_row(method: str, table: str, ticket: str, decision: str, move: str) -> Row:
    decision_id = decision if decision.startswith("'") else f"'{{{decision}}}'"
    return Row(
        f"{PLAY}/{method}",
        f"table_id: '{{{table}}}' decision_id: {decision_id} move < {move} >",
        "",
        "",
        metadata=(f"croupier-ticket={{{ticket}}}",),
    )


@pytest.mark.parametrize(("table", "ticket", "decision", "move", "expected"), MOVES)
async def test_a_move_that_may_not_be(
    live: World, table: str, ticket: str, decision: str, move: str, expected: tuple[str, str]
) -> None:
    before = live.dump()
    refused = await live.refused(move_row("SubmitMove", table, ticket, decision, move))
    assert (refused.code.name, refused.word) == expected
    if expected == BAD_MOVE:
        assert refused.fields[0].startswith("move")
    if refused.code.name == "FAILED_PRECONDITION" and expected not in (TURN, UNEXPECTED, CLOSED):
        assert refused.metadata["clause"][:2] in ("T-", "G-", "P-")
    assert live.dump() == before


@pytest.mark.more
@pytest.mark.parametrize(("table", "ticket", "decision", "move", "expected"), MOVES)
async def test_checking_it_says_the_same(
    live: World, table: str, ticket: str, decision: str, move: str, expected: tuple[str, str]
) -> None:
    before = live.dump()
    row = move_row("CheckMove", table, ticket, decision, move)
    reason = expected[1]
    asks_about_the_decision = expected in (TURN, UNKNOWN, STALE, ANSWERED)
    if asks_about_the_decision or reason == "TABLE_CLOSED":
        refused = await live.refused(row)
        assert (refused.code.name, refused.word) == expected
    else:
        answer = await live.call.unary(
            row.method,
            live.request(row),
            play_service_pb2.CheckMoveResponse,
            live.metadata(row.metadata),
        )
        assert (answer.legal, on_stream(answer.refusal).word) == (False, reason)
        assert answer.refusal.detail
    assert live.dump() == before


async def test_twenty_refusals_do_not_move_a_table_without_strikes(live: World) -> None:
    before = live.dump()
    row = move_row("SubmitMove", "bury", "bury_me", "bury_id", bury("{bury_first}"))
    for _ in range(45):
        assert (await live.refused(row)).word == "WRONG_CARD_COUNT"
    assert live.dump() == before


# Other calls at the wrong time ------------------------------------------------------------------

OTHERS = [
    Row(f"{PLAY}/GetLegalMoves", "table_id: '{follow}' decision_id: '{follow_id}'", *TURN),
    Row(f"{PLAY}/GetLegalMoves", "table_id: '{follow}' decision_id: '0-0'", *TURN),
    Row(f"{PLAY}/ListLegalMoves", "table_id: '{follow}' decision_id: '{follow_id}'", *TURN),
    Row(f"{PLAY}/ListLegalMoves", "table_id: '{follow}' decision_id: '0-0'", *TURN),
    Row(
        f"{PLAY}/OpenNonce",
        f"table_id: '{{follow}}' nonce: '{'n' * 32}'",
        "FAILED_PRECONDITION",
        "NONCE_NOT_EXPECTED",
    ),
    Row(
        f"{PLAY}/WatchTable",
        "table_id: '{follow}' table_epoch: 1 after_sequence: 36",
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
        ("after_sequence",),
    ),
    Row(
        f"{PLAY}/WatchTable",
        "table_id: '{follow}' after_sequence: 4294967295",
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
        ("after_sequence",),
    ),
    Row(
        SPECTATE,
        "table_id: '{follow}' table_epoch: 1 after_sequence: 99999",
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
        ("after_sequence",),
    ),
    Row(f"{TABLES}/LeaveTable", "table_id: '{follow}'", "FAILED_PRECONDITION", "TABLE_STARTED"),
    Row(f"{TABLES}/JoinTable", "table_id: '{lead}'", "FAILED_PRECONDITION", "TABLE_STARTED"),
    Row(
        f"{TABLES}/JoinTable", "table_id: '{lead}' seat: 0", "FAILED_PRECONDITION", "TABLE_STARTED"
    ),
    Row(f"{TABLES}/JoinTable", "table_id: '{ended}'", "FAILED_PRECONDITION", "TABLE_CLOSED"),
    Row(
        f"{TABLES}/JoinTable",
        "table_id: '{open}' seat: 0",
        "ALREADY_EXISTS",
        "SEAT_TAKEN",
        ("seat",),
    ),
    Row(
        f"{TABLES}/JoinTable",
        "table_id: '{open}' seat: 2",
        "PERMISSION_DENIED",
        "SEAT_RESERVED",
        ("seat",),
    ),
    Row(
        f"{TABLES}/JoinTable",
        "table_id: '{open}' seat: 2 invite_code: 'made up'",
        "PERMISSION_DENIED",
        "SEAT_RESERVED",
        ("invite_code",),
    ),
    Row(
        f"{TABLES}/JoinTable",
        "table_id: '{open}' invite_code: '{open_0}'",
        "PERMISSION_DENIED",
        "SEAT_RESERVED",
        ("invite_code",),
    ),
]


@pytest.mark.parametrize("row", OTHERS, ids=str)
async def test_a_call_at_the_wrong_time(live: World, row: Row) -> None:
    before = live.dump()
    needs_ticket = row.method.startswith(PLAY) or row.method.endswith("LeaveTable")
    metadata = ("croupier-ticket={follow_next}",) if needs_ticket else ()
    refused = await live.refused(row._replace(metadata=metadata))
    assert (refused.code.name, refused.reason, refused.fields) == (row.code, row.reason, row.fields)
    assert live.dump() == before


HOSTS = [
    ("StartTable", "follow", "TABLE_STARTED"),
    ("StartTable", "opening", "TABLE_STARTED"),
    ("StartTable", "open", "TABLE_NOT_READY"),
    ("StartTable", "ended", "TABLE_CLOSED"),
    ("AbortTable", "ended", "TABLE_CLOSED"),
]


@pytest.mark.parametrize(("method", "table", "reason"), HOSTS)
async def test_a_host_too_early_or_too_late(
    live: World, method: str, table: str, reason: str
) -> None:
    before = live.dump()
    metadata = (f"croupier-host-ticket={{{table}_host}}",)
    row = Row(f"{TABLES}/{method}", f"table_id: '{{{table}}}'", "", "", metadata=metadata)
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == ("FAILED_PRECONDITION", reason)
    assert live.dump() == before


SEATS = [
    ("OpenNonce", "opening", 0, f"nonce: '{'x' * 32}'", "INVALID_ARGUMENT", "NONCE_MISMATCH"),
    (
        "OpenNonce",
        "opening",
        3,
        f"nonce: '{'x' * 32}'",
        "FAILED_PRECONDITION",
        "NONCE_NOT_EXPECTED",
    ),
    ("OpenNonce", "ended", 0, f"nonce: '{'x' * 32}'", "FAILED_PRECONDITION", "TABLE_CLOSED"),
    ("Concede", "opening", 0, "", "FAILED_PRECONDITION", "TABLE_NOT_READY"),
    ("Concede", "open", 0, "", "FAILED_PRECONDITION", "TABLE_NOT_READY"),
    ("Concede", "ended", 0, "", "FAILED_PRECONDITION", "TABLE_CLOSED"),
]


@pytest.mark.parametrize(("method", "table", "seat", "text", "code", "reason"), SEATS)
async def test_a_seat_too_early_or_too_late(
    live: World, method: str, table: str, seat: int, text: str, code: str, reason: str
) -> None:
    before = live.dump()
    metadata = (f"croupier-ticket={{{table}_{seat}}}",)
    row = Row(f"{PLAY}/{method}", f"table_id: '{{{table}}}' {text}", "", "", metadata=metadata)
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == (code, reason)
    assert live.dump() == before


@pytest.mark.more
async def test_after_all_of_it_every_table_plays_to_its_end() -> None:
    async with world() as live:
        before = live.dump()
        for table, ticket, decision, move, expected in MOVES:
            refused = await live.refused(move_row("SubmitMove", table, ticket, decision, move))
            assert (refused.code.name, refused.word) == expected
        assert live.dump() == before
        await live.finish()


async def test_a_move_whose_call_was_cut_may_come_again() -> None:
    async with server() as running:
        table = await make_full(running.call)
        while (decision := await table.open()) is not None:
            move = first_move(decision)
            request = play_service_pb2.SubmitMoveRequest(
                table_id=table.id, decision_id=decision.decision_id, move=move
            )
            ticket = ticket_of(table.tickets[decision.seat])
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = running.call.channel.unary_unary(
                f"/{PLAY}/SubmitMove"
            )
            cut = call(request.SerializeToString(), metadata=ticket)
            await asyncio.sleep(0)
            cut.cancel()
            first = await table.submit(decision, move)
            assert await table.submit(decision, move) == first
        assert (await table.table()).result.reason == game_pb2.END_REASON_FINISHED
