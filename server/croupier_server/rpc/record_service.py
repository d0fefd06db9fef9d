"""Finished matches: get, list, follow, check. What has not ended is NOT_FOUND here, to everybody.

Must not be put here: how a record is made, and live tables: this file never asks the shard, so it
cannot tell more than the store of finished matches holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Final, NamedTuple

import grpc

from croupier.record.v1 import record_service_pb2 as pb
from croupier_server.errors import InvalidRequest, NotFound, Reason
from croupier_server.rpc.callers import expect_good_key, waking_when_key_ends
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.requests import since_ms
from croupier_server.storage.base import RecordEntry, RecordStore
from croupier_server.tables import encode
from croupier_server.tables.caller import Caller
from croupier_server.tables.readers import expect_few
from croupier_server.tables.tickets import may_see
from croupier_server.tables.updates import StreamEnd, end_payload
from croupier_server.verify.apart import Verifier
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_text,
    timestamp,
)

FOLLOWED_MAX: Final = 64
"""So many streams of records of one principal may be open: each holds a record while it is read."""

_RECORD_S: Final = 0.001
"""Processor time that a record of a stream is charged for, besides its size."""

CHUNK_BYTES: Final = 1 << 16
"""Maximum size of a chunk."""

_RETRY_MS: Final = 1_000
_DIGITS_MAX: Final = 18
_CAUGHT_UP: Final = pb.StreamRecordsResponse(caught_up=pb.RecordsCaughtUp()).SerializeToString()
_RESET: Final = pb.StreamRecordsResponse(reset=pb.RecordsReset()).SerializeToString()


class RecordService:
    """``croupier.record.v1.RecordService``."""

    def __init__(self, records: RecordStore, pages: PageTokens) -> None:
        self._records = records
        self._pages = pages
        self._followers: dict[asyncio.Event, str] = {}  # with the principal
        self._draining = False
        self._verifier = Verifier()

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """The service, wrapped by *calls*."""
        service = calls.service("croupier.record.v1.RecordService")
        service.stream("GetRecord", pb.GetRecordRequest, self.get_record)
        service.unary("ListRecords", pb.ListRecordsRequest, self.list_records)
        service.unary("VerifyRecord", pb.VerifyRecordRequest, self.verify_record)
        service.stream("StreamRecords", pb.StreamRecordsRequest, self.stream_records)
        return service.handler()

    def drain(self) -> None:
        """End every stream: what is stored now still goes out."""
        self._draining = True
        for wake in self._followers:
            wake.set()

    async def get_record(
        self, caller: Caller, request: pb.GetRecordRequest
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of one record, in chunks."""
        record = await self._record(caller, request.table_id)
        caller.quota.charge_work(0, len(record))
        for chunk in _chunks(record):
            yield field_bytes(1, chunk)

    async def _record(self, caller: Caller, table_id: str) -> bytes:
        entry = await self._records.get(table_id)
        if entry is None or not may_see(caller, entry.readers):
            raise NotFound(Reason.NOT_FOUND, "there is no such record", field="table_id")
        return entry.record

    async def list_records(self, _caller: Caller, request: pb.ListRecordsRequest) -> bytes:
        """A page of records, newest first."""
        scope = f"records/{request.game}"
        cursor = self._pages.cursor(scope, request.page_token)
        size = self._pages.size(request.page_size)
        found = await self._records.newest(
            before=int(cursor) if cursor else None, limit=size + 1, kind=request.game
        )
        answer = b"".join(
            field_bytes(1, _info(entry)) for entry in found[:size] if entry.readers is None
        )
        if len(found) > size:
            answer += field_text(2, self._pages.token(scope, str(found[size - 1].position)))
        return answer

    async def verify_record(
        self, caller: Caller, request: pb.VerifyRecordRequest
    ) -> pb.VerifyRecordResponse:
        """Check a record, in a process of its own."""
        record = request.record
        if request.WhichOneof("source") == "table_id":
            record = await self._record(caller, request.table_id)
        report = await self._verifier.verify(record, caller.principal)
        checks = [pb.Check(**check._asdict()) for check in report.checks]
        return pb.VerifyRecordResponse(verified=report.verified, checks=checks)

    async def stream_records(
        self, caller: Caller, request: pb.StreamRecordsRequest
    ) -> AsyncGenerator[bytes, None]:
        """Records as they come in; a slow reader is no burden, as it reads on from the store, and
        holds one record at a time.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
            InvalidRequest: the cursor was never given out.
        """
        since = since_ms("since", request.since) if request.HasField("since") else None
        cursor = _Cursor.read(request.cursor) if request.cursor else None
        expect_few(caller.principal, self._followers.values(), FOLLOWED_MAX, "records")
        wake = asyncio.Event()
        self._followers[wake] = caller.principal
        unsubscribe = self._records.subscribe(wake.set)
        try:
            async for item in self._follow(caller, request, since, cursor, wake):
                yield item
        finally:
            del self._followers[wake]
            unsubscribe()

    async def _follow(
        self,
        caller: Caller,
        request: pb.StreamRecordsRequest,
        since: int | None,
        cursor: _Cursor | None,
        wake: asyncio.Event,
    ) -> AsyncGenerator[bytes, None]:
        """Items of the stream."""
        head = await self._records.head()
        position = head if since is None else 0
        if cursor is not None and await self._knows(cursor, head):
            position, since = cursor.position, None
        elif cursor is not None:
            position = 0
            yield _RESET
        is_caught_up = False
        while True:
            expect_good_key(caller)
            wake.clear()
            while found := await self._records.since(position, 1):
                entry = found[0]
                if not request.follow and entry.position > head:
                    break
                position = entry.position
                await _pay(caller, len(entry.record))
                expect_good_key(caller)
                is_wanted = request.game in (0, entry.kind) and entry.readers is None
                if is_wanted and entry.ended_ms >= (since or 0):
                    for item in _items(entry):
                        yield item
            if not is_caught_up:
                is_caught_up = True
                yield _CAUGHT_UP + _Cursor(position).field
            if not request.follow:
                return
            if self._draining:
                yield field_bytes(
                    5, end_payload(StreamEnd.SERVER_DRAINING, retry_after_ms=_RETRY_MS)
                )
                return
            with waking_when_key_ends(caller, wake.set):
                await wake.wait()

    async def _knows(self, cursor: _Cursor, head: int) -> bool:
        """Whether the store still has every record after *cursor*, as far as can be told."""
        found = await self._records.since(cursor.position - 1, 1)
        if not found or cursor.position > head:
            return cursor.position == head
        first = found[0]
        if first.position == cursor.position:
            return cursor.table_id in ("", first.table_id)
        return first.position == cursor.position + 1


