"""The numbered events of one table: each encoded once, kept for readers, handed to the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import starmap
from typing import TYPE_CHECKING, Final

from croupier_server.games.base import Event, Seat
from croupier_server.storage.base import NO_PRIVATE, Deal, LogRow
from croupier_server.tables.kept import Kept, dump
from croupier_server.tables.match import encode
from croupier_server.wire.encode import VARINTS, framed, framed_time, varint
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.table import EVENT

if TYPE_CHECKING:
    from croupier_server.tables.match.delay import Delayed

_SHORT: Final = len(VARINTS)
_NUMBERS: Final = tuple(range(_SHORT))
"""The rows of all tables share these; hundreds of numbers of its own took a table 8 KB."""

_FRAMED_SIZE_MAX: Final = 16
_FRAMED_MAX: Final = 1024
_SEQUENCE: Final = EVENT["sequence"]
_TIME: Final = EVENT["time"]


class _Framed(dict[bytes, bytes]):
    """Private parts as ``TableEvent.private``. Short ones are kept and shared: a card that was
    drawn is told in the same few bytes a hundred times a deal at every table."""

    __slots__ = ()

    def __missing__(self, part: bytes) -> bytes:
        found = EVENT["private_part"] + varint(len(part)) + part
        if len(part) <= _FRAMED_SIZE_MAX and len(self) < _FRAMED_MAX:
            self[part] = found
        return found


_FRAMED: Final = _Framed()


class Journal:
    """Numbers events 1, 2, 3 ... and keeps those since the start of the previous deal.

    Attributes:
        table_id: the table.
        epoch: which life of it.
        sequence: number of the last event.
        committed: number of the last event that is stored; readers see no further.
        kept_from: number of the first event in `kept`.
        kept: rows of the events from `kept_from` on.
        outbox: rows that are still to be stored, sealed answers among them; shared with the
            owner of the table, who empties it.
        is_awaited: the stream of a seat waits until all that has happened is stored.
        delayed: is told of all of them, at a table that is shown late.
        answered: decisions answered since somebody last counted; a sealed window is one.
        timed_out: decisions whose time ran out since then.
    """

    __slots__ = (
        "_deal_start",
        "_event_bytes",
        "answered",
        "committed",
        "delayed",
        "epoch",
        "is_awaited",
        "kept",
        "kept_from",
        "outbox",
        "sequence",
        "table_id",
        "timed_out",
    )

    def __init__(self, table_id: str, epoch: int, wire: GameWire, outbox: list[LogRow]) -> None:
        self.table_id = table_id
        self.epoch = epoch
        self._event_bytes = wire.event_bytes
        self._deal_start = 1
        self.sequence = 0
        self.is_awaited = False
        self.committed = 0
        self.kept_from = 1
        self.kept: list[LogRow] = []
        self.outbox = outbox
        self.delayed: Delayed | None = None
        self.answered = self.timed_out = 0

    def emit(self, events: Sequence[Event], cause: bytes, now: int, clocks: bytes = b"") -> None:
        """Number the events of the game that the input *cause* led to.

        Args:
            events: of the game.
            cause: an ``Input``.
            now: the time.
            clocks: ``TableEvent.clocks`` of the last of them.
        """
        if self.delayed is not None:
            self.delayed.happened(cause, self.sequence + len(events), now)
        if not cause.startswith(encode.CHANCE_TAG):
            self.answered += 1
        time = stamp(now)
        table_id, epoch, sequence = self.table_id, self.epoch, self.sequence
        rows: list[LogRow] = []
        for event in events:
            sequence += 1
            if sequence < _SHORT:
                sequence, number = _NUMBERS[sequence], VARINTS[sequence]
            else:
                number = varint(sequence)
            payload, parts = self._event_bytes(event)
            size = len(payload)
            public = b"".join(
                (
                    b"\x08",
                    number,
                    time,
                    b"\x52",
                    VARINTS[size] if size < _SHORT else varint(size),
                    payload,
                )
            )
            private = NO_PRIVATE
            if parts:
                private = {seat: _FRAMED[part] for seat, part in parts.items()}
            # Made without the detour of its own constructor, which takes longer than the rest.
            row = (table_id, epoch, sequence, public, private, cause, b"", None)
            rows.append(tuple.__new__(LogRow, row))
            cause = b""
        assert not cause, "an input leads to an event"
        if clocks:
            last = rows[-1]
            told = (*last[:3], last.public + clocks, *last[4:])
            rows[-1] = tuple.__new__(LogRow, told)
        self.sequence = sequence
        self.kept += rows
        self.outbox += rows

    def announce(self, tag: bytes, payload: bytes, now: int, fact: Kept | None = None) -> None:
        """Number an event of the table itself.

        Args:
            tag: of the arm in ``TableEvent``.
            payload: of that field.
            now: the time.
            fact: what the server alone may know of it.
        """
        self.sequence += 1
        public = event_bytes(self.sequence, stamp(now), tag, payload)
        extra = dump(fact) if fact is not None else b""
        row = LogRow(self.table_id, self.epoch, self.sequence, public, NO_PRIVATE, b"", extra)
        self.kept.append(row)
        self.outbox.append(row)
        self.timed_out += tag == EVENT["seat_timed_out"]
        if self.delayed is not None:
            self.delayed.announced(tag, self.sequence, now)

    def seal(self, cause: bytes) -> LogRow:
        """Log a sealed answer: a row without a number."""
        if self.delayed is not None:
            self.delayed.sealed(cause)
        row = LogRow(self.table_id, self.epoch, 0, b"", NO_PRIVATE, cause)
        self.outbox.append(row)
        return row

    def note(self, fact: Kept) -> None:
        """Log what the server alone may know, and that no event tells."""
        self.outbox.append(LogRow(self.table_id, self.epoch, 0, b"", NO_PRIVATE, b"", dump(fact)))

    def take_up(self, epoch: int, outbox: list[LogRow]) -> None:
        """All of it came out of the log: what is new is of this *epoch* and goes to *outbox*."""
        self.epoch = epoch
        self.outbox = outbox
        self.committed = self.sequence
        self.answered = self.timed_out = 0

    def resume(self, rows: Sequence[LogRow], kept_from: int) -> None:
        """Continue behind *rows*, of which readers may still ask for those from event *kept_from*
        on, where the last deal began."""
        self.outbox = []
        self.kept = [row for row in rows if row.sequence >= kept_from]
        self.kept_from = self._deal_start = kept_from
        self.sequence = self.kept[-1].sequence

    def start_deal(self) -> int:
        """A deal begins with the next event: let go of what came before the last one, whose first
        event has the number that is returned. What is shown late is kept for as much longer."""
        last, self._deal_start = self._deal_start, self.sequence + 1
        if self.delayed is None:
            self.let_go(last)
        else:
            self.delayed.start_deal(self._deal_start, last)
        return last

    def carry(self, events: int, deal: Deal) -> None:
        """Store *deal* with the first of the last *events* events, which begin it."""
        self.outbox[-events] = self.outbox[-events]._replace(deal=deal)

    def let_go(self, kept_from: int) -> None:
        """Keep events from number *kept_from* on."""
        del self.kept[: kept_from - self.kept_from]
        self.kept_from = kept_from

    def since(self, after: int, to: int) -> Sequence[LogRow]:
        """Events behind number *after*, which must not lie before `kept_from` - 1, up to *to*."""
        assert after >= self.kept_from - 1
        return self.kept[after + 1 - self.kept_from : to + 1 - self.kept_from]


def stamp(now_ms: int) -> bytes:
    """``TableEvent.time`` with its tag."""
    return framed_time(_TIME, now_ms)


def event_bytes(sequence: int, time: bytes, tag: bytes, payload: bytes) -> bytes:
    """Public part of a ``TableEvent``; *time* is from `stamp`, *tag* that of the payload's arm."""
    return b"".join((_SEQUENCE, varint(sequence), time, framed(tag, payload)))


def event_clocks(clocks: Iterable[tuple[Seat, int, int | None]]) -> bytes:
    """``TableEvent.clocks``, as `Accounts.told` gives them."""
    return b"".join(starmap(_event_clock, clocks))


@lru_cache(maxsize=1024)
def _event_clock(seat: Seat, left_ms: int, move_left_ms: int | None) -> bytes:
    """One of ``TableEvent.clocks``. Cached, because most of them come up again."""
    is_running = move_left_ms is not None
    clock = messages.seat_clock(seat, left_ms, None, is_running, move_left_ms)
    return framed(EVENT["clocks"], clock)
