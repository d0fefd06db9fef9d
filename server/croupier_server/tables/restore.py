"""From what a store has of a live table to the table: where it was, with all that it promised.

Sequences, decisions and their ids, answers given so far, tickets, secrets: all of it follows from
the rows and what is kept with them. Must not be put here: which tables are taken up when
(``recovery.py``), who is told of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import NamedTuple

from croupier_server.storage.base import LogRow
from croupier_server.tables import codec, kept, outages
from croupier_server.tables.creation import GameEntry
from croupier_server.tables.deals import Dealer, MakeDealer
from croupier_server.tables.kept import Creation
from croupier_server.tables.replay import PAUSE_ROWS, LoggedDealer, TimedStep, chances, follow
from croupier_server.tables.spec import TableSpec
from croupier_server.tables.table import Table


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


def restore(
    rows: Sequence[LogRow], epoch: int, number: int, around: Surroundings
) -> Generator[None, None, Table]:
    """Take a table up, and stop now and then for whoever has other things to do.

    Args:
        rows: its whole log.
        epoch: of the table from now on.
        number: its place in lists.
        around: what it stands on.

    Raises:
        RestoreError: it is not a log of ours.
        ReplayError: the rules do not make of it what is there.
        ValueError: a row cannot be read.
    """
    spec, creation, entry = _read_first(rows[0], around.games)
    steps: list[TimedStep] = []
    for place, row in enumerate(rows):
        steps.append(codec.read_step(row, entry.wire))
        if not place % PAUSE_ROWS:
            yield
    table = Table(
        spec,
        entry.game,
        entry.wire,
        creation=creation,
        new_secret=around.new_secret,
        make_dealer=_dealers(chances(steps), around.make_dealer),
        number=number,
        away_ms=around.away_ms(spec),
    )
    yield from follow(table, rows, steps)
    table.take_up(epoch, around.outbox)
    outages.reopen(
        table,
        max(time for _, time in steps if time is not None),
        around.now_ms(),
        grace_ms=around.grace_ms,
        nonce_ms=around.nonce_ms,
        used=_used(steps),
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


def _dealers(logged: deque[tuple[int, ...]], make: MakeDealer) -> MakeDealer:
    """Dealers that give what is in the log first."""

    def dealer(spec: TableSpec, root: bytes) -> Dealer:
        return LoggedDealer(logged, make(spec, root))

    return dealer


def _used(steps: Sequence[TimedStep]) -> dict[str, int]:
    """What had been used of decisions when the server was last stopped."""
    used: tuple[tuple[str, int], ...] = ()
    for step, _ in steps:
        if isinstance(step, codec.Noted) and isinstance(step.fact, kept.Stopped):
            used = step.fact.used
    return dict(used)
