"""Private tables: to whoever has no part in one it does not exist, and neither does its record."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import Message

from croupier.record.v1 import record_service_pb2 as records
from croupier.v1 import spectate_service_pb2 as spectate
from croupier.v1 import table_service_pb2 as pb
from croupier_server.identity.keys import Scope
from tests.rpc.calls import Caller, Metadata, build
from tests.rpc.conftest import Running
from tests.rpc.keyed import keyed
from tests.rpc.players import FIXED, SHORT, TABLES, Seats, host_of, make, ticket_of

PRIVATE = "spec { visibility: VISIBILITY_PRIVATE } "
RESERVED = "seats { access: SEAT_ACCESS_RESERVED } " * 4
RECORDS = "croupier.record.v1.RecordService"
SPECTATE = "croupier.v1.SpectateService/SpectateTable"


def invite(code: str) -> Metadata:
    """Metadata of somebody who is invited."""
    return (("croupier-invite", code),)


def questions(table_id: str) -> Iterator[tuple[str, Message, type[Message]]]:
    """Calls about a table that take no ticket."""
    yield (
        f"{TABLES}/GetTable",
        pb.GetTableRequest(table_id=table_id),
        pb.GetTableResponse,
    )
    yield (
        f"{TABLES}/JoinTable",
        pb.JoinTableRequest(table_id=table_id),
        pb.JoinTableResponse,
    )
    yield (
        "croupier.v1.SpectateService/ListPublicDealResults",
        spectate.ListPublicDealResultsRequest(table_id=table_id),
        spectate.ListPublicDealResultsResponse,
    )


async def expect_unknown(call: Caller, table_id: str) -> None:
    """*call* is told the same of the table as of one that never was."""
    for (path, request, _), (_, other, _) in zip(
        questions(table_id), questions("never was"), strict=True
    ):
        assert await call.refused(path, request) == await call.refused(path, other)
    watching = spectate.SpectateTableRequest(table_id=table_id)
    refused = await call.refused(SPECTATE, watching)
    assert refused.reason == "NOT_FOUND"


async def sees(call: Caller, seats: Seats, metadata: Metadata) -> bool:
    """Whether GetTable shows the table to somebody with *metadata*."""
    request = pb.GetTableRequest(table_id=seats.id)
    answer = await call.unary(f"{TABLES}/GetTable", request, pb.GetTableResponse, metadata)
    return answer.table.table_id == seats.id


async def test_a_private_table_exists_for_its_host_its_seats_and_the_invited(
    whole: Running,
) -> None:
    call = whole.call
    seats = await make(call, FIXED + SHORT + PRIVATE + RESERVED)
    await expect_unknown(call, seats.id)
    assert await sees(call, seats, host_of(seats.host))
    assert await sees(call, seats, invite(seats.invites[3]))
    for seat, code in seats.invites.items():
        await seats.join(seat, code=code)
    assert await sees(call, seats, ticket_of(seats.tickets[0]))
    await expect_unknown(call, seats.id)
    listed = await call.unary(f"{TABLES}/ListTables", pb.ListTablesRequest(), pb.ListTablesResponse)
    assert not listed.tables


async def test_the_record_of_a_private_table_is_for_those_who_saw_it(whole: Running) -> None:
    call = whole.call
    seats = await make(call, FIXED + SHORT + PRIVATE + RESERVED)
    for seat, code in seats.invites.items():
        await seats.join(seat, code=code)
    stopping = pb.AbortTableRequest(table_id=seats.id)
    host = host_of(seats.host)
    await call.unary(f"{TABLES}/AbortTable", stopping, pb.AbortTableResponse, host)
    wanted = records.GetRecordRequest(table_id=seats.id)
    for path, request in (
        ("GetRecord", wanted),
        ("VerifyRecord", records.VerifyRecordRequest(table_id=seats.id)),
    ):
        refused = await call.refused(f"{RECORDS}/{path}", request)
        assert (refused.reason, refused.metadata) == ("NOT_FOUND", {})
    for proof in (host, ticket_of(seats.tickets[2]), invite(seats.invites[1])):
        assert (await call.record(seats.id, proof)).table.table_id == seats.id
    listing = records.ListRecordsRequest()
    listed = await call.unary(f"{RECORDS}/ListRecords", listing, records.ListRecordsResponse)
    assert not listed.records
    following = records.StreamRecordsRequest()
    following.since.SetInParent()
    assert [record async for record in call.records(following)] == []


async def test_with_keys_a_private_table_exists_for_the_principals_at_it() -> None:
    async with keyed() as live:
        host = await live.host()
        text = "spec { game: GAME_KIND_TRACTOR } " + PRIVATE + RESERVED
        request = build(pb.CreateTableRequest, text)
        made = await host.unary(f"{TABLES}/CreateTable", request, pb.CreateTableResponse)
        ann = await live.player("ann")
        looking = live.caller(await live.good("spy", Scope.SPECTATE, Scope.PLAY))
        seated = live.caller(await live.good("ann", Scope.SPECTATE, Scope.PLAY))
        await expect_unknown(looking, made.table.table_id)
        await expect_unknown(seated, made.table.table_id)
        joining = pb.JoinTableRequest(
            table_id=made.table.table_id, invite_code=made.invites[0].code
        )
        await ann.unary(f"{TABLES}/JoinTable", joining, pb.JoinTableResponse)
        wanted = pb.GetTableRequest(table_id=made.table.table_id)
        shown = await seated.unary(f"{TABLES}/GetTable", wanted, pb.GetTableResponse)
        assert shown.table.table_id == made.table.table_id
        await expect_unknown(looking, made.table.table_id)
