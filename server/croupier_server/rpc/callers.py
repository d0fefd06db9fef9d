"""Who calls: the metadata of a call as a `Caller`.

Without keys everybody is the principal `local`; seats and tables are told apart by tickets alone.
Must not be put here: what a caller may do. Tickets are judged by the table that they are for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croupier_server.errors import InvalidRequest, NotAllowed, Reason
from croupier_server.tables.caller import LOCAL, Caller

TICKET: Final = "croupier-ticket"
HOST_TICKET: Final = "croupier-host-ticket"
AUTHORIZATION: Final = "authorization"

_TICKET_MAX = 256
_SCOPES: Final[frozenset[str]] = frozenset()
_NOBODY: Final = Caller(LOCAL, _SCOPES)


def caller_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> Caller:
    """The caller that *metadata* tells of; keys that mean nothing here are passed over.

    Raises:
        InvalidRequest: MALFORMED_REQUEST for a ticket that comes twice or cannot be one.
        NotAllowed: UNAUTHENTICATED for a key, since this server has given out none.
    """
    tickets: dict[str, str] = {}
    for key, value in metadata or ():
        if key == AUTHORIZATION:
            raise NotAllowed(Reason.UNAUTHENTICATED, "this server has given out no keys")
        if key in (TICKET, HOST_TICKET):
            if key in tickets or not _may_be_ticket(value):
                raise InvalidRequest(
                    Reason.MALFORMED_REQUEST,
                    f"metadata {key} must come once, with a ticket as it was given out",
                    field=key,
                )
            tickets[key] = str(value)
    if not tickets:
        return _NOBODY
    return Caller(LOCAL, _SCOPES, tickets.get(TICKET, ""), tickets.get(HOST_TICKET, ""))


def _may_be_ticket(value: str | bytes) -> bool:
    return isinstance(value, str) and len(value) <= _TICKET_MAX and value.isascii()
