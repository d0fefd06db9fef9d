"""Generated from ``croupier/v1/game.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, varint, zigzag

MOVE: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``Move``."""

DECISION_KIND: Final = {
    "tractor": b"\x08",
    "tongits": b"\x10",
    "pokex": b"\x18",
}
"""Tags of the fields of ``DecisionKind``."""

MOVE_KIND: Final = {
    "tractor": b"\x08",
    "tongits": b"\x10",
    "pokex": b"\x18",
}
"""Tags of the fields of ``MoveKind``."""

EVENT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``GameEvent``."""

PRIVATE_EVENT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``GamePrivateEvent``."""

PUBLIC_VIEW: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``PublicView``."""

SEAT_VIEW: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``SeatView``."""

DEAL_RESULT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the fields of ``DealResult``."""


def seat_outcome(
    seat: int,
    score: int,
    place: int,
) -> bytes:
    """Payload of ``SeatOutcome``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if score:
        found += b"\x10" + varint(zigzag(score))
    if place:
        found += b"\x18" + (VARINTS[place] if 0 <= place < SHORT else varint(place))
    return found


def match_result(
    reason: int,
    seats: Iterable[bytes],
    seat_at_fault: int | None,
    detail: str,
    aborted_by: int,
) -> bytes:
    """Payload of ``MatchResult``."""
    found = b""
    if reason:
        found = b"\x08" + (VARINTS[reason] if 0 <= reason < SHORT else varint(reason))
    for one in seats:
        size = len(one)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + one
    if seat_at_fault is not None and seat_at_fault >= 0:
        found += b"\x18" + (VARINTS[seat_at_fault] if 0 <= seat_at_fault < SHORT else varint(seat_at_fault))
    if detail:
        part = detail.encode()
        size = len(part)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if aborted_by:
        found += b"\x28" + (VARINTS[aborted_by] if 0 <= aborted_by < SHORT else varint(aborted_by))
    return found


def card_choice(
    pool: bytes,
    min: int,
    max: int,
) -> bytes:
    """Payload of ``CardChoice``."""
    found = b""
    if pool:
        size = len(pool)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + pool
    if min:
        found += b"\x10" + (VARINTS[min] if 0 <= min < SHORT else varint(min))
    if max:
        found += b"\x18" + (VARINTS[max] if 0 <= max < SHORT else varint(max))
    return found


def number_range(
    min: int,
    max: int,
    step: int,
) -> bytes:
    """Payload of ``NumberRange``."""
    found = b""
    if min:
        found = b"\x08" + (VARINTS[min] if 0 <= min < SHORT else varint(min))
    if max:
        found += b"\x10" + (VARINTS[max] if 0 <= max < SHORT else varint(max))
    if step:
        found += b"\x18" + (VARINTS[step] if 0 <= step < SHORT else varint(step))
    return found


def move_pattern(
    template: bytes | None,
    kind: bytes | None,
    cards: bytes | None,
    number: bytes | None,
) -> bytes:
    """Payload of ``MovePattern``."""
    found = b""
    if template is not None:
        size = len(template)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + template
    if kind is not None:
        size = len(kind)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + kind
    if cards is not None:
        size = len(cards)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + cards
    if number is not None:
        size = len(number)
        found += b"\x22" + (VARINTS[size] if size < SHORT else varint(size)) + number
    return found


def legal_move_move(
    move: bytes | None,
) -> bytes:
    """``LegalMove``: ``move``."""
    found = b""
    if move is not None:
        size = len(move)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + move
    return found


def legal_move_kind(
    kind: bytes | None,
) -> bytes:
    """``LegalMove``: ``kind``."""
    found = b""
    if kind is not None:
        size = len(kind)
        found = b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + kind
    return found


def legal_moves_moves(
    moves: Iterable[bytes],
) -> bytes:
    """``LegalMoves``: ``moves``."""
    found = b""
    for one in moves:
        size = len(one)
        found += b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def legal_moves_patterns(
    patterns: Iterable[bytes],
) -> bytes:
    """``LegalMoves``: ``patterns``."""
    found = b""
    for one in patterns:
        size = len(one)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + one
    return found


def legal_moves_truncated(
    truncated: bool,
) -> bytes:
    """``LegalMoves``: ``truncated``."""
    found = b""
    if truncated:
        found = b"\x18" + b"\x01"
    return found
