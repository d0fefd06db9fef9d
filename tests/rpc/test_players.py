"""Who sits at a table: what the server vouches for, and what players say of themselves."""

from __future__ import annotations

import grpc
import pytest

from croupier.v1 import table_pb2
from croupier.v1 import table_service_pb2 as pb
from tests.rpc.calls import build, refusal
from tests.rpc.conftest import Running
from tests.rpc.keyed import keyed
from tests.rpc.players import FIXED, SHORT, TABLES, make

GAME = "spec { game: GAME_KIND_TRACTOR } "


async def test_without_keys_nobody_has_a_verified_id(whole: Running) -> None:
    seats = await make(whole.call, FIXED + SHORT)
    joining = pb.JoinTableRequest(table_id=seats.id, player=table_pb2.Player(display_name="Ann"))
    joined = await whole.call.unary(f"{TABLES}/JoinTable", joining, pb.JoinTableResponse)
    assert joined.table.seats[0].player == table_pb2.Player(display_name="Ann")
    assert not joined.table.seats[1].HasField("player")


async def test_with_keys_a_player_is_told_apart_from_its_name() -> None:
    async with keyed() as live:
        host = await live.host()
        request = build(pb.CreateTableRequest, GAME)
        made = await host.unary(f"{TABLES}/CreateTable", request, pb.CreateTableResponse)
        joining = pb.JoinTableRequest(table_id=made.table.table_id)
        joining.player.display_name = "bob"
        joining.player.kind = table_pb2.PLAYER_KIND_BOT
        joining.player.version = "mine/2"
        ann = await live.player("ann")
        joined = await ann.unary(f"{TABLES}/JoinTable", joining, pb.JoinTableResponse)
        assert joined.table.seats[0].player == table_pb2.Player(
            player_id="ann", display_name="bob", kind=table_pb2.PLAYER_KIND_BOT, version="mine/2"
        )


async def test_a_seat_that_is_held_for_a_principal_is_for_its_key_alone() -> None:
    async with keyed() as live:
        host = await live.host()
        held = "seats { access: SEAT_ACCESS_RESERVED player { player_id: 'ann' } } "
        request = build(pb.CreateTableRequest, GAME + held)
        made = await host.unary(f"{TABLES}/CreateTable", request, pb.CreateTableResponse)
        joining = pb.JoinTableRequest(
            table_id=made.table.table_id, invite_code=made.invites[0].code
        )
        bob = await live.player("bob")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await bob.unary(f"{TABLES}/JoinTable", joining, pb.JoinTableResponse)
        assert refusal(caught.value).reason == "SEAT_RESERVED"
        ann = await live.player("ann")
        joined = await ann.unary(f"{TABLES}/JoinTable", joining, pb.JoinTableResponse)
        assert joined.table.seats[0].player.player_id == "ann"
