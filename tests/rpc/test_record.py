"""Finished matches, and nothing before their end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest

from croupier.record.v1 import record_service_pb2 as pb
from croupier.v1 import game_pb2, table_pb2
from croupier_server.errors import Exhausted, Reason
from croupier_server.identity.quota import Quota
from croupier_server.rpc import record_service
from croupier_server.rpc.pages import PageTokens
from croupier_server.storage.backup import back_up
from croupier_server.storage.restoring import restore
from croupier_server.tables import caller as tables
from tests.rpc.calls import Caller, build
from tests.rpc.conftest import Running, Serve, server
from tests.rpc.players import Seats, make_full

RECORDS = "croupier.record.v1.RecordService"


STREAM = f"{RECORDS}/StreamRecords"


def serving(records: object, heartbeat_ms: int = 10_000) -> record_service.RecordService:
    """The service with records of the test's own."""
    pages = PageTokens(bytes(32))
    return record_service.RecordService(records, pages, lambda: 7_000, heartbeat_ms)  # type: ignore[arg-type]


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


@pytest.mark.more
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


@pytest.mark.more
async def test_the_oldest_records_go_first() -> None:
    async with server(records_max=2) as running:
        tables = [(await finished(running)).id for _ in range(3)]
        found = await listed(running.call)
        assert [info.table_id for info in found] == tables[:0:-1]


@pytest.mark.more
async def test_a_stream_goes_on_from_now(whole: Running) -> None:
    await finished(whole)
    stream = whole.call.stream(
        STREAM, pb.StreamRecordsRequest(follow=True), pb.StreamRecordsResponse
    )
    assert (await anext(stream)).HasField("caught_up")
    table = await finished(whole)
    assert (await anext(stream)).record.table_id == table.id
    await stream.aclose()


@pytest.mark.more
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


Items = list[pb.StreamRecordsResponse]


async def items_of(call: Caller, request: pb.StreamRecordsRequest) -> Items:
    """All items of a stream that ends."""
    return [one async for one in call.stream(STREAM, request, pb.StreamRecordsResponse)]


async def arrived(call: Caller, table_id: str) -> bytes:
    """The cursor after the record of a table, once a durable store has it."""
    records = call.records(build(pb.StreamRecordsRequest, "since {} follow: true"))
    async with aclosing(records):
        async for one in records:
            if one.info.table_id == table_id:
                return one.cursor
    raise AssertionError("the stream ended")


def names(items: Items) -> list[str | None]:
    return [item.WhichOneof("item") for item in items]


@pytest.mark.more
async def test_a_record_comes_in_chunks_and_a_stream_goes_on_after_any_item(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_service, "CHUNK_BYTES", 1_000)
    tables = [await finished(whole) for _ in range(3)]
    records = [await whole.call.record_bytes(table.id) for table in tables]
    items = await items_of(whole.call, build(pb.StreamRecordsRequest, "since {}"))
    assert all(len(item.chunk.data) <= 1_000 for item in items)
    assert names(items)[-1] == "caught_up"
    assert len({item.cursor for item in items}) == len(items), "cursors cannot be compared"
    for cut, item in enumerate(items, 1):
        kept = sum(one.chunk.last for one in items[:cut])
        after = pb.StreamRecordsRequest(cursor=item.cursor)
        assert records[kept:] == [one.data async for one in whole.call.records(after)]
        assert names(await items_of(whole.call, after))[0] == "resumed"


@pytest.mark.more
async def test_a_match_that_is_voided_is_told_of_to_who_has_its_record(whole: Running) -> None:
    first, second = [await finished(whole) for _ in range(2)]
    before = await items_of(whole.call, build(pb.StreamRecordsRequest, "since {}"))
    stream = whole.call.stream(
        STREAM, pb.StreamRecordsRequest(follow=True), pb.StreamRecordsResponse
    )
    assert (await anext(stream)).HasField("caught_up")
    for _ in range(2):
        assert await whole.app.store.records.void(first.id)
    told = await anext(stream)
    assert (told.voided.table_id, told.voided.voided) == (first.id, True)
    await finished(whole)
    assert (await anext(stream)).HasField("record"), "once"
    await stream.aclose()
    later = await items_of(whole.call, pb.StreamRecordsRequest(cursor=before[-1].cursor))
    assert names(later) == ["resumed", "voided", "record", "chunk", "caught_up"]
    assert later[1].voided == told.voided
    other = build(pb.StreamRecordsRequest, "game: GAME_KIND_POKEX")
    other.cursor = before[-1].cursor
    assert names(await items_of(whole.call, other)) == ["resumed", "caught_up"]
    after = pb.StreamRecordsRequest(cursor=later[1].cursor)
    assert names(await items_of(whole.call, after)) == ["resumed", "record", "chunk", "caught_up"]
    anew = await items_of(whole.call, build(pb.StreamRecordsRequest, "since {}"))
    assert [one.record.voided for one in anew if one.HasField("record")] == [True, False, False]
    assert second.id in [one.record.table_id for one in anew]


