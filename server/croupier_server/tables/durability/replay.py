"""From a log back to its table: the same inputs give the same state and the same bytes.

Chance is taken from the log, never drawn anew, so a log replays whatever becomes of the way decks
are made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar, assert_never

from croupier_server.errors import CroupierError
from croupier_server.games.base import Seat
from croupier_server.storage.base import LogRow
from croupier_server.tables import kept
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import FIRST_EPOCH, Decision, Name
from croupier_server.tables.kept import Opened, Replaced, Sitting
from croupier_server.tables.match import codec
from croupier_server.tables.match.codec import Step
from croupier_server.tables.match.creation import GameEntry
from croupier_server.tables.match.deals import Dealer
from croupier_server.tables.match.table import Table
from croupier_server.tables.spec import TableSpec

_NEVER: Final = (FIRST_EPOCH, None)
"""Of a decision that nobody has answered: its life is the table's, once that is known."""

F = TypeVar("F", Sitting, Opened, Replaced)

TimedStep: TypeAlias = tuple[Step, int | None]
"""What a row says was done, and when, if it tells."""

PAUSE_ROWS: Final = 32
"""So many rows are done between two pauses."""

_SAID: Final = slice(2, 6)
"""What of a row everything follows from: all but its table, its epoch and what was kept."""


class ReplayError(Exception):
    """The rows are not what these rules make of these inputs."""


class LoggedDealer:
    """Gives the chance outcomes of a log in their order.

    Args:
        outcomes: of the log; see `chances`.
        then: gives those behind the log; None: there are none.
    """

    def __init__(self, outcomes: deque[tuple[int, ...]], then: Dealer | None = None) -> None:
        self._outcomes = outcomes
        self._then = then

    def deck(self, deal: int, attempt: int, cards: Sequence[int]) -> list[int]:
        """See `Dealer.deck`."""
        if self._then is not None and not self._outcomes:
            return self._then.deck(deal, attempt, cards)
        outcome = self._next(deal)
        if sorted(outcome) != sorted(cards):
            raise ReplayError(f"the deck of deal {deal} is not the pack")
        return list(outcome)

    def lot(self, deal: int, sides: int) -> int:
        """See `Dealer.lot`."""
        if self._then is not None and not self._outcomes:
            return self._then.lot(deal, sides)
        outcome = self._next(deal)
        if len(outcome) != 1 or not outcome[0] < sides:
            raise ReplayError(f"a lot of deal {deal} is out of range")
        return outcome[0]

    def _next(self, deal: int) -> tuple[int, ...]:
        if not self._outcomes:
            raise ReplayError(f"the log has no more chance for deal {deal}")
        return self._outcomes.popleft()


def replay(
    spec: TableSpec, entry: GameEntry, rows: Sequence[LogRow], nonces: Sequence[bytes] = ()
) -> Table:
    """The table after *rows*; each row that comes out is compared with the one that went in.

    Args:
        spec: what the table is for life.
        entry: its game.
        rows: its whole log, or a part from the start that ends with an input's last row. What was
            kept with them may be missing, as it is in records.
        nonces: the seats' nonces, where they are known and not in the rows.

    Raises:
        ReplayError: a row differs.
        ValueError: a row cannot be read.
    """
    steps = read_steps(rows, entry)
    dealer = LoggedDealer(chances(steps))
    table = Table(spec, entry.game, entry.wire, make_dealer=lambda _spec, _root: dealer)
    for _ in follow(table, rows, steps, nonces):
        pass
    return table


def read_steps(rows: Sequence[LogRow], entry: GameEntry) -> list[TimedStep]:
    """What each row says was done, and when.

    Raises:
        ValueError: a row cannot be read.
    """
    return [codec.read_step(row, entry.wire) for row in rows]


def chances(steps: Iterable[TimedStep]) -> deque[tuple[int, ...]]:
    """The decks and lots among *steps*."""
    return deque(step.outcome for step, _ in steps if isinstance(step, codec.Chance))


def follow(
    table: Table,
    rows: Sequence[LogRow],
    steps: Sequence[TimedStep],
    nonces: Sequence[bytes] = (),
) -> Iterator[None]:
    """Do at *table* what *rows* say, and stop now and then for whoever has other things to do.

    What its outbox holds by now are the first of *rows*.

    Args:
        table: the table, whose outbox is its own.
        rows: from the log.
        steps: of `read_steps`.
        nonces: as for `replay`.

    Raises:
        ReplayError: a row differs.
    """
    logged = _logged(steps)
    is_halted = any(isinstance(step, codec.Halted) for step, _ in steps)
    made = table.journal.outbox
    now = table.spec.created_ms
    for place, row in enumerate(rows):
        if place >= len(made):
            step, time = steps[place]
            now = now if time is None else time
            for decision in table.match.decisions:
                if decision is not None:
                    epoch, asked_ms = logged.get((decision.sequence, decision.seat), _NEVER)
                    decision.asked_ms = asked_ms
                    if decision.answer is None and epoch != decision.epoch:
                        decision.begin_life(epoch)
            try:
                _do(table, row, step, now, steps[place + 1 : place + 2], nonces)
            except (CroupierError, ReplayError) as error:
                raise ReplayError(f"row {place} (event {row.sequence}): {error}") from error
            except Exception as fault:
                table.halt(fault, now)
            if table.is_halted and not is_halted:
                raise ReplayError(f"row {place}: {table.fault}")
        if place >= len(made) or made[place][_SAID] != row[_SAID]:
            raise ReplayError(f"row {place} (event {row.sequence}) comes out differently")
        if not place % PAUSE_ROWS:
            yield
    if len(made) > len(rows):
        raise ReplayError("the log stops in the middle of what an input led to")
    table.stored(table.journal.sequence, table.show())


