"""Who was turned away at the gate of the operators, written to the audit log.

Only whoever has a key of this server, bad or without the scope, is written down, and no more often
than once an hour for each key, call and reason: else anybody who reaches the port could fill the
disk. Calls without a key, or with one that never was, are numbers and lines of the log alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from croupier_server.identity.keyring import TurnedAway
from croupier_server.logging import fault
from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import AuditEntry

_log = structlog.get_logger(__name__)

_EVERY_MS: Final = 3_600_000


@dataclass(slots=True)
class _Told:
    """The last entry of a kind: when it was, and how many have been left out since."""

    at_ms: int
    left_out: int = 0


class TurnedAwayLog:
    """Writes entries.

    Args:
        audit: gets them.
        now_ms: the time.
    """

    def __init__(self, audit: AuditLog, now_ms: Callable[[], int]) -> None:
        self._audit = audit
        self._now_ms = now_ms
        self._told: dict[tuple[str, str, str], _Told] = {}

    async def __call__(self, path: str, error: TurnedAway) -> None:
        """Write down that the call of *path* was refused with *error*, unless it was of late.

        A store that fails does not change what the caller is answered.
        """
        key, method, now = error.key, path.rpartition("/")[2], self._now_ms()
        kind = key.key_id, method, error.reason.value
        last = self._told.get(kind)
        if last is not None and now < last.at_ms + _EVERY_MS:
            last.left_out += 1
            return
        self._told[kind] = _Told(now)
        detail = f"turned away, key {key.key_id}"
        if last is not None and last.left_out:
            detail += f", {last.left_out} times more since the last entry"
        try:
            await self._audit.add(
                AuditEntry(now, key.principal, method, "", detail, error.reason.value)
            )
        except Exception as trouble:
            _log.error("not audited", **fault(trouble))
