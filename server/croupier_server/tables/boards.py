"""Boards: which tables share their cards, who has sat at them and who has watched them.

Whoever has sat at one table of a board knows cards of the others, and would learn more by watching
them, or by seeing how they went; whoever has watched one must not sit down at another, nor whoever
still plays at one. Must not be put here: the cards of a board, and what somebody who is barred is
told.
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
"""Boards that are remembered; beyond, the oldest one without a live table is forgotten."""


class _Known(NamedTuple):
    """Principals who know the cards of a table."""

    sat: frozenset[str]
    watched: frozenset[str]


class _Board:
    """One board: its tables that have not ended, and who knows the cards of those that have, by
    table."""

    __slots__ = ("ended", "live")

    def __init__(self) -> None:
        self.live: dict[str, Table] = {}
        self.ended: dict[str, _Known] = {}

    def ended_but(self, table: Table) -> Iterator[_Known]:
        """Who knows the cards of its tables that have ended, but for *table*."""
        name = table.spec.table_id
        return (known for key, known in self.ended.items() if key != name)


class Boards:
    """Boards with tables that have not ended. Whoever calls without a key cannot be told apart."""

    __slots__ = ("_boards",)

    def __init__(self) -> None:
        self._boards: dict[bytes, _Board] = {}

    def go_on_from(self, ended: Iterable[BoardTable]) -> None:
        """After a start: the tables that had ended, of boards that are not done."""
        for commitment, table_id, sat, watched in ended:
            known = _Known(frozenset(sat), frozenset(watched))
            self._board(commitment).ended[table_id] = known

    def add(self, table: Table) -> None:
        """A new table."""
        deal = table.spec.deal
        if deal.kind is DealKind.BOARD and deal.tables > 1:
            self._board(deal.commitment).live[table.spec.table_id] = table

    def end(self, table: Table) -> list[str]:
        """*table* has ended, as far as everybody may know; returns the ids of tables that are not
        veiled any more: all of its board, if that is done."""
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
        """*table* was given up."""
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
        """Whether *principal* sits at another table of the board of *table* that has not ended, and
        their host does not allow it to sit at both."""
        is_shared = table.spec.deal.shared_principals
        return any(
            principal in other.opening.sitters()
            and not (is_shared and other.spec.deal.shared_principals)
            for other in self.sisters(table)
        )

    def veils(self, table: Table, caller: Caller) -> bool:
        """Whether *caller* may not see how the match of *table* goes and ends, as its board is not
        done: it is neither the host nor a seat. It may sit at another table of the board."""
        return self._of(table) is not None and not is_of(caller, table)

    def sisters(self, table: Table) -> Iterator[Table]:
        """The other tables of its board that have not ended."""
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
