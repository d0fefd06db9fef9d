"""Tables: making, finding, joining, starting and stopping them."""

from __future__ import annotations

import hashlib

import grpc
import pytest

from croupier.v1 import game_pb2, table_pb2
from croupier.v1 import table_service_pb2 as pb
from croupier_server.games.registry import GAMES
from croupier_server.tables.spec import ruleset_hash
from tests.rpc.calls import Caller, build
from tests.rpc.conftest import Running, server
from tests.rpc.keyed import keyed
from tests.rpc.players import (
    FIXED,
    NONCES,
    PLAY,
    SHORT,
    TABLES,
    Seats,
    first_move,
    host_of,
    make,
    make_full,
    ticket_of,
)

TRACTOR = "spec { game: GAME_KIND_TRACTOR } "
UNLISTED = "spec { visibility: VISIBILITY_UNLISTED } "

EVERYTHING = """
    spec {
      game: GAME_KIND_TRACTOR
      ruleset: "qq"
      options {
        tractor { players: 6 packs: 4 throw_penalty: TRACTOR_THROW_PENALTY_TEN_PER_THROW }
      }
      deal_source { fixed { seed: 99 } }
      clock {
        base { seconds: 60 } increment { nanos: 1000001 } per_move { seconds: 5 }
        window_time { seconds: 1 } max_strikes: 3
      }
      legal_mode: LEGAL_MODE_SUMMARY
      absence: ABSENCE_POLICY_FORFEIT
      shared_seats: true
      start_mode: START_MODE_MANUAL
      visibility: VISIBILITY_UNLISTED
      title: "Final, table 1"
    }
    seats { access: SEAT_ACCESS_RESERVED player { display_name: "Ann" } }
    seats { access: SEAT_ACCESS_RESERVED }
"""


async def create(call: Caller, text: str) -> pb.CreateTableResponse:
    request = build(pb.CreateTableRequest, text)
    return await call.unary(f"{TABLES}/CreateTable", request, pb.CreateTableResponse)


async def names(call: Caller, text: str = "") -> list[str]:
    """Ids of all tables of a list, page by page."""
    request = build(pb.ListTablesRequest, text)
    found = []
    while True:
        page = await call.unary(f"{TABLES}/ListTables", request, pb.ListTablesResponse)
        found += [table.table_id for table in page.tables]
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


# Making -----------------------------------------------------------------------------------------


async def test_a_plain_table_has_every_option_and_open_seats(call: Caller) -> None:
    made = await create(call, TRACTOR)
    table = made.table
    game = GAMES["tractor"]
    assert table.spec.ruleset == "standard"
    assert table.ruleset_hash == ruleset_hash(game.option_text(game.options("standard", {})))
    assert table.rules_version == game.rules_version
    assert table.status == table_pb2.TABLE_STATUS_OPEN
    assert [seat.seat for seat in table.seats] == [0, 1, 2, 3]
    assert [seat.team for seat in table.seats] == [0, 1, 0, 1]
    assert {seat.access for seat in table.seats} == {table_pb2.SEAT_ACCESS_OPEN}
    assert table.spec.deal_source.WhichOneof("source") == "match"
    assert len(table.commitment) == 32
    assert table.spec.options.tractor.players == 4
    assert (table.table_epoch, table.sequence) == (1, 1)
    assert table.create_time.ToMilliseconds() == 1_700_000_000_000
    assert len(made.host_ticket) >= 43
    assert not made.invites


async def test_a_table_is_what_was_asked_for(call: Caller) -> None:
    made = await create(call, EVERYTHING)
    table = made.table
    assert table.spec.ruleset == "qq"
    options = table.spec.options.tractor
    assert (options.players, options.packs, options.self_override) == (6, 4, True)
    assert len(table.seats) == 6
    assert [one.seat for one in made.invites] == [0, 1]
    assert table.spec.clock.base.ToMilliseconds() == 60_000
    assert table.spec.clock.increment.ToMilliseconds() == 2, "never rounded down to nothing"
    assert table.spec.clock.per_move.ToMilliseconds() == 5_000
    assert table.spec.clock.window_time.ToMilliseconds() == 1_000
    assert table.spec.clock.max_strikes == 3
    assert table.spec.legal_mode == table_pb2.LEGAL_MODE_SUMMARY
    assert table.spec.absence == table_pb2.ABSENCE_POLICY_FORFEIT
    assert table.spec.start_mode == table_pb2.START_MODE_MANUAL
    assert table.spec.visibility == table_pb2.VISIBILITY_UNLISTED
    assert (table.spec.shared_seats, table.spec.rated, table.spec.title) == (
        True,
        False,
        "Final, table 1",
    )
    assert table.spec.deal_source.WhichOneof("source") == "fixed"
    assert not table.spec.deal_source.fixed.HasField("seed"), "the seed is never sent"


