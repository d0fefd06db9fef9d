"""Several seats on one server stream, for clients that cannot open a session.

Its items are those of a session.
"""

from __future__ import annotations

import asyncio
from typing import Final

from croupier_server.errors import CroupierError
from croupier_server.games.base import Seat
from croupier_server.tables.caller import Caller
from croupier_server.tables.directory.tickets import seat_at
from croupier_server.tables.feeds.feed import SeatFeed
from croupier_server.tables.match.codec import ChannelOpen
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import StreamEnd
from croupier_server.tables.sessions.session import FRAME_BYTES, STEP_ITEMS, Refusals, view_mode
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.encode import field_bytes, field_number

_UPDATE: Final = 2
_REFUSAL: Final = 3
"""Fields of ``ChannelItem``."""


class _Channel(SeatFeed):
    """The stream of one of the seats."""

    __slots__ = ("is_due", "number", "stream")

    def __init__(self, stream: SeatsStream, table: Table, seat: Seat, opening: ChannelOpen) -> None:
        self.stream = stream
        self.number: int = opening.channel
        self.is_due = False
        super().__init__(
            stream.shard,
            table,
            seat,
            mode=view_mode(opening.view_mode),
            epoch=opening.table_epoch,
            after=opening.after_sequence,
            lag_max=stream.shard.limits.lag_max,
        )

    def wake(self) -> None:
        """See `Feed.wake`."""
        if not self.is_due:
            self.is_due = True
            self.stream.add_due(self)


class SeatsStream:
    """The streams of several seats in one: ``async for payload in stream``.

    Like `Feed` it holds no queue, so a client that does not read costs nothing.

    Args:
        shard: owner of the tables.
        caller: who watches; tickets come with the channels.
        refusal: serialises errors.
    """

    def __init__(self, shard: Shard, caller: Caller, refusal: Refusals) -> None:
        self.shard = shard
        self._caller = caller
        self._refusal = refusal
        self._channels: dict[_Channel, None] = {}
        self._due: list[_Channel] = []
        self._refusals: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None

    async def open(self, opening: ChannelOpen) -> None:
        """Open a channel; its first item says how that went."""
        quota = self._caller.quota
        try:
            quota.spend()
            async with self.shard.refusing:
                caller = self._caller._replace(ticket=opening.ticket)
                table, seat = seat_at(caller, self.shard.table, opening.table_id)
                self.shard.expect_serving()
                channel = _Channel(self, table, seat, opening)
                self.shard.attach(channel)
        except CroupierError as error:
            number = field_number(1, opening.channel)
            self._refusals.append(_item(number + field_bytes(_REFUSAL, self._refusal(error))))
        else:
            self._channels[channel] = None
            channel.wake()

    def add_due(self, channel: _Channel) -> None:
        """*channel* may have something to send."""
        self._due.append(channel)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def finish(self, reason: StreamEnd, detail: str = "") -> None:
        """End every channel with *reason*, behind what is due."""
        for channel in self._channels:
            channel.finish(reason, detail)

    def close(self) -> None:
        """The reader is gone. May be called twice."""
        for channel in self._channels:
            channel.close()
        self._channels.clear()
        self._due.clear()

    def __aiter__(self) -> SeatsStream:
        """The stream itself."""
        return self

    async def __anext__(self) -> bytes:
        """The next ``WatchTablesResponse``, when there is one."""
        while True:
            items, self._refusals = self._refusals, []
            self._take(items)
            if items:
                return b"".join(items)
            if not self._channels:
                raise StopAsyncIteration
            if not self._due:
                self._waiter = asyncio.get_running_loop().create_future()
                try:
                    await self._waiter
                finally:
                    self._waiter = None

    def _take(self, items: list[bytes]) -> None:
        """Add what is due to *items*: a few channels, and not much more than a frame holds."""
        now = self.shard.now_ms()
        size = taken = 0
        due = self._due
        while taken < len(due) and taken < STEP_ITEMS and size < FRAME_BYTES:
            channel = due[taken]
            taken += 1
            channel.is_due = False
            number = field_number(1, channel.number)
            for update in channel.take(now):
                one = _item(number + field_bytes(_UPDATE, update))
                size += len(one)
                items.append(one)
            if channel.is_done:
                self._channels.pop(channel, None)
        del due[:taken]


def _item(payload: bytes) -> bytes:
    """An element of ``WatchTablesResponse.items``."""
    return field_bytes(1, payload)
