"""API keys: how one is made, read, and kept.

A key is ``crp_<id>_<secret>``. The id is public: lists, logs and ``croupier keys revoke`` name the
key by it. The secret has 256 random bits, so nobody guesses it, however fast the hash: SHA-256 is
right here, where a slow hash would only let strangers keep the server busy. What is kept is the
hash of the whole key; the key itself is shown once, to whoever made it.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple

Secrets = Callable[[int], bytes]
"""A source of random bytes, so many."""

_PREFIX: Final = "crp"
_ID_BYTES: Final = 10
_SECRET_BYTES: Final = 32
_ID_FORM: Final = re.compile(r"[a-z2-7]{16}")
_FORM: Final = re.compile(rf"{_PREFIX}_({_ID_FORM.pattern})_[a-z2-7]{{52}}")
_PRINCIPAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


class Scope(StrEnum):
    """What a key may be for."""

    PLAY = "play"
    SPECTATE = "spectate"
    HOST = "host"
    ORGANISE = "organise"
    ADMIN = "admin"


_IMPLIED: Final = {
    Scope.PLAY: (Scope.SPECTATE,),
    Scope.HOST: (Scope.SPECTATE,),
    Scope.ORGANISE: (Scope.SPECTATE,),
}
"""Who plays, hosts or organises sees what spectators see."""

LOCAL: Final = "local"
"""The one principal of a server without keys. Its tables are never rated."""

HOUSE: Final = "house"
"""The principal of a server's own bots."""

ANYBODY: Final = "anybody"
"""The principal of callers without a key, where keys are asked for."""

RESERVED: Final = frozenset((LOCAL, HOUSE, ANYBODY))
"""Names that no key may have, in upper or lower case."""

LOCAL_SCOPES: Final = frozenset((Scope.PLAY, Scope.SPECTATE, Scope.HOST))
"""What everybody may do where keys are not asked for. Operating a server always takes a key."""


class NewKey(NamedTuple):
    """A key that was made just now.

    Attributes:
        key_id: its public name.
        text: the key itself. Secret: to be shown once and never logged.
        hash: what is kept of it.
    """

    key_id: str
    text: str
    hash: bytes

    def __repr__(self) -> str:
        """Names the id alone, so that no log line can show the key."""
        return f"NewKey({self.key_id!r})"


def new_key(secrets: Secrets) -> NewKey:
    """A key that was never there before."""
    key_id = _text(secrets(_ID_BYTES))
    text = f"{_PREFIX}_{key_id}_{_text(secrets(_SECRET_BYTES))}"
    return NewKey(key_id, text, key_hash(text))


def key_id_of(text: str) -> str:
    """The id of a key, or ``""`` if it is none."""
    found = _FORM.fullmatch(text)
    return found[1] if found else ""


def is_key_id(text: str) -> bool:
    """Whether a key may have this id."""
    return _ID_FORM.fullmatch(text) is not None


def key_hash(text: str) -> bytes:
    """What is kept of a key."""
    return hashlib.sha256(text.encode()).digest()


def with_implied(scopes: frozenset[str]) -> frozenset[str]:
    """*scopes* and those that come with them."""
    return scopes.union(*(_IMPLIED.get(Scope(scope), ()) for scope in scopes))


def is_principal(name: str) -> bool:
    """Whether a key may be made out to *name*."""
    return _PRINCIPAL.fullmatch(name) is not None and name.lower() not in RESERVED


def _text(data: bytes) -> str:
    """*data* in letters and digits that a double click selects as one word."""
    return b32encode(data).decode().rstrip("=").lower()
