"""Watching a table without a seat."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import grpc

from croupier.v1 import spectate_service_pb2 as pb
from croupier_server.rpc.callers import while_key_lasts
from croupier_server.rpc.deal_results import results_page
from croupier_server.rpc.interceptors import Calls
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.caller import Caller
from croupier_server.tables.feeds import snapshots
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.encode import field_bytes


class SpectateService:
    """``croupier.v1.SpectateService``.

    Args:
        shard: owner of the tables.
        pages: makes page tokens.
    """

    def __init__(self, shard: Shard, pages: PageTokens) -> None:
        self._shard = shard
        self._pages = pages

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """The service, wrapped by *calls*."""
        service = calls.service("croupier.v1.SpectateService")
        service.stream("SpectateTable", pb.SpectateTableRequest, self.spectate_table)
        service.unary(
            "ListPublicDealResults",
            pb.ListPublicDealResultsRequest,
            self.list_public_deal_results,
        )
        return service.handler()

    async def spectate_table(
        self, caller: Caller, request: pb.SpectateTableRequest
    ) -> AsyncGenerator[bytes, None]:
        """What everybody may see of a table, event by event."""
        table = self._shard.table(request.table_id, caller)
        async with self._shard.refusing:
            feed = self._shard.spectate(
                table, epoch=request.table_epoch, after=request.after_sequence, caller=caller
            )
        try:
            with while_key_lasts(caller, feed):
                async for update in feed:
                    yield field_bytes(1, update)
        finally:
            feed.close()

    async def list_public_deal_results(
        self, caller: Caller, request: pb.ListPublicDealResultsRequest
    ) -> bytes:
        """A page of the results that everybody may see."""
        table = self._shard.table(request.table_id, caller)
        page = await results_page(
            self._shard, self._pages, table, request, snapshots.public_results
        )
        async with self._shard.refusing:
            self._shard.look_at(table, caller)
        return page
