"""Tables: making, finding, joining, starting and stopping them.

Requests become the values of ``tables/spec.py`` here; all that is decided is decided by the shard.
Every write is answered after it has been stored, and refused after that has been stored which the
refusal tells of.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from croupier.v1 import table_service_pb2 as pb
from croupier_server.errors import InvalidRequest
from croupier_server.rpc.at_tables import AtTables
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.interceptors import How, wrapped
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.requests import (
    create_table,
    expect_unguessable,
    join_table,
    printable,
    with_arm,
)
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.feeds.lobby import Place
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.spec import Status
from croupier_server.wire.encode import field_bytes, field_number, field_text

_UPDATE_TOKENS: Final = 0.05
"""Cost of one update of the lobby."""


class TableService(AtTables):
    """``croupier.v1.TableService``.

    Args:
        shard, pages: see `AtTables`.
        house_bots: names of the house bots that a seat may have.
    """

    service = "croupier.v1.TableService"

    def __init__(self, shard: Shard, pages: PageTokens, house_bots: frozenset[str]) -> None:
        super().__init__(shard, pages)
        self._house_bots = house_bots

    async def create_table(self, caller: Caller, request: pb.CreateTableRequest) -> bytes:
        """A new table with its secrets, which are shown this once."""
        expect_unguessable(caller, request.request_id)
        wanted = create_table(request, self._house_bots, is_keyless=caller.principal == LOCAL)
        async with self._shard.refusing:
            try:
                created = self._shard.create_table(caller, wanted)
            except InvalidRequest as error:
                raise with_arm(error, request.spec.game) from None
        await self._shard.committed()
        invites = b"".join(
            field_bytes(3, field_number(1, seat) + field_text(2, code))
            for seat, code in enumerate(created.invite_codes)
            if code
        )
        return self._table(created.table, caller) + field_text(2, created.host_ticket) + invites

    async def get_table(self, caller: Caller, request: pb.GetTableRequest) -> bytes:
        """A table as *caller* may see it."""
        return self._table(self._shard.directory.table(request.table_id, caller), caller)

    async def list_tables(self, caller: Caller, request: pb.ListTablesRequest) -> bytes:
        """A page of tables, newest first."""
        scope = f"tables/{request.game}/{request.status}"
        cursor = self._pages.cursor(scope, request.page_token)
        size = self._pages.size(request.page_size)
        found = self._shard.list_tables(
            kind=request.game,
            status=Status(request.status) if request.status else None,
            before=int(cursor) if cursor else None,
            limit=size,
            caller=caller,
        )
        resource = self._shard.directory.resource
        answer = b"".join(field_bytes(1, resource(table, caller)) for table in found.tables)
        if found.before is not None:
            answer += field_text(2, self._pages.token(scope, str(found.before)))
        return answer

    @wrapped(How(is_show=True))
    async def watch_lobby(
        self, caller: Caller, request: pb.WatchLobbyRequest
    ) -> AsyncGenerator[bytes, None]:
        """Present tables, then changes."""
        cursors = self._pages.stream(f"lobby/{request.game}", 2)
        after = cursors.read(request.cursor) if request.cursor else None
        feed = self._shard.watch_lobby(
            kind=request.game,
            caller=caller,
            follow=request.follow,
            after=None if after is None else Place(*after),
            is_astray=bool(request.cursor) and after is None,
            seal=lambda place: cursors.seal(*place),
        )
        with while_key_lasts(caller, feed):
            async for update in feed:
                caller.quota.charge(_UPDATE_TOKENS)
                yield update

    async def join_table(self, caller: Caller, request: pb.JoinTableRequest) -> bytes:
        """A seat and its ticket."""
        expect_unguessable(caller, request.request_id)
        wanted = join_table(request)
        async with self._shard.refusing:
            joined = self._shard.join(caller, wanted)
        await self._shard.committed()
        return (
            field_number(1, joined.seat)
            + field_text(2, joined.ticket)
            + field_number(3, joined.epoch)
            + field_bytes(4, joined.table.seat_resource())
        )

    async def leave_table(
        self, caller: Caller, request: pb.LeaveTableRequest
    ) -> pb.LeaveTableResponse:
        """Frees a seat before the start."""
        async with self._shard.refusing:
            self._shard.leave(caller, request.table_id)
        await self._shard.committed()
        return pb.LeaveTableResponse()

    async def start_table(self, caller: Caller, request: pb.StartTableRequest) -> bytes:
        """Starts a table."""
        async with self._shard.refusing:
            table = self._shard.start(caller, request.table_id)
        await self._shard.committed()
        return self._table(table, caller)

    async def abort_table(self, caller: Caller, request: pb.AbortTableRequest) -> bytes:
        """Stops a table."""
        detail = printable("detail", request.detail)
        async with self._shard.refusing:
            table = self._shard.abort(caller, request.table_id, detail)
        await self._shard.committed()
        return self._table(table, caller)

    def _table(self, table: Table, caller: Caller) -> bytes:
        return field_bytes(1, self._shard.directory.resource(table, caller))
