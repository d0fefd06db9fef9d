"""Calls of the contract from tests: raw bytes or messages, and refusals taken apart."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import NamedTuple, TypeVar

import grpc
from google.protobuf import text_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from croupier.errors import from_refusal
from croupier.record.v1 import record_pb2, record_service_pb2
from croupier.records import StreamedRecord, streamed_records
from croupier.v1 import errors_pb2

M = TypeVar("M", bound=Message)
Metadata = tuple[tuple[str, str], ...]

SECONDS = 300.0
"""Ends a call that hangs; no verdict depends on it."""


@asynccontextmanager
async def serving(*handlers: grpc.GenericRpcHandler) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server that has *handlers* alone."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(handlers)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


class Refusal(NamedTuple):
    """A status with its details."""

    code: grpc.StatusCode
    reason: str
    fields: tuple[str, ...]
    message: str
    metadata: dict[str, str]
    retry_ms: int
    domain: str

    @property
    def word(self) -> str:
        """The game's word for an illegal move, else the reason."""
        return self.metadata.get("rule", self.reason)


def on_stream(told: errors_pb2.Refusal) -> Refusal:
    """A refusal that came on a stream, with the code that a call would have had."""
    error = from_refusal(told)
    fields = (told.field,) if told.field else ()
    return Refusal(
        error.code,
        error.reason,
        fields,
        told.detail,
        dict(error.metadata),
        told.retry_after.ToMilliseconds(),
        "croupier",
    )


def take_apart(status: status_pb2.Status) -> Refusal:
    """A `google.rpc.Status` of ours; it always has exactly one ErrorInfo."""
    infos, fields, retry_ms = [], [], 0
    for detail in status.details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo()
            detail.Unpack(info)
            infos.append(info)
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            bad = error_details_pb2.BadRequest()
            detail.Unpack(bad)
            fields += [violation.field for violation in bad.field_violations]
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(retry)
            retry_ms = retry.retry_delay.ToMilliseconds()
        else:
            assert detail.Is(errors_pb2.Refusal.DESCRIPTOR), detail.type_url
    (info,) = infos
    codes = {code.value[0]: code for code in grpc.StatusCode}
    return Refusal(
        codes[status.code],
        info.reason,
        tuple(fields),
        status.message,
        dict(info.metadata),
        retry_ms,
        info.domain,
    )


def refusal(error: grpc.aio.AioRpcError) -> Refusal:
    """What a failed call was refused with."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            assert isinstance(value, bytes)
            status = status_pb2.Status.FromString(value)
            assert error.code().value[0] == status.code
            assert error.details() == status.message
            return take_apart(status)
    raise AssertionError(f"no details: {error.code()} {error.details()}")


def build(message: type[M], text: str) -> M:
    """A message from Protobuf's text format, which can say wrong values too; a message field that
    is given twice is merged."""
    return text_format.Merge(text, message())


class Caller:
    """Calls a server by the names of the contract.

    Methods are written ``croupier.v1.TableService/GetTable``. Every call carries *own* metadata
    before what it is given.
    """

    def __init__(self, channel: grpc.aio.Channel, own: Metadata = ()) -> None:
        self.channel = channel
        self.own = own

    async def unary(
        self, method: str, request: Message | bytes, answer: type[M], metadata: Metadata = ()
    ) -> M:
        """The answer to a unary call."""
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(
            f"/{method}"
        )
        data = await call(_bytes(request), metadata=self.own + metadata, timeout=SECONDS)
        return answer.FromString(data)

    async def stream(
        self, method: str, request: Message | bytes, answer: type[M], metadata: Metadata = ()
    ) -> AsyncGenerator[M, None]:
        """Answers of a server stream; the call is cancelled when the iteration ends."""
        call = self._stream(method, request, metadata)
        try:
            async for data in call:
                yield answer.FromString(data)
        finally:
            call.cancel()

    async def record(self, table_id: str, metadata: Metadata = ()) -> record_pb2.MatchRecord:
        """The record of a match."""
        return record_pb2.MatchRecord.FromString(await self.record_bytes(table_id, metadata))

    async def record_bytes(self, table_id: str, metadata: Metadata = ()) -> bytes:
        """The bytes of the record of a match."""
        answers = self.stream(
            "croupier.record.v1.RecordService/GetRecord",
            record_service_pb2.GetRecordRequest(table_id=table_id),
            record_service_pb2.GetRecordResponse,
            metadata,
        )
        return b"".join([answer.chunk async for answer in answers])

    async def records(
        self, request: record_service_pb2.StreamRecordsRequest, metadata: Metadata = ()
    ) -> AsyncGenerator[StreamedRecord, None]:
        """The records of a stream; the call is cancelled when the iteration ends."""
        path, answer = "croupier.record.v1.RecordService/StreamRecords", record_service_pb2
        answers = self.stream(path, request, answer.StreamRecordsResponse, metadata)
        async with aclosing(answers):
            async for found in streamed_records(answers):
                if isinstance(found, StreamedRecord):
                    yield found

    async def is_answered(
        self, method: str, request: Message | bytes, metadata: Metadata = ()
    ) -> bool:
        """Whether a call gives any answer before it ends; a stream is left after the first."""
        call = self._stream(method, request, metadata)
        try:
            async for _ in call:
                return True
        finally:
            call.cancel()
        return False

    async def session(
        self,
        method: str,
        frames: Sequence[Message | bytes],
        answer: type[M],
        metadata: Metadata = (),
    ) -> list[M]:
        """Send *frames*, end our side, and return all answers.

        Without frames only listen: gRPC tells a write to a stream that the server has refused
        meanwhile as a fault of its own, and the refusal is lost. Then it is called once more, only
        to listen.
        """
        method_call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(
            f"/{method}"
        )
        call = method_call(metadata=self.own + metadata, timeout=SECONDS)
        try:
            for frame in frames:
                await call.write(_bytes(frame))
            if frames:
                await call.done_writing()
            return [answer.FromString(data) async for data in call]
        except grpc.aio.AioRpcError as error:
            if not frames or error.trailing_metadata():
                raise
        finally:
            call.cancel()
        return await self.session(method, (), answer, metadata)

    async def refused(
        self, method: str, request: Message | bytes, metadata: Metadata = ()
    ) -> Refusal:
        """The refusal of a unary call, or of a stream before its first message."""
        call = self._stream(method, request, metadata)
        try:
            async for data in call:
                raise AssertionError(f"{method} was answered: {data!r}")
        except grpc.aio.AioRpcError as error:
            return refusal(error)
        finally:
            call.cancel()
        raise AssertionError(f"{method} ended well")

    def _stream(
        self, method: str, request: Message | bytes, metadata: Metadata
    ) -> grpc.aio.UnaryStreamCall[bytes, bytes]:
        call: grpc.aio.UnaryStreamMultiCallable[bytes, bytes] = self.channel.unary_stream(
            f"/{method}"
        )
        return call(_bytes(request), metadata=self.own + metadata, timeout=SECONDS)


def _bytes(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()
