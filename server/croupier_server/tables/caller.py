"""Who asks: what every handler gets in place of gRPC's context."""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier_server.identity.keyring import LiveKey
from croupier_server.identity.keys import LOCAL
from croupier_server.identity.quota import UNLIMITED, Quota

__all__ = ["LOCAL", "NOBODY", "Caller"]


class Caller(NamedTuple):
    """Who asks, and what they hold.

    Attributes:
        principal: whose key it is, or `LOCAL`.
        scopes: what the key may do.
        ticket: the right to a seat, or ``""``. Secret: never logged.
        host_ticket: the right to a table, or ``""``. Secret: never logged.
        invite: an invite code of a private table, or ``""``. Secret: never logged.
        key: the key; None: it came without one.
        quota: how much work it may ask for.
        flow: whom it shares its turns on the loop with, see ``rpc/turns.py``.
    """

    principal: str = LOCAL
    scopes: frozenset[str] = frozenset()
    ticket: str = ""
    host_ticket: str = ""
    invite: str = ""
    key: LiveKey | None = None
    quota: Quota = UNLIMITED
    flow: str = ""

    def __repr__(self) -> str:
        """Names the principal alone, so that no log line can show a ticket."""
        return f"Caller({self.principal!r})"


NOBODY: Final = Caller()
"""Somebody without a key and without a ticket."""
