"""The nonces of one seat: 32 secret bytes each, opened one after another.

One is enough unless a seat of the table withholds its own: then the table starts anew with another
secret, and the nonces that were opened are of no use any more. So each is opened together with the
hash of the next one.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

__all__ = ["NONCE_BYTES", "Nonces", "nonce_hash"]

NONCE_BYTES: Final = 32


def nonce_hash(nonce: bytes) -> bytes:
    """What is published of a nonce before it is opened: its SHA-256."""
    return hashlib.sha256(nonce).digest()


class Nonces:
    """What a seat has promised.

    Attributes:
        last: the nonce that was opened last, or is to be opened first.
    """

    def __init__(self, first: bytes) -> None:
        self.last = first
        self._by_hash = {nonce_hash(first): first}
        self._next: dict[bytes, bytes] = {}

    def open(self, wanted: bytes) -> tuple[bytes, bytes]:
        """The nonce whose hash is *wanted*, and the hash of the one after it; the same ones however
        often it is asked for.

        A hash that was never promised, or none at all, gets the last nonce: the server says what is
        wrong with it.
        """
        self.last = self._by_hash.get(wanted, self.last)
        following = self._next.get(self.last)
        if following is None:
            following = self._next[self.last] = secrets.token_bytes(NONCE_BYTES)
            self._by_hash[nonce_hash(following)] = following
        return self.last, nonce_hash(following)
