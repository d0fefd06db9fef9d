"""VerifyRecord: the checks of `croupier verify`, of a record of the server or of given bytes."""

from __future__ import annotations

import grpc
import pytest

from croupier.record.v1 import record_service_pb2 as pb
from croupier_server.verify import Check, verify
from tests.rpc.conftest import Running
from tests.rpc.players import make_full

RECORDS = "croupier.record.v1.RecordService"


async def ask(running: Running, request: pb.VerifyRecordRequest) -> pb.VerifyRecordResponse:
    return await running.call.unary(f"{RECORDS}/VerifyRecord", request, pb.VerifyRecordResponse)


@pytest.mark.more
async def test_a_record_of_the_server_is_verified(whole: Running) -> None:
    table = await make_full(whole.call)
    await table.finish()
    data = await whole.call.record_bytes(table.id)
    expected = verify(data)
    assert expected.verified
    for request in (pb.VerifyRecordRequest(table_id=table.id), pb.VerifyRecordRequest(record=data)):
        answer = await ask(whole, request)
        assert answer.verified
        found = tuple(Check(one.name, one.holds, one.detail, one.warning) for one in answer.checks)
        assert found == expected.checks


@pytest.mark.more
async def test_bytes_that_were_changed_are_not_verified(whole: Running) -> None:
    for data in (b"\x00", b"no record"):
        answer = await ask(whole, pb.VerifyRecordRequest(record=data))
        assert not answer.verified
        assert [(one.name, one.holds) for one in answer.checks] == [("file", False)]


async def test_before_the_end_there_is_nothing_to_check(whole: Running) -> None:
    table = await make_full(whole.call)
    refused = await whole.call.refused(
        f"{RECORDS}/VerifyRecord", pb.VerifyRecordRequest(table_id=table.id)
    )
    unknown = await whole.call.refused(
        f"{RECORDS}/VerifyRecord", pb.VerifyRecordRequest(table_id="x" * 26)
    )
    assert refused == unknown
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
