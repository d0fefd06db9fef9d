"""What all validators need of one table: where each of its streams stands, and what was shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tests.sim.promises.observed import Outage, Stream

_PRIVATE_TAG: Final = 0x7A
_LENGTH_DELIMITED: Final = 2


@dataclass(slots=True)
class Place:
    """Where a stream stands.

    Attributes:
        stream: which.
        epoch: that it was opened with, then the table's.
        after: that it was opened with.
        opened_ms: when it was opened.
        head: events that anybody had been told of when it was opened.
        position: number of the last event that it has told of.
        has_begun: a snapshot or ``resumed`` came.
        reset: the reason of a reset whose snapshot has not come yet.
        is_over: it has ended, or the connection was lost.
    """

    stream: Stream
    epoch: int
    after: int
    opened_ms: int = 0
    head: int = 0
    position: int = 0
    has_begun: bool = False
    reset: int = 0
    is_over: bool = False


@dataclass(slots=True)
class Story:
    """What is known of one table.

    Attributes:
        table_id: the table.
        epoch: its epoch as last told.
        public: public parts of events, by number.
        private: private parts, by number and seat.
        places: its streams, by their numbers.
        board_tables: tables that share its cards.
        has_begun: a stream told of its match.
        is_recorded: its record was given out, or it left none as its match never began.
    """

    table_id: str
    epoch: int = 0
    public: dict[int, bytes] = field(default_factory=dict)
    private: dict[tuple[int, int], bytes] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    board_tables: int = 1
    has_begun: bool = False
    is_recorded: bool = False


@dataclass(slots=True)
class Outages:
    """When the server could not do its work."""

    spans: list[tuple[int, int]] = field(default_factory=list)

    def add(self, outage: Outage) -> None:
        """One more."""
        self.spans.append((outage.since_ms, outage.until_ms))

    def within(self, since: int, until: int) -> int:
        """Milliseconds of outage between two times; what overlaps counts once."""
        total, last = 0, since
        for begin, end in sorted(self.spans):
            upto = min(end, until)
            if upto > max(begin, last):
                total += upto - max(begin, last)
                last = upto
        return total

    def count(self, since: int, until: int) -> int:
        """How many outages touch the time between two."""
        return sum(begin < until and end > since for begin, end in self.spans)


def split(event: bytes) -> tuple[bytes, bytes]:
    r"""A serialised ``TableEvent`` as its public part and what was appended to it for a seat.

    >>> split(b"\x08\x05\x7a\x01x")
    (b'\x08\x05', b'z\x01x')
    """
    place = 0
    while place < len(event):
        if event[place] == _PRIVATE_TAG:
            return event[:place], event[place:]
        wire_type = event[place] & 7
        place += 1
        number, place = _varint(event, place)
        if wire_type == _LENGTH_DELIMITED:
            place += number
    return event, b""


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, place


def only_field(message: bytes) -> bytes:
    r"""What is in the one field of a message that has no other, byte for byte.

    >>> only_field(b"\x0a\x03abc")
    b'abc'
    """
    size, place = _varint(message, 1)
    assert place + size == len(message)
    return message[place:]
