"""Marks that only the server can read: opaque bytes that hold a place in a list or a stream.

A mark holds bytes, masked so that nobody else can read them, and a keyed hash over them and over
what they are for. A mark of something else, of another key or of nobody is told apart.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

TAG_BYTES: Final = 16
"""A mark is as much longer than what it holds."""


def seal(key: bytes, scope: str, text: bytes) -> bytes:
    """The mark that holds *text*, for *scope* alone."""
    tag = _tag(key, scope, text)
    return tag + _masked(key, tag, text)


def unseal(key: bytes, scope: str, mark: bytes) -> bytes | None:
    """What *mark* holds; None: it was not made with *key* for *scope*."""
    tag = mark[:TAG_BYTES]
    text = _masked(key, tag, mark[TAG_BYTES:])
    return text if hmac.compare_digest(tag, _tag(key, scope, text)) else None


def _masked(key: bytes, tag: bytes, text: bytes) -> bytes:
    """*text* so that only whoever has *key* can read it, or the other way round."""
    mask = hashlib.shake_256(key + tag).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, mask, strict=True))


def _tag(key: bytes, scope: str, text: bytes) -> bytes:
    name = scope.encode()
    data = len(name).to_bytes(4, "big") + name + text
    return hashlib.blake2b(data, key=key, digest_size=TAG_BYTES).digest()
