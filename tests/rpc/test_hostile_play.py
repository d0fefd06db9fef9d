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
from tests.rpc.conftest import server
from tests.rpc.hostile import PLAY, SPECTATE, TABLES, Row, World, world
from tests.rpc.players import first_move, make_full, ticket_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[World]:
    """Live tables, which no call of this module changes."""
    async with world() as found:
        yield found


def play(cards: str) -> str:
    return f"tractor < play < cards: [{cards}] > >"


def bury(cards: str) -> str:
    return f"tractor < bury < cards: [{cards}] > >"


TURN = "FAILED_PRECONDITION", "NOT_YOUR_TURN"
STALE = "ABORTED", "STALE_DECISION"
ANSWERED = "ABORTED", "DECISION_ANSWERED"
UNKNOWN = "INVALID_ARGUMENT", "UNKNOWN_DECISION"
BAD_MOVE = "INVALID_ARGUMENT", "MALFORMED_MOVE"
UNEXPECTED = "FAILED_PRECONDITION", "MOVE_NOT_EXPECTED"
NOT_HELD = "FAILED_PRECONDITION", "CARDS_NOT_IN_HAND"
COUNT = "FAILED_PRECONDITION", "WRONG_CARD_COUNT"
PASS = "tractor < decline <> >"

# Table, ticket, decision, move; status and reason.
MOVES: list[tuple[str, str, str, str, tuple[str, str]]] = [
    # Decisions of others, of before, of later, of nobody.
    ("follow", "follow_next", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_next", "follow_next_id", "{follow_legal}", TURN),
    ("follow", "follow_0", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_1", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_2", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_me", "follow_next_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "follow_old_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_old_me", "follow_old_id", play("54"), ANSWERED),
    ("follow", "follow_old_me", "follow_old_id", PASS, ANSWERED),
    ("follow", "follow_old_me", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_me", "lead_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'36-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'35-3 '", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'035-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'-1-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'99999999999999999999999999-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'\\u0663\\u0665-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'x'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'-'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'\\000'", "{follow_legal}", UNKNOWN),
    ("lead", "lead_old_me", "lead_old_id", play("1"), ANSWERED),
    ("bury", "bury_next", "bury_id", "{bury_legal}", TURN),
    ("call", "call_old_me", "call_old_id", "tractor < call < points: 80 > >", ANSWERED),
    ("show", "show_next", "show_next_id", "{show_legal}", TURN),
    ("name", "name_next", "name_id", "{name_legal}", TURN),
    ("window", "window_next", "window_id", PASS, TURN),
    ("window", "window_next", "window_next_id", PASS, TURN),
    ("open", "open_0", "'1-0'", PASS, TURN),
    ("opening", "opening_0", "'6-0'", PASS, TURN),
    ("ended", "ended_0", "'125-0'", PASS, ("FAILED_PRECONDITION", "TABLE_CLOSED")),
    # Moves that are none.
    ("follow", "follow_me", "follow_id", "", BAD_MOVE),
    ("follow", "follow_me", "follow_id", "tractor <>", BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(""), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("0"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("55"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("-1"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("2147483647"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("{follow_legal_card}, 0"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(", ".join(["7"] * 7)), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(", ".join(["7"] * 5_000)), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury(""), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury("99"), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury(", ".join(["53"] * 201)), BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call <> >", BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call < points: 601 > >", BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call < points: 4294967295 > >", BAD_MOVE),
    ("show", "show_me", "show_id", "tractor < show <> >", BAD_MOVE),
    ("show", "show_me", "show_id", "tractor < show < card: 55 > >", BAD_MOVE),
    (
        "name",
        "name_me",
        "name_id",
        "tractor < name_trumps < suit: 9 > >",
        ("INVALID_ARGUMENT", "UNKNOWN_TRUMP_SUIT"),
    ),
    ("window", "window_me", "window_id", "tractor < declare <> >", BAD_MOVE),
    ("window", "window_me", "window_id", "tractor < declare < cards: 0 > >", BAD_MOVE),
    (
        "window",
        "window_me",
        "window_id",
        f"tractor < declare < cards: [{', '.join(['1'] * 7)}] > >",
        BAD_MOVE,
    ),
    # Moves of another kind.
    ("follow", "follow_me", "follow_id", PASS, UNEXPECTED),
    ("follow", "follow_me", "follow_id", bury("{follow_legal_card}"), UNEXPECTED),
    ("follow", "follow_me", "follow_id", "tractor < call < points: 80 > >", UNEXPECTED),
    ("lead", "lead_me", "lead_id", PASS, UNEXPECTED),
    ("lead", "lead_me", "lead_id", "tractor < show < card: {lead_first} > >", UNEXPECTED),
    ("lead", "lead_me", "lead_id", bury("{lead_first}"), UNEXPECTED),
    ("bury", "bury_me", "bury_id", play("{bury_first}"), UNEXPECTED),
    ("bury", "bury_me", "bury_id", PASS, UNEXPECTED),
    ("call", "call_me", "call_id", play("{call_first}"), UNEXPECTED),
    ("call", "call_me", "call_id", "tractor < declare < cards: 1 > >", UNEXPECTED),
    ("show", "show_me", "show_id", play("{show_first}"), UNEXPECTED),
    ("show", "show_me", "show_id", PASS, UNEXPECTED),
    ("name", "name_me", "name_id", PASS, UNEXPECTED),
    ("name", "name_me", "name_id", play("{name_first}"), UNEXPECTED),
    ("window", "window_me", "window_id", play("{window_first}"), UNEXPECTED),
    ("window", "window_me", "window_id", "tractor < name_trumps <> >", UNEXPECTED),
    # Moves that the rules forbid.
    ("follow", "follow_me", "follow_id", play("{follow_absent}"), NOT_HELD),
    ("follow", "follow_me", "follow_id", play("{follow_legal_card}, {follow_wrong}"), COUNT),
    (
        "follow",
        "follow_me",
        "follow_id",
        play("{follow_wrong}"),
        ("FAILED_PRECONDITION", "MUST_FOLLOW_SUIT"),
    ),
    ("lead", "lead_me", "lead_id", play("{lead_absent}"), NOT_HELD),
    (
        "lead",
        "lead_me",
        "lead_id",
        play("{lead_first}, {lead_apart}"),
        ("FAILED_PRECONDITION", "MIXED_SUITS"),
    ),
    ("bury", "bury_me", "bury_id", bury("{bury_first}"), COUNT),
    ("bury", "bury_me", "bury_id", bury(", ".join(["{bury_absent}"] * 6 + ["53", "54"])), NOT_HELD),
    ("show", "show_me", "show_id", "tractor < show < card: {show_absent} > >", NOT_HELD),
    (
        "call",
        "call_me",
        "call_id",
        "tractor < call < points: 7 > >",
        ("FAILED_PRECONDITION", "CALL_OUT_OF_RANGE"),
    ),
    (
        "call",
        "call_me",
        "call_id",
        "tractor < call < points: 205 > >",
        ("FAILED_PRECONDITION", "CALL_OUT_OF_RANGE"),
    ),
    (
        "window",
        "window_me",
        "window_id",
        "tractor < declare < cards: {window_absent} > >",
        NOT_HELD,
    ),
]


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
    assert (refused.code.name, refused.reason) == expected
    if expected == BAD_MOVE:
        assert refused.fields[0].startswith("move")
    if refused.reason in ("MUST_FOLLOW_SUIT", "MIXED_SUITS", "CALL_OUT_OF_RANGE"):
        assert refused.metadata["clause"].startswith("T-")
    assert live.dump() == before


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
        assert (refused.code.name, refused.reason) == expected
    else:
        answer = await live.call.unary(
            row.method,
            live.request(row),
            play_service_pb2.CheckMoveResponse,
            live.metadata(row.metadata),
        )
        assert (answer.legal, answer.reason) == (False, reason)
        assert answer.message
    assert live.dump() == before


async def test_twenty_refusals_do_not_move_a_table_without_strikes(live: World) -> None:
    before = live.dump()
    row = move_row("SubmitMove", "bury", "bury_me", "bury_id", bury("{bury_first}"))
    for _ in range(45):
        assert (await live.refused(row)).reason == "WRONG_CARD_COUNT"
    assert live.dump() == before


# Other calls at the wrong time ------------------------------------------------------------------

OTHERS = [
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
        "table_id: '{follow}' epoch: 1 after_sequence: 36",
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
        ("after_sequence",),
    ),
    Row(
        f"{PLAY}/WatchTable",
        "table_id: '{follow}' after_sequence: 18446744073709551615",
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
        ("after_sequence",),
    ),
    Row(
        SPECTATE,
        "table_id: '{follow}' epoch: 1 after_sequence: 99999",
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


async def test_after_all_of_it_every_table_plays_to_its_end() -> None:
    async with world() as live:
        before = live.dump()
        for table, ticket, decision, move, expected in MOVES:
            refused = await live.refused(move_row("SubmitMove", table, ticket, decision, move))
            assert (refused.code.name, refused.reason) == expected
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
