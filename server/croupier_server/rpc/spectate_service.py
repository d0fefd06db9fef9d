"""Watching a table without a seat."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from croupier.v1 import spectate_service_pb2 as pb
from croupier_server.rpc.at_tables import AtTables
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.interceptors import How, wrapped
from croupier_server.tables.caller import Caller
from croupier_server.tables.feeds import snapshots
from croupier_server.wire.encode import field_bytes


class SpectateService(AtTables):
    """``croupier.v1.SpectateService``."""

    service = "croupier.v1.SpectateService"

    @wrapped(How(is_show=True))
    async def spectate_table(
        self, caller: Caller, request: pb.SpectateTableRequest
    ) -> AsyncGenerator[bytes, None]:
        """What everybody may see of a table, event by event."""
        table = self._shard.table(request.table_id, caller)
        async with self._shard.refusing:
            feed = self._shard.spectate(
                table, epoch=request.table_epoch, after=request.after_sequence, caller=caller
            )
        with while_key_lasts(caller, feed):
            async for update in feed:
                yield field_bytes(1, update)

    async def list_public_deal_results(
        self, caller: Caller, request: pb.ListPublicDealResultsRequest
    ) -> bytes:
        """A page of the results that everybody may see."""
        table = self._shard.table(request.table_id, caller)
        page = await self._results(table, request, snapshots.public_results)
        async with self._shard.refusing:
            self._shard.look_at(table, caller)
        return page
