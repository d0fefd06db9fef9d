"""Finished matches: get, list, follow, check. What has not ended is NOT_FOUND to everybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Final

from croupier.record.v1 import record_service_pb2 as pb
from croupier_server.errors import NotFound, Reason
from croupier_server.rpc.callers import waking_when_key_ends
from croupier_server.rpc.interceptors import How, wrapped
from croupier_server.rpc.pages import PageTokens, StreamCursors
from croupier_server.rpc.requests import since_ms
from croupier_server.storage.base import RecordEntry
from croupier_server.storage.records import RecordStore
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.tickets import may_see
from croupier_server.tables.feeds.readers import expect_few
from croupier_server.tables.match import encode, updates
from croupier_server.tables.match.updates import ResetReason, StreamEnd
from croupier_server.verify.apart import Verifier
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_text,
    timestamp,
)

RECORD_STREAMS_MAX: Final = 64
"""Maximum number of open streams of one principal, `GetRecord` among them: each holds a record
while it is read."""

_RECORD_S: Final = 0.001
"""Processor time that a record of a stream is charged for, besides its size."""

CHUNK_BYTES: Final = 1 << 16
"""Maximum size of a chunk."""

_RETRY_MS: Final = 1_000
_CAUGHT_UP: Final = field_bytes(4, b"")
_RESUMED: Final = field_bytes(5, b"")


class RecordService:
    """``croupier.record.v1.RecordService``.

    Args:
        records: finished matches.
        pages: makes page tokens.
        now_ms: the server's clock.
        heartbeat_ms: time between heartbeats on a stream.
    """

    service = "croupier.record.v1.RecordService"

    def __init__(
        self,
        records: RecordStore,
        pages: PageTokens,
        now_ms: Callable[[], int],
        heartbeat_ms: int,
    ) -> None:
        self._records = records
        self._pages = pages
        self._now_ms = now_ms
        self._heartbeat_s = heartbeat_ms / 1_000
        self._readers: dict[asyncio.Event, str] = {}  # with the principal
        self._draining = False
        self._verifier = Verifier()

    def drain(self) -> None:
        """End every stream: what is stored now still goes out."""
        self._draining = True
        for wake in self._readers:
            wake.set()

    @contextmanager
    def _reading(self, caller: Caller) -> Iterator[asyncio.Event]:
        """Count a stream of *caller*, which the event wakes when the server goes down.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
        """
        expect_few(caller.principal, self._readers.values(), RECORD_STREAMS_MAX, "records")
        wake = asyncio.Event()
        self._readers[wake] = caller.principal
        try:
            yield wake
        finally:
            del self._readers[wake]

    async def get_record(
        self, caller: Caller, request: pb.GetRecordRequest
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of one record, in chunks.

        Raises:
            Exhausted: TOO_MANY_STREAMS.
            NotFound: NOT_FOUND.
        """
        with self._reading(caller):
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
            before=int(cursor) if cursor else None,
            limit=size + 1,
            kind=request.game,
            is_public=True,
        )
        answer = b"".join(field_bytes(1, _info(entry)) for entry in found[:size])
        if len(found) > size:
            answer += field_text(2, self._pages.token(scope, str(found[size - 1].position)))
        return answer

    @wrapped(How(bytes_max=None))
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
        cursors = StreamCursors(await self._records.lineage(), "records", 1)
        after = cursors.read(request.cursor) if request.cursor else None
        with self._reading(caller) as wake:
            unsubscribe = self._records.subscribe(wake.set)
            try:
                head = await self._records.head()
                if after is not None and await self._has_all_after(after[0], head):
                    place, since = _Place(cursors, after[0]), None
                    yield place.mark(_RESUMED)
                elif request.cursor:
                    place = _Place(cursors, 0)
                    reason = ResetReason.EPOCH if after is None else ResetReason.TOO_OLD
                    yield field_bytes(6, updates.reset_payload(reason))
                else:
                    place = _Place(cursors, head if since is None else 0)
                items = self._follow(caller, request, since or 0, place, head, wake)
                async for item in self._beating(items, place):
                    yield item
            finally:
                unsubscribe()

    async def _beating(
        self, items: AsyncGenerator[bytes, None], place: _Place
    ) -> AsyncGenerator[bytes, None]:
        """*items*, and heartbeats while none comes: the store may be slow, or what it has may not
        be for this reader."""

        async def take() -> bytes:
            return await anext(items, b"")

        async with aclosing(items):
            while True:
                coming = asyncio.create_task(take())
                try:
                    while not (await asyncio.wait((coming,), timeout=self._heartbeat_s))[0]:
                        beat = updates.time_heartbeat(self._now_ms())
                        yield place.mark(field_bytes(7, beat))
                finally:
                    if not coming.done():
                        coming.cancel()
                        await asyncio.wait((coming,))
                if not (item := coming.result()):
                    return
                yield item

    async def _follow(
        self,
        caller: Caller,
        request: pb.StreamRecordsRequest,
        since: int,
        place: _Place,
        head: int,
        wake: asyncio.Event,
    ) -> AsyncGenerator[bytes, None]:
        """Items of the stream after its first, but for heartbeats."""
        is_caught_up = False
        with waking_when_key_ends(caller, wake.set):
            while True:
                wake.clear()
                while not _fault(caller) and (
                    found := await self._records.since(place.position, 1)
                ):
                    entry = found[0]
                    if not request.follow and entry.position > head:
                        break
                    await caller.quota.pay(_RECORD_S, len(entry.record), asyncio.sleep)
                    if _fault(caller):
                        break
                    is_wanted = request.game in (0, entry.kind) and entry.readers is None
                    if is_wanted and entry.ended_ms >= since:
                        for item in _items(entry, place):
                            yield item
                    place.position = entry.position
                if fault := _fault(caller):
                    yield field_bytes(8, updates.end_payload(StreamEnd.KEY_REVOKED, fault))
                    return
                if not is_caught_up:
                    is_caught_up = True
                    yield place.mark(_CAUGHT_UP)
                if not request.follow:
                    return
                if self._draining:
                    end = updates.end_payload(StreamEnd.SERVER_DRAINING, retry_after_ms=_RETRY_MS)
                    yield field_bytes(8, end)
                    return
                await wake.wait()

    async def _has_all_after(self, position: int, head: int) -> bool:
        """Whether the store still has every record after *position*, as far as can be told."""
        found = await self._records.since(position - 1, 1)
        if not found or position > head:
            return position == head
        return found[0].position in (position, position + 1)


