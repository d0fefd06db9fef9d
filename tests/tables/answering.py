"""Answers to decisions, given to a shard as its transports do but without a caller's quota."""

from __future__ import annotations

from croupier_server.games.base import Move, Seat
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard


def submit(shard: Shard, table: Table, seat: Seat, decision_id: str, move: Move) -> int:
    """Answer a decision; the number of the move's event, 0 for a sealed answer."""
    shard.expect_storing()
    try:
        return table.submit(seat, decision_id, move, shard.now_ms())
    finally:
        shard.done(table)


def refuse_unreadable(shard: Shard, table: Table, seat: Seat, decision_id: str) -> None:
    """Give an answer that cannot be read; raises like `Table.refuse_unreadable`."""
    shard.expect_storing()
    table.refuse_unreadable(seat, decision_id, shard.now_ms())
    shard.done(table)
