"""Tables that share their cards, over a real server that asks for keys."""

from __future__ import annotations

import grpc
import pytest

from croupier.v1 import play_service_pb2, table_pb2
from croupier.v1 import table_service_pb2 as tables_pb
from croupier_server.identity.keys import Scope
from tests.rpc.calls import Caller, build, refusal
from tests.rpc.keyed import Keyed, keyed
from tests.rpc.players import PLAY, SHORT, TABLES, Seats, ticket_of

BOARD = "spec { game: GAME_KIND_TRACTOR } " + SHORT + "seats { access: SEAT_ACCESS_RESERVED } " * 4
PLAYING, ENDED = table_pb2.TABLE_STATUS_PLAYING, table_pb2.TABLE_STATUS_ENDED


async def board_table(
    live: Keyed, players: list[str], *, shared: bool = False, rated: bool = False, tables: int = 2
) -> Seats:
    """A table of a board of two, with *players* invited and seated."""
    request = build(tables_pb.CreateTableRequest, BOARD)
    request.spec.rated = rated
    board = request.spec.deal_source.board
    board.root, board.table_count, board.shared_principals = b"7" * 32, tables, shared
    host = await live.host()
    made = await host.unary(f"{TABLES}/CreateTable", request, tables_pb.CreateTableResponse)
    assert made.table.spec.deal_source.board.shared_principals is shared
    seats = Seats(host, made)
    for seat, name in enumerate(players):
        seats.call = await live.player(name)
        await seats.join(seat, code=seats.invites.get(seat, ""))
    return seats


async def readings(caller: Caller, table_id: str) -> list[table_pb2.Table]:
    """All that *caller* reads of a table: by its id, in lists, in the lobby."""
    got = await caller.unary(
        f"{TABLES}/GetTable",
        tables_pb.GetTableRequest(table_id=table_id),
        tables_pb.GetTableResponse,
    )
    found = [got.table]
    for status in (table_pb2.TABLE_STATUS_UNSPECIFIED, PLAYING, ENDED):
        listed = await caller.unary(
            f"{TABLES}/ListTables",
            tables_pb.ListTablesRequest(status=status),
            tables_pb.ListTablesResponse,
        )
        found += [table for table in listed.tables if table.table_id == table_id]
    lobby = caller.stream(
        f"{TABLES}/WatchLobby", tables_pb.WatchLobbyRequest(), tables_pb.WatchLobbyResponse
    )
    async for update in lobby:
        if update.HasField("caught_up"):
            break
        if update.table.table_id == table_id:
            found.append(update.table)
    await lobby.aclose()
    return found


@pytest.mark.attack
async def test_private_a_seat_of_a_board_reads_nothing_of_the_other_table() -> None:
    async with keyed() as live:
        first = await board_table(live, ["ann", "bob", "cy", "di"])
        second = await board_table(live, ["eve", "fay", "gus", "ida"])
        ann, eve = await live.player("ann"), await live.player("eve")
        watcher = live.caller(await live.good("zoe", Scope.SPECTATE))
        before = [await readings(caller, second.id) for caller in (ann, watcher)]
        assert {table.status for found in before for table in found} == {PLAYING}
        await eve.unary(
            f"{PLAY}/Concede",
            play_service_pb2.ConcedeRequest(table_id=second.id),
            play_service_pb2.ConcedeResponse,
            ticket_of(second.tickets[0]),
        )
        assert [await readings(caller, second.id) for caller in (ann, watcher)] == before
        for table in before[0]:
            assert table.sequence == 0
            assert not table.HasField("result")
        for caller in (eve, await live.host()):
            assert {table.status for table in await readings(caller, second.id)} == {ENDED}
        await ann.unary(
            f"{PLAY}/Concede",
            play_service_pb2.ConcedeRequest(table_id=first.id),
            play_service_pb2.ConcedeResponse,
            ticket_of(first.tickets[0]),
        )
        for table in await readings(ann, second.id):
            assert table.status == ENDED
            assert table.result.seat_at_fault == 0


@pytest.mark.attack
async def test_a_principal_does_not_play_two_tables_of_a_board_at_once() -> None:
    async with keyed() as live:
        await board_table(live, ["ann"])
        second = await board_table(live, [])
        second.call = await live.player("ann")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await second.join(0, code=second.invites[0])
        refused = refusal(caught.value)
        assert refused.code is grpc.StatusCode.PERMISSION_DENIED
        assert refused.reason == "BOARD_CONFLICT"
        assert "shared_principals" in refused.message


async def test_the_host_may_let_a_principal_play_them() -> None:
    async with keyed() as live:
        for _ in range(2):
            await board_table(live, ["ann"], shared=True)


@pytest.mark.attack
async def test_the_host_of_a_rated_board_gets_no_seat() -> None:
    async with keyed() as live:
        seats = await board_table(live, [], rated=True)
        seats.call = await live.player("hal")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await seats.join(0, code=seats.invites[0])
        refused = refusal(caught.value)
        assert refused.code is grpc.StatusCode.PERMISSION_DENIED
        assert refused.reason == "BOARD_CONFLICT"


@pytest.mark.attack
async def test_a_table_that_does_not_fit_its_board_is_not_created() -> None:
    async with keyed() as live:
        await board_table(live, [], rated=True)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await board_table(live, [], rated=True, tables=1)
        refused = refusal(caught.value)
        assert refused.code is grpc.StatusCode.PERMISSION_DENIED
        assert refused.reason == "BOARD_CONFLICT"
        assert refused.fields == ("spec.deal_source.board.table_count",)
