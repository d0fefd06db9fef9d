"""What a table's stream carries: payloads of ``TableUpdate``, put together from bytes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.wire.encode import framed
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.table import UPDATE

END: Final = 11
"""Number of the field that holds a ``StreamEnd``."""


class ResetReason(IntEnum):
    """Why a stream starts again; the numbers are those of ``croupier.v1.ResetReason``."""

    TOO_OLD = 1
    EPOCH = 2
    SLOW_CONSUMER = 3


class StreamEnd(IntEnum):
    """Why a stream ended; the numbers are those of ``croupier.v1.StreamEndReason``."""

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
    TOURNAMENT_ENDED = 15


_EVENT: Final = UPDATE["event"]
_DECISION: Final = UPDATE["decision"]
_ACCEPTED: Final = UPDATE["move_accepted"]


def snapshot(
    table: bytes,
    sequence: int,
    *,
    seat: bytes | None,
    public: bytes | None,
    clocks: Iterable[bytes],
) -> bytes:
    """Payload of ``Snapshot``; one of *seat* and *public* is a view, *clocks* from `clocks`."""
    return messages.snapshot(table, sequence, seat, public, clocks)


def snapshot_update(payload: bytes) -> bytes:
    """State from which the stream goes on."""
    return framed(UPDATE["snapshot"], payload)


def clocks(times: Iterable[tuple[Seat, int, int]], running: tuple[Seat, int] | None) -> list[bytes]:
    """Payloads of ``SeatClock``.

    Args:
        times: seat, milliseconds left of the base, strikes.
        running: the seat whose clock runs, and its milliseconds left for the move.
    """
    runs_at, move_left = running or (None, 0)
    return [
        messages.seat_clock(
            seat=seat,
            remaining=left,
            strikes=strikes,
            running=seat == runs_at,
            move_left=move_left if seat == runs_at else None,
        )
        for seat, left, strikes in times
    ]


def resumed(epoch: int, after: int, sequence: int) -> bytes:
    """The stream resumes."""
    return framed(UPDATE["resumed"], messages.resumed(epoch, after, sequence))


def reset_payload(reason: ResetReason) -> bytes:
    """Payload of ``Reset``."""
    return messages.reset(reason)


def reset(reason: ResetReason) -> bytes:
    """A snapshot follows."""
    return framed(UPDATE["reset"], reset_payload(reason))


def event(public: bytes, private: bytes = b"") -> bytes:
    """An event as one audience sees it."""
    return framed(_EVENT, public + private)


def decision_update(payload: bytes) -> bytes:
    """A question to this seat."""
    return framed(_DECISION, payload)


def nonce_wanted(nonce_hash: bytes) -> bytes:
    """The nonce with this hash is wanted."""
    return framed(UPDATE["nonce_wanted"], messages.nonce_wanted(nonce_hash))


def accepted(decision_id: str, sequence: int) -> bytes:
    """A move of this session was accepted; payload of ``MoveAccepted`` within."""
    return framed(_ACCEPTED, messages.move_accepted(decision_id, sequence))


def refused(decision_id: str, refusal: bytes) -> bytes:
    """A move of this session was refused; *refusal* is a ``Refusal`` payload."""
    return framed(UPDATE["move_refused"], messages.move_refused(decision_id, refusal))


def result(payload: bytes) -> bytes:
    """The match ended."""
    return framed(UPDATE["result"], payload)


def timed_out(seat: Seat, strikes: int) -> bytes:
    """Payload of ``SeatTimedOut``."""
    return messages.seat_timed_out(seat, strikes)


def heartbeat(sequence: int, clocks: Iterable[bytes], now_ms: int) -> bytes:
    """A sign of life; *clocks* is from `clocks`."""
    return framed(UPDATE["heartbeat"], messages.heartbeat(sequence, clocks, now_ms))


def time_heartbeat(now_ms: int) -> bytes:
    """Payload of ``Heartbeat`` on a stream that is not of one table."""
    return messages.heartbeat(0, (), now_ms)


def end_payload(reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> bytes:
    """Payload of ``StreamEnd``."""
    return messages.stream_end(reason, detail, retry_after_ms or None, endpoint="")


def end(reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> bytes:
    """The stream, or this table's part of it, ends here."""
    return framed(UPDATE["end"], end_payload(reason, detail, retry_after_ms))
