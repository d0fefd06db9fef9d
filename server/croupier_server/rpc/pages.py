"""Page tokens and cursors: opaque marks of a place in a list or a stream, good for that one alone.

A token from another list, another filter or nowhere is refused instead of read as a place; a cursor
of another life of the server or its store is recognised as such. Both may count what is not listed,
so nobody else can read them. Page tokens do not outlive the server.
"""

from __future__ import annotations

import binascii
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final, TypeVar

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.sealed import TAG_BYTES, seal, unseal

T = TypeVar("T")

_NONCE_BYTES: Final = 8
_CURSOR_BYTES: Final = 16
"""The length of a cursor shows as a multiple of this."""


class PageTokens:
    """Makes and reads page tokens.

    Args:
        key: secret bytes of this server.
        size: items of a page when the request leaves it to the server.
        size_max: items of the largest page.
    """

    def __init__(self, key: bytes, size: int = 100, size_max: int = 1000) -> None:
        self._key = key
        self._size = min(size, size_max)
        self.size_max = size_max

    def size(self, wanted: int) -> int:
        """Items of a page for a request that wants *wanted*; 0 leaves it to the server."""
        return min(wanted, self.size_max) or self._size

    def token(self, scope: str, cursor: str) -> str:
        """The token of *cursor*; *scope* names the list with its filters."""
        text = cursor.encode()
        text = text.ljust(-(-len(text) // _CURSOR_BYTES) * _CURSOR_BYTES, b"\0")
        return urlsafe_b64encode(seal(self._key, scope, text)).decode().rstrip("=")

    def cursor(self, scope: str, token: str) -> str:
        """The cursor of *token*; empty for no token, the start of the list.

        Raises:
            InvalidRequest: INVALID_PAGE_TOKEN, it was not given out for *scope*.
        """
        if not token:
            return ""
        try:
            data = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except (UnicodeEncodeError, binascii.Error):
            data = b""
        text = unseal(self._key, scope, data)
        if text is None:
            raise InvalidRequest(
                Reason.INVALID_PAGE_TOKEN,
                "the page token does not belong to this list; start without one",
                field="page_token",
            )
        return text.rstrip(b"\0").decode()

    def page(
        self, scope: str, items: Sequence[T], wanted: int, token: str
    ) -> tuple[Sequence[T], str]:
        """One page of a list that never changes, and the token of the next one."""
        start = int(self.cursor(scope, token) or "0")
        end = start + self.size(wanted)
        return items[start:end], self.token(scope, str(end)) if end < len(items) else ""

    def stream(self, scope: str, numbers: int) -> StreamCursors:
        """Cursors of the streams *scope*, of so many numbers each; good for this run."""
        return StreamCursors(self._key, scope, numbers)


class StreamCursors:
    """Makes and reads the cursors of a stream.

    Two cursors of one place differ, so nobody can tell by comparing them whether something happened
    that is not for their eyes.

    Args:
        key: secret bytes of the server or the store that the cursors are good for.
        scope: names the stream with its filters.
        numbers: how many numbers a cursor holds.
    """

    def __init__(self, key: bytes, scope: str, numbers: int) -> None:
        self._key = key
        self._scope = scope
        self._layout = struct.Struct(f">{_NONCE_BYTES}s{numbers}Q")

    def seal(self, *place: int) -> bytes:
        """The cursor of *place*."""
        text = self._layout.pack(secrets.token_bytes(_NONCE_BYTES), *place)
        return seal(self._key, self._scope, text)

    def read(self, cursor: bytes) -> tuple[int, ...] | None:
        """The place of *cursor*; None: it is of another key or scope.

        Raises:
            InvalidRequest: INVALID_CURSOR, it cannot be a cursor of such a stream.
        """
        if len(cursor) != TAG_BYTES + self._layout.size:
            raise InvalidRequest(
                Reason.INVALID_CURSOR,
                f"cursor: {len(cursor)} bytes given, but cursors of this stream have "
                f"{TAG_BYTES + self._layout.size}; send one that it returned, or none",
                field="cursor",
            )
        text = unseal(self._key, self._scope, cursor)
        return None if text is None else self._layout.unpack(text)[1:]
