"""Generated from ``croupier/v1/game.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, varint

MOVE: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``Move``."""

DECISION_KIND: Final = {
    "tractor": b"\x08",
    "tongits": b"\x10",
    "pokex": b"\x18",
}
"""Tags of the arms of ``DecisionKind``."""

MOVE_KIND: Final = {
    "tractor": b"\x08",
    "tongits": b"\x10",
    "pokex": b"\x18",
}
"""Tags of the arms of ``MoveKind``."""

EVENT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``GameEvent``."""

PRIVATE_EVENT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``GamePrivateEvent``."""

PUBLIC_VIEW: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``PublicView``."""

SEAT_VIEW: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``SeatView``."""

DEAL_RESULT: Final = {
    "tractor": b"\x0a",
    "tongits": b"\x12",
    "pokex": b"\x1a",
}
"""Tags of the arms of ``DealResult``."""


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
