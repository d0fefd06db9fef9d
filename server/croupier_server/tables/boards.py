"""Boards: which tables share their cards, who has sat at them and who has watched them.

Whoever has sat at one table of a board knows cards of the others, so it may not watch them or see
how they went. Whoever has watched a table, or still plays at one, may not sit down at another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from croupier_server.storage.base import BoardTable
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.spec import DealKind
from croupier_server.tables.table import Table
from croupier_server.tables.tickets import is_of

BOARDS_MAX: Final = 4096
"""Maximum boards remembered; then the oldest one without a live table is forgotten."""


class _Known(NamedTuple):
    """Principals who know the cards of a table."""

    sat: frozenset[str]
    watched: frozenset[str]


class _Board:
    """One board: its live tables, and who knows the cards of its ended tables, by table."""

    __slots__ = ("ended", "live")

    def __init__(self) -> None:
        self.live: dict[str, Table] = {}
        self.ended: dict[str, _Known] = {}

    def ended_but(self, table: Table) -> Iterator[_Known]:
        """Who knows the cards of its ended tables other than *table*."""
        name = table.spec.table_id
        return (known for key, known in self.ended.items() if key != name)


class Boards:
    """Boards that are not done. Callers without a key are never barred, as all are `local`."""

    __slots__ = ("_boards",)

    def __init__(self) -> None:
        self._boards: dict[bytes, _Board] = {}

    def go_on_from(self, ended: Iterable[BoardTable]) -> None:
        """Restore the ended tables of boards that are not done."""
        for commitment, table_id, sat, watched in ended:
            known = _Known(frozenset(sat), frozenset(watched))
            self._board(commitment).ended[table_id] = known

    def add(self, table: Table) -> None:
        """Add a new table to its board, if it has one."""
        deal = table.spec.deal
        if deal.kind is DealKind.BOARD and deal.tables > 1:
            self._board(deal.commitment).live[table.spec.table_id] = table

    def end(self, table: Table) -> list[str]:
        """Note that *table* has ended, as far as outsiders may know.

        Returns:
            Ids of the tables that outsiders may see from now on: all of its board if that is done,
            otherwise none.
        """
        board = self._of(table)
        if board is None:
            return []
        board.live.pop(table.spec.table_id, None)
        board.ended[table.spec.table_id] = _known(table)
        if len(board.ended) < table.spec.deal.tables:
            return []
        del self._boards[table.spec.deal.commitment]
        return [*board.ended, *board.live]

    def drop(self, table: Table) -> None:
        """Remove *table*, which was never stored."""
        board = self._of(table)
        if board is not None:
            board.live.pop(table.spec.table_id, None)

    def watch(self, table: Table, principals: Iterable[str]) -> bool:
        """*principals* watch *table*, unless its match has still to begin; returns whether rows of
        it are to be stored.

        A table that has ended has no rows any more: who begins to watch it then is forgotten when
        the server stops.
        """
        board = self._of(table)
        if board is None or not table.opening.has_begun:
            return False
        known = board.ended.get(table.spec.table_id) or _known(table)
        fresh = set(principals) - known.watched - {LOCAL}
        if not fresh:
            return False
        if table.spec.table_id in board.ended:
            board.ended[table.spec.table_id] = known._replace(watched=known.watched | fresh)
            return False
        table.opening.watch(sorted(fresh))
        return True

    def may_not_watch(self, principal: str, table: Table) -> bool:
        """Whether *principal* has sat at another table of the board of *table*, and not all of them
        have ended."""
        board = self._of(table)
        if board is None or principal == LOCAL:
            return False
        return any(principal in other.opening.sitters() for other in self.sisters(table)) or any(
            principal in known.sat for known in board.ended_but(table)
        )

    def may_not_join(self, principal: str, table: Table) -> bool:
        """Whether *principal* has watched another table of the board of *table*, and not all of
        them have ended. At a table where it sits itself it may watch too."""
        board = self._of(table)
        if board is None or principal == LOCAL:
            return False
        return any(
            principal in other.opening.watched
            and all(seat.owner != principal for seat in other.seats)
            for other in board.live.values()
            if other is not table
        ) or any(
            principal in known.watched and principal not in known.sat
            for known in board.ended_but(table)
        )

    def sits_elsewhere(self, principal: str, table: Table) -> bool:
        """Whether *principal* sits at another live table of the board of *table*, and the host does
        not allow it to sit at both."""
        is_shared = table.spec.deal.shared_principals
        return any(
            principal in other.opening.sitters()
            and not (is_shared and other.spec.deal.shared_principals)
            for other in self.sisters(table)
        )

    def veils(self, table: Table, caller: Caller) -> bool:
        """Whether the state of *table* is hidden from *caller*: its board is not done, and *caller*
        is neither the host nor a seat of this very table."""
        return self._of(table) is not None and not is_of(caller, table)

    def sisters(self, table: Table) -> Iterator[Table]:
        """The other live tables of its board."""
        board = self._of(table)
        if board is not None:
            yield from (other for other in board.live.values() if other is not table)

    def _board(self, commitment: bytes) -> _Board:
        """The board with this commitment, which may be a new one."""
        board = self._boards.setdefault(commitment, _Board())
        if len(self._boards) > BOARDS_MAX:
            idle = (key for key, one in self._boards.items() if not one.live and one is not board)
            self._boards.pop(next(idle, b""), None)
        return board

    def _of(self, table: Table) -> _Board | None:
        return self._boards.get(table.spec.deal.commitment)


def _known(table: Table) -> _Known:
    return _Known(table.opening.sitters(), frozenset(table.opening.watched))
