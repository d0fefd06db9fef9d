"""Hostile calls that are wrong before any table is asked: bytes, fields, ids, tickets, tokens.

Each is refused with its own status, reason and fields, and no table is any different after it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest
import pytest_asyncio

from tests.rpc.calls import SECONDS
from tests.rpc.hostile import (
    BY_ID,
    CATALOG,
    PLAY,
    RECORDS,
    REQUESTS,
    SEATS,
    SESSION,
    TABLE,
    TABLES,
    WATCH_TABLES,
    Row,
    World,
    world,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

MALFORMED = ("INVALID_ARGUMENT", "MALFORMED_REQUEST")
NOT_FOUND = ("NOT_FOUND", "NOT_FOUND")
INVALID_TICKET = ("UNAUTHENTICATED", "TICKET_INVALID")
NO_HOST = ("PERMISSION_DENIED", "PERMISSION_DENIED")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[World]:
    """Live tables, which no call of this module changes."""
    async with world() as found:
        yield found


# Bytes --------------------------------------------------------------------------------------------

GARBAGE = {
    "a tag that does not end": b"\xff",
    "a length beyond the end": b"\x0a\x7fshort",
    "a group that does not end": b"\x0b",
    "an end of a group that never began": b"\x0c",
    "a wire type that there is not": b"\x0f\x01",
    "a varint that does not end": b"\x08" + b"\xff" * 11,
    "a thousand groups in groups": b"\x0b" * 1_000,
}


@pytest.mark.parametrize("method", REQUESTS)
@pytest.mark.parametrize("what", GARBAGE)
async def test_bytes_that_are_no_request(live: World, method: str, what: str) -> None:
    before = live.dump()
    refused = await live.call.refused(method, GARBAGE[what])
    assert (refused.code.name, refused.reason) == MALFORMED
    assert live.dump() == before


@pytest.mark.parametrize("method", REQUESTS)
async def test_a_request_that_is_too_long(live: World, method: str) -> None:
    before = live.dump()
    # A field of a later version, so that it is the length alone that is wrong.
    refused = await live.call.refused(method, b"\xfa\x3e\xfe\xff\x03" + b"x" * 65_534)
    assert (refused.code.name, refused.reason) == MALFORMED
    assert "65539 bytes" in refused.message
    assert live.dump() == before


@pytest.mark.more
@pytest.mark.parametrize("method", [f"{TABLES}/CreateTable", f"{PLAY}/SubmitMove", SESSION])
async def test_a_message_that_is_much_too_long_is_not_even_read(live: World, method: str) -> None:
    before = live.dump()
    call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = live.call.channel.stream_stream(
        f"/{method}"
    )
    talk = call(iter([b"x" * 300_000]), timeout=SECONDS)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await talk.read()
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert live.dump() == before


# Fields -------------------------------------------------------------------------------------------

LONG = "x" * 3_000
FIELDS = [
    (f"{CATALOG}/ListGames", "page_size: 1001", ["page_size"]),
    (f"{CATALOG}/ListGames", "page_size: 4294967295", ["page_size"]),
    (f"{CATALOG}/ListGames", f"page_token: '{LONG}'", ["page_token"]),
    (f"{CATALOG}/ListRulesets", "", ["game"]),
    (f"{CATALOG}/ListRulesets", "game: 4", ["game"]),
    (f"{CATALOG}/ListRulesets", "game: -1", ["game"]),
    (f"{CATALOG}/GetRuleset", "game: 2147483647", ["game"]),
    (f"{CATALOG}/GetRuleset", f"game: 1 ruleset: '{LONG}'", ["ruleset"]),
    (f"{CATALOG}/ExplainRule", "clause: 'T-1'", ["game"]),
    (f"{CATALOG}/ExplainRule", f"game: 1 clause: '{LONG}'", ["clause"]),
    (f"{TABLES}/CreateTable", "", ["spec"]),
    (f"{TABLES}/CreateTable", "spec < game: 77 >", ["spec.game"]),
    (f"{TABLES}/CreateTable", TABLE + f"request_id: '{LONG}'", ["request_id"]),
    (f"{TABLES}/CreateTable", TABLE + f"spec < ruleset: '{LONG}' >", ["spec.ruleset"]),
    (f"{TABLES}/CreateTable", TABLE + f"spec < title: '{LONG}' >", ["spec.title"]),
    (f"{TABLES}/CreateTable", TABLE + "spec < title: 'a\\nb' >", ["spec.title"]),
    (f"{TABLES}/CreateTable", TABLE + "spec < title: '\\033[2J' >", ["spec.title"]),
    (f"{TABLES}/CreateTable", TABLE + "spec < title: '\\u202egnp' >", ["spec.title"]),
    (f"{TABLES}/CreateTable", TABLE + "spec < legal_mode: 9 >", ["spec.legal_mode"]),
    (f"{TABLES}/CreateTable", TABLE + "spec < absence: 9 >", ["spec.absence"]),
    (f"{TABLES}/CreateTable", TABLE + "seats <> " * 13, ["seats"]),
    (f"{TABLES}/CreateTable", TABLE + "seats <> " * 5, ["seats"]),
    (f"{TABLES}/CreateTable", TABLE + "seats < access: 4 >", ["seats[0].access"]),
    (
        f"{TABLES}/CreateTable",
        TABLE + f"seats < player < display_name: '{LONG}' > >",
        ["seats[0].player.display_name"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "seats < player < display_name: 'Ann' > >",
        ["seats[0].player"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "seats < access: 2 player < display_name: '\\t' > >",
        ["seats[0].player.display_name"],
    ),
    (f"{TABLES}/CreateTable", TABLE + "seats <> seats < access: 3 >", ["seats[1].house_bot"]),
    (
        f"{TABLES}/CreateTable",
        TABLE + "seats < access: 3 house_bot: '../../bin/sh' >",
        ["seats[0].house_bot"],
    ),
    (f"{TABLES}/CreateTable", TABLE + "seats < house_bot: 'random' >", ["seats[0].house_bot"]),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < base < seconds: -1 > > >",
        ["spec.clock.base"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < base < seconds: 864001 > > >",
        ["spec.clock.base"],
    ),
    (f"{TABLES}/CreateTable", TABLE + "spec < clock < base < nanos: -5 > > >", ["spec.clock.base"]),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < per_move < seconds: -1 nanos: 2000000000 > > >",
        ["spec.clock.per_move"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < increment < seconds: 1 nanos: 1000000000 > > >",
        ["spec.clock.increment"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < window_time < seconds: 9223372036854775807 > > >",
        ["spec.clock.window_time"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < clock < max_strikes: 1001 > >",
        ["spec.clock.max_strikes"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + f"spec < deal_source < board < board_id: '{LONG}' root: '{'r' * 32}' > > >",
        ["spec.deal_source.board.board_id"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < deal_source < board < root: 'short' > > >",
        ["spec.deal_source.board.root"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + f"spec < deal_source < board < root: '{'r' * 32}' commitment: 'no' > > >",
        ["spec.deal_source.board.commitment"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + f"spec < deal_source < board < root: '{'r' * 32}' > > >",
        ["spec.deal_source.board"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < deal_source < fixed <> > >",
        ["spec.deal_source.fixed.seed"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < options < tractor < players: 3 packs: 9 > > >",
        ["spec.options.tractor.packs", "spec.options.tractor.players"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < options < tractor < protect: 9 > > >",
        ["spec.options.tractor.protect"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < options < tractor < max_deals: 4294967295 > > >",
        ["spec.options.tractor.max_deals"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "spec < options < tractor < start_levels < ranks: [2, 0, 99] > > > >",
        [
            "spec.options.tractor.start_levels.ranks[1]",
            "spec.options.tractor.start_levels.ranks[2]",
        ],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE
        + "spec < options < tractor < mandatory_levels < ranks: ["
        + "2, " * 20
        + "2] > > > >",
        ["spec.options.tractor.mandatory_levels.ranks"],
    ),
    (f"{TABLES}/ListTables", "page_size: 1001", ["page_size"]),
    (f"{TABLES}/ListTables", "status: 9", ["status"]),
    (f"{TABLES}/ListTables", "game: 9", ["game"]),
    (f"{TABLES}/WatchLobby", "game: 9", ["game"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' seat: 12", ["seat"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' seat: 4294967295", ["seat"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' seat: 4", ["seat"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' nonce_hash: 'short'", ["nonce_hash"]),
    (f"{TABLES}/JoinTable", f"table_id: '{{open}}' nonce_hash: '{LONG}'", ["nonce_hash"]),
    (
        f"{TABLES}/JoinTable",
        f"table_id: '{{open}}' player < display_name: '{LONG}' >",
        ["player.display_name"],
    ),
    (f"{TABLES}/JoinTable", "table_id: '{open}' player < kind: 3 >", ["player.kind"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' player < kind: 9 >", ["player.kind"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' player < version: 'a\\n' >", ["player.version"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' player < player_id: 'b' >", ["player.player_id"]),
    (
        f"{TABLES}/CreateTable",
        TABLE + "seats < access: 2 player < kind: 2 > >",
        ["seats[0].player.kind"],
    ),
    (
        f"{TABLES}/CreateTable",
        TABLE + "seats < access: 2 player < player_id: 'ann' > >",
        ["seats[0].player.player_id"],
    ),
    (
        f"{TABLES}/JoinTable",
        "table_id: '{open}' player < display_name: 'a\\rb' >",
        ["player.display_name"],
    ),
    (f"{TABLES}/JoinTable", f"table_id: '{{open}}' invite_code: '{LONG}'", ["invite_code"]),
    (
        f"{TABLES}/JoinTable",
        "table_id: '{open}' invite_code: '{open_code_2}' seat: 1",
        ["seat"],
    ),
    (f"{TABLES}/AbortTable", f"table_id: '{{follow}}' detail: '{LONG}'", ["detail"]),
    (f"{TABLES}/AbortTable", "table_id: '{follow}' detail: 'a\\000b'", ["detail"]),
    (f"{PLAY}/WatchTable", "table_id: '{follow}' view_mode: 9", ["view_mode"]),
    (WATCH_TABLES, "", ["opens"]),
    (WATCH_TABLES, "opens < channel: 1 > " * 65, ["opens"]),
    (WATCH_TABLES, "opens < channel: 1 > opens < table_id: 'x' >", ["opens[1].channel"]),
    (WATCH_TABLES, "opens < channel: 1 > " * 2, ["opens[1].channel"]),
    (f"{PLAY}/SubmitMove", "table_id: '{follow}'", ["decision_id"]),
    (f"{PLAY}/SubmitMove", f"table_id: '{{follow}}' decision_id: '{LONG}'", ["decision_id"]),
    (f"{PLAY}/CheckMove", "decision_id: '1-1'", ["table_id"]),
    (f"{PLAY}/GetLegalMoves", "table_id: '{follow}' decision_id: ''", ["decision_id"]),
    (f"{PLAY}/ListLegalMoves", "table_id: '{follow}' decision_id: ''", ["decision_id"]),
    (
        f"{PLAY}/ListLegalMoves",
        "table_id: '{follow}' decision_id: '{follow_id}' page_size: 1001",
        ["page_size"],
    ),
    (f"{PLAY}/OpenNonce", "table_id: '{opening}' nonce: ''", ["nonce"]),
    (f"{PLAY}/OpenNonce", f"table_id: '{{opening}}' nonce: '{'x' * 33}'", ["nonce"]),
    (f"{TABLES}/JoinTable", "table_id: '{open}' replace_ticket: true", ["seat"]),
    (f"{SEATS}/ListSeats", "page_size: 1001", ["page_size"]),
    (f"{SEATS}/WatchSeats", "game: 9", ["game"]),
    (f"{RECORDS}/ListRecords", "page_size: 1001", ["page_size"]),
    (f"{RECORDS}/ListRecords", "game: 9", ["game"]),
    (f"{RECORDS}/StreamRecords", "game: 9", ["game"]),
    (f"{RECORDS}/StreamRecords", "since < nanos: -1 >", ["since"]),
    (f"{RECORDS}/StreamRecords", "since < seconds: 9223372036854775807 >", ["since"]),
]


@pytest.mark.parametrize(("method", "text", "fields"), FIELDS)
async def test_a_field_that_cannot_be(
    live: World, method: str, text: str, fields: list[str]
) -> None:
    before = live.dump()
    host = ("croupier-host-ticket={follow_host}",) if method.endswith("AbortTable") else ()
    refused = await live.refused(Row(method, text, *MALFORMED, metadata=host))
    assert (refused.code.name, refused.reason) == MALFORMED
    assert sorted(refused.fields) == fields
    assert live.dump() == before


TOGETHER = [
    ("ruleset: 'mine'", "UNKNOWN_RULESET", ["spec.ruleset"]),
    ("ruleset: 'Standard'", "UNKNOWN_RULESET", ["spec.ruleset"]),
    ("options < tractor < players: 5 > >", "INVALID_OPTION", ["spec.options.tractor.players"]),
    (
        "options < tractor < kitty_size: 7 > >",
        "INVALID_OPTION",
        ["spec.options.tractor.kitty_size"],
    ),
    (
        "options < tractor < kitty_size: 63 > >",
        "INVALID_OPTION",
        ["spec.options.tractor.kitty_size"],
    ),
    (
        "options < tractor < starter < seat: 4 > > >",
        "INVALID_OPTION",
        ["spec.options.tractor.starter"],
    ),
    (
        "options < tractor < start_levels < ranks: [2, 3] > > >",
        "INVALID_OPTION",
        ["spec.options.tractor.start_levels"],
    ),
    (
        "options < tractor < contract: TRACTOR_CONTRACT_MUST_MAKE > >",
        "INVALID_OPTION",
        ["spec.options.tractor.contract"],
    ),
]


@pytest.mark.parametrize(("text", "reason", "fields"), TOGETHER)
async def test_options_that_do_not_go_together(
    live: World, text: str, reason: str, fields: list[str]
) -> None:
    before = live.dump()
    refused = await live.refused(
        Row(f"{TABLES}/CreateTable", TABLE + f"spec < {text} >", "INVALID_ARGUMENT", reason)
    )
    assert (refused.code.name, refused.reason) == ("INVALID_ARGUMENT", reason)
    assert list(refused.fields) == fields
    assert live.dump() == before


@pytest.mark.parametrize("more", ["", "shared_seats: true", "deal_source < fixed < seed: 1 > >"])
async def test_without_keys_nothing_is_rated(live: World, more: str) -> None:
    before = live.dump()
    row = Row(f"{TABLES}/CreateTable", TABLE + f"spec < rated: true {more} >", *NO_HOST)
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == NO_HOST
    assert live.dump() == before


# Ids ----------------------------------------------------------------------------------------------

WITH_TICKET = [method for method in BY_ID if method.startswith(PLAY)] + [f"{TABLES}/LeaveTable"]
WITH_HOST_TICKET = [f"{TABLES}/StartTable", f"{TABLES}/AbortTable"]
UNKNOWN_IDS = ["{none}", "x", "../../etc/passwd", "{follow}0", "\\u0000", "\\u2603", "*"]


@pytest.mark.parametrize("method", BY_ID)
@pytest.mark.parametrize("table_id", UNKNOWN_IDS)
async def test_an_id_that_nothing_has(live: World, method: str, table_id: str) -> None:
    """Who needs a right to a table is told that it is missing, not whether the table is there."""
    before = live.dump()
    row = unknown(method, table_id)
    refused = await live.refused(row)
    assert (refused.code.name, refused.reason) == (row.code, row.reason)
    assert live.dump() == before


@pytest.mark.parametrize("method", WITH_TICKET + WITH_HOST_TICKET)
async def test_unknown_and_foreign_tables_give_the_same_answer(live: World, method: str) -> None:
    tickets = ("croupier-ticket={lead_me}", "croupier-host-ticket={lead_host}")
    for metadata in ((), tickets):
        answers = [
            await live.refused(unknown(method, table_id)._replace(metadata=metadata))
            for table_id in ("{follow}", "{open}", "{opening}", "{ended}", "{none}", "x")
        ]
        assert answers == [answers[0]] * len(answers)


def unknown(method: str, table_id: str) -> Row:
    """A call for a table that the caller has no right to, and what it is refused with."""
    refusal = NOT_FOUND
    if method in WITH_TICKET:
        refusal = INVALID_TICKET
    elif method in WITH_HOST_TICKET:
        refusal = NO_HOST
    return Row(
        method,
        f"table_id: '{table_id}' {BY_ID[method]}",
        *refusal,
        metadata=("croupier-ticket={follow_me}", "croupier-host-ticket={follow_host}"),
    )


@pytest.mark.parametrize("method", BY_ID)
@pytest.mark.parametrize("table_id", ["", "x" * 65, "\\u2603" * 65])
async def test_an_id_that_cannot_be(live: World, method: str, table_id: str) -> None:
    before = live.dump()
    refused = await live.refused(Row(method, f"table_id: '{table_id}' {BY_ID[method]}", *MALFORMED))
    assert (refused.code.name, refused.reason) == MALFORMED
    assert refused.fields == ("table_id",)
    assert live.dump() == before


@pytest.mark.parametrize("name", ["follow", "open", "opening"])
@pytest.mark.parametrize("ticket", ["", "me"])
async def test_a_match_under_way_has_no_record(live: World, name: str, ticket: str) -> None:
    row = Row(f"{RECORDS}/GetRecord", f"table_id: '{{{name}}}'", *NOT_FOUND)
    nowhere = Row(f"{RECORDS}/GetRecord", "table_id: '{none}'", *NOT_FOUND)
    assert await live.refused(row) == await live.refused(nowhere)


# After all of it ----------------------------------------------------------------------------------


@pytest.mark.more
async def test_after_all_of_it_every_table_plays_to_its_end() -> None:
    async with world() as live:
        for method in REQUESTS:
            for data in GARBAGE.values():
                await live.call.refused(method, data)
        rows = [Row(method, text, *MALFORMED) for method, text, _ in FIELDS]
        rows += [unknown(method, table_id) for method in BY_ID for table_id in UNKNOWN_IDS]
        before = live.dump()
        for row in rows:
            await live.refused(row)
        assert live.dump() == before
        await live.finish()
