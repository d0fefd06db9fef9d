"""A client of the web port, written from the specifications of Connect and gRPC-Web."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

import grpc
import h11
from google.protobuf import json_format
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.rpc import status_pb2

from tests.rpc.calls import Caller, M, Metadata, Refusal, refusal, take_apart

_CODES = {code.value[0]: code for code in grpc.StatusCode}
_NAMES = {code.name.lower().replace("cancelled", "canceled"): code for code in grpc.StatusCode}
TRAILERS = 0x80
END = 0x02


class Answer(NamedTuple):
    """A whole response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def refusal(self) -> Refusal:
        """What a call by Connect was refused with."""
        return connect_refusal(json.loads(self.body))


def connect_refusal(error: dict[str, Any]) -> Refusal:
    """An error in Connect's form; its details say the same in words and as messages."""
    status = status_pb2.Status(code=_NAMES[error["code"]].value[0], message=error["message"])
    for told in error.get("details", ()):
        detail = status.details.add(type_url=f"type.googleapis.com/{told['type']}")
        detail.value = base64.b64decode(told["value"] + "==")
        words = json_format.MessageToDict(detail)
        del words["@type"]
        assert words == told["debug"]
    return take_apart(status)


class Http:
    """One connection; requests follow each other on it."""

    def __init__(self, address: str) -> None:
        self.address = address
        host, _, port = address.rpartition(":")
        self._target = host.strip("[]"), int(port)
        self._http = h11.Connection(h11.CLIENT)

    async def __aenter__(self) -> Self:
        self.reader, self.writer = await asyncio.open_connection(*self._target)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.writer.close()

    def send(self, path: str, body: bytes, kind: str, *more: tuple[str, str]) -> None:
        """Send a request; *more* headers replace those of the same name."""
        headers = {
            "host": self.address,
            "content-type": kind,
            "content-length": str(len(body)),
        }
        names = {name for name, _ in more}
        pairs = [pair for pair in headers.items() if pair[0] not in names] + list(more)
        request = h11.Request(method="POST", target=f"/{path}", headers=pairs)
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            data = self._http.send(event)
            assert data is not None
            self.writer.write(data)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the response."""
        event = await self._next()
        assert isinstance(event, h11.Response), event
        headers = {name.decode(): value.decode() for name, value in event.headers}
        return event.status_code, headers

    async def parts(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes."""
        while isinstance(event := await self._next(), h11.Data):
            yield bytes(event.data)
        assert isinstance(event, h11.EndOfMessage), event
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    async def answer(self) -> Answer:
        """The whole response."""
        status, headers = await self.head()
        return Answer(status, headers, b"".join([part async for part in self.parts()]))

    async def envelopes(self) -> AsyncGenerator[tuple[int, bytes], None]:
        """Flags and message of each part of a stream."""
        kept = b""
        async for part in self.parts():
            kept += part
            while len(kept) >= 5 and len(kept) >= (size := 5 + int.from_bytes(kept[1:5], "big")):
                yield kept[0], kept[5:size]
                kept = kept[size:]
        assert not kept

    async def _next(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self.reader.read(65_536))
        return event


def envelope(message: bytes) -> bytes:
    """A message of a stream."""
    return b"\0" + len(message).to_bytes(4, "big") + message


async def post(
    address: str, path: str, request: str | bytes = "{}", *more: tuple[str, str]
) -> Answer:
    """A unary call by Connect: JSON, or bytes in the wire format."""
    kind = "application/json" if isinstance(request, str) else "application/proto"
    async with Http(address) as http:
        http.send(path, request.encode() if isinstance(request, str) else request, kind, *more)
        return await http.answer()


class WebCaller(Caller):
    """A `Caller` that speaks gRPC-Web; a refusal looks as it does over gRPC."""

    def __init__(self, address: str, own: Metadata = ()) -> None:
        self.address = address
        self.own = own

    async def unary(
        self, method: str, request: Message | bytes, answer: type[M], metadata: Metadata = ()
    ) -> M:
        """See `Caller.unary`."""
        (found,) = [one async for one in self.stream(method, request, answer, metadata)]
        return found

    async def stream(
        self, method: str, request: Message | bytes, answer: type[M], metadata: Metadata = ()
    ) -> AsyncGenerator[M, None]:
        """See `Caller.stream`."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        async with Http(self.address) as http:
            http.send(method, envelope(data), "application/grpc-web+proto", *self.own, *metadata)
            status, headers = await http.head()
            assert status == 200, headers
            trailers = headers
            async for flags, message in http.envelopes():
                if not flags & TRAILERS:
                    yield answer.FromString(message)
                    continue
                lines = message.decode().splitlines()
                trailers = dict(line.split(": ", 1) for line in lines)
        _raise_for(trailers)

    async def is_answered(
        self, method: str, request: Message | bytes, metadata: Metadata = ()
    ) -> bool:
        """See `Caller.is_answered`."""
        stream = self.stream(method, request, Empty, metadata)
        try:
            async for _ in stream:
                return True
        finally:
            await stream.aclose()
        return False

    async def refused(
        self, method: str, request: Message | bytes, metadata: Metadata = ()
    ) -> Refusal:
        """See `Caller.refused`."""
        try:
            async for message in self.stream(method, request, Empty, metadata):
                raise AssertionError(f"{method} was answered: {message!r}")
        except grpc.aio.AioRpcError as error:
            return refusal(error)
        raise AssertionError(f"{method} ended well")


def _raise_for(trailers: dict[str, str]) -> None:
    code = _CODES[int(trailers["grpc-status"])]
    if code is grpc.StatusCode.OK:
        return
    details = base64.b64decode(trailers.get("grpc-status-details-bin", "") + "==")
    raise grpc.aio.AioRpcError(
        code,
        grpc.aio.Metadata(),
        grpc.aio.Metadata(("grpc-status-details-bin", details)),
        unquote(trailers.get("grpc-message", "")),
    )
