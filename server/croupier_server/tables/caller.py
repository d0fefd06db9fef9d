"""Who asks: what every handler gets in place of gRPC's context.

Must not be put here: how a caller is found in a request; ``rpc/callers.py`` does that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

LOCAL: Final = "local"
"""The one principal of a server without keys. Its tables are never rated."""


class Caller(NamedTuple):
    """Who asks, and what they hold.

    Attributes:
        principal: whose key it is, or `LOCAL`.
        scopes: what the key may do.
        ticket: the right to a seat, or ``""``. Secret: never logged.
        host_ticket: the right to a table, or ``""``. Secret: never logged.
    """

    principal: str = LOCAL
    scopes: frozenset[str] = frozenset()
    ticket: str = ""
    host_ticket: str = ""

    def __repr__(self) -> str:
        """Names the principal alone, so that no log line can show a ticket."""
        return f"Caller({self.principal!r})"
