"""A table as it stands, for those who read it: snapshots and signs of life."""

from __future__ import annotations

from collections.abc import Sequence

from croupier_server.games.base import Seat
from croupier_server.tables.match import updates
from croupier_server.tables.match.table import Table


def seat_snapshot(table: Table, seat: Seat, now: int) -> bytes:
    """Payload of ``Snapshot`` for a seat."""
    match = table.match
    view = match.views.seat(match.state, seat)
    return updates.snapshot(
        table.seat_resource(),
        table.journal.sequence,
        seat=view,
        public=None,
        clocks=_clocks(table, now),
    )


def public_snapshot(table: Table, now: int) -> bytes:
    """Payload of ``Snapshot`` for everybody."""
    if table.delayed is not None:
        return table.delayed.snapshot(table.resource())
    match = table.match
    view = match.views.public(match.state)
    return updates.snapshot(
        table.resource(),
        table.journal.sequence,
        seat=None,
        public=view,
        clocks=_clocks(table, now),
    )


def seat_results(table: Table) -> Sequence[object]:
    """Results of the finished deals, for a seat."""
    return table.game.results(table.match.state)


def public_results(table: Table) -> Sequence[object]:
    """The same for everybody."""
    return seat_results(table) if table.delayed is None else table.delayed.results()


def seat_heartbeat(table: Table, now: int) -> bytes:
    """``TableUpdate`` with a sign of life, for a seat; without clocks where something is not stored
    yet that may have changed them."""
    journal = table.journal
    clocks = _clocks(table, now) if journal.committed == journal.sequence else []
    return updates.heartbeat(journal.committed, clocks, now)


def public_heartbeat(table: Table, now: int) -> bytes:
    """The same for everybody."""
    if table.delayed is not None:
        return table.delayed.heartbeat(now)
    return seat_heartbeat(table, now)


def _clocks(table: Table, now: int) -> list[bytes]:
    timing = table.match.timing
    if not timing.is_timed:
        return []
    return updates.clocks(timing.shown(now), timing.running(now))