class _Place:
    """Where a stream of records is.

    Args:
        cursors: makes its cursors.
        position: where it begins.

    Attributes:
        position: of the last record that was sent or passed over.
    """

    __slots__ = ("_cursors", "position")

    def __init__(self, cursors: StreamCursors, position: int) -> None:
        self._cursors = cursors
        self.position = position

    def mark(self, item: bytes) -> bytes:
        """*item* with the cursor of this place, ``StreamRecordsResponse.cursor``."""
        return item + field_bytes(15, self._cursors.seal(self.position))


def _fault(caller: Caller) -> str:
    """Why the key with which a stream was opened is good no longer; empty: it is."""
    return "" if caller.key is None else caller.key.fault


def _chunks(record: bytes) -> Iterator[bytes]:
    """*record* in pieces of `CHUNK_BYTES`."""
    return (record[at : at + CHUNK_BYTES] for at in range(0, len(record), CHUNK_BYTES))


def _items(entry: RecordEntry, place: _Place) -> Iterator[bytes]:
    """A record on a stream, or the news that it was voided."""
    if entry.is_voiding:
        place.position = entry.position
        yield place.mark(field_bytes(3, _info(entry)))
        return
    yield place.mark(field_bytes(1, _info(entry)))
    *chunks, last = _chunks(entry.record)
    for chunk in chunks:
        yield place.mark(field_bytes(2, field_bytes(1, chunk)))
    place.position = entry.position
    yield place.mark(field_bytes(2, field_bytes(1, last) + field_number(2, 1)))


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
