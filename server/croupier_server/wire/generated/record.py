"""Generated from ``croupier/record/v1/record.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, duration, framed, framed_time, unsigned, varint

INPUT: Final = {
    "chance": b"\x0a",
    "move": b"\x12",
    "answer": b"\x1a",
    "window": b"\x22",
}
"""Tags of the fields of ``Input``."""


def move_input(
    seat: int,
    decision_id: str,
    move: bytes | None,
    timed_out: bool,
    charged: int | None,
    asked_time: int | None,
    answered_time: int | None,
    absent: int | None,
) -> bytes:
    """Payload of ``MoveInput``."""
    return b"".join(
        (
            (b"\x08" + (VARINTS[seat] if 0 < seat < SHORT else unsigned(seat)) if seat else b""),
            (b"\x12" + (VARINTS[size] if (size := len(part := decision_id.encode())) < SHORT else varint(size)) if decision_id else b""),
            (part if decision_id else b""),
            (b"\x1a" + (VARINTS[size] if (size := len(move)) < SHORT else varint(size)) if move is not None else b""),
            (move or b""),
            (b"\x20" + b"\x01" if timed_out else b""),
            (framed(b"\x2a", duration(charged)) if charged is not None else b""),
            (framed_time(b"\x32", asked_time) if asked_time is not None else b""),
            (framed_time(b"\x3a", answered_time) if answered_time is not None else b""),
            (framed(b"\x42", duration(absent)) if absent is not None else b""),
        )
    )


def chance_input(
    outcome: bytes,
) -> bytes:
    """Payload of ``ChanceInput``."""
    return (b"\x0a" + (VARINTS[size] if (size := len(outcome)) < SHORT else varint(size)) if outcome else b"") + outcome