@pytest.mark.parametrize(
    ("text", "decisions", "milliseconds"),
    [
        ("decisions: 300", 300, 0),
        ("time { seconds: 90 nanos: 1 }", 0, 90_001),
        ("decisions: 2 time { seconds: 86400 }", 2, 86_400_000),
    ],
)
async def test_a_table_tells_how_late_it_is_shown(
    call: Caller, text: str, decisions: int, milliseconds: int
) -> None:
    delay = (
        await create(call, f"{TRACTOR} spec {{ spectator_delay {{ {text} }} }}")
    ).table.spec.spectator_delay
    assert (delay.decisions, delay.time.ToMilliseconds()) == (decisions, milliseconds)


@pytest.mark.parametrize("text", ["", "spectator_delay { }", "spectator_delay { time { } }"])
async def test_a_table_that_is_not_shown_late_has_no_delay(call: Caller, text: str) -> None:
    assert not (
        (await create(call, f"{TRACTOR} spec {{ {text} }}")).table.spec.HasField("spectator_delay")
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("decisions: 1001", "spec.spectator_delay.decisions"),
        ("time { seconds: 86401 }", "spec.spectator_delay.time"),
        ("time { seconds: -1 }", "spec.spectator_delay.time"),
        ("time { seconds: 1 nanos: -1 }", "spec.spectator_delay.time"),
    ],
)
async def test_a_delay_that_is_none_is_refused(call: Caller, text: str, path: str) -> None:
    request = build(pb.CreateTableRequest, f"{TRACTOR} spec {{ spectator_delay {{ {text} }} }}")
    found = await call.refused(f"{TABLES}/CreateTable", request)
    assert (found.reason, found.fields) == ("MALFORMED_REQUEST", (path,))


async def test_a_board_shows_its_commitment_alone(call: Caller) -> None:
    root = b"r" * 32
    text = f'spec {{ deal_source {{ board {{ board_id: "b1" root: "{root.decode()}" }} }} }}'
    seats = "seats { access: SEAT_ACCESS_RESERVED } " * 4
    source = (await create(call, TRACTOR + text + seats)).table.spec.deal_source
    assert source.board.board_id == "b1"
    assert source.board.commitment == hashlib.sha256(root).digest()
    assert source.board.root == b""


async def test_ids_sort_by_time_and_do_not_repeat(whole: Running) -> None:
    ids = []
    for _ in range(20):
        ids.append((await create(whole.call, TRACTOR)).table.table_id)
        whole.clock.advance(1)
    assert ids == sorted(set(ids))
    assert {len(each) for each in ids} == {26}


OWN_ID = "5f0c9b7de2a14c6f8b3d0a9e4c7715d2"


async def test_the_same_request_id_gives_the_same_answer(call: Caller) -> None:
    text = TRACTOR + f'request_id: "{OWN_ID}" '
    assert await create(call, text) == await create(call, text)
    assert len(await names(call)) == 1
    refused = await call.refused(
        f"{TABLES}/CreateTable",
        build(pb.CreateTableRequest, text + UNLISTED),
    )
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "REQUEST_ID_REUSED",
    )


async def test_so_many_live_tables_and_no_more() -> None:
    async with server(tables_max=2) as running:
        call = running.call
        first = await create(call, TRACTOR)
        await create(call, TRACTOR)
        refused = await call.refused(f"{TABLES}/CreateTable", build(pb.CreateTableRequest, TRACTOR))
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_TABLES",
        )
        await call.unary(
            f"{TABLES}/AbortTable",
            pb.AbortTableRequest(table_id=first.table.table_id),
            pb.AbortTableResponse,
            host_of(first.host_ticket),
        )
        await create(call, TRACTOR)


# Finding ----------------------------------------------------------------------------------------


async def test_get_gives_what_create_gave(call: Caller) -> None:
    made = await create(call, EVERYTHING)
    request = pb.GetTableRequest(table_id=made.table.table_id)
    found = await call.unary(f"{TABLES}/GetTable", request, pb.GetTableResponse)
    assert found.table == made.table


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000])
async def test_lists_are_newest_first_and_paged(call: Caller, size: int) -> None:
    made = [(await create(call, TRACTOR)).table.table_id for _ in range(5)]
    await create(call, TRACTOR + UNLISTED)
    assert await names(call, f"page_size: {size}") == made[::-1]


