"""A TCP proxy that cuts connections: after each pause in what the server says, if told to.

A gRPC message to the client arrives here as one or a few chunks; cutting after every nth chunk
cuts at every boundary over the rounds of a match. The chunk before the cut is delivered; what the
client sends after it is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class CuttingProxy:
    """Forwards to *target*, and cuts both ends whenever *should_cut* says so.

    Args:
        target: address of the server.
        should_cut: called with the number of the chunk on this connection and on all of them.
        forward_last: whether the chunk at the cut still reaches its reader.
    """

    def __init__(
        self, target: str, should_cut: Callable[[int, int], bool], forward_last: bool = True
    ) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._should_cut = should_cut
        self._forward_last = forward_last
        self._chunks = 0
        self._pumps: set[asyncio.Task[None]] = set()
        self._thaws = asyncio.Event()
        self._thaws.set()
        self.cuts = 0
        self.address = ""

    async def __aenter__(self) -> CuttingProxy:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        self.cut()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def freeze(self) -> None:
        """Forward nothing any more, and close nothing: the lines are half open."""
        self._thaws.clear()

    def cut(self) -> None:
        """Cut every connection that there is."""
        for pump in list(self._pumps):
            pump.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)

        def cut() -> None:
            for end in (writer, far_writer):
                end.transport.abort()

        up = asyncio.create_task(self._pump(reader, far_writer, cut, counts=False))
        down = asyncio.create_task(self._pump(far_reader, writer, cut, counts=True))
        for pump in (up, down):
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cut: Callable[[], None],
        counts: bool,
    ) -> None:
        mine = 0
        try:
            while chunk := await reader.read(1 << 16):
                await self._thaws.wait()
                mine += counts
                self._chunks += counts
                if counts and self._should_cut(mine, self._chunks):
                    self.cuts += 1
                    if self._forward_last:
                        writer.write(chunk)
                        await writer.drain()
                    break
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        finally:
            cut()
