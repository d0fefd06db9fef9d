"""What all games share where they read their views back from messages."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards


def packed(cards: Iterable[int]) -> Cards:
    """*cards* in packed counts."""
    found = 0
    for card in cards:
        found += 1 << 4 * card
    return found


def seat_of(message: Message, field: str) -> Seat:
    """The seat or side in an optional *field*, or -1 if it is not set."""
    value: int = getattr(message, field)
    return value if message.HasField(field) else -1
