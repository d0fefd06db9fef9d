"""Boards: which tables share their cards, and who has sat at them.

Whoever has sat at one table of a board knows cards of the others, and would learn more by watching
them. Must not be put here: the cards of a board, and what somebody who is barred is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from croupier_server.storage.base import BoardTable
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.spec import DealKind
from croupier_server.tables.table import Table

BOARDS_MAX: Final = 4096
"""Boards that are remembered; beyond, the oldest one is forgotten."""


class _Board:
    """One board: its tables that have not ended, and who sat at those that have, by table."""

    __slots__ = ("ended", "live")

    def __init__(self) -> None:
        self.live: dict[str, Table] = {}
        self.ended: dict[str, frozenset[str]] = {}


class Boards:
    """Boards with tables that have not ended. Whoever calls without a key cannot be told apart."""

    __slots__ = ("_boards",)

    def __init__(self) -> None:
        self._boards: dict[bytes, _Board] = {}

    def go_on_from(self, ended: Iterable[BoardTable]) -> None:
        """After a start: the tables that had ended, of boards that are not done."""
        for commitment, table_id, sat in ended:
            self._board(commitment).ended[table_id] = frozenset(sat)

    def add(self, table: Table) -> None:
        """A new table."""
        deal = table.spec.deal
        if deal.kind is DealKind.BOARD and deal.tables > 1:
            self._board(deal.commitment).live[table.spec.table_id] = table

    def end(self, table: Table) -> None:
        """*table* has ended, as far as everybody may know."""
        board = self._of(table)
        if board is not None:
            board.live.pop(table.spec.table_id, None)
            board.ended[table.spec.table_id] = sitters(table)
            if len(board.ended) >= table.spec.deal.tables:
                del self._boards[table.spec.deal.commitment]

    def drop(self, table: Table) -> None:
        """*table* was given up."""
        board = self._of(table)
        if board is not None:
            board.live.pop(table.spec.table_id, None)

    def is_barred(self, principal: str, table: Table) -> bool:
        """Whether *principal* may not watch *table*: it has sat at another one of its board, and
        not all of them have ended."""
        board = self._of(table)
        if board is None or principal == LOCAL:
            return False
        name = table.spec.table_id
        return any(
            principal in sitters(other) for key, other in board.live.items() if key != name
        ) or any(principal in sat for key, sat in board.ended.items() if key != name)

    def sisters(self, table: Table) -> Iterator[Table]:
        """The other tables of its board that have not ended."""
        board = self._of(table)
        if board is not None:
            yield from (other for other in board.live.values() if other is not table)

    def _board(self, commitment: bytes) -> _Board:
        """The board with this commitment, which may be a new one."""
        board = self._boards.setdefault(commitment, _Board())
        if len(self._boards) > BOARDS_MAX:
            del self._boards[next(iter(self._boards))]
        return board

    def _of(self, table: Table) -> _Board | None:
        return self._boards.get(table.spec.deal.commitment)


def sitters(table: Table) -> frozenset[str]:
    """Principals who sit at *table*, or sat there when it ended."""
    return frozenset(seat.principal for seat in table.seats if seat.principal)
