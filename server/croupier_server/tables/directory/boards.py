"""Boards: which tables share their cards, who has sat at them and who has watched them.

Whoever has sat at one table of a board knows cards of the others, so it may neither watch them, see
how they went, nor sit down at them. Neither may whoever has watched one or made a rated one sit
down at others.

A table counts as one of its board while it has not ended, and if its match had begun when it did.
No more tables count than the board has, so it is done when that many have ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from croupier_server.errors import NotAllowed, Reason
from croupier_server.storage.base import BoardTable
from croupier_server.tables.caller import LOCAL, Caller
from croupier_server.tables.directory.tickets import is_of
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import DealKind, TableSpec

BOARDS_MAX: Final = 4096
"""Maximum boards remembered. Then one without a live table is forgotten: the oldest of the host
that has most of them, so nobody has those of others forgotten. A store does not say who made its
boards, so after a restart those of before are as of one host."""


class Known(NamedTuple):
    """Principals who know the cards of a table.

    Attributes:
        sat: those who sat at it.
        watched: those who watched its match; at a rated table also who made it.
    """

    sat: frozenset[str]
    watched: frozenset[str]


class _Terms(NamedTuple):
    """What all tables of a board agree on."""

    tables: int
    rated: bool
    shared: bool


_COUNT: Final = "spec.deal_source.board.table_count"
_FIELDS: Final = (_COUNT, "spec.rated", "spec.deal_source.board.shared_principals")
"""Where a request has `_Terms`."""


class _Board:
    """One board: its live tables, and who knows the cards of its ended tables, by table."""

    __slots__ = ("ended", "host", "live", "terms")

    def __init__(self, terms: _Terms, host: str) -> None:
        self.terms = terms
        self.host = host
        self.live: dict[str, Table] = {}
        self.ended: dict[str, Known] = {}

    def ended_but(self, table: Table) -> Iterator[Known]:
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
        for one in ended:
            board = self._board(one.board, _Terms(one.tables, one.rated, one.shared))
            board.ended[one.table_id] = Known(frozenset(one.sat), frozenset(one.watched))
        for key in list(self._idle())[: max(len(self._boards) - BOARDS_MAX, 0)]:
            del self._boards[key]

    def expect_room(self, spec: TableSpec, principal: str) -> None:
        """Raise unless *principal* may make the table of *spec*, as far as its board is concerned.

        Raises:
            NotAllowed: BOARD_CONFLICT.
        """
        board = self._boards.get(spec.deal.commitment)
        if board is None:
            return
        for field, agreed, wanted in zip(_FIELDS, board.terms, _terms(spec), strict=True):
            if agreed != wanted:
                raise NotAllowed(
                    Reason.BOARD_CONFLICT,
                    f"{field} must be {agreed}, as at the other tables of this board, not "
                    f"{wanted}; for other terms create a new board",
                    field=field,
                )
        if len(board.live) + len(board.ended) >= board.terms.tables:
            raise NotAllowed(
                Reason.BOARD_CONFLICT,
                f"this board already has all of its {board.terms.tables} tables",
                field=_COUNT,
            )
        if spec.rated and any(principal in one.opening.sitters() for one in board.live.values()):
            raise NotAllowed(
                Reason.BOARD_CONFLICT,
                "you sit at a rated table of this board, so you cannot create one",
                field="spec.rated",
            )

    def add(self, table: Table) -> None:
        """Add a new table to its board, if it has one."""
        deal = table.spec.deal
        if deal.kind is DealKind.BOARD:
            host = table.opening.creation.principal
            board = self._board(deal.commitment, _terms(table.spec), host)
            if len(self._boards) > BOARDS_MAX and (idle := self._idle(board)):
                ((host, _),) = Counter(idle.values()).most_common(1)
                del self._boards[next(key for key, one in idle.items() if one == host)]
            board.live[table.spec.table_id] = table

    def end(self, table: Table) -> list[str]:
        """Note that *table* has ended, as far as outsiders may know.

        Returns:
            Ids of the tables that outsiders may see from now on: all of its board if that is done,
            otherwise none.
        """
        board = self._of(table)
        if board is None:
            return []
        if not table.leaves_record:
            self._remove(board, table)
            return []
        board.live.pop(table.spec.table_id, None)
        board.ended[table.spec.table_id] = known(table)
        if len(board.ended) < board.terms.tables:
            return []
        del self._boards[table.spec.deal.commitment]
        return [*board.ended]

    def drop(self, table: Table) -> None:
        """*table* was given up. One that is stored comes back with the next start, so it stays."""
        board = self._of(table)
        if board is not None and not table.journal.committed:
            self._remove(board, table)

    def _remove(self, board: _Board, table: Table) -> None:
        """Remove *table* from its *board*, which may be none then."""
        board.live.pop(table.spec.table_id, None)
        if not board.live and not board.ended:
            del self._boards[table.spec.deal.commitment]

    def watch(self, table: Table, principals: Iterable[str]) -> bool:
        """*principals* watch *table*, unless its match has still to begin; returns whether rows of
        it are to be stored.

        A table that has ended has no rows any more: who begins to watch it then is forgotten when
        the server stops.
        """
        board = self._of(table)
        if board is None or board.terms.tables == 1 or not table.opening.has_begun:
            return False
        before = board.ended.get(table.spec.table_id) or known(table)
        fresh = set(principals) - before.watched - {LOCAL}
        if not fresh:
            return False
        if table.spec.table_id in board.ended:
            board.ended[table.spec.table_id] = before._replace(watched=before.watched | fresh)
            return False
        table.opening.watch(sorted(fresh))
        return True

    def may_not_watch(self, principal: str, table: Table) -> bool:
        """Whether *principal* has sat at another table of the board of *table*, which is not
        done."""
        board = self._of(table)
        if board is None or principal == LOCAL:
            return False
        return any(principal in other.opening.sitters() for other in self.sisters(table)) or any(
            principal in known.sat for known in board.ended_but(table)
        )

    def may_not_join(self, principal: str, table: Table) -> bool:
        """Whether *principal* has watched another table of the board of *table*, which is not done,
        or has made a rated one, be it *table* itself. At a table where it sits itself it may watch
        too."""
        board = self._of(table)
        if board is None or principal == LOCAL:
            return False
        if table.spec.rated and principal == table.opening.creation.principal:
            return True
        return any(
            principal in known(other).watched
            and all(seat.owner != principal for seat in other.seats)
            for other in self.sisters(table)
        ) or any(
            principal in one.watched and principal not in one.sat for one in board.ended_but(table)
        )

    def has_sat_elsewhere(self, principal: str, table: Table) -> bool:
        """Whether *principal* has sat at another table of the board of *table*, which is not done,
        and the host does not allow it to sit at both."""
        return not table.spec.deal.shared_principals and self.may_not_watch(principal, table)

    def veils(self, table: Table, caller: Caller) -> bool:
        """Whether the state of *table* is hidden from *caller*: its board is not done, and *caller*
        is no seat of this very table, nor its host, or a host that has sat at another table."""
        board = self._of(table)
        if board is None or board.terms.tables == 1:
            return False
        if not is_of(caller, table):
            return True
        is_seat = caller.principal in table.opening.sitters()
        return not is_seat and self.may_not_watch(caller.principal, table)

    def sisters(self, table: Table) -> Iterator[Table]:
        """The other live tables of its board."""
        board = self._of(table)
        if board is not None:
            yield from (other for other in board.live.values() if other is not table)

    def _board(self, commitment: bytes, terms: _Terms, host: str = "") -> _Board:
        """The board with this commitment, which may be a new one of *host* with these *terms*."""
        return self._boards.setdefault(commitment, _Board(terms, host))

    def _idle(self, but: _Board | None = None) -> dict[bytes, str]:
        """Boards without a live table *but* one, the oldest first, with their hosts."""
        boards = self._boards.items()
        return {key: one.host for key, one in boards if not one.live and one is not but}

    def _of(self, table: Table) -> _Board | None:
        """The board of *table*, unless that is done. Another one may have the same cards then."""
        board, name = self._boards.get(table.spec.deal.commitment), table.spec.table_id
        return board if board and (name in board.live or name in board.ended) else None


def known(table: Table) -> Known:
    """Who knows the cards of *table*."""
    watched, spec = frozenset(table.opening.watched), table.spec
    if spec.rated and spec.deal.kind is DealKind.BOARD:
        watched |= {table.opening.creation.principal}
    return Known(table.opening.sitters(), watched)


def _terms(spec: TableSpec) -> _Terms:
    return _Terms(spec.deal.tables, spec.rated, spec.deal.shared_principals)