def _logged(steps: Sequence[TimedStep]) -> dict[tuple[int, Seat], tuple[int, int | None]]:
    """By place of each decision that was answered: the life in which it was asked, and when. A log
    tells of several lives if its store was restored from a backup."""
    found: dict[tuple[int, Seat], tuple[int, int | None]] = {}
    for step, _ in steps:
        if isinstance(step, codec.Moved):
            name = Name.read(step.decision_id)
            if name is not None:
                found[name.sequence, name.seat] = name.epoch, step.asked_ms
    return found


def _do(
    table: Table,
    row: LogRow,
    step: Step,
    now: int,
    after: Sequence[TimedStep],
    nonces: Sequence[bytes],
) -> None:
    """Carry out what a row says was done."""
    match step:
        case codec.Joined(seat, player):
            table.join(seat, player, _fact(row, Sitting()), now)
        case codec.Left(seat):
            table.leave(seat, now)
        case codec.Filled(hashes):
            for state, nonce_hash in zip(table.seats, hashes, strict=True):
                state.nonce_hash = nonce_hash
            table.start(now, FOREVER)  # see `Opening.reopen`
        case codec.NonceOpened(seat):
            nonce = nonces[seat] if nonces else b"unknown"
            table.take_nonce(seat, _fact(row, Opened(nonce)), now)
        case codec.NoShow(seat, commitment):
            table.no_show(seat, _fact(row, Replaced()), commitment, now)
        case codec.TimedOut(seat, strikes):
            moved = next((one for one, _ in after if isinstance(one, codec.Moved)), None)
            decision = _decision(table, seat, moved and moved.decision_id)
            if moved is not None:
                table.match.timing.set_used(decision, moved.charged_ms, moved.absent_ms, now)
            table.match.timing.accounts.set_strikes(seat, strikes)
            table.match.time_out(now)
            table.settle(now)
        case codec.Moved():
            _move(table, step, now)
        case codec.WindowClosed():
            table.match.close_window(now)
            table.settle(now)
        case codec.Ended(reason, seat_at_fault, detail, outcome, aborted_by):
            table.end(reason, now, seat_at_fault, detail, outcome, aborted_by)
        case codec.Noted(fact):
            _note(table, fact)
        case codec.Halted():
            table.halt(ReplayError("the table was halted"), now)
        case codec.Chance() | codec.Follows():
            raise ReplayError("a row follows from nothing")
        case _:
            assert_never(step)


def _fact(row: LogRow, otherwise: F) -> F:
    """What was kept with *row*; *otherwise* where it is not known."""
    if not row.kept:
        return otherwise
    fact = kept.load(row.kept)
    if type(fact) is not type(otherwise):
        raise ReplayError(f"event {row.sequence} has another event's facts")
    return fact


def _note(table: Table, fact: kept.Kept) -> None:
    match fact:
        case kept.Struck(seat, sealed):
            table.match.strike(seat, sealed=sealed)
        case kept.Conceded(seat):
            table.concede(seat, 0)
        case kept.Relieved(seat, code):
            table.opening.relieve(seat, code)
        case kept.Invited(host, invites):
            table.opening.invite(host, invites)
        case kept.Stopped():
            table.journal.note(fact)
        case kept.Quarantined(since):
            table.match.quarantined_ms = since
            table.journal.note(fact)
        case kept.Watched(principals):
            table.opening.watch(principals)
        case _:
            raise ReplayError("a note of what comes with an event")


def _move(table: Table, step: codec.Moved, now: int) -> None:
    match = table.match
    decision = _decision(table, step.seat, step.decision_id)
    if match.timing.is_timed:
        match.timing.set_used(decision, step.charged_ms, step.absent_ms, now)
    if not step.timed_out:
        match.submit(step.seat, step.decision_id, step.move, now)
    elif step.is_sealed and table.spec.clock.window_ms:
        match.close_window(now)
    elif step.is_sealed:
        match.time_out_sealed(decision, now)
    else:
        raise ReplayError(f"decision {step.decision_id} ran out of time without an event")
    table.settle(now)


def _decision(table: Table, seat: int, decision_id: str | None) -> Decision:
    decision = table.match.decisions[seat]
    if decision is None or decision_id not in (None, decision.id):
        raise ReplayError(f"decision {decision_id} of seat {seat} is not open")
    return decision
