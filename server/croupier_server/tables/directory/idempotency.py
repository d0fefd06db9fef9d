"""Answers to writes that carried a ``request_id``, kept so that a call can be repeated safely.

Bounded by number and age, and cut short with the tables that they tell of. Of a request no more is
kept than its fingerprint, and of an answer about a table that is gone no more than that it was
given, in little room: there are thousands of them.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from croupier_server.errors import Conflict, NotFound, Reason
from croupier_server.storage.base import ENDED_REQUESTS_MAX, EndedRequest
from croupier_server.tables.spec import CreateTable, JoinTable

DAY_MS: Final = 86_400_000
"""How long an answer is kept."""


def request_key(principal: str, request_id: str) -> bytes:
    """What the answer to this request of *principal* is kept by; empty without a ``request_id``."""
    if not request_id:
        return b""
    return hashlib.sha256(f"{len(principal)} {principal} {request_id}".encode()).digest()


class OfTable(Protocol):
    """An answer that tells of a table."""

    @property
    def table_id(self) -> str:
        """The table."""
        ...


Answer = TypeVar("Answer", bound=OfTable)

_TIME_BYTES: Final = 8
_SHA256_BYTES: Final = 32


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


def _is_same(before: bytes, request: bytes, until: int, now: int) -> bool:
    """Whether the request came *before*, which is known *until* then.

    Raises:
        Conflict: REQUEST_ID_REUSED, it was another one.
    """
    if now >= until:
        return False
    if before != request:
        raise Conflict(
            Reason.REQUEST_ID_REUSED,
            "this request_id was used with another request; use a new one",
            field="request_id",
        )
    return True


def _pack(ended: EndedRequest) -> bytes:
    """What is kept of an answer about a table that is gone: until when, request, table."""
    until = ended.ended_ms + DAY_MS
    return until.to_bytes(_TIME_BYTES) + ended.request + ended.table_id.encode()


def _unpack(data: bytes) -> tuple[int, bytes, str]:
    behind = _TIME_BYTES + _SHA256_BYTES
    return int.from_bytes(data[:_TIME_BYTES]), data[_TIME_BYTES:behind], data[behind:].decode()


class Answers(Generic[Answer]):
    """The last answers of one call, by `request_key`.

    Args:
        number_max: answers that are kept, of tables that are not gone.
    """

    __slots__ = ("_gone", "_kept", "_keys", "_number_max")

    def __init__(self, number_max: int) -> None:
        self._number_max = number_max
        self._kept: OrderedDict[bytes, _Kept[Answer]] = OrderedDict()
        self._keys: dict[str, tuple[bytes, ...]] = {}
        """The same by table; most have one."""
        self._gone: OrderedDict[bytes, bytes] = OrderedDict()
        """Answers about tables that are gone, as `_pack` packs them."""

    def find(self, key: bytes, request: bytes, now: int) -> Answer | None:
        """The answer that the request with this fingerprint got before, if it came before and its
        table is not gone.

        Raises:
            Conflict: REQUEST_ID_REUSED, the id came with another request.
        """
        kept = self._kept.get(key)
        if kept is None or not _is_same(kept.request, request, kept.until, now):
            return None
        return kept.answer

    def expect_new(self, key: bytes, request: bytes, now: int) -> None:
        """Raise if the request came before and its table is gone.

        Raises:
            NotFound: it did; ``table_id`` in the metadata is the table.
            Conflict: REQUEST_ID_REUSED, the id came with another request.
        """
        packed = self._gone.get(key)
        if packed is None:
            return
        until, before, table_id = _unpack(packed)
        if _is_same(before, request, until, now):
            raise NotFound(
                Reason.NOT_FOUND,
                f"request_id already created table {table_id}, which no longer exists",
                field="request_id",
                metadata={"table_id": table_id},
            )

    def keep(self, key: bytes, request: bytes, answer: Answer, now: int) -> None:
        """Remember an answer given at *now*; the oldest one goes when there are too many."""
        if not key:
            return
        self._drop(key)
        self._gone.pop(key, None)
        self._kept[key] = _Kept(request, answer, now + DAY_MS)
        self._keys[answer.table_id] = (*self._keys.get(answer.table_id, ()), key)
        while len(self._kept) > self._number_max:
            self._drop(next(iter(self._kept)))

    def let_go(self, table_id: str, now: int) -> None:
        """The table is gone: keep no more than that it was told of."""
        for key in self._keys.pop(table_id, ()):
            self._keep_gone(EndedRequest(key, self._kept.pop(key).request, table_id, now))

    def go_on_from(self, ended: Iterable[EndedRequest]) -> None:
        """What the server knew before that we follow."""
        for one in ended:
            self._keep_gone(one)

    def forget(self, table_id: str) -> None:
        """Forget all that tells of this table."""
        for key in self._keys.pop(table_id, ()):
            del self._kept[key]

    def _keep_gone(self, ended: EndedRequest) -> None:
        self._gone.pop(ended.key, None)  # else it kept its old place among those that go next
        self._gone[ended.key] = _pack(ended)
        if len(self._gone) > ENDED_REQUESTS_MAX:
            self._gone.popitem(last=False)

    def _drop(self, key: bytes) -> None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return
        table_id = kept.answer.table_id
        keys = tuple([other for other in self._keys[table_id] if other != key])
        if keys:
            self._keys[table_id] = keys
        else:
            del self._keys[table_id]
