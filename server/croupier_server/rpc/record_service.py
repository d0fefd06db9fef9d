"""Finished matches: get, list, follow, check. What has not ended is NOT_FOUND here, to everybody.

Must not be put here: how a record is made, and live tables: this file never asks the shard, so it
cannot tell more than the store of finished matches holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

import grpc

from croupier.record.v1 import record_service_pb2 as pb
from croupier_server.errors import NotFound, Reason, Unavailable
from croupier_server.rpc.callers import expect_good_key, waking_when_key_ends
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.requests import since_ms
from croupier_server.storage.base import RecordEntry, RecordStore
from croupier_server.tables import encode
from croupier_server.tables.caller import Caller
from croupier_server.tables.readers import expect_few
from croupier_server.tables.tickets import may_see
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

_RETRY_MS: Final = 1_000


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
        service.unary("GetRecord", pb.GetRecordRequest, self.get_record)
        service.unary("ListRecords", pb.ListRecordsRequest, self.list_records)
        service.unary("VerifyRecord", pb.VerifyRecordRequest, self.verify_record)
        service.stream("StreamRecords", pb.StreamRecordsRequest, self.stream_records)
        return service.handler()

    def drain(self) -> None:
        """End every stream: what is stored now still goes out."""
        self._draining = True
        for wake in self._followers:
            wake.set()

    async def get_record(self, caller: Caller, request: pb.GetRecordRequest) -> bytes:
        """One record."""
        return field_bytes(1, await self._record(caller, request.table_id))

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
        """
        since = since_ms("since", request.since) if request.HasField("since") else None
        expect_few(caller.principal, self._followers.values(), FOLLOWED_MAX, "records")
        wake = asyncio.Event()
        self._followers[wake] = caller.principal
        unsubscribe = self._records.subscribe(wake.set)
        try:
            async for record in self._follow(caller, request, since, wake):
                yield record
        finally:
            del self._followers[wake]
            unsubscribe()

    async def _follow(
        self,
        caller: Caller,
        request: pb.StreamRecordsRequest,
        since: int | None,
        wake: asyncio.Event,
    ) -> AsyncGenerator[bytes, None]:
        head = await self._records.head()
        position = head if since is None else 0
        while True:
            expect_good_key(caller)
            wake.clear()
            while found := await self._records.since(position, 1):
                entry = found[0]
                if request.finished_only and entry.position > head:
                    return
                position = entry.position
                await _pay(caller, len(entry.record))
                expect_good_key(caller)
                is_wanted = request.game in (0, entry.kind) and entry.readers is None
                if is_wanted and entry.ended_ms >= (since or 0):
                    yield field_bytes(1, entry.record)
            if request.finished_only:
                return
            if self._draining:
                raise Unavailable(
                    Reason.SERVER_DRAINING, "the server is going down", retry_ms=_RETRY_MS
                )
            with waking_when_key_ends(caller, wake.set):
                await wake.wait()


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
