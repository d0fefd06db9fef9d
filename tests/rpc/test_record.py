"""Finished matches, and nothing before their end."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import grpc
import pytest

from croupier.record.v1 import record_service_pb2 as pb
from croupier.v1 import game_pb2, table_pb2
from croupier_server.identity.quota import Quota
from croupier_server.rpc import record_service
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.validate import Requests
from croupier_server.tables import caller as tables
from tests.rpc.calls import Caller, build
from tests.rpc.conftest import Running, server
from tests.rpc.players import Seats, make_full

RECORDS = "croupier.record.v1.RecordService"


async def finished(running: Running) -> Seats:
    """A table whose match has ended, one second after the last one."""
    running.clock.advance(1_000)
    table = await make_full(running.call)
    await table.finish()
    return table


async def listed(call: Caller, text: str = "") -> list[pb.RecordInfo]:
    request = build(pb.ListRecordsRequest, text)
    found: list[pb.RecordInfo] = []
    while True:
        page = await call.unary(f"{RECORDS}/ListRecords", request, pb.ListRecordsResponse)
        found += page.records
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


async def test_before_the_end_there_is_no_record_for_anybody(call: Caller) -> None:
    table = await make_full(call)
    request = pb.GetRecordRequest(table_id=table.id)
    for metadata in (
        (),
        (("croupier-ticket", table.tickets[0]),),
        (("croupier-host-ticket", table.host),),
    ):
        refused = await call.refused(f"{RECORDS}/GetRecord", request, metadata)
        unknown = await call.refused(
            f"{RECORDS}/GetRecord", pb.GetRecordRequest(table_id="x" * 26), metadata
        )
        assert refused == unknown
        assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
    assert await listed(call) == []


async def test_a_record_tells_the_whole_match(whole: Running) -> None:
    table = await finished(whole)
    record = await whole.call.record(table.id)
    shown = await table.table()
    assert record.table.table_id == table.id
    assert record.table.status == table_pb2.TABLE_STATUS_OPEN, "the table as it was created"
    assert record.result == shown.result
    assert record.reveal.seed == 7
    numbers = [row.sequence for row in record.rows if row.sequence]
    assert numbers == list(range(1, shown.sequence + 1))
    assert all(len(row.hash) == 32 for row in record.rows)
    last = table_pb2.TableEvent.FromString(record.rows[-1].public_part)
    assert last.match_ended == record.result


async def test_lists_are_newest_first_and_paged(whole: Running) -> None:
    tables = [(await finished(whole)).id for _ in range(3)]
    for size in (0, 1, 2, 1000):
        found = await listed(whole.call, f"page_size: {size}")
        assert [info.table_id for info in found] == tables[::-1]
    info = (await listed(whole.call, "game: GAME_KIND_TRACTOR"))[0]
    assert [player.display_name for player in info.players] == [
        f"player {seat}" for seat in range(4)
    ]
    assert info.game == game_pb2.GAME_KIND_TRACTOR
    assert info.result.reason == game_pb2.END_REASON_FINISHED
    assert info.end_time.ToMilliseconds() == whole.clock.now_ms()


async def test_the_oldest_records_go_first() -> None:
    async with server(records_max=2) as running:
        tables = [(await finished(running)).id for _ in range(3)]
        found = await listed(running.call)
        assert [info.table_id for info in found] == tables[:0:-1]


async def test_a_stream_goes_on_from_now(whole: Running) -> None:
    await finished(whole)
    stream = whole.call.stream(
        f"{RECORDS}/StreamRecords", pb.StreamRecordsRequest(follow=True), pb.StreamRecordsResponse
    )
    assert (await anext(stream)).HasField("caught_up")
    table = await finished(whole)
    assert (await anext(stream)).record.table_id == table.id
    await stream.aclose()


async def test_a_stream_may_begin_in_the_past_and_end_now(whole: Running) -> None:
    tables = [await finished(whole) for _ in range(3)]
    ids = [table.id for table in tables]
    end_times = {info.table_id: info.end_time for info in await listed(whole.call)}

    async def streamed(text: str, since: str = "") -> list[str]:
        request = build(pb.StreamRecordsRequest, text)
        if since:
            request.since.CopyFrom(end_times[since])
        found = [one async for one in whole.call.records(request)]
        assert [one.message.table.table_id for one in found] == [one.info.table_id for one in found]
        return [one.info.table_id for one in found]

    assert await streamed("") == []
    assert await streamed("since {}") == ids
    assert await streamed("", since=ids[1]) == ids[1:]
    assert await streamed("since {} game: GAME_KIND_TRACTOR") == ids


async def test_a_record_comes_in_chunks_and_a_stream_goes_on_after_any_cut(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_service, "CHUNK_BYTES", 1_000)
    tables = [await finished(whole) for _ in range(3)]
    records = [await whole.call.record_bytes(table.id) for table in tables]
    request, path = build(pb.StreamRecordsRequest, "since {}"), f"{RECORDS}/StreamRecords"
    items = [one async for one in whole.call.stream(path, request, pb.StreamRecordsResponse)]
    assert all(len(item.chunk) <= 1_000 for item in items)
    assert items[-1].HasField("caught_up")
    for cut in range(len(items) + 1):
        cursors = [item.cursor for item in items[:cut] if item.cursor]
        kept = sum(bool(item.chunk and item.cursor) for item in items[:cut])
        after = pb.StreamRecordsRequest(cursor=cursors[-1]) if cursors else request
        assert records[kept:] == [one.data async for one in whole.call.records(after)]


async def test_a_cursor_of_another_store_starts_again(whole: Running) -> None:
    table = await finished(whole)
    path = f"{RECORDS}/StreamRecords"
    for cursor in ("99.", "1.another-table"):
        request = pb.StreamRecordsRequest(cursor=cursor)
        items = [one async for one in whole.call.stream(path, request, pb.StreamRecordsResponse)]
        assert items[0].HasField("reset")
        assert items[1].record.table_id == table.id
    for cursor in ("x", "-1.", "1" * 40):
        refused = await whole.call.refused(path, pb.StreamRecordsRequest(cursor=cursor))
        assert (refused.reason, refused.fields) == ("INVALID_PAGE_TOKEN", ("cursor",))


async def test_a_cursor_behind_which_records_were_deleted_starts_again() -> None:
    async with server(records_max=2) as running:
        path, request = f"{RECORDS}/StreamRecords", build(pb.StreamRecordsRequest, "since {}")
        await finished(running)
        (first,) = [one async for one in running.call.records(request)]
        tables = [(await finished(running)).id for _ in range(2)]
        after = pb.StreamRecordsRequest(cursor=first.cursor)
        assert [one.info.table_id async for one in running.call.records(after)] == tables
        tables = [(await finished(running)).id for _ in range(2)]
        items = [one async for one in running.call.stream(path, after, pb.StreamRecordsResponse)]
        assert items[0].HasField("reset")
        assert [one.info.table_id async for one in running.call.records(after)] == tables


async def test_a_record_longer_than_a_message_reaches_a_client_with_default_limits() -> None:
    """Through a server of its own: no match of a test is as long."""
    record = bytes(5 << 20)

    class Long:
        async def get(self, _table_id: str) -> SimpleNamespace:
            return SimpleNamespace(record=record, readers=None)

    service = record_service.RecordService(Long(), PageTokens(bytes(32)))  # type: ignore[arg-type]
    served = grpc.aio.server()
    served.add_generic_rpc_handlers((service.handler(Calls(Requests(1 << 20), 10)),))
    port = served.add_insecure_port("127.0.0.1:0")
    await served.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert await Caller(channel).record_bytes("table-1") == record
    finally:
        await served.stop(None)


async def test_isolated_a_principal_follows_records_so_often_and_no_more(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its streams may hold a record that it does not read."""
    monkeypatch.setattr(record_service, "FOLLOWED_MAX", 2)
    ids = [(await finished(whole)).id for _ in range(2)]
    path, ask = f"{RECORDS}/StreamRecords", build(pb.StreamRecordsRequest, "since {} follow: true")
    streams = [whole.call.stream(path, ask, pb.StreamRecordsResponse) for _ in range(2)]
    for stream in streams:
        assert (await anext(stream)).record.table_id == ids[0]
    refused = await whole.call.refused(path, ask)
    assert refused.reason == "TOO_MANY_STREAMS"
    assert refused.retry_ms > 0
    for stream in streams:
        assert (await anext(stream)).chunk
        assert (await anext(stream)).record.table_id == ids[1]
        await stream.aclose()


