"""Who calls: the metadata of a call as a `Caller`, if what it came with is enough for the call.

Where no keys are asked for everybody is the principal `local`, and seats and tables are told apart
by tickets alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, Protocol

from croupier_server.errors import InvalidRequest, NotAllowed, Reason
from croupier_server.identity.keyring import KeyRing, LiveKey, TurnedAway
from croupier_server.identity.keys import ANYBODY, HOUSE, LOCAL_SCOPES, Scope
from croupier_server.identity.quota import UNLIMITED, Quotas
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.match.updates import StreamEnd

TICKET: Final = "croupier-ticket"
HOST_TICKET: Final = "croupier-host-ticket"
INVITE: Final = "croupier-invite"
AUTHORIZATION: Final = "authorization"

Metadata = Iterable[tuple[str, str | bytes]]

_TICKET_MAX = 256
_NO_SCOPES: Final[frozenset[str]] = frozenset()


class Gate:
    """Tells callers apart and holds them to their scopes and rates.

    Args:
        keys: the keys that are asked for; None: none are.
        quotas: how fast principals may call; None: as fast as they can.
    """

    def __init__(self, keys: KeyRing | None = None, quotas: Quotas | None = None) -> None:
        self._keys = keys
        self._quotas = quotas
        self._local = self._caller(LOCAL, LOCAL_SCOPES)
        self._anybody = self._caller(ANYBODY, _NO_SCOPES)

    @property
    def asks_for_keys(self) -> bool:
        """Whether principals are told apart by keys."""
        return self._keys is not None

    def admit(
        self, metadata: Metadata | None, scope: Scope | None, peer: Callable[[], str]
    ) -> Caller:
        """The caller that *metadata* tells of; what means nothing here is passed over.

        Args:
            metadata: as it came with the call.
            scope: that the call takes; None: it takes no key. A key that is sent must be good.
            peer: returns the connection, by which alone callers without a key are told apart.

        Raises:
            InvalidRequest: MALFORMED_REQUEST for a ticket that comes twice or cannot be one.
            NotAllowed: UNAUTHENTICATED without a good key, PERMISSION_DENIED without the scope;
                `TurnedAway` where the key is one that we know.
        """
        keys: list[str | bytes] = []
        tickets: dict[str, str] = {}
        for name, value in metadata or ():
            if name == AUTHORIZATION:
                keys.append(value)
            elif name in (TICKET, HOST_TICKET, INVITE):
                if name in tickets or not _may_be_ticket(value):
                    raise InvalidRequest(
                        Reason.MALFORMED_REQUEST,
                        f"metadata {name} must be sent once, with a ticket as the server issued it",
                        field=name,
                    )
                tickets[name] = str(value)
        found = self._identify(keys, scope)
        return Caller(
            found.principal,
            found.scopes,
            tickets.get(TICKET, ""),
            tickets.get(HOST_TICKET, ""),
            tickets.get(INVITE, ""),
            found.key,
            found.quota,
            peer() if found.key is None else found.principal,
        )

    def _identify(self, keys: list[str | bytes], scope: Scope | None) -> Caller:
        if self._keys is None:
            if keys:
                raise NotAllowed(
                    Reason.UNAUTHENTICATED,
                    "this server requires no keys; call without one: unset CROUPIER_KEY and "
                    "CROUPIER_KEY_FILE",
                )
            caller = self._local
        elif keys:
            key = self._keys.find(_bearer(keys))
            caller = self._caller(key.principal, key.scopes, key)
        elif scope is None:
            caller = self._anybody
        else:
            raise NotAllowed(
                Reason.UNAUTHENTICATED, "a key is required: send `authorization: Bearer <key>`"
            )
        if scope is not None and scope not in caller.scopes:
            needed = f"a key with the scope `{scope}` is needed"
            if caller.key is not None:
                raise TurnedAway(Reason.PERMISSION_DENIED, needed, caller.key)
            raise NotAllowed(Reason.PERMISSION_DENIED, needed)
        return caller

    def _caller(self, principal: str, scopes: frozenset[str], key: LiveKey | None = None) -> Caller:
        is_free = self._quotas is None or principal == HOUSE
        quota = UNLIMITED if is_free or self._quotas is None else self._quotas.of(principal)
        return Caller(principal, scopes, key=key, quota=quota)


class Stream(Protocol):
    """A stream that can be told to end."""

    def finish(self, reason: StreamEnd, detail: str = "") -> None:
        """End it, behind what is due."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@contextmanager
def while_key_lasts(caller: Caller, stream: Stream) -> Iterator[None]:
    """Close *stream* at the end of this; end it with KEY_REVOKED if the key of *caller* stops being
    good before."""
    key = caller.key
    try:
        with waking_when_key_ends(
            caller, lambda: stream.finish(StreamEnd.KEY_REVOKED, "" if key is None else key.fault)
        ):
            yield
    finally:
        stream.close()


def waking_when_key_ends(caller: Caller, wake: Callable[[], None]) -> AbstractContextManager[None]:
    """Have *wake* called if the key of *caller* stops being good while this lasts."""
    return nullcontext() if caller.key is None else caller.key.ending(wake)


def _bearer(values: list[str | bytes]) -> str:
    """The key of the one header ``authorization``, or ``""``, which is none."""
    if len(values) == 1 and isinstance(values[0], str):
        scheme, _, key = values[0].partition(" ")
        if scheme.lower() == "bearer":
            return key.strip()
    return ""


def _may_be_ticket(value: str | bytes) -> bool:
    return isinstance(value, str) and len(value) <= _TICKET_MAX and value.isascii()
