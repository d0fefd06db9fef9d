"""Hostile calls with tickets, host tickets, keys and page tokens that are not theirs.

Each is refused with its own status, reason and fields, and no table is any different after it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from croupier.v1 import play_service_pb2, table_service_pb2
from tests.rpc.hostile import (
    BY_ID,
    CATALOG,
    GAME,
    PLAY,
    RECORDS,
    REQUESTS,
    TABLES,
    Row,
    World,
    world,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

MALFORMED = ("INVALID_ARGUMENT", "MALFORMED_REQUEST")
INVALID_TICKET = ("UNAUTHENTICATED", "TICKET_INVALID")
NO_HOST = ("PERMISSION_DENIED", "PERMISSION_DENIED")
WRONG_TOKEN = ("INVALID_ARGUMENT", "INVALID_PAGE_TOKEN")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[World]:
    """Live tables, which no call of this module changes."""
    async with world() as found:
        yield found


# Tickets ------------------------------------------------------------------------------------------

WITH_TICKET = [method for method in BY_ID if method.startswith(PLAY)] + [f"{TABLES}/LeaveTable"]
WRONG_TICKETS = {
    "none": (),
    "one that is made up": ("croupier-ticket=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",),
    "an empty one": ("croupier-ticket=",),
    "one of another table": ("croupier-ticket={lead_0}",),
    "the host's": ("croupier-ticket={follow_host}",),
    "in the host's place": ("croupier-host-ticket={follow_me}",),
    "with another's letters": ("croupier-ticket={follow_me}x",),
}


@pytest.mark.parametrize("method", WITH_TICKET)
@pytest.mark.parametrize("what", WRONG_TICKETS)
async def test_a_ticket_that_holds_no_seat_here(live: World, method: str, what: str) -> None:
    before = live.dump()
    row = Row(
        method,
        f"table_id: '{{follow}}' {BY_ID[method]}",
        *INVALID_TICKET,
        metadata=WRONG_TICKETS[what],
    )
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == INVALID_TICKET
    assert live.dump() == before


@pytest.mark.parametrize("method", ["StartTable", "AbortTable"])
@pytest.mark.parametrize(
    "metadata",
    [
        (),
        ("croupier-host-ticket=made-up",),
        ("croupier-host-ticket={follow_host}",),
        ("croupier-host-ticket={open_0}",),
        ("croupier-ticket={open_host}",),
        ("croupier-ticket={open_0}",),
    ],
)
async def test_only_the_host_starts_and_stops(
    live: World, method: str, metadata: tuple[str, ...]
) -> None:
    before = live.dump()
    row = Row(f"{TABLES}/{method}", "table_id: '{open}'", *NO_HOST, metadata=metadata)
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == NO_HOST
    assert live.dump() == before


@pytest.mark.parametrize("method", REQUESTS)
async def test_two_tickets_are_none(live: World, method: str) -> None:
    before = live.dump()
    row = Row(
        method,
        "",
        *MALFORMED,
        metadata=("croupier-ticket={follow_me}", "croupier-ticket={lead_me}"),
    )
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == MALFORMED
    assert refused.fields == ("croupier-ticket",)
    assert live.dump() == before


@pytest.mark.parametrize("method", REQUESTS)
async def test_nobody_has_a_key(live: World, method: str) -> None:
    row = Row(method, "", "", "", metadata=("authorization=Bearer root",))
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED")


# Page tokens --------------------------------------------------------------------------------------

PAGED = {
    f"{CATALOG}/ListGames": "",
    f"{CATALOG}/ListRulesets": GAME,
    f"{TABLES}/ListTables": "",
    f"{TABLES}/ListTables#": GAME,
    f"{RECORDS}/ListRecords": "",
    f"{PLAY}/ListLegalMoves": "table_id: '{bury}' decision_id: '{bury_id}'",
}
WRONG_TOKENS = {
    "words": "next",
    "zeros": "A" * 43,
    "no letters": "\\u2603",
    "padding": "====",
    "a number": "100",
}


async def tokens(live: World) -> dict[str, str]:
    """A token that each of three lists has given out."""
    ask = live.call.unary
    tables = await ask(
        f"{TABLES}/ListTables",
        table_service_pb2.ListTablesRequest(page_size=1),
        table_service_pb2.ListTablesResponse,
    )
    moves = await ask(
        f"{PLAY}/ListLegalMoves",
        play_service_pb2.ListLegalMovesRequest(
            table_id=live.names["bury"], decision_id=live.names["bury_id"], page_size=1
        ),
        play_service_pb2.ListLegalMovesResponse,
        (("croupier-ticket", live.names["bury_me"]),),
    )
    found = {"tables": tables.next_page_token, "moves": moves.next_page_token}
    assert all(found.values())
    return found


@pytest.mark.parametrize("method", PAGED)
@pytest.mark.parametrize("what", WRONG_TOKENS)
async def test_a_token_that_nobody_gave_out(live: World, method: str, what: str) -> None:
    before = live.dump()
    row = Row(
        method.rstrip("#"),
        f"{PAGED[method]} page_token: '{WRONG_TOKENS[what]}'",
        *WRONG_TOKEN,
        metadata=("croupier-ticket={bury_me}",),
    )
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == WRONG_TOKEN
    assert refused.fields == ("page_token",)
    assert live.dump() == before


@pytest.mark.parametrize("method", PAGED)
@pytest.mark.parametrize("of", ["tables", "moves"])
@pytest.mark.parametrize("change", ["none", "cut", "flipped"])
async def test_a_token_of_another_list(live: World, method: str, of: str, change: str) -> None:
    own = {"tables": f"{TABLES}/ListTables", "moves": f"{PLAY}/ListLegalMoves"}[of]
    if method == own and change == "none":
        change = "flipped"
    token = (await tokens(live))[of]
    token = {"none": token, "cut": token[:-2], "flipped": "B" + token[1:]}[change]
    before = live.dump()
    row = Row(
        method.rstrip("#"),
        f"{PAGED[method]} page_token: '{token}'",
        *WRONG_TOKEN,
        metadata=("croupier-ticket={bury_me}",),
    )
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == WRONG_TOKEN
    assert live.dump() == before


# After all of it ---------------------------------------------------------------------------------


@pytest.mark.more
async def test_after_all_of_it_every_table_plays_to_its_end() -> None:
    async with world() as live:
        before = live.dump()
        for method in WITH_TICKET:
            for ticket in WRONG_TICKETS.values():
                text = f"table_id: '{{follow}}' {BY_ID[method]}"
                await live.refused(Row(method, text, *INVALID_TICKET, metadata=ticket))
        assert live.dump() == before
        await live.finish()