class _Cursor(NamedTuple):
    """Where a stream of records goes on.

    Attributes:
        position: of the last record that was sent or passed over.
        table_id: of the record at this position; empty if it was not sent.
    """

    position: int
    table_id: str = ""

    @property
    def field(self) -> bytes:
        """``StreamRecordsResponse.cursor``."""
        return field_text(15, f"{self.position}.{self.table_id}")

    @classmethod
    def read(cls, text: str) -> _Cursor:
        """The cursor that *text* is.

        Raises:
            InvalidRequest: it is none.
        """
        position, _, table_id = text.partition(".")
        if not (position.isascii() and position.isdecimal()) or len(position) > _DIGITS_MAX:
            raise InvalidRequest(
                Reason.INVALID_PAGE_TOKEN,
                "cursor: this text is no cursor; send one that StreamRecords returned, or none",
                field="cursor",
            )
        return cls(int(position), table_id)


def _chunks(record: bytes) -> Iterator[bytes]:
    """*record* in pieces of `CHUNK_BYTES`."""
    return (record[at : at + CHUNK_BYTES] for at in range(0, len(record), CHUNK_BYTES))


def _items(entry: RecordEntry) -> Iterator[bytes]:
    """A record on a stream."""
    yield field_bytes(1, _info(entry))
    *chunks, last = _chunks(entry.record)
    for chunk in chunks:
        yield field_bytes(2, chunk)
    yield field_bytes(2, last) + _Cursor(entry.position, entry.table_id).field


async def _pay(caller: Caller, size: int) -> None:
    """Charge *caller* for a record of *size* bytes that was read for it, sent or not; wait first
    while it has no token. The loop goes round between two records."""
    quota = caller.quota
    await asyncio.sleep(quota.wait_ms / 1_000)
    quota.charge()
    quota.charge_work(_RECORD_S, size)


def _info(entry: RecordEntry) -> bytes:
    """Payload of ``RecordInfo``."""
    return (
        field_text(1, entry.table_id)
        + field_number(2, entry.kind)
        + b"".join(field_bytes(3, encode.player(player)) for player in entry.players)
        + field_bytes(4, entry.result)
        + field_bytes(5, timestamp(entry.ended_ms))
        + field_number(6, entry.voided)
    )
