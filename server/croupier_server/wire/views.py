"""What the views of all games have in common: fields whose bytes are kept between two views.

Must not be put here: any one game's message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Growing(Generic[T]):
    """Elements of a repeated field that mostly grows, such as finished tricks.

    What was encoded is compared with the elements each time, by identity where they are the same
    objects, so that it cannot be sent when it is no longer true.

    Args:
        encode: the field with one element.
    """

    __slots__ = ("_encode", "_encoded", "_of")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: tuple[T, ...] = ()
        self._encoded = b""

    def encoded(self, elements: tuple[T, ...]) -> bytes:
        """All *elements*, with tags and lengths."""
        if elements is self._of:
            return self._encoded
        known = len(self._of)
        if elements[:known] != self._of:
            known = 0
            self._encoded = b""
        self._encoded += b"".join([self._encode(element) for element in elements[known:]])
        self._of = elements
        return self._encoded


class Latest(Generic[T]):
    """A message field whose value is replaced as a whole now and then, such as the last result.

    Args:
        encode: the field with a value.
    """

    __slots__ = ("_encode", "_encoded", "_of")

    def __init__(self, encode: Callable[[T], bytes]) -> None:
        self._encode = encode
        self._of: T | None = None
        self._encoded = b""

    def encoded(self, value: T | None) -> bytes:
        """*value* with tag and length; nothing for None."""
        if value is not self._of:
            self._of = value
            self._encoded = b"" if value is None else self._encode(value)
        return self._encoded
