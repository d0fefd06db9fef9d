"""Page tokens: opaque marks of a place in a list, good for that list alone.

A token holds a cursor, which only the server can read, and a keyed hash over the list's name and
filters and the cursor, so that a token from another list, another filter or nowhere is refused
instead of read as a place. A cursor may count what is not listed, so nobody else is to read it. The
key is the server's own; tokens do not outlive it.

Must not be put here: what a cursor means. It is the text by which a list goes on.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final, TypeVar

from croupier_server.errors import InvalidRequest, Reason

T = TypeVar("T")

_TAG_BYTES: Final = 16
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
        tag = self._tag(scope, text)
        return urlsafe_b64encode(tag + self._hide(tag, text)).decode().rstrip("=")

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
        tag = data[:_TAG_BYTES]
        text = self._hide(tag, data[_TAG_BYTES:])
        if not hmac.compare_digest(tag, self._tag(scope, text)):
            raise InvalidRequest(
                Reason.INVALID_PAGE_TOKEN,
                "the page token was not given out for this list; start without one",
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

    def _hide(self, tag: bytes, text: bytes) -> bytes:
        """*text* so that only this server can read it, or the other way round."""
        mask = hashlib.shake_256(self._key + tag).digest(len(text))
        return bytes(one ^ other for one, other in zip(text, mask, strict=True))

    def _tag(self, scope: str, text: bytes) -> bytes:
        name = scope.encode()
        data = len(name).to_bytes(4, "big") + name + text
        return hashlib.blake2b(data, key=self._key, digest_size=_TAG_BYTES).digest()
