"""Keeps current who may come in: keys and certificates, looked at once a second.

What cannot be looked at now is as it was known last; that is said in the log once, and once when it
is over.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from croupier_server.identity.keyring import KeyRing
from croupier_server.logging import fault
from croupier_server.rpc.tls import Certificates

_log = structlog.get_logger(__name__)

PERIOD_SECONDS: Final = 1.0
"""So much later at the latest a key that was revoked is good no longer."""


class Door:
    """Who may come in, kept current.

    Args:
        keys: the server's keys.
        certificates: its certificates, if it has any.
    """

    def __init__(self, keys: KeyRing, certificates: Certificates | None = None) -> None:
        self._keys = keys
        self._certificates = certificates
        self._in_trouble = False

    async def look(self) -> None:
        """Look at keys and certificates now."""
        if self._certificates is not None:
            self._certificates.refresh()
        try:
            await self._keys.refresh()
        except Exception as error:
            if not self._in_trouble:
                _log.error("keys unreadable", **fault(error))
            self._in_trouble = True
        else:
            if self._in_trouble:
                _log.info("keys readable again")
            self._in_trouble = False

    async def run(self) -> None:
        """Look once a second, until cancelled."""
        while True:
            await asyncio.sleep(PERIOD_SECONDS)
            await self.look()