@pytest.mark.more
async def test_lists_are_by_status(call: Caller) -> None:
    is_open = await make(call)
    playing = await make_full(call)
    ended = await make_full(call)
    await ended.finish()
    by_status = {
        status: await names(call, f"page_size: 1 status: TABLE_STATUS_{status}")
        for status in ("OPEN", "AWAITING_NONCES", "PLAYING", "ENDED")
    }
    assert by_status == {
        "OPEN": [is_open.id],
        "AWAITING_NONCES": [],
        "PLAYING": [playing.id],
        "ENDED": [ended.id],
    }


async def test_the_lobby_shows_tables_as_they_come_change_and_end(call: Caller) -> None:
    before = await make(call)
    updates = call.stream(
        f"{TABLES}/WatchLobby", pb.WatchLobbyRequest(follow=True), pb.WatchLobbyResponse
    )
    assert (await anext(updates)).table.table_id == before.id
    assert (await anext(updates)).HasField("caught_up")
    await create(call, TRACTOR + UNLISTED)
    after = await make(call)
    shown = (await anext(updates)).table
    assert (shown.table_id, shown.status) == (after.id, table_pb2.TABLE_STATUS_OPEN)
    await after.join(2)
    assert [seat.player.display_name for seat in (await anext(updates)).table.seats] == [
        "",
        "",
        "player 2",
        "",
    ]
    await abort(after)
    shown = (await anext(updates)).table
    assert (shown.table_id, shown.status) == (after.id, table_pb2.TABLE_STATUS_ENDED)
    await updates.aclose()


async def lobby_items(call: Caller, text: str, cursor: bytes = b"") -> list[pb.WatchLobbyResponse]:
    request = build(pb.WatchLobbyRequest, text)
    request.cursor = cursor
    stream = call.stream(f"{TABLES}/WatchLobby", request, pb.WatchLobbyResponse)
    return [item async for item in stream]


async def test_a_stream_of_the_lobby_goes_on_after_a_cut(call: Caller) -> None:
    """With the cursor of any item, for the same game, on the same run of the server."""
    tables = [await make(call) for _ in range(2)]
    items = await lobby_items(call, "")
    assert [item.WhichOneof("item") for item in items] == ["table", "table", "caught_up"]
    await abort(tables[0])
    for number, item in enumerate(items):
        found = await lobby_items(call, "", item.cursor)
        kinds = [one.WhichOneof("item") for one in found]
        assert kinds == ["resumed", *["table"] * (2 - (number > 0)), "caught_up"]
        ended = [
            one.table.table_id for one in found if one.table.status == table_pb2.TABLE_STATUS_ENDED
        ]
        assert ended == [tables[0].id]
    good = items[-1].cursor
    for text, cursor in (("game: GAME_KIND_POKEX", good), ("", bytes(len(good))), ("", good[::-1])):
        found = await lobby_items(call, text, cursor)
        assert found[0].reset.reason == table_pb2.RESET_REASON_EPOCH
        assert found[-1].HasField("caught_up")
        assert not found[0].cursor
    for wrong, reason in ((b"x", "INVALID_CURSOR"), (bytes(129), "MALFORMED_REQUEST")):
        request = pb.WatchLobbyRequest(cursor=wrong)
        refused = await call.refused(f"{TABLES}/WatchLobby", request)
        assert (refused.reason, refused.fields) == (reason, ("cursor",))


# Seats ------------------------------------------------------------------------------------------


async def join(call: Caller, text: str, ticket: str = "") -> pb.JoinTableResponse:
    metadata = ticket_of(ticket) if ticket else ()
    request = build(pb.JoinTableRequest, text)
    return await call.unary(f"{TABLES}/JoinTable", request, pb.JoinTableResponse, metadata)


async def abort(seats: Seats, detail: str = "") -> table_pb2.Table:
    answer = await seats.call.unary(
        f"{TABLES}/AbortTable",
        pb.AbortTableRequest(table_id=seats.id, detail=detail),
        pb.AbortTableResponse,
        host_of(seats.host),
    )
    return answer.table


