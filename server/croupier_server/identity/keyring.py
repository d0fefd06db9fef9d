"""The keys of a server in memory, and what ends when one of them stops being good.

The store is looked at about once a second by `KeyRing.refresh`; between two looks a call costs one
hash and no query. While the store cannot be reached the keys known last go on to work, and expire
when their time has come: a lost connection locks nobody out of a running match.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from croupier_server.errors import NotAllowed, Reason
from croupier_server.identity.keys import (
    NewKey,
    Scope,
    Secrets,
    key_hash,
    key_id_of,
    new_key,
    with_implied,
)
from croupier_server.storage.base import StoredKey

if TYPE_CHECKING:
    from croupier_server.storage.keys import KeyStore

_NEVER: Final = -1


class LiveKey:
    """A key, as long as anybody may know of it.

    Attributes:
        key_id: its public name.
        principal: who calls with it.
        scopes: what it may do, implied scopes among them.
        fault: why it is good no longer; empty while it is.
    """

    __slots__ = ("_endings", "_expires_ms", "_hash", "fault", "key_id", "principal", "scopes")

    def __init__(self, stored: StoredKey) -> None:
        self.key_id = stored.key_id
        self.principal = stored.principal
        self.scopes = with_implied(stored.scopes)
        self.fault = ""
        self._hash = stored.hash
        self._expires_ms = stored.expires_ms
        self._endings: dict[Callable[[], None], None] = {}

    def is_text(self, text: str) -> bool:
        """Whether *text* is this key, in a time that does not depend on where it differs."""
        return hmac.compare_digest(self._hash, key_hash(text))

    def expire(self, now_ms: int) -> None:
        """End it if its time is over."""
        if self._expires_ms is not None and self._expires_ms <= now_ms:
            self.end("the key has expired")

    def end(self, fault: str) -> None:
        """It is good no longer: end what it opened."""
        if self.fault:
            return
        self.fault = fault
        endings, self._endings = self._endings, {}
        for ending in endings:
            ending()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Have *end* called if the key stops being good while this lasts."""
        if self.fault:
            end()
        self._endings[end] = None
        try:
            yield
        finally:
            self._endings.pop(end, None)


class TurnedAway(NotAllowed):
    """Somebody whom we know may not do this: the key is good no longer, or lacks the scope.

    Attributes:
        key: what was shown.
    """

    def __init__(self, reason: Reason, message: str, key: LiveKey) -> None:
        super().__init__(reason, message)
        self.key = key


_NOBODYS: Final = LiveKey(StoredKey("", "", frozenset(), bytes(32), 0))
"""Stands in for a key that is not there, so that the answer takes as long."""


class KeyRing:
    """The keys of one server.

    Args:
        store: where they are kept.
        now_ms: the time.
    """

    def __init__(self, store: KeyStore, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._now_ms = now_ms
        self._version = _NEVER
        self._stored: dict[str, LiveKey] = {}
        self._own: dict[str, LiveKey] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nobody but the server itself has a key that is good."""
        return all(key.fault for key in self._stored.values())

    async def refresh(self) -> None:
        """Take over what has changed in the store, and end the keys whose time is over.

        Raises:
            Exception: the store's own, when it cannot be reached; what is known stays good.
        """
        self._expire()
        version = await self._store.version()
        if version != self._version:
            self._take(await self._store.all())
            self._version = version
            self._expire()

    def knows(self, principal: str) -> bool:
        """Whether *principal* has a key of the store that is good."""
        return any(not key.fault and key.principal == principal for key in self._stored.values())

    def find(self, text: str) -> LiveKey:
        """The key that *text* is.

        Raises:
            NotAllowed: UNAUTHENTICATED; `TurnedAway`, which tells that the key was good once, for
                who has the whole of it.
        """
        key_id = key_id_of(text)
        key = self._stored.get(key_id) or self._own.get(key_id, _NOBODYS)
        if not key.is_text(text):
            raise NotAllowed(
                Reason.UNAUTHENTICATED, "this server has no such key; check that it is complete"
            )
        key.expire(self._now_ms())
        if key.fault:
            raise TurnedAway(Reason.UNAUTHENTICATED, key.fault, key)
        return key

    def make_own(self, principal: str, scopes: Iterable[Scope], secrets: Secrets) -> NewKey:
        """A key of this process, which is never stored and goes with it."""
        made = new_key(secrets)
        stored = StoredKey(made.key_id, principal, frozenset(scopes), made.hash, 0)
        self._own[made.key_id] = LiveKey(stored)
        return made

    def _take(self, stored: Iterable[StoredKey]) -> None:
        """Have the keys that the store has, and no others."""
        before, self._stored = self._stored, {}
        for one in stored:
            key = before.pop(one.key_id, None) or LiveKey(one)
            self._stored[one.key_id] = key
            if one.revoked_ms is not None:
                key.end("the key was revoked")
        for key in before.values():
            key.end("the key was deleted")

    def _expire(self) -> None:
        now = self._now_ms()
        for key in self._stored.values():
            key.expire(now)
