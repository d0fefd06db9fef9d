"""Generated from ``croupier/record/v1/record.proto`` by ``make proto``. Do not edit."""

from __future__ import annotations

from typing import Final
from croupier_server.wire.encode import SHORT, VARINTS, duration, timestamp, varint

INPUT: Final = {
    "chance": b"\x0a",
    "move": b"\x12",
    "answer": b"\x1a",
    "window": b"\x22",
}
"""Tags of the fields of ``Input``."""


def chance_input(
    outcome: bytes,
) -> bytes:
    """Payload of ``ChanceInput``."""
    found = b""
    if outcome:
        size = len(outcome)
        found = b"\x0a" + (VARINTS[size] if size < SHORT else varint(size)) + outcome
    return found


def move_input_head(
    seat: int,
    decision_id: str,
    move: bytes | None,
    timed_out: bool,
    charged: int | None,
) -> bytes:
    """``MoveInput``: ``seat`` to ``charged``."""
    found = b""
    if seat:
        found = b"\x08" + (VARINTS[seat] if 0 <= seat < SHORT else varint(seat))
    if decision_id:
        part = decision_id.encode()
        size = len(part)
        found += b"\x12" + (VARINTS[size] if size < SHORT else varint(size)) + part
    if move is not None:
        size = len(move)
        found += b"\x1a" + (VARINTS[size] if size < SHORT else varint(size)) + move
    if timed_out:
        found += b"\x20" + b"\x01"
    if charged is not None:
        part = duration(charged)
        size = len(part)
        found += b"\x2a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def move_input_asked_time(
    asked_time: int | None,
) -> bytes:
    """``MoveInput``: ``asked_time``."""
    found = b""
    if asked_time is not None:
        part = timestamp(asked_time)
        size = len(part)
        found = b"\x32" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def move_input_answered_time(
    answered_time: int | None,
) -> bytes:
    """``MoveInput``: ``answered_time``."""
    found = b""
    if answered_time is not None:
        part = timestamp(answered_time)
        size = len(part)
        found = b"\x3a" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found


def move_input_absent(
    absent: int | None,
) -> bytes:
    """``MoveInput``: ``absent``."""
    found = b""
    if absent is not None:
        part = duration(absent)
        size = len(part)
        found = b"\x42" + (VARINTS[size] if size < SHORT else varint(size)) + part
    return found
