"""What the services of tables have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from croupier_server.errors import HALTED, Reason, TableHalted
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.encode import field_bytes, field_text

T = TypeVar("T")


class PageRequest(Protocol):
    """What the requests for results of deals have in common."""

    page_size: int
    page_token: str


class AtTables:
    """A service of tables.

    Args:
        shard: owner of the tables.
        pages: makes page tokens.
    """

    def __init__(self, shard: Shard, pages: PageTokens) -> None:
        self._shard = shard
        self._pages = pages

    async def _whole(self, table: Table) -> None:
        """Wait until all that has happened at *table* is stored."""
        while table.journal.committed < table.journal.sequence:
            await self._shard.committed()

    async def _results(
        self, table: Table, request: PageRequest, seen: Callable[[Table], Sequence[object]]
    ) -> bytes:
        """Payload of the answer: a page of the results of finished deals that are *seen* of
        *table*, once all of it is stored.

        Raises:
            TableHalted: the table cannot be shown.
            InvalidRequest: INVALID_PAGE_TOKEN.
        """
        await self._whole(table)
        results = self._shown(table, seen)
        scope = f"deal-results/{table.spec.table_id}"
        some, token = self._pages.page(scope, results, request.page_size, request.page_token)
        answer = b"".join(field_bytes(1, table.wire.deal_result_bytes(one)) for one in some)
        return answer + field_text(2, token) if token else answer

    def _shown(self, table: Table, show: Callable[[Table], T]) -> T:
        """What *show* makes of *table*, which a fault stops.

        Raises:
            TableHalted: it was one.
        """
        try:
            return show(table)
        except Exception as fault:
            self._shard.failed(table, fault)
            raise TableHalted(Reason.TABLE_HALTED, HALTED) from fault
