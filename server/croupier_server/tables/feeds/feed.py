"""What readers of a table get: where a stream starts, what it carries, when it ends.

A feed holds no queue but a place in the table's journal, so a reader that does not read costs
nothing and holds nothing up. One that has fallen too far behind gets one snapshot in place of what
it missed; if that happens again before it has caught up, its stream ends. What is not stored yet
is not seen.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final, Protocol

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import Seat
from croupier_server.storage.base import LogRow
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.feeds import snapshots
from croupier_server.tables.limits import Limits
from croupier_server.tables.match import updates
from croupier_server.tables.match.match import Match
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import ResetReason, StreamEnd
from croupier_server.tables.spec import Status, ViewMode
from croupier_server.wire.encode import field_bytes
from croupier_server.wire.views import part_of_view

# Members of an enum are looked up slowly.
_PLAYING: Final = Status.PLAYING
_EVENTS: Final = ViewMode.EVENTS
_FULL: Final = ViewMode.FULL


class Owner(Protocol):
    """Whom feeds belong to."""

    limits: Limits

    def now_ms(self) -> int:
        """The time."""
        ...

    def clock_started(self, table: Table) -> None:
        """A decision of *table* is on its way, so its clock runs."""
        ...

    def failed(self, table: Table, fault: BaseException) -> None:
        """What *table* shows could not be made: a fault of ours."""
        ...

    def forget(self, feed: Feed) -> None:
        """The feed is closed."""
        ...


class Feed:
    """A stream of bytes that can be waited for: ``async for payload in feed``.

    Attributes:
        is_done: the last message was taken.
    """

    __slots__ = ("_ahead", "_ending", "_is_beating", "_waiting", "is_done", "owner")
    _END: ClassVar[int]
    """Number of the field that holds a ``StreamEnd``."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.is_done = False
        self._waiting: asyncio.Future[None] | None = None
        self._ahead: list[bytes] = []
        self._is_beating = False
        self._ending = b""

    @property
    def has_more(self) -> bool:
        """Whether `take`, though it gave nothing, is to be called again at once."""
        return False

    def take(self, now: int) -> list[bytes]:
        """All that is due now, in order."""
        raise NotImplementedError

    def wake(self) -> None:
        """There may be something to take."""
        waiting = self._waiting
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def beat(self) -> None:
        """A heartbeat is due."""
        self._is_beating = True
        self.wake()

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """End the stream with *reason*; the first one given counts."""
        if not self._ending:
            end = updates.end_payload(reason, detail, retry_after_ms)
            self._ending = field_bytes(self._END, end)
            self.wake()

    def _end(self, out: list[bytes], last: bytes) -> None:
        """Put *last* behind *out*, if it is anything; nothing follows."""
        if last:
            out.append(last)
        self.is_done = True
        self.owner.forget(self)

    def close(self) -> None:
        """The reader is gone. May be called twice."""
        self.is_done = True
        self.owner.forget(self)
        self.wake()

    def __aiter__(self) -> Feed:
        """The feed itself."""
        return self

    async def __anext__(self) -> bytes:
        """The next message, when there is one."""
        while not self._ahead:
            if self.is_done:
                raise StopAsyncIteration
            self._ahead = self.take(self.owner.now_ms())
            if not self._ahead and self.has_more:
                await asyncio.sleep(0)
            elif not self._ahead and not self.is_done:
                self._waiting = asyncio.get_running_loop().create_future()
                try:
                    await self._waiting
                finally:
                    self._waiting = None
        return self._ahead.pop(0)