@pytest.mark.more
async def test_a_cursor_of_another_store_starts_again(whole: Running) -> None:
    table = await finished(whole)
    good = (await items_of(whole.call, pb.StreamRecordsRequest()))[0].cursor
    for cursor in (bytes(len(good)), bytes([good[0] ^ 1]) + good[1:], good[::-1]):
        items = await items_of(whole.call, pb.StreamRecordsRequest(cursor=cursor))
        assert items[0].reset.reason == table_pb2.RESET_REASON_EPOCH
        assert items[1].record.table_id == table.id
    for cursor in (b"x", good + b"x", good[:-1]):
        refused = await whole.call.refused(STREAM, pb.StreamRecordsRequest(cursor=cursor))
        assert (refused.reason, refused.fields) == ("INVALID_CURSOR", ("cursor",))
    refused = await whole.call.refused(STREAM, pb.StreamRecordsRequest(cursor=bytes(129)))
    assert (refused.reason, refused.fields) == ("MALFORMED_REQUEST", ("cursor",))


@pytest.mark.more
async def test_a_cursor_behind_which_records_were_deleted_starts_again() -> None:
    async with server(records_max=2) as running:
        await finished(running)
        (first,) = [
            one async for one in running.call.records(build(pb.StreamRecordsRequest, "since {}"))
        ]
        tables = [(await finished(running)).id for _ in range(2)]
        after = pb.StreamRecordsRequest(cursor=first.cursor)
        assert [one.info.table_id async for one in running.call.records(after)] == tables
        tables = [(await finished(running)).id for _ in range(2)]
        items = await items_of(running.call, after)
        assert items[0].reset.reason == table_pb2.RESET_REASON_TOO_OLD
        assert [one.record.table_id for one in items if one.HasField("record")] == tables


@pytest.mark.more
async def test_a_cursor_from_before_a_restore_starts_again(tmp_path: Path) -> None:
    """Also where the restored store has grown past it, so that its position is that of another
    record; a restart alone changes nothing."""
    url, file = f"sqlite:{tmp_path / 'croupier.db'}", tmp_path / "backup"
    async with server(store=url) as running:
        await arrived(running.call, (await finished(running)).id)
        await back_up(url, file, replace=False)
        lost = (await finished(running)).id
        after = pb.StreamRecordsRequest(cursor=await arrived(running.call, lost))
    async with server(store=url) as running:
        assert names(await items_of(running.call, after)) == ["resumed", "caught_up"]
    await restore(file, url, replace=True, now_ms=1_800_000_000_000)
    async with server(store=url) as running:
        running.clock.advance(10_000)  # ids of tables are made of the time
        ids = [(await finished(running)).id for _ in range(2)]
        await arrived(running.call, ids[1])
        items = await items_of(running.call, after)
        assert items[0].reset.reason == table_pb2.RESET_REASON_EPOCH
        found = [one.record.table_id for one in items if one.HasField("record")]
        assert found[1:] == ids
        assert lost not in found


async def test_a_record_longer_than_a_message_reaches_a_client_with_default_limits(
    serve: Serve,
) -> None:
    """Through a server of its own: no match of a test is as long."""
    record = bytes(5 << 20)

    class Long:
        async def get(self, _table_id: str) -> SimpleNamespace:
            return SimpleNamespace(record=record, readers=None)

    async with serve(serving(Long())) as call:
        assert await call.record_bytes("table-1") == record


