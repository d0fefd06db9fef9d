"""Records as bytes, which is what their hashes are over.

Must not be put here: what a record means.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, NamedTuple

from croupier.record.v1 import record_pb2, record_service_pb2

__all__ = ["StreamedRecord", "fetch_record", "streamed_records"]


class StreamedRecord(NamedTuple):
    """A record of `RecordService.StreamRecords`.

    Attributes:
        info: what a list says of it.
        data: the serialised `MatchRecord`.
        cursor: goes on after this record.
    """

    info: record_service_pb2.RecordInfo
    data: bytes
    cursor: str

    @property
    def message(self) -> record_pb2.MatchRecord:
        """The record itself."""
        return record_pb2.MatchRecord.FromString(self.data)


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
) -> AsyncIterator[StreamedRecord]:
    """The records of a call of `RecordService.StreamRecords`, until it ends.

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
            chunks.append(answer.chunk)
            if answer.cursor:
                yield StreamedRecord(info, b"".join(chunks), answer.cursor)
        elif item == "end":
            return
