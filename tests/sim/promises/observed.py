"""What was observed of a server, as data: what clients were told, when, and what became of it.

A run is judged by these alone, so anything that can write them down can be judged: a simulation,
a harness that kills a server, a soak run. Times are milliseconds of one clock, which need not be
the server's; `Outage` is told in the same clock.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from croupier.v1 import table_pb2

RELIEF: Final = "relief"
"""The name of a house bot that has taken the seat of a player who went away begins with it."""


class Stream(NamedTuple):
    """One stream of a table from its opening to its end.

    Attributes:
        number: no other stream of the run has it.
        table_id: the table.
        seat: whose stream it is; None: a spectator's.
        client: who reads it.
        sees_events: whether it carries every event (view mode EVENTS, and spectators).
        is_prompt: whether it is read at once whatever comes, and shows events as they happen.
        is_relief: whether a house bot reads it.
    """

    number: int
    table_id: str
    seat: int | None
    client: str
    sees_events: bool
    is_prompt: bool = False
    is_relief: bool = False


class Created(NamedTuple):
    """A client was told that its table is there."""

    at_ms: int
    table_id: str
    board_tables: int = 1


class Seated(NamedTuple):
    """A client was told that it has a seat.

    *is_prompt*: it answers well within its time, whatever happens to the server.
    *is_honest*: it does nothing that a client should not do.
    """

    at_ms: int
    table_id: str
    seat: int
    is_prompt: bool
    is_honest: bool


class Opened(NamedTuple):
    """A client opened a stream: the epoch and the number of the last event that it knows of."""

    at_ms: int
    stream: Stream
    epoch: int
    after: int


class Told(NamedTuple):
    """A ``TableUpdate`` came in on a stream; *sent_ms* is when the server wrote it, if known."""

    at_ms: int
    stream: Stream
    update: table_pb2.TableUpdate
    data: bytes
    sent_ms: int | None = None


class Closed(NamedTuple):
    """A stream ended without a word of the server: the connection was lost, or the client left."""

    at_ms: int
    stream: Stream


class Shown(NamedTuple):
    """An answer of another call that shows a table: *seat* is who asked, None for anybody."""

    at_ms: int
    table_id: str
    seat: int | None
    call: str
    data: bytes


class Refused(NamedTuple):
    """A call or an item was refused; *status* is a serialised ``google.rpc.Status``.

    *move* is the serialised move that was refused, as an answer to *decision_id*, and *after* what
    an opening asked to go on from.
    *is_due*: the caller showed what it was given to show, so it has a right to an answer.
    """

    at_ms: int
    table_id: str
    seat: int | None
    call: str
    status: bytes
    move: bytes = b""
    after: int = 0
    is_due: bool = True
    decision_id: str = ""


class Answered(NamedTuple):
    """An answer to a decision came to the server, or left the client where that is not known."""

    at_ms: int
    table_id: str
    seat: int
    decision_id: str
    move: bytes


class Acknowledged(NamedTuple):
    """A client was told that its answer was accepted, with the number of its event."""

    at_ms: int
    table_id: str
    seat: int
    decision_id: str
    move: bytes
    sequence: int


class Outage(NamedTuple):
    """The server could not do its work: it was down, busy, or its store was in trouble."""

    since_ms: int
    until_ms: int
    why: str


class Logged(NamedTuple):
    """A line of the server's log."""

    at_ms: int
    line: str


class Ended(NamedTuple):
    """The record of a match was given out."""

    at_ms: int
    table_id: str
    record: bytes


class Unrecorded(NamedTuple):
    """A table has ended whose match never began, so it left no record."""

    at_ms: int
    table_id: str


Observation: TypeAlias = (
    Created
    | Seated
    | Opened
    | Told
    | Closed
    | Shown
    | Refused
    | Answered
    | Acknowledged
    | Outage
    | Logged
    | Ended
    | Unrecorded
)


class Broken(AssertionError):
    """A promise was broken.

    Attributes:
        promise: its name.
        table_id: where.
    """

    def __init__(self, promise: str, table_id: str, what: str) -> None:
        super().__init__(f"{promise} is broken at {table_id or 'the server'}: {what}")
        self.promise = promise
        self.table_id = table_id
