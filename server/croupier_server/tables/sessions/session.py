"""A session: many seats at many tables on one stream, in numbered frames.

Sans-IO but for one future to wait on: frames of the client go in by `receive`, frames for it come
out of `next_frame`. With fewer than two frames unacknowledged what has come due goes out at the end
of the loop's turn, all in one frame; with two it waits for an acknowledgement. What is due for a
channel is made when its frame is, so a withheld acknowledgement holds back nothing but itself.

An item that cannot be carried out is refused by itself; only a client that breaks the rules of the
stream loses its session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

import structlog
from google.protobuf.message import Message

from croupier_server.errors import (
    CroupierError,
    Exhausted,
    InvalidRequest,
    NotFound,
    Reason,
    Unavailable,
)
from croupier_server.games.base import Seat
from croupier_server.identity.quota import READ_FREE_MAX
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.timing import RoundTrips
from croupier_server.tables.directory.tickets import seat_at
from croupier_server.tables.durability.commits import RETRY_MS, store_unavailable
from croupier_server.tables.feeds.feed import SeatFeed
from croupier_server.tables.match import updates
from croupier_server.tables.match.codec import (
    ChannelClose,
    ChannelMove,
    ChannelNonce,
    ChannelOpen,
    SessionRequest,
    read_frame,
)
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import StreamEnd
from croupier_server.tables.sessions.answers import answer
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.spec import ViewMode
from croupier_server.wire.encode import (
    VARINTS,
    field_bytes,
    field_number,
    timestamp,
    varint,
)
from croupier_server.wire.unknown import (
    drop_unknown,
    unknown_field,
    unknown_number,
    unknown_path,
)

T = TypeVar("T")

_log = structlog.get_logger(__name__)

FRAME_BYTES: Final = 1 << 20
"""A frame is closed when it has grown so long; what is left goes into the next one."""

UNACKNOWLEDGED_MAX: Final = 2
"""With so many frames unacknowledged nothing more is sent."""

FRAMES_MAX: Final = 2**32 - 2
"""After so many frames the next one, whose number is the greatest uint32, ends the session."""

CLIENT_NAME_MAX: Final = 64
"""Characters of a client's name in the log."""

WAITING_MAX: Final = 16_384
"""Answers that may wait for a client that does not acknowledge, before its session ends."""

ITEMS_MAX: Final = 4_096
"""Maximum items of a client's frame, or the maximum channels of a session if that is more."""

STEP_ITEMS: Final = 8
"""Items that one step of `Session.steps` carries out, and channels that are added to a frame before
the time is looked at."""

SILENT_BEATS: Final = 2
"""A client that has echoed before and sends nothing at all while so many heartbeats wait for their
echo is not there: its seats are absent until its next frame."""

_ID_MAX: Final = 64
"""Of a decision id that was refused so much is sent back."""

_SHORT: Final = len(VARINTS)


class Refusals(Protocol):
    """Turns errors into serialised ``croupier.v1.Refusal``."""

    def __call__(self, error: CroupierError) -> bytes:
        """Serialised refusal of *error*."""
        ...


class Channel(SeatFeed):
    """A seat's stream on a session."""

    __slots__ = ("is_due", "number", "prefix", "session")

    def __init__(
        self,
        session: Session,
        number: int,
        table: Table,
        seat: Seat,
        request: ChannelOpen,
    ) -> None:
        self.session = session
        self.number = number
        self.is_due = False
        self.prefix = field_number(1, number) + b"\x12"
        shard = session.shard
        super().__init__(
            shard,
            table,
            seat,
            mode=view_mode(request.view_mode),
            epoch=request.table_epoch,
            after=request.after_sequence,
            lag_max=shard.limits.lag_max,
        )

    @property
    def network_ms(self) -> int:
        """See `SeatFeed.network_ms`; here heartbeats measure it."""
        limits = self.owner.limits
        measured = self.session.trips.network_ms(limits.unary_grace_ms)
        return min(measured, limits.network_grace_ms)

    def reply(self, payload: bytes) -> None:
        """See `commits.Channel.reply`."""
        self.session.add(item(self.prefix, payload))

    def wake(self) -> None:
        """See `Feed.wake`."""
        if not self.is_due:
            self.is_due = True
            session = self.session
            session.due.append(self)
            session.rouse()


