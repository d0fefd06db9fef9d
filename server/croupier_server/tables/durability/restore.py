"""From what a store has of a live table to the table: where it was, with all that it promised.

Sequences, decisions and their ids, answers given so far, tickets, secrets: all of it follows from
the rows and what is kept with them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import dropwhile
from typing import Any, NamedTuple

from croupier_server.storage.base import LogRow, StoredDeal, StoredTable
from croupier_server.tables import kept
from croupier_server.tables.clocks.decisions import Name
from croupier_server.tables.durability import outages
from croupier_server.tables.durability.replay import (
    PAUSE_ROWS,
    LoggedDealer,
    TimedStep,
    chances,
    follow,
)
from croupier_server.tables.kept import Carried, Creation
from croupier_server.tables.match import codec
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.match.deals import Dealer, MakeDealer
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import TableSpec


class RestoreError(Exception):
    """What is stored is no table that this server can go on with."""


class Surroundings(NamedTuple):
    """What a table stands on in this server.

    Attributes:
        games: by number of ``GameKind``.
        make_dealer: makes its dealer from its root.
        new_secret: makes a secret in the place of one that was given up.
        outbox: where its rows go.
        away_ms: after what time a seat is away at such a table.
        now_ms: the time.
        grace_ms: how long seats are given to come back before clocks run.
        nonce_ms: how long nonces are waited for.
    """

    games: Mapping[int, GameEntry]
    make_dealer: MakeDealer
    new_secret: Callable[[], bytes]
    outbox: list[LogRow]
    away_ms: Callable[[TableSpec], int]
    now_ms: Callable[[], int]
    grace_ms: int
    nonce_ms: int


def restore(stored: StoredTable, number: int, around: Surroundings) -> Generator[None, None, Table]:
    """Take a table up, and stop now and then for whoever has other things to do.

    Args:
        stored: what the store has of it.
        number: its place in lists.
        around: what it stands on.

    Raises:
        RestoreError: it is not a log of ours.
        ReplayError: the rules do not make of it what is there.
        ValueError: a row cannot be read.
    """
    spec, creation, entry = _read_first(stored.first, around.games)
    before, rows = _split(stored)
    steps: list[TimedStep] = []
    for place, row in enumerate(rows):
        steps.append(codec.read_step(row, entry.wire))
        if not place % PAUSE_ROWS:
            yield
    dealers = _dealers(chances(steps), around.make_dealer)
    table = Table(
        spec,
        entry.game,
        entry.wire,
        creation=creation,
        new_secret=around.new_secret,
        make_dealer=dealers,
        number=number,
        away_ms=around.away_ms(spec),
    )
    if stored.deals:
        _resume(table, stored, before, steps[0][1] or 0)
    for _ in follow(table, rows, steps):
        if table.delayed is not None:  # bit by bit, as it makes the whole match once more
            table.journal.committed = table.journal.sequence
            table.delayed.advance(table.journal, around.now_ms())
        yield
    if not stored.deals:
        table.match.carried = 0
    table.take_up(stored.epoch, around.outbox)
    now = around.now_ms()
    outages.reopen(
        table,
        min(codec.time_of(next(row for row in reversed(stored.rows) if row.sequence)), now),
        now,
        grace_ms=around.grace_ms,
        nonce_ms=around.nonce_ms,
        used=_used(steps, table),
    )
    return table


def _read_first(
    row: LogRow, games: Mapping[int, GameEntry]
) -> tuple[TableSpec, Creation, GameEntry]:
    """What the row of a table's making says: what it is, what was kept with it, its game."""
    fact = kept.load(row.kept)
    if not isinstance(fact, Creation):
        raise RestoreError("the log does not begin with a table")
    data = codec.created_table(row)
    entry = games.get(codec.game_of(data))
    if entry is None:
        raise RestoreError("no such game here")
    spec = codec.read_spec(data, dict(fact.options), entry)
    return codec.whole_spec(spec, fact), fact, entry


def _split(stored: StoredTable) -> tuple[Sequence[LogRow], Sequence[LogRow]]:
    """Rows before the last deal that can be resumed, and those that are to be replayed."""
    if not stored.deals:
        return (), stored.rows
    rows, first = stored.rows, stored.deals[-1].sequence
    place = next((place for place, row in enumerate(rows) if row.sequence == first), None)
    if place is None:
        raise RestoreError("the first event of the last deal is missing")
    return rows[:place], rows[place:]


def _resume(table: Table, stored: StoredTable, before: Sequence[LogRow], now: int) -> None:
    """Begin the last deal of *stored* at *table*, as it was made.

    Args:
        table: the table.
        stored: what the store has of it.
        before: rows before that deal, at least from the deal before on.
        now: when it began.
    """
    carried = kept.load(stored.carried)
    if not isinstance(carried, Carried):
        raise RestoreError("the last deal carries something else")
    *deals, last = stored.deals
    at, new = kept.load_results(last.results)
    table.match.carried = at
    results = [table.game.read_result(one) for one in (*_results(deals, at), *new)]
    table.resume(carried, results, before, now)
    since = carried.kept_from
    table.match.answered.resume(dropwhile(lambda row: row.sequence < since, before))
    if table.journal.outbox[0].deal != (last.results, stored.carried):
        raise RestoreError("the last deal carries less than the store says")


def _results(deals: Sequence[StoredDeal], count: int) -> list[tuple[Any, ...]]:
    """The first *count* results, which *deals* have between them; the newest are right."""
    found: list[tuple[Any, ...]] = []
    for deal in reversed(deals):
        if len(found) == count:
            break
        at, new = kept.load_results(deal.results)
        found[:0] = new[: count - len(found) - at]
    if len(found) != count:
        raise RestoreError("the results of some deals are missing")
    return found


def _dealers(logged: deque[tuple[int, ...]], make: MakeDealer) -> MakeDealer:
    """Dealers that give what is in the log first."""

    def dealer(spec: TableSpec, root: bytes) -> Dealer:
        return LoggedDealer(logged, make(spec, root))

    return dealer


def _used(steps: Sequence[TimedStep], table: Table) -> dict[str, int]:
    """What had been used of decisions when the server was last stopped, by the ids that they have
    now."""
    stopped: tuple[tuple[str, int], ...] = ()
    for step, _ in steps:
        if isinstance(step, codec.Noted) and isinstance(step.fact, kept.Stopped):
            stopped = step.fact.used
    used = {Name.read(decision_id): ms for decision_id, ms in stopped}
    places = {name[:2]: ms for name, ms in used.items() if name is not None}
    return {
        decision.id: places[decision.name[:2]]
        for decision in table.match.decisions
        if decision is not None and decision.name[:2] in places
    }