@pytest.mark.more
async def test_isolated_a_principal_reads_records_on_so_many_streams_and_no_more(
    whole: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its streams may hold a record that it does not read."""
    monkeypatch.setattr(record_service, "RECORD_STREAMS_MAX", 2)
    ids = [(await finished(whole)).id for _ in range(2)]
    ask = build(pb.StreamRecordsRequest, "since {} follow: true")
    streams = [whole.call.stream(STREAM, ask, pb.StreamRecordsResponse) for _ in range(2)]
    for stream in streams:
        assert (await anext(stream)).record.table_id == ids[0]
    one = pb.GetRecordRequest(table_id=ids[0])
    for method, request in ((STREAM, ask), (f"{RECORDS}/GetRecord", one)):
        refused = await whole.call.refused(method, request)
        assert refused.reason == "TOO_MANY_STREAMS"
        assert refused.metadata["most"] == "2"
        assert refused.retry_ms > 0
    for stream in streams:
        assert (await anext(stream)).chunk.last
        assert (await anext(stream)).record.table_id == ids[1]
        await stream.aclose()


@pytest.mark.attack
async def test_records_that_are_got_count_as_streams_while_they_are_read() -> None:
    class Long:
        async def get(self, _table_id: str) -> SimpleNamespace:
            return SimpleNamespace(record=bytes(1 << 20), readers=None)

    service = serving(Long())
    request = pb.GetRecordRequest(table_id="table-1")
    open_calls = [service.get_record(tables.NOBODY, request) for _ in range(64)]
    for one in open_calls:
        assert await anext(one)
    with pytest.raises(Exhausted) as caught:
        await anext(service.get_record(tables.NOBODY, request))
    assert caught.value.reason is Reason.TOO_MANY_STREAMS
    assert await anext(service.get_record(tables.Caller("ann"), request)), "of another principal"
    await open_calls[0].aclose()
    assert await anext(service.get_record(tables.NOBODY, request))


async def test_a_stream_is_told_when_the_server_goes_down() -> None:
    async with server() as running:
        request = pb.StreamRecordsRequest(follow=True)
        stream = running.call.stream(STREAM, request, pb.StreamRecordsResponse)
        assert (await anext(stream)).HasField("caught_up")
        await running.app.drain()
        end = (await anext(stream)).end
    assert end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    assert end.retry_after.ToMilliseconds() > 0


class Shelf:
    """Five records of a game that nobody asks for."""

    async def head(self) -> int:
        return 5

    async def lineage(self) -> bytes:
        return b"shelf"

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
    service = serving(Shelf())
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


async def test_a_stream_on_which_nothing_comes_shows_signs_of_life() -> None:
    """Also before it has caught up, with nothing on the shelf for it; each says where it is."""
    service = serving(Shelf(), heartbeat_ms=1)
    request = build(pb.StreamRecordsRequest, "game: GAME_KIND_POKEX since {} follow: true")
    stream = service.stream_records(tables.NOBODY, request)
    beats: Items = []
    while len(beats) < 2:
        item = pb.StreamRecordsResponse.FromString(await anext(stream))
        assert item.WhichOneof("item") in ("heartbeat", "caught_up")
        if item.HasField("heartbeat"):
            beats.append(item)
    await stream.aclose()
    assert all(beat.heartbeat.server_time.ToMilliseconds() == 7_000 for beat in beats)
    request = pb.StreamRecordsRequest(cursor=beats[-1].cursor)
    items = [item async for item in service.stream_records(tables.NOBODY, request)]
    assert names([pb.StreamRecordsResponse.FromString(one) for one in items])[0] == "resumed"


@pytest.mark.attack
async def test_a_stream_that_has_no_token_waits_and_stays_alive() -> None:
    """It is not refused, and a reader can tell it from a dead one."""
    now = 0

    def now_ms() -> int:
        return now

    service = serving(Shelf(), heartbeat_ms=1)
    quota = Quota(1, 1, now_ms)
    quota.charge()
    request = build(pb.StreamRecordsRequest, "game: GAME_KIND_POKEX since {}")
    stream = service.stream_records(tables.Caller(quota=quota), request)
    assert pb.StreamRecordsResponse.FromString(await anext(stream)).HasField("heartbeat")
    await stream.aclose()
