"""Pages of the results of a match's finished deals, for seats and for everybody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from croupier_server.errors import Reason, TableHalted
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.wire.encode import field_bytes, field_text


class PageRequest(Protocol):
    """What the requests have in common."""

    page_size: int
    page_token: str


async def results_page(
    shard: Shard,
    pages: PageTokens,
    table: Table,
    request: PageRequest,
    seen: Callable[[Table], Sequence[object]],
) -> bytes:
    """Payload of the answer: a page of what is *seen* of *table*, once all of it is stored.

    Raises:
        TableHalted: the table cannot be shown.
        InvalidRequest: INVALID_PAGE_TOKEN.
    """
    await whole(shard, table)
    try:
        results = seen(table)
    except Exception as fault:
        shard.failed(table, fault)
        raise TableHalted(Reason.TABLE_HALTED, "a fault stopped this table") from fault
    scope = f"deal-results/{table.spec.table_id}"
    some, token = pages.page(scope, results, request.page_size, request.page_token)
    answer = b"".join(field_bytes(1, table.wire.deal_result_bytes(one)) for one in some)
    return answer + field_text(2, token) if token else answer


async def whole(shard: Shard, table: Table) -> None:
    """Wait until all that has happened at *table* is stored."""
    while table.journal.committed < table.journal.sequence:
        await shard.committed()
