"""Answers to writes that carried a ``request_id``, kept so that a call can be repeated safely.

Bounded by number and age. Of a request no more is kept than its fingerprint. Must not be put here:
which calls are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict
from typing import Final, Generic, NamedTuple, TypeVar

from croupier_server.errors import Conflict, Reason
from croupier_server.tables.spec import CreateTable, JoinTable

DAY_MS: Final = 86_400_000
"""How long an answer is kept."""

Answer = TypeVar("Answer")


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

    __slots__ = ("_kept", "_number_max")

    def __init__(self, number_max: int) -> None:
        self._number_max = number_max
        self._kept: OrderedDict[tuple[str, str], _Kept[Answer]] = OrderedDict()

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
        self._kept.pop(key, None)
        self._kept[key] = _Kept(request, answer, now + DAY_MS)
        while len(self._kept) > self._number_max:
            self._kept.popitem(last=False)

    def forget(self, is_void: Callable[[Answer], bool]) -> None:
        """Forget answers that tell of what did not happen in the end."""
        void = [key for key, kept in self._kept.items() if is_void(kept.answer)]
        for key in void:
            del self._kept[key]