class _Refused:
    """Why a channel was not opened or a nonce not taken, until that is stored which it tells of."""

    __slots__ = ("_error", "_number", "_session")

    def __init__(self, session: Session, number: int, error: CroupierError) -> None:
        self._session = session
        self._number = number
        self._error = error

    def tell(self, *, is_stored: bool) -> None:
        """See `commits.Refusal`."""
        error = self._error if is_stored else store_unavailable()
        self._session.refuse(self._number, error)


def view_mode(number: int) -> ViewMode:
    """The view mode of a request to open a channel.

    Raises:
        InvalidRequest: MALFORMED_REQUEST, *number* is none.
    """
    if number > ViewMode.DELTA or number < 0:
        raise InvalidRequest(
            Reason.MALFORMED_REQUEST, "there is no such view mode", field="view_mode"
        )
    return ViewMode(number or ViewMode.FULL)


def item(prefix: bytes, payload: bytes) -> bytes:
    """An element of ``SessionResponse.items``; *prefix* is from `Channel`, or holds a channel and
    the tag of ``error``."""
    size = len(payload)
    head = VARINTS[size] if size < _SHORT else varint(size)
    whole = len(prefix) + len(head) + size
    return b"".join(
        (b"\x1a", VARINTS[whole] if whole < _SHORT else varint(whole), prefix, head, payload)
    )


