"""Records as bytes, which is what their hashes are over."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, NamedTuple

from croupier.record.v1 import record_pb2, record_service_pb2

__all__ = ["RecordsReset", "StreamedRecord", "VoidedRecord", "fetch_record", "streamed_records"]


class StreamedRecord(NamedTuple):
    """A record of `RecordService.StreamRecords`.

    Attributes:
        info: what a list says of it.
        data: the serialised `MatchRecord`.
        cursor: goes on after this record.
    """

    info: record_service_pb2.RecordInfo
    data: bytes
    cursor: bytes

    @property
    def message(self) -> record_pb2.MatchRecord:
        """The record itself."""
        return record_pb2.MatchRecord.FromString(self.data)


class VoidedRecord(NamedTuple):
    """A match was declared void after its record had been streamed: it does not count.

    Attributes:
        info: what a list says of its record.
        cursor: goes on after this.
    """

    info: record_service_pb2.RecordInfo
    cursor: bytes


class RecordsReset(NamedTuple):
    """The stream could not go on after the cursor of the request.

    Records follow from `since` of the request on. Some of them may be known already, and records
    that are known may be gone.

    Attributes:
        reason: a `croupier.v1.ResetReason`.
    """

    reason: int


async def fetch_record(
    stub: Any,
    request: record_service_pb2.GetRecordRequest,
    *,
    metadata: tuple[tuple[str, str], ...] = (),
    timeout: float | None = None,  # noqa: ASYNC109 - that of the call
) -> bytes:
    """The serialised `MatchRecord` that *request* asks for.

    Args:
        stub: of `RecordService`.
        request: names the table.
        metadata: of the call.
        timeout: of the call, in seconds.

    Raises:
        grpc.aio.AioRpcError: the call failed.
    """
    call = stub.GetRecord(request, metadata=metadata, timeout=timeout)
    return b"".join([answer.chunk async for answer in call])


async def streamed_records(
    call: AsyncIterable[record_service_pb2.StreamRecordsResponse],
) -> AsyncIterator[StreamedRecord | VoidedRecord | RecordsReset]:
    """What a call of `RecordService.StreamRecords` brings, until it ends.

    Raises:
        grpc.aio.AioRpcError: the call failed.
    """
    info = record_service_pb2.RecordInfo()
    chunks: list[bytes] = []
    async for answer in call:
        item = answer.WhichOneof("item")
        if item == "record":
            info, chunks = answer.record, []
        elif item == "chunk":
            chunks.append(answer.chunk.data)
            if answer.chunk.last:
                yield StreamedRecord(info, b"".join(chunks), answer.cursor)
        elif item == "voided":
            yield VoidedRecord(answer.voided, answer.cursor)
        elif item == "reset":
            yield RecordsReset(answer.reset.reason)
        elif item == "end":
            return