async def test_seats_are_taken_in_order_or_by_number(call: Caller) -> None:
    table = await make(call)
    by_number = await join(call, f"table_id: '{table.id}' seat: 0 player < display_name: 'Bo' >")
    assert (by_number.seat, by_number.seat_epoch) == (0, 1)
    assert by_number.table.seats[0].player.display_name == "Bo"
    assert (await join(call, f"table_id: '{table.id}'")).seat == 1


async def test_an_invite_code_finds_its_seat(call: Caller) -> None:
    made = await create(
        call,
        FIXED + "seats {} seats { access: SEAT_ACCESS_RESERVED player { display_name: 'Ann' } }",
    )
    table_id, code = made.table.table_id, made.invites[0].code
    joined = await join(
        call, f"table_id: '{table_id}' invite_code: '{code}' player < display_name: 'Bo' >"
    )
    assert joined.seat == 1
    assert joined.table.seats[1].player.display_name == "Ann"


@pytest.mark.more
async def test_joining_again_supersedes_the_ticket(call: Caller) -> None:
    table = await make_full(call)
    old = table.tickets[2]
    again = await join(call, f"table_id: '{table.id}'", ticket=old)
    assert (again.seat, again.seat_epoch) == (2, 2)
    request = build(pb.LeaveTableRequest, f"table_id: '{table.id}'")
    refused = await call.refused(f"{PLAY}/GetSeatView", request, ticket_of(old))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED,
        "TICKET_SUPERSEDED",
    )
    table.tickets[2] = again.ticket
    assert (await table.finish()).reason == game_pb2.END_REASON_FINISHED


async def test_the_same_join_gives_the_same_ticket(call: Caller) -> None:
    table = await make(call)
    text = f"table_id: '{table.id}' seat: 1 request_id: '{OWN_ID}'"
    first, second = await join(call, text), await join(call, text)
    assert (first.ticket, first.seat_epoch) == (second.ticket, second.seat_epoch)


@pytest.mark.attack
@pytest.mark.parametrize("guessed", ["1", "join-seat-1", "x" * 21])
async def test_without_a_key_no_secret_is_given_for_an_id_that_can_be_guessed(
    call: Caller, guessed: str
) -> None:
    """Another client that guesses the id would be told the ticket, as callers without a key are
    one principal. So no such call is done at all."""
    table = await make(call)
    for method, request in (
        ("CreateTable", build(pb.CreateTableRequest, TRACTOR + f'request_id: "{guessed}"')),
        ("JoinTable", pb.JoinTableRequest(table_id=table.id, seat=1, request_id=guessed)),
    ):
        refused = await call.refused(f"{TABLES}/{method}", request)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "MALFORMED_REQUEST",
        )
        assert refused.fields == ("request_id",)
        assert f"{len(guessed)} characters" in refused.message
        assert "at least 22" in refused.message
        assert "leave it out" in refused.message
    assert await names(call) == [table.id]
    assert not any(seat.HasField("player") for seat in (await table.table()).seats)


@pytest.mark.attack
async def test_private_no_answer_shows_its_host_a_late_table_sooner_than_others(
    call: Caller,
) -> None:
    text = (
        FIXED + SHORT + f"spec {{ spectator_delay {{ decisions: 1000 }} }} request_id: '{OWN_ID}'"
    )
    seats = await make_full(call, text)
    decision = await seats.open()
    assert decision is not None
    await seats.submit(decision, first_move(decision))
    again, seen = await create(call, text), await seats.table()
    assert again.table == seen
    stopped = await seats.call.unary(
        f"{TABLES}/AbortTable",
        pb.AbortTableRequest(table_id=seats.id),
        pb.AbortTableResponse,
        host_of(again.host_ticket),
    )
    assert stopped.table == await seats.table()


async def test_with_a_key_any_request_id_will_do() -> None:
    """The key proves who asks, and another principal with the same id makes a table of its own."""
    async with keyed() as live:
        request = build(pb.CreateTableRequest, TRACTOR + 'request_id: "1"')
        made = [
            await (await live.host(name)).unary(
                f"{TABLES}/CreateTable", request, pb.CreateTableResponse
            )
            for name in ("hal", "hal", "eve")
        ]
        assert made[0] == made[1]
        assert made[2].table.table_id != made[0].table.table_id


async def test_a_seat_may_be_left_before_the_start(call: Caller) -> None:
    table = await make(call)
    await table.join(3)
    request = pb.LeaveTableRequest(table_id=table.id)
    await call.unary(
        f"{TABLES}/LeaveTable", request, pb.LeaveTableResponse, ticket_of(table.tickets[3])
    )
    assert (await table.table()).seats[3].player.display_name == ""
    refused = await call.refused(f"{TABLES}/LeaveTable", request, ticket_of(table.tickets[3]))
    assert refused.reason == "TICKET_SUPERSEDED"
    await table.join(3)


