"""Answers to writes that carried a ``request_id``, kept so that a call can be repeated safely.

Bounded by number and age, and cut short with the tables that they tell of. Of a request no more is
kept than its fingerprint. Must not be put here: which calls are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import asdict
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from croupier_server.errors import Conflict, Reason
from croupier_server.tables.spec import CreateTable, JoinTable

DAY_MS: Final = 86_400_000
"""How long an answer is kept."""


class OfTable(Protocol):
    """An answer that tells of a table."""

    @property
    def table_id(self) -> str:
        """The table."""
        ...


Answer = TypeVar("Answer", bound=OfTable)
_Key = tuple[str, str]


def fingerprint(request: CreateTable | JoinTable) -> bytes:
    """SHA-256 over all of *request*; empty where it has no ``request_id``."""
    if not request.request_id:
        return b""
    text = json.dumps(asdict(request), default=bytes.hex, sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


class _Kept(NamedTuple, Generic[Answer]):
    request: bytes
    answer: Answer
    until: int


class Answers(Generic[Answer]):
    """The last answers of one call, by principal and ``request_id``."""

    __slots__ = ("_kept", "_keys", "_number_max")

    def __init__(self, number_max: int) -> None:
        self._number_max = number_max
        self._kept: OrderedDict[_Key, _Kept[Answer]] = OrderedDict()
        self._keys: dict[str, tuple[_Key, ...]] = {}  # by table, most of which have one

    def find(self, principal: str, request_id: str, request: bytes, now: int) -> Answer | None:
        """The answer that the request with this fingerprint got before, if it came before.

        Raises:
            Conflict: REQUEST_ID_REUSED, the id came with another request.
        """
        if not request_id:
            return None
        kept = self._kept.get((principal, request_id))
        if kept is None or now >= kept.until:
            return None
        if kept.request != request:
            raise Conflict(
                Reason.REQUEST_ID_REUSED,
                "this request_id came before with another request",
                field="request_id",
            )
        return kept.answer

    def keep(
        self, principal: str, request_id: str, request: bytes, answer: Answer, now: int
    ) -> None:
        """Remember an answer given at *now*; the oldest one goes when there are too many."""
        if not request_id:
            return
        key = (principal, request_id)
        self._drop(key)
        self._kept[key] = _Kept(request, answer, now + DAY_MS)
        self._keys[answer.table_id] = (*self._keys.get(answer.table_id, ()), key)
        while len(self._kept) > self._number_max:
            self._drop(next(iter(self._kept)))

    def forget(self, table_id: str) -> None:
        """Forget all that tells of this table."""
        for key in self._keys.pop(table_id, ()):
            del self._kept[key]

    def shorten(self, table_id: str, answer: Answer) -> None:
        """Keep no more than *answer* of what tells of this table."""
        for key in self._keys.get(table_id, ()):
            self._kept[key] = self._kept[key]._replace(answer=answer)

    def _drop(self, key: _Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return
        table_id = kept.answer.table_id
        keys = tuple([other for other in self._keys[table_id] if other != key])
        if keys:
            self._keys[table_id] = keys
        else:
            del self._keys[table_id]