class Session:
    """One client's stream.

    Args:
        shard: owner of the tables.
        caller: who dialled; tickets come with the channels.
        refusal: serialises errors.
        capabilities: payload of ``ServerCapabilities``.

    Attributes:
        due: channels that may have something to send.
        is_done: the last frame was taken.
        trips: what the network takes.
    """

    def __init__(
        self, shard: Shard, caller: Caller, refusal: Refusals, capabilities: bytes = b""
    ) -> None:
        self.shard = shard
        self.due: list[Channel] = []
        self.is_done = False
        self.trips = RoundTrips()
        self._caller = caller
        self._refusal = refusal
        self._capabilities = capabilities
        self._channels: dict[int, Channel] = {}
        self._refused: set[int] = set()
        """Numbers of channels that were not opened, until that is sent."""
        self._items: list[bytes] = []
        self._is_greeted = False
        self._is_welcomed = False
        self._sent = 0
        self._acknowledged = 0
        self._heartbeats = 0
        self._echoed = 0
        self._is_beating = False
        self._beats = 0
        """Heartbeats that came due since the client sent anything."""
        self._is_silent = False
        self._client = ""
        self._is_warned = False
        self._is_strange = False
        """Whether the frame that is being carried out has fields that the contract does not."""
        self._ending: bytes | None = None
        self._waiter: asyncio.Future[None] | None = None
        shard.expect_serving()
        shard.readers.add_session(self)

    # Out -----------------------------------------------------------------------------------------

    async def wait(self) -> None:
        """Return when there may be a frame to send."""
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def rouse(self) -> None:
        """There may be a frame to send."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def next_frame(self, is_full: Callable[[], bool] = lambda: False) -> bytes | None:
        """The next ``SessionResponse``; None while there is nothing to send, or no leave to.

        What is due when *is_full* says so is left for the next frame.
        """
        if self.is_done:
            return None
        if self._sent >= FRAMES_MAX and self._ending is None:
            self.finish(StreamEnd.FRAMES_USED_UP, "open another session")
        if self._ending is not None:
            return self._last_frame(self._ending)
        if not self._is_greeted or self._is_held_up:
            return None
        parts: list[bytes] = []
        if not self._is_welcomed:
            self._is_welcomed = True
            limit = field_number(2, self.shard.limits.channels_max)
            parts.append(field_bytes(2, field_bytes(1, self._capabilities) + limit))
        now = self.shard.now_ms()
        self._add_items(parts, now, is_full)
        if self._is_beating:
            self._is_beating = False
            self._heartbeats += 1
            self.trips.sent(self._heartbeats, now)
            time = field_bytes(2, timestamp(now))
            parts.append(field_bytes(4, field_number(1, self._heartbeats) + time))
        if not parts:
            return None
        return b"".join((self._number(), *parts))

    def _last_frame(self, ending: bytes) -> bytes:
        """The end, behind what is due; whatever is unacknowledged."""
        parts: list[bytes] = []
        if self._is_greeted:
            self._add_items(parts, self.shard.now_ms(), lambda: False)
        self.close()
        return b"".join((self._number(), *parts, field_bytes(5, ending)))

    def hang_up(self) -> None:
        """The client has ended its side: it gets what is due, and the end."""
        self.finish(StreamEnd.CLIENT_CLOSED)

    @property
    def _is_held_up(self) -> bool:
        """Whether nothing more is sent until the client acknowledges a frame."""
        return self._sent - self._acknowledged >= UNACKNOWLEDGED_MAX

    def _number(self) -> bytes:
        self._sent += 1
        return field_number(1, self._sent)

    def _add_items(self, parts: list[bytes], now: int, is_full: Callable[[], bool]) -> None:
        """What is due: answers, then channel by channel, up to `FRAME_BYTES`."""
        size = self._add_answers(parts)
        due = self.due
        taken = 0
        while taken < len(due) and size < FRAME_BYTES:
            channel = due[taken]
            taken += 1
            channel.is_due = False
            prefix = channel.prefix
            for update in channel.take(now):
                one = item(prefix, update)
                size += len(one)
                parts.append(one)
            if channel.is_done:
                self._channels.pop(channel.number, None)
            elif self._is_silent:  # a question that was asked just now has reached nobody
                self.shard.miss(channel)
            if not taken % STEP_ITEMS and is_full():
                break
        del due[:taken]

    def _add_answers(self, parts: list[bytes]) -> int:
        items = self._items
        size = taken = 0
        while taken < len(items) and size < FRAME_BYTES:
            size += len(items[taken])
            taken += 1
        parts += items[:taken]
        del items[:taken]
        return size

    def add(self, one: bytes) -> None:
        """Send an element of ``SessionResponse.items`` that answers something."""
        self._items.append(one)
        if len(self._items) > WAITING_MAX:
            self.finish(StreamEnd.SLOW_CONSUMER, "too many answers wait for an acknowledgement")
        if self._waiter is not None:
            self.rouse()

    def beat(self) -> None:
        """A heartbeat is due."""
        if self._is_beating and self._is_held_up and not self._is_warned:
            self._is_warned = True
            _log.warning(
                "session waits for an acknowledgement",
                client=self._client,
                frame=self._sent,
                do="the client must put the number of each frame into `acknowledged`",
            )
        self._is_beating = True
        self.rouse()
        if self._beats >= SILENT_BEATS and self.trips.is_measured and not self._is_silent:
            self._is_silent = True
            for channel in self._channels.values():
                self.shard.miss(channel)
        self._beats += 1

    def _was_heard(self) -> None:
        """The client has sent something."""
        self._beats = 0
        if self._is_silent:
            self._is_silent = False
            for channel in self._channels.values():
                self.shard.miss_no_more(channel)

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """End the session with *reason*."""
        if self._ending is None:
            self._ending = updates.end_payload(reason, detail, retry_after_ms)
            self.rouse()

    def close(self) -> None:
        """The stream is gone, or about to end. May be called twice."""
        self.is_done = True
        self.shard.readers.remove_session(self)
        for channel in list(self._channels.values()):
            channel.close()
        self._channels.clear()
        self.due.clear()
        self.rouse()

    # In ------------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take a ``SessionRequest``; all that it asks for is done when this returns."""
        for _ in self.steps(data):
            pass

    def steps(self, data: bytes) -> Iterator[None]:
        """Take a ``SessionRequest`` and carry it out; others may run after each step."""
        if self.is_done or self._ending is not None:
            return
        self._was_heard()
        quota = self._caller.quota
        if len(data) > READ_FREE_MAX:
            with quota.measured():
                frame = self._read(data)
        else:
            frame = self._read(data)
        if frame is None:
            return
        items = len(frame.opens) + len(frame.moves) + len(frame.nonces) + len(frame.closes)
        if items > ITEMS_MAX and items > self.shard.limits.channels_max:
            self._break_off("a frame with too many items")
            return
        if frame.acknowledged > self._sent:
            self._break_off("a frame was acknowledged that was never sent")
            return
        if not items and not self._is_news(frame.acknowledged, frame.heartbeat_echo):
            quota.charge()
        if not self._is_greeted:
            self._is_greeted = True
            self._client = frame.hello.client[:CLIENT_NAME_MAX]
            self.rouse()
        if frame.acknowledged > self._acknowledged:
            self._acknowledged = frame.acknowledged
            if self.due or self._items or self._is_beating:
                self.rouse()
        if frame.heartbeat_echo:
            self.trips.echoed(frame.heartbeat_echo, self.shard.now_ms())
        for opens in self._batches(frame.opens):
            for opening in opens:
                self._open(opening)
            yield
        for moves in self._batches(frame.moves):
            self._play(moves)
            yield
        for nonces in self._batches(frame.nonces):
            for nonce in nonces:
                self._open_nonce(nonce)
            yield
        for closing in frame.closes:
            self._close_channel(closing)
        self.shard.commits.flush()
        if quota.is_overdrawn:
            self.finish(StreamEnd.RATE_LIMITED, "too much, too fast", quota.wait_ms)

    def _read(self, data: bytes) -> SessionRequest | None:
        """The frame in *data*; None: it broke the session off."""
        frame = read_frame(data)
        if frame is None:
            self._break_off("a frame that cannot be read")
            return None
        if frame.HasField("hello") == self._is_greeted:
            self._break_off("hello belongs into the first frame and there alone")
            return None
        if not self._is_greeted:
            frame.hello.DiscardUnknownFields()
        self._is_strange = drop_unknown(frame, data)
        if self._is_strange:
            frame = SessionRequest.FromString(data)
            if number := unknown_number(frame):
                self._pay()
                self._error(0, unknown_field(str(number)))
        return frame

    def _batches(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        """*items* in their order, `STEP_ITEMS` at a time, until the session ends."""
        for start in range(0, len(items), STEP_ITEMS):
            if self.is_done:
                return
            yield items[start : start + STEP_ITEMS]

    def _is_news(self, acknowledged: int, heartbeat: int) -> bool:
        """Whether a frame acknowledges or echoes anything that no empty one did before it."""
        echoed, self._echoed = self._echoed, max(self._echoed, heartbeat)
        return acknowledged > self._acknowledged or heartbeat > echoed

    def _break_off(self, detail: str) -> None:
        self.finish(StreamEnd.PROTOCOL_ERROR, detail)

    def _play(self, moves: Iterable[ChannelMove]) -> None:
        """Carry out the answers of a frame, in order."""
        if self.shard.upkeep.trouble:
            self._turn_away(moves)
            return
        channels, commits = self._channels, self.shard.commits
        replies, touch, accepted = commits.replies, commits.touch, updates.accepted
        now = self.shard.now_ms()
        quota = self._caller.quota
        for message in moves:
            channel = channels.get(message.channel)
            if channel is None:
                self._refuse(message.channel)
                continue
            if channel.is_superseded:  # its end is on its way
                self._pay()
                continue
            table, decision_id = channel.table, message.decision_id
            strange = message if self._is_strange else None
            try:
                sequence = answer(
                    table, channel.seat, decision_id, message.move, quota, now, strange
                )
                reply = accepted(decision_id, sequence)
            except Exhausted as error:  # whoever goes on without a token gets into debt
                quota.charge()
                reply = updates.refused(decision_id[:_ID_MAX], self._refusal(error))
            except CroupierError as error:
                reply = updates.refused(decision_id[:_ID_MAX], self._refusal(error))
            touch(table)
            replies.append((channel, reply))

    def _turn_away(self, moves: Iterable[ChannelMove]) -> None:
        """Nothing can be stored: refuse the answers of a frame, and say so without waiting."""
        refusal = self._refusal(store_unavailable())
        for message in moves:
            channel = self._channels.get(message.channel)
            if channel is None:
                self._refuse(message.channel)
            else:
                channel.reply(updates.refused(message.decision_id[:_ID_MAX], refusal))

    def _open(self, request: ChannelOpen) -> None:
        number = request.channel
        try:
            if not self._pay():
                raise self._caller.quota.refusal()
            self._expect_free(number)
            self._expect_known(request)
        except CroupierError as error:
            self._error(number, error)
            return
        try:
            caller = self._caller._replace(ticket=request.ticket)
            table, seat = seat_at(caller, self.shard.table, request.table_id)
            channel = Channel(self, number, table, seat, request)
        except Unavailable as error:
            self._error(number, error)
        except CroupierError as error:
            self._refused.add(number)
            self.shard.commits.refusals.append(_Refused(self, number, error))
        else:
            self._channels[number] = channel
            self.shard.attach(channel)
            channel.wake()

    def _expect_known(self, one: Message) -> None:
        """Refuse an item of a strange frame that has a field which the contract does not have.

        Raises:
            InvalidRequest: UNKNOWN_FIELD.
        """
        if self._is_strange and (path := unknown_path(one)):
            raise unknown_field(path)

    def _expect_free(self, number: int) -> None:
        if not number:
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST, "channel numbers must be at least 1", field="channel"
            )
        if number in self._channels or number in self._refused:
            raise InvalidRequest(
                Reason.MALFORMED_REQUEST, f"channel {number} is already in use", field="channel"
            )
        if len(self._channels) + len(self._refused) >= self.shard.limits.channels_max:
            raise Exhausted(
                Reason.TOO_MANY_STREAMS,
                f"this session already has {self.shard.limits.channels_max} channels, the "
                "maximum; close one, or open another session",
            )

    def _open_nonce(self, request: ChannelNonce) -> None:
        channel = self._channels.get(request.channel)
        if channel is None:
            self._refuse(request.channel)
            return
        if channel.is_superseded:
            self._pay()
            return
        if self.shard.upkeep.trouble:
            # It is asked for on a new channel, while an error would say no more than that it was.
            channel.finish(StreamEnd.SERVER_DRAINING, "nothing can be stored now", RETRY_MS)
            return
        try:
            self._expect_known(request)
            channel.table.open_nonce(
                channel.seat, request.nonce, request.next_nonce_hash, self.shard.now_ms()
            )
        except CroupierError as error:
            self._caller.quota.charge()
            self.shard.commits.refusals.append(_Refused(self, request.channel, error))
        else:
            self.shard.commits.touch(channel.table)

    def _close_channel(self, request: ChannelClose) -> None:
        """End a channel as the client asks; a number not in use is no fault."""
        channel = self._channels.get(request.channel)
        try:
            self._expect_known(request)
        except InvalidRequest as error:
            self._pay()
            self._error(request.channel, error)
            return
        if channel is not None:
            channel.finish(StreamEnd.CLIENT_CLOSED)

    def _pay(self) -> bool:
        """Take a token; returns whether there was one. Whoever goes on without gets into debt."""
        had = not self._caller.quota.is_empty
        self._caller.quota.charge()
        return had

    def refuse(self, number: int, error: CroupierError) -> None:
        """A channel was not opened, or a nonce not taken; what that tells of is stored."""
        self._refused.discard(number)
        self._error(number, error)

    def _refuse(self, number: int) -> None:
        """Something came on a channel that is not open."""
        had = self._pay()
        if number not in self._refused:  # what it was refused for is told when that is stored
            error = NotFound(Reason.NOT_FOUND, f"channel {number} is not open", field="channel")
            self._error(number, error if had else self._caller.quota.refusal())

    def _error(self, number: int, error: CroupierError) -> None:
        self.add(item(field_number(1, number) + b"\x1a", self._refusal(error)))
