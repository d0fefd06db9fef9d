"""What an operator may do to the tables of a server while it runs.

None of it shows a card.
"""

from __future__ import annotations

from collections.abc import Sequence

from croupier_server.errors import Conflict, InvalidRequest, Reason
from croupier_server.games.base import EndReason, Outcome
from croupier_server.tables.durability import outages
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import Shard
from croupier_server.tables.spec import AbortedBy, Status


class Operating:
    """An operator's hand on the tables of *shard*. What is done must be committed like anything
    else: await `Shard.committed`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def abort(self, table_id: str, detail: str) -> None:
        """Stop a table; its match does not count.

        Raises:
            NotFound, Unavailable, TableHalted, Conflict: there is nothing to stop.
        """
        table = self._live(table_id)
        table.end(
            EndReason.ABORTED, self._shard.now_ms(), None, detail, aborted_by=AbortedBy.OPERATOR
        )
        self._shard.done(table)

    def adjudicate(self, table_id: str, outcome: Outcome, detail: str) -> None:
        """End a match that is under way as *outcome* says; it counts.

        Raises:
            NotFound, Unavailable, TableHalted, Conflict: no match is under way.
            InvalidRequest: *outcome* is none for this table.
        """
        table = self._playing(table_id)
        check_outcome(table.spec.teams, outcome)
        table.end(EndReason.ADJUDICATED, self._shard.now_ms(), None, detail, outcome)
        self._shard.done(table)

    def quarantine(self, table_id: str) -> None:
        """Stop play for now. Once more changes nothing.

        Raises:
            NotFound, Unavailable, TableHalted, Conflict: no match is under way.
        """
        table = self._playing(table_id)
        if table.match.quarantined_ms is None:
            outages.quarantine(table, self._shard.now_ms())
            self._shard.done(table)

    def release(self, table_id: str) -> None:
        """Let play go on. Where it does nothing changes.

        Raises:
            NotFound, Unavailable, TableHalted, Conflict: no match is under way.
        """
        table = self._playing(table_id)
        if table.match.quarantined_ms is not None:
            outages.release(table, self._shard.now_ms())
            self._shard.done(table)

    def quarantined(self) -> list[str]:
        """Tables at which play is stopped."""
        return [
            table.spec.table_id
            for table in self._shard.directory
            if table.match.quarantined_ms is not None and table.status is Status.PLAYING
        ]

    def _live(self, table_id: str) -> Table:
        self._shard.expect_storing()
        table = self._shard.table(table_id)
        table.expect_live()
        return table

    def _playing(self, table_id: str) -> Table:
        table = self._live(table_id)
        if table.status is not Status.PLAYING:
            raise Conflict(Reason.TABLE_NOT_READY, "the match has not begun")
        return table


def check_outcome(teams: Sequence[int], outcome: Outcome) -> None:
    """Refuse an outcome that no match of *teams*, by seat, can have: partners share score and
    place, and a place is one more than the number of teams with a better one.

    Raises:
        InvalidRequest: MALFORMED_REQUEST.
    """
    seats = outcome.seats
    if len(seats) != len(teams):
        raise _refuse("seats", f"the table has {len(teams)} seats")
    by_team = dict(zip(teams, seats, strict=True))
    for number, (team, seat) in enumerate(zip(teams, seats, strict=True)):
        if by_team[team] != seat:
            raise _refuse(f"seats[{number}]", "partners have the same score and place")
        if seat.place != 1 + sum(other.place < seat.place for other in by_team.values()):
            raise _refuse(f"seats[{number}].place", "places count from 1, and teams may share one")


def _refuse(field: str, why: str) -> InvalidRequest:
    return InvalidRequest(Reason.MALFORMED_REQUEST, why, field=field)