# Start and end ----------------------------------------------------------------------------------


async def test_a_table_starts_when_all_sit(call: Caller) -> None:
    table = await make_full(call)
    assert (await table.table()).status == table_pb2.TABLE_STATUS_PLAYING


async def test_with_manual_start_the_host_starts(call: Caller) -> None:
    table = await make(call, FIXED + SHORT + "spec { start_mode: START_MODE_MANUAL }")
    request = pb.StartTableRequest(table_id=table.id)
    refused = await call.refused(f"{TABLES}/StartTable", request, host_of(table.host))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "TABLE_NOT_READY",
    )
    for seat in range(4):
        await table.join(seat)
    assert (await table.table()).status == table_pb2.TABLE_STATUS_OPEN
    refused = await call.refused(f"{TABLES}/StartTable", request, ticket_of(table.tickets[0]))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED,
        "PERMISSION_DENIED",
    )
    answer = await call.unary(
        f"{TABLES}/StartTable", request, pb.StartTableResponse, host_of(table.host)
    )
    assert answer.table.status == table_pb2.TABLE_STATUS_PLAYING
    refused = await call.refused(f"{TABLES}/StartTable", request, host_of(table.host))
    assert refused.reason == "TABLE_STARTED"


@pytest.mark.more
async def test_nonces_are_awaited_before_the_start(call: Caller) -> None:
    from croupier.v1 import play_service_pb2 as play

    table = await make(call, TRACTOR + SHORT)
    for seat in range(4):
        await table.join(seat, nonce=NONCES[seat])
    shown = await table.table()
    assert shown.status == table_pb2.TABLE_STATUS_AWAITING_NONCES
    assert [seat.nonce_hash for seat in shown.seats] == [
        hashlib.sha256(nonce).digest() for nonce in NONCES[:4]
    ]
    for seat in range(4):
        await call.unary(
            f"{PLAY}/OpenNonce",
            play.OpenNonceRequest(table_id=table.id, nonce=NONCES[seat]),
            play.OpenNonceResponse,
            ticket_of(table.tickets[seat]),
        )
    assert (await table.table()).status == table_pb2.TABLE_STATUS_PLAYING
    assert (await table.finish()).reason == game_pb2.END_REASON_FINISHED


async def test_a_nonce_withheld_frees_its_seat(whole: Running) -> None:
    table = await make(whole.call, TRACTOR + SHORT)
    for seat in range(4):
        await table.join(seat, nonce=NONCES[seat])
    before = await table.table()
    whole.clock.advance(60_000)
    whole.app.shard.tick()
    after = await table.table()
    assert after.status == table_pb2.TABLE_STATUS_OPEN
    assert not any(seat.HasField("player") for seat in after.seats)
    assert after.commitment != before.commitment


async def test_a_match_that_does_not_begin_in_time_is_a_no_show(whole: Running) -> None:
    table = await make(
        whole.call, TRACTOR + SHORT + "spec { clock { start_timeout { seconds: 20 } } }"
    )
    for seat in (0, 1, 3):
        await table.join(seat)
    whole.clock.advance(20_000)
    whole.app.shard.tick()
    result = (await table.table()).result
    assert (result.reason, result.seat_at_fault) == (game_pb2.END_REASON_NO_SHOW, 2)


async def test_the_host_may_abort(call: Caller) -> None:
    table = await make_full(call)
    ended = await abort(table, "the hall closes")
    assert ended.status == table_pb2.TABLE_STATUS_ENDED
    assert ended.result.reason == game_pb2.END_REASON_ABORTED
    assert (ended.result.detail, list(ended.result.seats)) == ("the hall closes", [])
    refused = await call.refused(
        f"{TABLES}/AbortTable", pb.AbortTableRequest(table_id=table.id), host_of(table.host)
    )
    assert refused.reason == "TABLE_CLOSED"


async def test_a_match_plays_to_its_end(call: Caller) -> None:
    table = await make_full(call)
    result = await table.finish()
    assert result.reason == game_pb2.END_REASON_FINISHED
    assert [seat.seat for seat in result.seats] == [0, 1, 2, 3]
    scores = [seat.score for seat in result.seats]
    assert scores[0] == scores[2] == -scores[1] == -scores[3]
