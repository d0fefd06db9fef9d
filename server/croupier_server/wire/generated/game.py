"""Generated from ``croupier/v1/game.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, framed, unsigned, varint, zigzag

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
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x10" + varint(zigzag(score)) if score else b""),
            (b"\x18" + (VARINTS[place] if 0 < place < SHORT else unsigned(place)) if place else b""),
        )
    )


def match_result(
    reason: int,
    seats: Iterable[bytes],
    seat_at_fault: int | None,
    detail: str,
    aborted_by: int,
) -> bytes:
    """Payload of ``MatchResult``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[reason] if 0 < reason < SHORT else unsigned(reason)) if reason else b""),
            *[framed(b"\x12", one) for one in seats],
            (b"\x18" + (VARINTS[seat_at_fault] if seat_at_fault < SHORT else varint(seat_at_fault)) if seat_at_fault is not None and seat_at_fault >= 0 else b""),
            (b"\x22" + (VARINTS[size] if (size := len(part := detail.encode())) < SHORT else varint(size)) if detail else b""),
            (part if detail else b""),
            (b"\x28" + (VARINTS[aborted_by] if 0 < aborted_by < SHORT else unsigned(aborted_by)) if aborted_by else b""),
        )
    )


def card_choice(
    pool: bytes,
    min: int,
    max: int,
) -> bytes:
    """Payload of ``CardChoice``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(pool)) < SHORT else varint(size)) if pool else b""),
            pool,
            (b"\x10" + (VARINTS[min] if 0 < min < SHORT else unsigned(min)) if min else b""),
            (b"\x18" + (VARINTS[max] if 0 < max < SHORT else unsigned(max)) if max else b""),
        )
    )


def number_range(
    min: int,
    max: int,
    step: int,
) -> bytes:
    """Payload of ``NumberRange``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[min] if 0 < min < SHORT else unsigned(min)) if min else b""),
            (b"\x10" + (VARINTS[max] if 0 < max < SHORT else unsigned(max)) if max else b""),
            (b"\x18" + (VARINTS[step] if 0 < step < SHORT else unsigned(step)) if step else b""),
        )
    )


def move_pattern(
    template: bytes | None,
    kind: bytes | None,
    cards: bytes | None,
    number: bytes | None,
) -> bytes:
    """Payload of ``MovePattern``."""
    return b"".join(
        (
            (b"\x0a" + (VARINTS[size] if (size := len(template)) < SHORT else varint(size)) if template is not None else b""),
            (template or b""),
            (b"\x12" + (VARINTS[size] if (size := len(kind)) < SHORT else varint(size)) if kind is not None else b""),
            (kind or b""),
            (b"\x1a" + (VARINTS[size] if (size := len(cards)) < SHORT else varint(size)) if cards is not None else b""),
            (cards or b""),
            (b"\x22" + (VARINTS[size] if (size := len(number)) < SHORT else varint(size)) if number is not None else b""),
            (number or b""),
        )
    )


def legal_move_move(
    move: bytes | None,
) -> bytes:
    """``LegalMove``: ``move``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(move)) < SHORT else varint(size)) if move is not None else b"") + (move or b"")


def legal_move_kind(
    kind: bytes | None,
) -> bytes:
    """``LegalMove``: ``kind``."""
    return (b"\x12" + (VARINTS[size] if (size := len(kind)) < SHORT else varint(size)) if kind is not None else b"") + (kind or b"")


def legal_moves_moves(
    moves: Iterable[bytes],
) -> bytes:
    """``LegalMoves``: ``moves``."""
    return b"".join(
        (
            *[framed(b"\x0a", one) for one in moves],
        )
    )


def legal_moves_patterns(
    patterns: Iterable[bytes],
) -> bytes:
    """``LegalMoves``: ``patterns``."""
    return b"".join(
        (
            *[framed(b"\x12", one) for one in patterns],
        )
    )


def legal_moves_truncated(
    truncated: bool,
) -> bytes:
    """``LegalMoves``: ``truncated``."""
    return (b"\x18" + b"\x01" if truncated else b"")
