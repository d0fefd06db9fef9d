"""The tables of a server: those that are live, those that ended not long ago, and their records."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

import structlog

from croupier_server.errors import NotFound, Reason
from croupier_server.identity.keys import HOUSE
from croupier_server.storage.base import FinishedMatch, Player, TableLog
from croupier_server.tables.caller import NOBODY, Caller
from croupier_server.tables.directory.assignments import SeatAssignments
from croupier_server.tables.directory.boards import Boards, known
from croupier_server.tables.directory.idempotency import request_key
from croupier_server.tables.directory.tickets import may_see, readers
from croupier_server.tables.durability.recovery import Recovery
from croupier_server.tables.durability.tally import Tally
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import DealKind, Status, Visibility

_log = structlog.get_logger(__name__)

RECORDED_MAX: Final = 4_096
"""Ended tables of which callers are told that there is a record; of older ones they are not."""

SCANNED_MAX: Final = 1_000
"""So many tables are looked at for one page of a list, however few of them are on it."""

_number = attrgetter("number")


class Page(NamedTuple):
    """A part of a list of tables.

    Attributes:
        tables: those on it, newest first.
        before: the list goes on with tables of smaller numbers than this; None: it is at its end.
    """

    tables: list[Table]
    before: int | None


class Archived(NamedTuple):
    """What follows when a table has ended.

    Attributes:
        gone: ids of tables that are no longer answered for.
        unveiled: tables that everybody may see as they are from now on, see `Boards.veils`.
    """

    gone: list[str]
    unveiled: list[Table]


class Directory:
    """All tables of one server, in the order of their making.

    Args:
        log: where their rows are, and where finished matches go.
        ended_max: ended tables that are still answered for; the oldest one goes.

    Attributes:
        assignments: which seats are assigned to which principal.
        boards: which of them share their cards.
        recovery: those that are still to be taken up after a start.
        tally: what has happened at them, in numbers.
        forgotten: the greatest `Table.change` of tables that are gone.
    """

    __slots__ = (
        "_ended",
        "_ended_max",
        "_house_seats",
        "_house_tables",
        "_log",
        "_made",
        "_makers",
        "_order",
        "_readers",
        "_recorded",
        "_tables",
        "assignments",
        "boards",
        "forgotten",
        "recovery",
        "tally",
    )

    def __init__(self, log: TableLog, ended_max: int) -> None:
        self._log = log
        self._ended_max = ended_max
        self._tables: dict[str, Table] = {}
        self._order: list[Table] = []
        """The same, by `Table.number`: after a start they do not come in it."""
        self._ended: deque[str] = deque()
        self._recorded: dict[str, tuple[str, ...] | None] = {}
        """Tables whose records are shown, the newest `RECORDED_MAX`, with their readers."""
        self._readers: dict[str, tuple[str, ...]] = {}
        """Readers of private records that are still held back."""
        self._makers: dict[str, str] = {}
        """Who made a table that has not ended, as far as everybody may know."""
        self._made: Counter[str] = Counter()
        self._house_seats: Counter[str] = Counter()
        self._house_tables: Counter[str] = Counter()
        self.boards = Boards()
        self.assignments = SeatAssignments()
        self.recovery: Recovery | None = None
        self.tally = Tally()
        self.forgotten = 0

    def __iter__(self) -> Iterator[Table]:
        """The tables, oldest first."""
        return iter(self._order)

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

    def made_by(self, principal: str) -> int:
        """Tables of *principal* that have not ended, as far as it may know."""
        return self._made[principal]

    def house_seats_of(self, principal: str) -> int:
        """Seats of house bots at those tables."""
        return self._house_seats[principal]

    def house_tables_of(self, principal: str) -> int:
        """Those of these tables at which only house bots sit."""
        return self._house_tables[principal]

    def add(self, table: Table) -> None:
        """A new table."""
        self._tables[table.spec.table_id] = table
        insort(self._order, table, key=_number)
        maker = table.opening.creation.principal
        self._makers[table.spec.table_id] = maker
        self._count(maker, table, 1)
        self.boards.add(table)

    def _count(self, maker: str, table: Table, by: int) -> None:
        """Count *table* and its house seats for its maker, or no longer."""
        seats = table.spec.house_seats
        is_all = seats == len(table.spec.seats)
        for counter, amount in (
            (self._made, 1),
            (self._house_seats, seats),
            (self._house_tables, int(is_all)),
        ):
            counter[maker] += by * amount
            if not counter[maker]:
                del counter[maker]

    def _uncount(self, table: Table) -> None:
        maker = self._makers.pop(table.spec.table_id, None)
        if maker is not None:
            self._count(maker, table, -1)

    def drop(self, table: Table) -> bool:
        """Give a live table up; returns whether it was there."""
        self.boards.drop(table)
        self._uncount(table)
        return self._let_go(table.spec.table_id)

    def _let_go(self, table_id: str) -> bool:
        table = self._tables.pop(table_id, None)
        if table is not None:
            del self._order[bisect_left(self._order, table.number, key=_number)]
            self.forgotten = max(self.forgotten, table.change)
        return table is not None

    def table(self, table_id: str, caller: Caller | None = None, invite_code: str = "") -> Table:
        """A table that is live, or ended not long ago.

        Args:
            table_id: the table.
            caller: who asks, to whom private tables of others are unknown; None: the server.
            invite_code: that came with the request, if not with its metadata.

        Raises:
            NotFound: unknown here, or not for this caller to know. If the match has ended and its
                record is shown, ``record_table_id`` in the metadata names that: whoever may ask for
                tables may ask for records.
            Unavailable: TABLE_RECOVERING.
            TableHalted: it could not be taken up.
        """
        table = self._tables.get(table_id)
        if caller is not None and invite_code:
            caller = caller._replace(invite=invite_code)
        is_private = table is not None and table.spec.visibility is Visibility.PRIVATE
        if table is not None and is_private and caller is not None and caller.principal != HOUSE:
            table = table if may_see(caller, readers(table)) else None
        if table is None:
            if self.recovery is not None:
                self.recovery.expect(table_id)
            allowed = self._recorded.get(table_id, ())
            is_recorded = may_see(caller or NOBODY, allowed)
            raise NotFound(
                Reason.NOT_FOUND,
                "there is no such table",
                field="table_id",
                metadata={"record_table_id": table_id} if is_recorded else None,
            )
        return table

    def recorded(self, shown: Iterable[tuple[str, tuple[str, ...] | None]]) -> None:
        """Records of these tables are shown, each to its readers or to everybody."""
        for table_id, allowed in shown:
            self._recorded[table_id] = allowed
            if len(self._recorded) > RECORDED_MAX:
                del self._recorded[next(iter(self._recorded))]

    def listed(
        self,
        *,
        kind: int = 0,
        status: Status | None = None,
        before: int | None = None,
        limit: int = 100,
        caller: Caller = NOBODY,
    ) -> Page:
        """Listed tables, newest first.

        Args:
            caller: who asks: tables stand where it sees them.
            kind: only those of this game; 0: all.
            status: only those that stand there; None: all.
            before: only those with a smaller `Table.number`; None: all.
            limit: at most so many. There may be fewer and more to come, as no more than
                `SCANNED_MAX` are looked at.

        Raises:
            Unavailable: TABLE_RECOVERING.
        """
        self.expect_whole()
        order = self._order
        place = len(order) if before is None else bisect_left(order, before, key=_number)
        least = max(place - SCANNED_MAX, 0)
        found: list[Table] = []
        while place > least and len(found) < limit:
            place -= 1
            table = order[place]
            if (
                table.is_listed
                and kind in (0, table.spec.kind)
                and status in (None, self.seen(table, caller).status)
            ):
                found.append(table)
        return Page(found, order[place].number if place else None)

    def seen(self, table: Table, caller: Caller) -> Shown:
        """Seats and status of *table* as *caller* sees them."""
        return table.seen_by(is_veiled=self.boards.veils(table, caller))

    def resource(self, table: Table, caller: Caller) -> bytes:
        """Payload of ``croupier.v1.Table`` for *caller*."""
        return table.resource(is_veiled=self.boards.veils(table, caller))

    @property
    def newest(self) -> int:
        """The greatest number of a table; 0: there is none."""
        return self._order[-1].number if self._order else 0

    def changed_since(self, change: int) -> Sequence[Table]:
        """Tables of which the lobby was told since *change*, in the order of their changes."""
        changed = (table for table in self._order if table.change > change)
        return sorted(changed, key=lambda table: table.change)

    def behind(self, number: int, limit: int) -> Sequence[Table]:
        """Tables with greater numbers than this, in their order, at most so many."""
        place = bisect_left(self._order, number + 1, key=_number)
        return self._order[place : place + limit]

    def archive(self, table: Table) -> Archived:
        """Have the record of an ended table made, if it leaves one, and let the oldest table go.

        A record that cannot be made harms nobody but those who look for it: the rows are kept.
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
        deal, made, who = spec.deal, table.opening.creation, known(table)
        match = FinishedMatch(
            table_id=spec.table_id,
            kind=spec.kind,
            table=table.created,
            option_text=spec.option_text,
            reveal=table.opening.reveal,
            result=table.result,
            players=tuple(seat.player or Player() for seat in table.seats),
            ended_ms=table.ended_ms,
            board=deal.commitment if deal.kind is DealKind.BOARD else b"",
            board_tables=deal.tables,
            board_rated=spec.rated,
            board_shared=deal.shared_principals,
            sat=tuple(sorted(who.sat)),
            watched=tuple(sorted(who.watched)),
            request_key=request_key(made.principal, made.request_id),
            request=made.request,
            readers=readers(table),
            leaves_record=table.leaves_record,
        )
        if match.readers is not None:
            self._readers[spec.table_id] = match.readers
        names = self.boards.end(table)
        shown = names if match.board and match.board_tables > 1 else [spec.table_id]
        if not match.leaves_record:
            shown = [name for name in shown if name != spec.table_id]
        self._log.finish(match, partial(self._finished, spec.table_id, shown))
        self._uncount(table)
        unveiled = [self._tables[name] for name in names if name in self._tables]
        self.tally.end(table)
        self._ended.append(spec.table_id)
        gone = []
        while len(self._ended) > self._ended_max:
            gone.append(self._ended.popleft())
            self._let_go(gone[-1])
        return Archived(gone, unveiled)

    def _finished(self, table_id: str, shown: Sequence[str], error: Exception | None) -> None:
        """The match of a table was put away, so that the records of *shown* may be read; or not."""
        if error is None:
            self.recorded((name, self._readers.pop(name, None)) for name in shown)
        else:
            _log.error("no record", table_id=table_id, error=type(error).__name__)