async def test_a_stream_is_told_when_the_server_goes_down() -> None:
    async with server() as running:
        request = pb.StreamRecordsRequest(follow=True)
        stream = running.call.stream(f"{RECORDS}/StreamRecords", request, pb.StreamRecordsResponse)
        assert (await anext(stream)).HasField("caught_up")
        await running.app.drain()
        end = (await anext(stream)).end
    assert end.reason == table_pb2.StreamEnd.REASON_SERVER_DRAINING
    assert end.retry_after.ToMilliseconds() > 0


class Shelf:
    """Five records of a game that nobody asks for."""

    async def head(self) -> int:
        return 5

    async def since(self, position: int, _limit: int) -> list[SimpleNamespace]:
        entry = SimpleNamespace(
            position=position + 1, kind=1, ended_ms=0, record=bytes(1 << 17), readers=None
        )
        return [entry] if position < 5 else []

    def subscribe(self, _wake: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


@pytest.mark.attack
async def test_a_stream_of_records_costs_for_each_that_is_read() -> None:
    """Also where none of them is sent: a token each, and one for each 64 KiB."""
    service = record_service.RecordService(Shelf(), PageTokens(bytes(32)))  # type: ignore[arg-type]
    quota = Quota(10, 50, lambda: 0)
    request = build(pb.StreamRecordsRequest, "game: GAME_KIND_POKEX since {}")
    caller = tables.Caller(quota=quota)
    items = [item async for item in service.stream_records(caller, request)]
    assert [pb.StreamRecordsResponse.FromString(item).WhichOneof("item") for item in items] == [
        "caught_up"
    ]
    for _ in range(50 - 5 * 3):
        quota.spend()
    assert quota.is_empty
