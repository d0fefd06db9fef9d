"""The tables of a server: those that are live, those that ended not long ago, and their records.

Must not be put here: what happens at a table.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from functools import partial
from itertools import islice

import structlog

from croupier_server.errors import NotFound, Reason
from croupier_server.storage.base import FinishedMatch, TableLog
from croupier_server.tables.boards import Boards, sitters
from croupier_server.tables.recovery import Recovery
from croupier_server.tables.spec import DealKind, Status
from croupier_server.tables.table import Table
from croupier_server.tables.tally import Tally

_log = structlog.get_logger(__name__)


class Directory:
    """All tables of one server, in the order of their making.

    Args:
        log: where their rows are, and where finished matches go.
        ended_max: ended tables that are still answered for; the oldest one goes.

    Attributes:
        boards: which of them share their cards.
        recovery: those that are still to be taken up after a start.
        tally: what has happened at them, in numbers.
    """

    __slots__ = (
        "_ended",
        "_ended_max",
        "_log",
        "_made",
        "_makers",
        "_tables",
        "boards",
        "recovery",
        "tally",
    )

    def __init__(self, log: TableLog, ended_max: int) -> None:
        self._log = log
        self._ended_max = ended_max
        self._tables: dict[str, Table] = {}
        self._ended: deque[str] = deque()
        self._makers: dict[str, str] = {}
        """Who made a table that has not ended, as far as everybody may know."""
        self._made: Counter[str] = Counter()
        self.boards = Boards()
        self.recovery: Recovery | None = None
        self.tally = Tally()

    def __iter__(self) -> Iterator[Table]:
        """The tables, oldest first."""
        return iter(self._tables.values())

    @property
    def live(self) -> int:
        """Tables that have not ended."""
        return len(self._tables) - len(self._ended) + self.coming

    @property
    def coming(self) -> int:
        """Tables that are still to be taken up."""
        return len(self.recovery) if self.recovery is not None else 0

    def expect_whole(self) -> None:
        """Raise unless all tables are here.

        Raises:
            Unavailable: TABLE_RECOVERING.
        """
        if self.recovery is not None:
            self.recovery.expect_all()

    def sort(self) -> None:
        """Put the tables in the order of their making: they did not come in it."""
        tables = sorted(self._tables.values(), key=lambda table: table.number)
        self._tables = {table.spec.table_id: table for table in tables}

    def made_by(self, principal: str) -> int:
        """Tables of *principal* that have not ended, as far as it may know."""
        return self._made[principal]

    def add(self, table: Table) -> None:
        """A new table."""
        self._tables[table.spec.table_id] = table
        maker = table.opening.creation.principal
        self._makers[table.spec.table_id] = maker
        self._made[maker] += 1
        self.boards.add(table)

    def _uncount(self, table: Table) -> None:
        maker = self._makers.pop(table.spec.table_id, None)
        if maker is not None:
            self._made[maker] -= 1
            if not self._made[maker]:
                del self._made[maker]

    def drop(self, table: Table) -> bool:
        """Give a live table up; returns whether it was there."""
        self.boards.drop(table)
        self._uncount(table)
        return self._tables.pop(table.spec.table_id, None) is not None

    def table(self, table_id: str) -> Table:
        """A table that is live, or ended not long ago.

        Raises:
            NotFound: unknown here, or not for this caller to know.
            Unavailable: TABLE_RECOVERING.
            TableHalted: it could not be taken up.
        """
        table = self._tables.get(table_id)
        if table is None:
            if self.recovery is not None:
                self.recovery.expect(table_id)
            raise NotFound(Reason.NOT_FOUND, "there is no such table", field="table_id")
        return table

    def listed(
        self,
        *,
        kind: int = 0,
        status: Status | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[Table]:
        """Listed tables, newest first.

        Args:
            kind: only those of this game; 0: all.
            status: only those that stand there; None: all.
            before: only those with a smaller `Table.number`; None: all.
            limit: at most so many.

        Raises:
            Unavailable: TABLE_RECOVERING.
        """
        self.expect_whole()
        found = (
            table
            for table in reversed(self._tables.values())
            if table.is_listed
            and kind in (0, table.spec.kind)
            and status in (None, table.seen.status)
            and (before is None or table.number < before)
        )
        return list(islice(found, limit))

    def archive(self, table: Table) -> list[str]:
        """Have the record of an ended table made, and let the oldest ended table go.

        Returns the ids of those that went. A record that cannot be made harms nobody but those who
        look for it: the rows are kept.
        """
        spec = table.spec
        assert table.result is not None
        if table.is_halted:
            _log.error(
                "table halted",
                table_id=spec.table_id,
                sequence=table.journal.sequence,
                fault=table.fault,
            )
        deal = spec.deal
        match = FinishedMatch(
            table_id=spec.table_id,
            kind=spec.kind,
            table=table.created,
            option_text=spec.option_text,
            reveal=table.opening.reveal,
            result=table.result,
            players=tuple(seat.player for seat in table.seats),
            ended_ms=table.ended_ms,
            board=deal.commitment if deal.kind is DealKind.BOARD else b"",
            board_tables=deal.tables,
            sat=tuple(sorted(sitters(table))),
            watched=table.opening.watched,
        )
        self._log.finish(match, partial(_kept, spec.table_id))
        self._uncount(table)
        self.boards.end(table)
        self.tally.end(table)
        self._ended.append(spec.table_id)
        gone = []
        while len(self._ended) > self._ended_max:
            gone.append(self._ended.popleft())
            self._tables.pop(gone[-1], None)
        return gone


def _kept(table_id: str, error: Exception | None) -> None:
    if error is not None:
        _log.error("no record", table_id=table_id, error=type(error).__name__)
