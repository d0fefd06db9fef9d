"""The seats of one principal: as a list, and as a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from croupier.v1 import seat_service_pb2 as pb
from croupier_server.errors import NotAllowed, Reason
from croupier_server.identity.quota import Quota
from croupier_server.rpc.at_tables import AtTables
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.directory.assignments import Place
from croupier_server.tables.feeds.assignments import CAUGHT_UP, assignment
from croupier_server.wire.encode import field_bytes, field_text

_SEAT_S: Final = 50e-6
"""Seconds of processor time that sending a seat is charged with."""


class SeatService(AtTables):
    """``croupier.v1.SeatService``."""

    service = "croupier.v1.SeatService"

    async def watch_seats(
        self, caller: Caller, request: pb.WatchSeatsRequest
    ) -> AsyncGenerator[bytes, None]:
        """The seats of *caller*, then what changes."""
        _expect_key(caller)
        feed = self._shard.watch_seats(caller, kind=request.game)
        start = _Start(caller.quota)
        try:
            with while_key_lasts(caller, feed):
                async for update in feed:
                    start.add(update)
                    yield update
        finally:
            start.pay()

    async def list_seats(self, caller: Caller, request: pb.ListSeatsRequest) -> bytes:
        """A page of the seats of *caller*."""
        _expect_key(caller)
        directory = self._shard.directory
        directory.expect_whole()
        who = caller.principal
        scope = f"seats/{who}/{request.game}"
        cursor = self._pages.cursor(scope, request.page_token)
        found = directory.assignments.page(
            who,
            kind=request.game,
            before=Place(*map(int, cursor.split("."))) if cursor else None,
            limit=self._pages.size(request.page_size),
        )
        answer = b"".join(
            field_bytes(1, assignment(table, seat, state, who))
            for table, seat, state in found.seats
        )
        if found.last is not None:
            number, seat = found.last
            answer += field_text(2, self._pages.token(scope, f"{number}.{seat}"))
        return answer


class _Start:
    """The seats at the start of a stream, which its reader has asked for. What comes later is the
    work of others.

    Args:
        quota: pays for them.
    """

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self._is_start = True
        self._seats = 0
        self._bytes = 0

    def add(self, update: bytes) -> None:
        """*update* is sent."""
        if self._is_start:
            self._seats += 1
            self._bytes += len(update)
            if update == CAUGHT_UP:
                self.pay()

    def pay(self) -> None:
        """Charge for what was sent, once."""
        if self._is_start:
            self._is_start = False
            self._quota.charge_work(self._seats * _SEAT_S, self._bytes)


def _expect_key(caller: Caller) -> None:
    """Refuse callers that cannot be told apart.

    Raises:
        NotAllowed: PERMISSION_DENIED, the server asks for no keys.
    """
    if caller.principal == LOCAL:
        raise NotAllowed(
            Reason.PERMISSION_DENIED,
            "this server requires no keys, so all callers are one principal and nobody's seats can "
            "be listed; keep the tickets that JoinTable returned",
        )
