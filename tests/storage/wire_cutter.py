"""A stretch of network between a client and the PostgreSQL server of the tests, to be cut."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

SOCKET = ".s.PGSQL.5432"


class Cut(Enum):
    """When the connections that are open are cut."""

    REQUEST = "the next request does not arrive"
    ANSWER = "the next request arrives, its answer does not"


class WireCutter:
    """Passes bytes on between sockets in two folders.

    Attributes:
        is_up: whether new connections are taken.
        asked: connections that were tried, also while it was not up.
    """

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._next: Cut | None = None
        self._passing = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self.was_cut = asyncio.Event()
        self.is_up = True
        self.asked = 0

    def cut_at(self, when: Cut, after: int = 0) -> None:
        """Cut all connections at the next request of any of them, or when *after* more have
        passed."""
        self._next = when
        self._passing = after
        self.was_cut.clear()

    @property
    def is_waiting(self) -> bool:
        """Whether what it was to cut at has not come yet."""
        return self._next is not None

    def cut(self) -> None:
        """Cut all connections now."""
        self._next = None
        for writer in tuple(self._writers):
            writer.transport.abort()
        self.was_cut.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what comes over one connection."""
        self.asked += 1
        if not self.is_up:
            writer.transport.abort()
            return
        there, to_server = await asyncio.open_unix_connection(self._upstream)
        self._writers |= {writer, to_server}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass(reader, to_server, Cut.REQUEST))
                group.create_task(self._pass(there, writer, Cut.ANSWER))
        except* OSError:
            pass
        finally:
            self._writers -= {writer, to_server}
            writer.transport.abort()
            to_server.transport.abort()

    async def _pass(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, side: Cut
    ) -> None:
        while data := await source.read(1 << 16):
            if self._next is side:
                if not self._passing:
                    self.cut()
                self._passing -= 1
            target.write(data)
            await target.drain()
        with contextlib.suppress(OSError):
            target.write_eof()


@asynccontextmanager
async def wire_to(url: str) -> AsyncIterator[tuple[str, WireCutter]]:
    """A wire to the database at *url*, and the URL of its near end."""
    (folder,) = parse_qs(urlsplit(url).query)["host"]
    wire = WireCutter(f"{folder}/{SOCKET}")
    with TemporaryDirectory(prefix="croupier-wire-") as near:
        server = await asyncio.start_unix_server(wire.serve, Path(near) / SOCKET)
        try:
            yield url.replace(folder, near), wire
        finally:
            wire.cut()
            server.close()