class TableFeed(Feed):
    """A stream of one table: payloads of ``TableUpdate``.

    Args:
        owner: whom it belongs to.
        table: the table.
        epoch: the table's epoch as the reader knows it; 0: it knows nothing.
        after: number of the last event that the reader has; 0: it has none.
        lag_max: a reader that is further behind gets a snapshot instead.

    Raises:
        InvalidRequest: SEQUENCE_AHEAD, *after* lies beyond the last event.
    """

    __slots__ = (
        "_is_opening",
        "_lag_max",
        "_position",
        "_reset",
        "_was_slow",
        "table",
    )
    _END = updates.END

    def __init__(self, owner: Owner, table: Table, *, epoch: int, after: int, lag_max: int) -> None:
        super().__init__(owner)
        self.table = table
        self._lag_max = lag_max
        self._was_slow = False
        self._is_opening = True
        self._reset: ResetReason | None = None
        self._position = 0
        """Number of the last event taken; 0 while opening: begin with a snapshot."""
        if epoch not in (0, table.spec.epoch):
            self._reset = ResetReason.EPOCH
        elif after > self._head:
            raise InvalidRequest(
                Reason.SEQUENCE_AHEAD,
                f"after_sequence is {after}, but the last event is {self._head}; send a lower one, "
                "or none to begin with a snapshot",
                field="after_sequence",
            )
        elif epoch and after:
            if after >= self._kept_from - 1:
                self._position = after
            else:
                self._reset = ResetReason.TOO_OLD

    @property
    def sees_events(self) -> bool:
        """Whether the stream carries events."""
        return True

    @property
    def _head(self) -> int:
        """Number of the last event that may be read."""
        return self.table.journal.committed

    @property
    def _kept_from(self) -> int:
        """Number of the first event that may still be read."""
        return self.table.journal.kept_from

    @property
    def _lag(self) -> int:
        """How many events the reader has left unread."""
        return self._head - self._position

    @property
    def _is_whole(self) -> bool:
        """Whether all that has happened may be read, so that the table can be shown as it is."""
        journal = self.table.journal
        return journal.committed == journal.sequence

    @property
    def _is_over(self) -> bool:
        """Whether the table has ended, as far as the reader may know."""
        return self.table.status is Status.ENDED and self._is_whole

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`."""
        out: list[bytes] = []
        self._take_stream(out, now)
        return out

    def _take_stream(self, out: list[bytes], now: int) -> None:
        """Everything but what one seat alone gets."""
        if self.is_done:
            return
        if self._ending:
            self._end(out, self._ending)
            return
        table, head = self.table, self._head
        if self._is_opening:
            self._open(out, now)
        elif self._position == head:
            self._was_slow = False
        elif self.sees_events and self._is_behind():
            self._fall_behind(out, now)
        if self._is_opening or self.is_done:
            return
        if self.sees_events:
            out += [self._event(row) for row in table.journal.since(self._position, head)]
        self._position = head
        if self._is_over:
            assert table.result is not None
            out.append(updates.result(table.result))
            reason = StreamEnd.TABLE_HALTED if table.is_halted else StreamEnd.MATCH_ENDED
            self._end(out, updates.end(reason))
        elif self._is_beating:
            self._is_beating = False
            out.append(self._heartbeat(now))

    def _open(self, out: list[bytes], now: int) -> None:
        """The first messages: resumed, or a snapshot; a snapshot waits for all to be stored."""
        table = self.table
        if self._position and self._position >= self._kept_from - 1:
            out.append(updates.resumed(table.spec.epoch, self._position, self._head))
        elif not self._is_whole:
            table.journal.is_awaited = True
            return
        else:
            if not (table.is_halted and self._is_over):
                snapshot = updates.snapshot_update(self._snapshot(now))
                if self._reset is not None:
                    out.append(updates.reset(self._reset))
                out.append(snapshot)
            self._position = self._head
        self._is_opening = False
        self._reset = None

    def _is_behind(self) -> bool:
        is_gone = self._position < self._kept_from - 1
        return is_gone or self._lag > self._lag_max

    def _fall_behind(self, out: list[bytes], now: int) -> None:
        """The reader was too slow: one snapshot, the second time the end."""
        if self._was_slow:
            detail = "not read fast enough, again after a snapshot"
            self._end(out, updates.end(StreamEnd.SLOW_CONSUMER, detail))
            return
        self._was_slow = True
        self._is_opening = True
        self._position = 0
        self._reset = ResetReason.SLOW_CONSUMER
        self._open(out, now)

    def _heartbeat(self, now: int) -> bytes:
        return snapshots.seat_heartbeat(self.table, now)

    def _snapshot(self, now: int) -> bytes:
        raise NotImplementedError

    def _event(self, row: LogRow) -> bytes:
        raise NotImplementedError


class PublicFeed(TableFeed):
    """What everybody may see of a table, late where the table is shown late.

    Args:
        owner, table, epoch, after, lag_max: see `TableFeed`.
        principal: who reads it.
    """

    __slots__ = ("principal",)

    def __init__(
        self,
        owner: Owner,
        table: Table,
        *,
        epoch: int,
        after: int,
        lag_max: int,
        principal: str = LOCAL,
    ) -> None:
        self.principal = principal
        super().__init__(owner, table, epoch=epoch, after=after, lag_max=lag_max)

    @property
    def _head(self) -> int:
        delayed = self.table.delayed
        return super()._head if delayed is None else delayed.sequence

    @property
    def _kept_from(self) -> int:
        delayed = self.table.delayed
        return super()._kept_from if delayed is None else delayed.kept_from

    @property
    def _lag(self) -> int:
        delayed = self.table.delayed
        return super()._lag if delayed is None else delayed.before - self._position

    @property
    def _is_whole(self) -> bool:
        return super()._is_whole if self.table.delayed is None else True

    @property
    def _is_over(self) -> bool:
        delayed = self.table.delayed
        return super()._is_over if delayed is None else delayed.is_over

    def _heartbeat(self, now: int) -> bytes:
        return snapshots.public_heartbeat(self.table, now)

    def _snapshot(self, now: int) -> bytes:
        return snapshots.public_snapshot(self.table, now)

    def _event(self, row: LogRow) -> bytes:
        return updates.event(row.public)

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`."""
        try:
            return super().take(now)
        except Exception as fault:
            self.owner.failed(self.table, fault)
            if self.table.is_halted:
                return []  # what is left to tell comes with the end
            out: list[bytes] = []
            self._end(out, updates.end(StreamEnd.TABLE_HALTED))
            return out


class SeatFeed(TableFeed):
    """What one seat gets: its decisions, with every event or with its view.

    In the mode DELTA it remembers which parts of the view it has sent, and sends only what has been
    added to them; when they have changed otherwise they are sent anew.

    Args:
        seat: the seat.
        mode: what the stream carries.
        owner, table, epoch, after, lag_max: see `TableFeed`.
    """

    __slots__ = (
        "_asked",
        "_base",
        "_grown",
        "_mode",
        "_nonce_asked",
        "_parting",
        "_seat_epoch",
        "seat",
    )

    def __init__(
        self,
        owner: Owner,
        table: Table,
        seat: Seat,
        *,
        mode: ViewMode,
        epoch: int,
        after: int,
        lag_max: int,
    ) -> None:
        self._mode = mode
        self._base: bytes | None = None
        """The base that was sent, see `SplitView`; None: none yet."""
        self._grown = b""
        """The repeated field that was sent."""
        self.seat = seat
        self._asked: Decision | None = None
        self._nonce_asked = b""
        self._seat_epoch = table.seats[seat].epoch
        self._parting: tuple[int, bytes] | None = None
        super().__init__(owner, table, epoch=epoch, after=after, lag_max=lag_max)

    @property
    def is_superseded(self) -> bool:
        """Whether the seat was joined again since, so that whoever reads this does not hold it."""
        return self.table.seats[self.seat].epoch != self._seat_epoch

    @property
    def sees_events(self) -> bool:
        """Whether the stream carries events."""
        return self._mode is _EVENTS

    @property
    def network_ms(self) -> int:
        """What the network takes for a question and its answer; not measured here, so granted."""
        return self.owner.limits.unary_grace_ms

    def part(self, reason: StreamEnd, detail: str) -> None:
        """See `SeatWatcher.part`."""
        self._parting = self.table.journal.sequence, updates.end(reason, detail)
        self.wake()

    def _look_whether_to_part(self) -> None:
        if self._parting is not None and self._parting[0] <= self.table.journal.committed:
            self._ending = self._ending or self._parting[1]

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """See `Feed.finish`."""
        self._look_whether_to_part()
        super().finish(reason, detail, retry_after_ms)

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`."""
        out: list[bytes] = []
        try:
            table = self.table
            if self._parting is not None:
                self._look_whether_to_part()
            is_plain = self._mode is not _EVENTS and table.status is _PLAYING
            if not is_plain or self._is_opening or self._ending or self._is_beating:
                self._take_stream(out, now)
                if self._is_opening or self.is_done:
                    return out
                self._want_nonce(out)
            match = table.match
            decision = match.decisions[self.seat]
            if (
                decision is not None
                and decision is not self._asked
                and decision.answer is None
                and decision.sequence <= table.journal.committed
            ):
                if decision.asked_ms is None:
                    is_timed = match.timing.is_timed
                    match.timing.start(decision, now, self.network_ms if is_timed else 0)
                    if is_timed:
                        self.owner.clock_started(table)
                out.append(updates.decision_update(self._ask(match, decision, now)))
                self._asked = decision
        except Exception as fault:
            self.owner.failed(self.table, fault)
        return out

    def _ask(self, match: Match, decision: Decision, now: int) -> bytes:
        """Payload of ``Decision``, with the view as the mode has it."""
        if self._mode is _EVENTS:
            return match.decision_payload(decision, now, None)
        if self._mode is _FULL:
            view = match.views.seat(match.state, self.seat)
            return match.decision_payload(decision, now, view)
        base, grown, view = match.views.split(match.state, self.seat)
        whole, known = None, self._grown
        if base is not self._base or not grown.startswith(known):
            whole, known = part_of_view(self.table.game.name, base) or b"", b""
        added = None
        if grown is not known:
            added = part_of_view(self.table.game.name, grown[len(known) :])
        self._base, self._grown = base, grown
        return match.decision_payload(decision, now, view, whole, added)

    def _want_nonce(self, out: list[bytes]) -> None:
        promised = self.table.seats[self.seat].nonce_hash
        if promised != self._nonce_asked and self.table.opening.wants_nonce(self.seat):
            self._nonce_asked = promised
            out.append(updates.nonce_wanted(promised))

    def _snapshot(self, now: int) -> bytes:
        return snapshots.seat_snapshot(self.table, self.seat, now)

    def _event(self, row: LogRow) -> bytes:
        return updates.event(row.public, row.private.get(self.seat, b""))
