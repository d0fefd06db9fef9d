"""What a table's stream carries: payloads of ``TableUpdate``, put together from bytes.

Must not be put here: when something is sent, and to whom.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.wire.encode import (
    VARINTS,
    duration,
    field_blob,
    field_bytes,
    field_number,
    field_text,
    field_varint,
    timestamp,
    varint,
)

END: Final = 11
"""Number of the field that holds a ``StreamEnd``."""


class ResetReason(IntEnum):
    """Why a stream starts again; the numbers are those of ``croupier.v1.ResetReason``."""

    TOO_OLD = 1
    EPOCH = 2
    SLOW_CONSUMER = 3


class StreamEnd(IntEnum):
    """Why a stream ended; the numbers are those of ``croupier.v1.StreamEnd.Reason``."""

    MATCH_ENDED = 1
    REPLACED = 2
    TICKET_SUPERSEDED = 3
    SLOW_CONSUMER = 4
    SERVER_DRAINING = 5
    KEY_REVOKED = 6
    TABLE_HALTED = 7
    CLIENT_CLOSED = 8
    PROTOCOL_ERROR = 9
    BOARD_CONFLICT = 10
    RATE_LIMITED = 11
    NONCE_WITHHELD = 12
    MOVED = 13
    FRAMES_USED_UP = 14


SEAT_TAGS: Final = tuple(field_number(2, seat) for seat in range(64))
"""``Decision.seat`` by seat."""

_SHORT: Final = len(VARINTS)


def snapshot(
    table: bytes, sequence: int, *, seat: bytes | None, public: bytes | None, clocks: bytes
) -> bytes:
    """Payload of ``Snapshot``; one of *seat* and *public* is a view, *clocks* from `clock`."""
    view = field_bytes(3, seat) if seat is not None else b""
    if public is not None:
        view = field_bytes(4, public)
    fields = (field_bytes(1, table), field_number(2, sequence), view)
    return b"".join((*fields, clocks))


def snapshot_update(payload: bytes) -> bytes:
    """State from which the stream goes on."""
    return field_bytes(1, payload)


def clocks(
    field: int, times: Iterable[tuple[Seat, int, int]], running: tuple[Seat, int] | None
) -> bytes:
    """Repeated ``SeatClock`` in *field*.

    Args:
        field: of a snapshot or a heartbeat.
        times: seat, milliseconds left of the base, strikes.
        running: the seat whose clock runs, and its milliseconds left for the move.
    """
    runs_at, move_left = running or (None, 0)
    runs = field_number(4, 1) + field_bytes(5, duration(move_left))
    return b"".join(
        field_bytes(
            field,
            field_number(1, seat)
            + field_bytes(2, duration(left))
            + field_varint(3, strikes)
            + (runs if seat == runs_at else b""),
        )
        for seat, left, strikes in times
    )


def resumed(epoch: int, after: int, sequence: int) -> bytes:
    """The stream resumes."""
    return field_bytes(
        2, field_number(1, epoch) + field_number(2, after) + field_number(3, sequence)
    )


def reset_payload(reason: ResetReason) -> bytes:
    """Payload of ``Reset``."""
    return field_number(1, reason)


def reset(reason: ResetReason) -> bytes:
    """A snapshot follows."""
    return field_bytes(3, reset_payload(reason))


def event(public: bytes, private: bytes = b"") -> bytes:
    """An event as one audience sees it."""
    size = len(public) + len(private)
    return b"".join((b"\x22", VARINTS[size] if size < _SHORT else varint(size), public, private))


def decision_head(decision_id: str, seat: Seat, kind: bytes, sequence: int) -> bytes:
    """The first four fields of a ``Decision``; *kind* is a ``DecisionKind`` payload."""
    name = decision_id.encode()
    return b"".join(
        (
            b"\x0a",
            VARINTS[len(name)],
            name,
            SEAT_TAGS[seat],
            b"\x1a",
            VARINTS[len(kind)],
            kind,
            b"\x20",
            VARINTS[sequence] if sequence < _SHORT else varint(sequence),
        )
    )


def decision(head: bytes, legal: bytes, view: bytes | None, times: bytes, fallback: bytes) -> bytes:
    """Payload of ``Decision``; *times* is from `decision_times`, *fallback* a ``Move`` payload."""
    size = len(legal)
    last = field_bytes(9, fallback)
    if view is None:
        return b"".join((head, b"\x2a", varint(size), legal, times, last))
    return b"".join(
        (
            head,
            b"\x2a",
            VARINTS[size] if size < _SHORT else varint(size),
            legal,
            b"\x32",
            VARINTS[len(view)] if len(view) < _SHORT else varint(len(view)),
            view,
            times,
            last,
        )
    )


def decision_times(time_left_ms: int | None, *, sealed: bool) -> bytes:
    """``Decision.time_left`` and ``Decision.sealed``; no time: no limit."""
    left = field_bytes(7, duration(time_left_ms)) if time_left_ms is not None else b""
    return left + field_number(8, sealed)


def decision_update(payload: bytes) -> bytes:
    """A question to this seat."""
    size = len(payload)
    return b"".join((b"\x2a", VARINTS[size] if size < _SHORT else varint(size), payload))


def nonce_wanted(nonce_hash: bytes) -> bytes:
    """The nonce with this hash is wanted."""
    return field_bytes(6, field_blob(1, nonce_hash))


def accepted(decision_id: str, sequence: int) -> bytes:
    """A move of this session was accepted; payload of ``MoveAccepted`` within."""
    name = decision_id.encode()
    number = b"\x10" + varint(sequence) if sequence else b""
    return b"".join(
        (
            b"\x3a",
            VARINTS[2 + len(name) + len(number)],
            b"\x0a",
            VARINTS[len(name)],
            name,
            number,
        )
    )


def refused(decision_id: str, refusal: bytes) -> bytes:
    """A move of this session was refused; *refusal* is a ``Refusal`` payload."""
    return field_bytes(8, field_text(1, decision_id) + field_bytes(2, refusal))


def result(payload: bytes) -> bytes:
    """The match ended."""
    return field_bytes(9, payload)


def timed_out(seat: Seat, strikes: int) -> bytes:
    """Payload of ``SeatTimedOut``."""
    return field_number(1, seat) + field_number(2, strikes)


def heartbeat(sequence: int, clocks: bytes, now_ms: int) -> bytes:
    """A sign of life; *clocks* is from `clocks` with field 2."""
    return field_bytes(10, field_number(1, sequence) + clocks + time_heartbeat(now_ms))


def time_heartbeat(now_ms: int) -> bytes:
    """Payload of ``Heartbeat`` on a stream that is not of one table."""
    return field_bytes(3, timestamp(now_ms))


def end_payload(reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> bytes:
    """Payload of ``StreamEnd``."""
    retry = field_bytes(3, duration(retry_after_ms)) if retry_after_ms else b""
    return field_number(1, reason) + field_text(2, detail) + retry


def end(reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> bytes:
    """The stream, or this table's part of it, ends here."""
    return field_bytes(END, end_payload(reason, detail, retry_after_ms))
