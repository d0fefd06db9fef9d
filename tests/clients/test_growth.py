"""Clients of today against a server of tomorrow: docs/protocol.md, "Compatibility", by stream.

Sessions are in test_session.py. What a newer server adds is a field, an arm of a oneof or a value
of an enum that the stubs of today do not have.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc
import pytest
from google.protobuf.message import Message

import croupier
from croupier.record.v1 import record_service_pb2 as records_pb
from croupier.record.v1.record_service_pb2_grpc import RecordServiceStub
from croupier.records import RecordsReset, StreamedRecord, VoidedRecord, streamed_records
from croupier.v1 import play_service_pb2 as play_pb
from croupier.v1 import session_service_pb2, table_pb2
from croupier.v1 import table_service_pb2 as tables_pb
from croupier.v1.play_service_pb2_grpc import PlayServiceStub
from croupier_server.cli.watch import _watch_lobby
from tests.clients.fake_server import End, FakeServer, Script
from tests.clients.test_transports import First, play
from tests.rpc.calls import serving

NEW = b"\xea\x04\x00"
"""A field, or an arm of a oneof, that no stub of today has."""

NEW_VALUE = cast("Any", 99)
"""A value that no enum of today has."""


@asynccontextmanager
async def sending(method: str, items: Sequence[Message]) -> AsyncIterator[grpc.aio.Channel]:
    """A server whose stream *method* sends *items*, each with a new field and behind one with a new
    arm alone."""
    service, _, name = method.rpartition("/")

    async def stream(_request: bytes, _context: object) -> AsyncIterator[bytes]:
        for item in items:
            yield NEW
            yield item.SerializeToString() + NEW

    handlers: dict[str, Any] = {name: grpc.unary_stream_rpc_method_handler(stream)}
    async with serving(grpc.method_handlers_generic_handler(service, handlers)) as channel:
        yield channel


async def test_the_stream_of_a_table_passes_over_what_is_new_and_plays_on() -> None:
    """Messages, updates, kinds of decisions and of moves: each answer is a move that is listed."""
    async with FakeServer(Script(questions=7, newer=NEW)) as server:
        result = await play(server, First(), "watch")
    assert server.tables["t0"].answers == ["1"] * 7
    assert result.decisions == 7


async def test_the_stream_of_a_table_may_end_for_a_new_reason() -> None:
    async with FakeServer(Script(ends=NEW_VALUE, newer=NEW)) as server:
        with pytest.raises(croupier.Error, match="reason 99"):
            await play(server, First(), "watch")


async def test_the_stream_of_many_tables_passes_over_items_that_are_new() -> None:
    update = table_pb2.TableUpdate(heartbeat=table_pb2.Heartbeat(sequence=5))
    known = session_service_pb2.ChannelItem(channel=2, update=update)
    items = [
        session_service_pb2.ChannelItem.FromString(b"\x08\x01" + NEW),
        session_service_pb2.ChannelItem(channel=1, update=table_pb2.TableUpdate.FromString(NEW)),
        session_service_pb2.ChannelItem.FromString(known.SerializeToString() + NEW),
    ]
    sent = [play_pb.WatchTablesResponse(items=items)] * 2
    async with sending("croupier.v1.PlayService/WatchTables", sent) as channel:
        call = PlayServiceStub(channel).WatchTables(play_pb.WatchTablesRequest())
        found = [item for answer in [one async for one in call] for item in answer.items]
    kinds = [(item.channel, item.update.WhichOneof("update")) for item in found]
    assert kinds == [(1, None), (1, None), (2, "heartbeat")] * 2
    assert found[-1].update.heartbeat.sequence == 5


async def test_the_stream_of_records_passes_over_what_is_new() -> None:
    """Between the chunks of a record, too; and values of enums are handed on as they are."""
    item, chunk = records_pb.StreamRecordsResponse, records_pb.RecordChunk
    info = records_pb.RecordInfo(table_id="t0", game=NEW_VALUE)
    sent = [
        item(reset=table_pb2.Reset(reason=NEW_VALUE)),
        item(record=info, cursor=b"before"),
        item(chunk=chunk(data=b"first "), cursor=b"before"),
        item(chunk=chunk(data=b"last", last=True), cursor=b"after"),
        item(voided=info, cursor=b"later"),
        item(end=table_pb2.StreamEnd(reason=NEW_VALUE)),
    ]
    async with sending("croupier.record.v1.RecordService/StreamRecords", sent) as channel:
        call = RecordServiceStub(channel).StreamRecords(records_pb.StreamRecordsRequest())
        reset, record, voided = [found async for found in streamed_records(call)]
    assert reset == RecordsReset(99)
    assert isinstance(record, StreamedRecord)
    assert (record.data, record.cursor, record.info.game) == (b"first last", b"after", 99)
    assert isinstance(voided, VoidedRecord)
    assert (voided.info.table_id, voided.cursor) == ("t0", b"later")


async def test_the_lobby_passes_over_what_is_new() -> None:
    """Games and statuses that are new are shown by their numbers."""
    item = tables_pb.WatchLobbyResponse
    table = table_pb2.Table(table_id="t0", status=NEW_VALUE)
    table.spec.game = NEW_VALUE
    sent = [
        item(reset=table_pb2.Reset(reason=NEW_VALUE)),
        item(table=table),
        item(caught_up=table_pb2.CaughtUp()),
        item(lost=tables_pb.TableLost(table_id="t0")),
        item(end=End(reason=NEW_VALUE)),
        item(table=table),
    ]
    shown: list[str] = []
    async with sending("croupier.v1.TableService/WatchLobby", sent) as channel:
        assert await _watch_lobby(channel, shown.append) == 1
    first, mark, lost, last = shown
    assert first.startswith("table t0: 99 ")
    assert ", 99; " in first
    assert "changes follow" in mark
    assert "table t0 was lost" in lost
    assert "ended the stream" in last
