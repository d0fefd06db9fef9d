"""What the views of all games have in common: fields whose bytes are kept between two views.

Must not be put here: any one game's message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from croupier_server.wire.encode import TAGS, framed
from croupier_server.wire.generated.game import SEAT_VIEW

T = TypeVar("T")

_PUBLIC_VIEW: Final = TAGS[1]
"""``public_view`` in the view of every game."""


def part_of_view(game: str, fields: bytes) -> bytes | None:
    """Payload of a ``SeatView`` that has nothing but *fields* of the public view of *game*; None:
    there are none."""
    return framed(SEAT_VIEW[game], framed(_PUBLIC_VIEW, fields)) if fields else None


class Growing(Generic[T]):
    """Elements of a repeated field that mostly grows, such as finished tricks.

    What was encoded is compared with the elements each time, by identity where they are the same
    objects, so that it cannot be sent when it is no longer true.

    Args:
        encode: the field with one element.

    Attributes:
        kept: all elements, with tags and lengths.
    """

    __slots__ = ("_encode", "_of", "kept")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: tuple[T, ...] = ()
        self.kept = b""

    def keep(self, elements: tuple[T, ...]) -> None:
        """Let the elements be *elements*."""
        if elements is self._of:
            return
        known = len(self._of)
        if elements[:known] != self._of:
            known = 0
            self.kept = b""
        self.kept += b"".join([self._encode(element) for element in elements[known:]])
        self._of = elements


class Latest(Generic[T]):
    """A message field whose value is replaced as a whole now and then, such as the last result.

    Args:
        encode: the field with a value.

    Attributes:
        kept: the value with tag and length; nothing for None.
    """

    __slots__ = ("_encode", "_of", "kept")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: T | None = None
        self.kept = b""

    def keep(self, value: T | None) -> None:
        """Let the value be *value*."""
        if value is not self._of:
            self._of = value
            self.kept = b"" if value is None else self._encode(value)
