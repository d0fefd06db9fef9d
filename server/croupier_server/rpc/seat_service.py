"""The seats of one principal: as a list, and as a stream.

Must not be put here: who holds a seat (``tables/held.py``), and who may take one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

import grpc

from croupier.v1 import seat_service_pb2 as pb
from croupier_server.errors import NotAllowed, Reason
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.held import Place, held_seat
from croupier_server.tables.shard import Shard
from croupier_server.wire.encode import field_bytes, field_text


class SeatService:
    """``croupier.v1.SeatService``.

    Args:
        shard: owner of the tables.
        pages: makes page tokens.
    """

    def __init__(self, shard: Shard, pages: PageTokens) -> None:
        self._shard = shard
        self._pages = pages

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """The service, wrapped by *calls*."""
        service = calls.service("croupier.v1.SeatService")
        service.stream("WatchSeats", pb.WatchSeatsRequest, self.watch_seats)
        service.unary("ListSeats", pb.ListSeatsRequest, self.list_seats)
        return service.handler()

    async def watch_seats(
        self, caller: Caller, request: pb.WatchSeatsRequest
    ) -> AsyncGenerator[bytes, None]:
        """The seats of *caller*, then what changes."""
        _expect_key(caller)
        feed = self._shard.watch_seats(caller, kind=request.game)
        try:
            with while_key_lasts(caller, feed):
                async for update in feed:
                    yield update
        finally:
            feed.close()

    async def list_seats(self, caller: Caller, request: pb.ListSeatsRequest) -> bytes:
        """A page of the seats of *caller*."""
        _expect_key(caller)
        directory = self._shard.directory
        directory.expect_whole()
        who = caller.principal
        scope = f"seats/{who}/{request.game}"
        cursor = self._pages.cursor(scope, request.page_token)
        found = directory.held.page(
            who,
            kind=request.game,
            before=Place(*map(int, cursor.split("."))) if cursor else None,
            limit=self._pages.size(request.page_size),
        )
        answer = b"".join(
            field_bytes(1, held_seat(table, seat, hold, who)) for table, seat, hold in found.seats
        )
        if found.last is not None:
            number, seat = found.last
            answer += field_text(2, self._pages.token(scope, f"{number}.{seat}"))
        return answer


def _expect_key(caller: Caller) -> None:
    """Refuse callers that cannot be told apart.

    Raises:
        NotAllowed: PERMISSION_DENIED, the server asks for no keys.
    """
    if caller.principal == LOCAL:
        raise NotAllowed(
            Reason.PERMISSION_DENIED,
            "this server asks for no keys, so all callers are one principal and nobody's seats can "
            "be listed; keep the tickets that JoinTable returned",
        )
