"""A match under way: decisions, sealed windows, chance, time; sans-IO.

Every call is told what time it is. An input is checked by the rules, carried out, and written to
the journal; then chance and windows go on until a seat must act. An error of the rules leaves all
as it was; any other exception is for the table to catch, which stops itself.

Must not be put here: seats and who holds them, streams, storage, anything about one game.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from croupier_server.errors import Conflict, CroupierError, Reason
from croupier_server.games.base import AnyGame, ChanceKind, Event, Legal, Move, Seat, Turn
from croupier_server.storage.base import Deal
from croupier_server.tables.clocks.accounts import Clocks, Forfeit
from croupier_server.tables.clocks.clock import FOREVER
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.clocks.timing import Timing
from croupier_server.tables.kept import Carried, CarriedBytes, Struck, dump_results, slots
from croupier_server.tables.match import encode, updates
from croupier_server.tables.match.answered import Answered
from croupier_server.tables.match.deals import Dealer
from croupier_server.tables.match.journal import Journal, event_clocks
from croupier_server.tables.match.opening import NOT_CARRIED, Opening
from croupier_server.tables.spec import TableSpec
from croupier_server.wire.encode import framed
from croupier_server.wire.game import GameWire
from croupier_server.wire.generated import record
from croupier_server.wire.generated import table as messages
from croupier_server.wire.generated.record import INPUT
from croupier_server.wire.generated.table import EVENT
from croupier_server.wire.moves import LegalMode

REFUSALS_MAX: Final = 20
"""So many refusals on one decision are a strike."""

REFUSED_STRIKES_MAX: Final = 1_000
"""So many strikes come of the refusals on one decision, each with a row: no table has more."""

CARRY_EVENTS: Final = 96
"""A deal that begins this many events after the last one that can be resumed can be resumed too.
Fewer cost play, as each is a statement of its own in the store; more cost a restart, which replays
the deals since then: with 192 a restart took 1.3 times as long."""

_QUARANTINE_RETRY_MS: Final = 5_000
# Members of an enum are looked up slowly.
_ONE_MOVES: Final = Turn.MOVE
_CHANCE: Final = Turn.CHANCE
_WINDOW: Final = Turn.WINDOW

_OFF: Final = LegalMode.OFF
_UNLISTED: Final = Legal((), ())
"""In place of the legal moves where a decision lists none: there they are not even computed."""

_MOVE: Final = INPUT["move"]
_ANSWER: Final = INPUT["answer"]


class RulesFault(Exception):
    """The rules refused what they had asked for themselves: a fault of ours, never a player's."""


class Match:
    """The match of one table.

    Attributes:
        state: of the game.
        answered: decisions that are over.
        decisions: by seat, the open one. Private while a window is open.
        fresh: decisions that have opened since the owner last cleared this.
        timing: the clocks.
        is_over: the rules have ended the match.
        forfeit: who gives the match away and why, if a seat does.
        quarantined_ms: since when an operator has stopped play; None: nobody has.
        carried: number of results that the store has beside the log.
    """

    __slots__ = (
        "_carried_bytes",
        "_carry_from",
        "_deal",
        "_dealer",
        "_game",
        "_journal",
        "_next",
        "_opening",
        "_spec",
        "_wire",
        "answered",
        "carried",
        "decisions",
        "forfeit",
        "fresh",
        "is_over",
        "quarantined_ms",
        "state",
        "timing",
        "views",
        "window_open",
    )

    def __init__(
        self,
        spec: TableSpec,
        game: AnyGame,
        wire: GameWire,
        journal: Journal,
        opening: Opening,
    ) -> None:
        self._spec = spec
        self._game = game
        self._wire = wire
        self._journal = journal
        self._opening = opening
        self._dealer: Dealer | None = None
        self._deal = 0
        self._next: Seat | None = None
        """The seat whose clock runs after the last event."""
        self.answered = Answered(game, wire)
        self.state = game.new(spec.options)
        self.views = wire.views()
        self.decisions: list[Decision | None] = [None] * len(spec.seats)
        self.timing = Timing(spec.clock, self.decisions)
        self.fresh: list[Decision] = []
        self.window_open = False
        self.is_over = False
        self.forfeit: Forfeit | None = None
        self.quarantined_ms: int | None = None
        self.carried = 0
        self._carry_from = 2 * CARRY_EVENTS  # short matches are replayed soon enough
        self._carried_bytes = CarriedBytes(opening, NOT_CARRIED, opening.seats)

    @property
    def deadline(self) -> int:
        """When `tick` is wanted, or `FOREVER`."""
        return self.timing.deadline

    # Inputs ------------------------------------------------------------------------------------

    def start(self, dealer: Dealer, now: int) -> None:
        """Let the match begin: *dealer* gives its decks and lots."""
        self._dealer = dealer
        self._advance(now)

    def resume(self, dealer: Dealer, carried: Carried, results: Sequence[object], now: int) -> None:
        """Begin the deal that *carried* belongs to, after deals with these *results*."""
        self.state = self._game.resume(self._spec.options, carried.game, results)
        self.timing.accounts.resume(carried.accounts)
        self._carry_from = 0
        self.start(dealer, now)

    def begin_life(self, epoch: int) -> None:
        """The table goes on as *epoch*, and asks its open questions anew if that is another one."""
        for decision in self.decisions:
            if decision is not None and decision.answer is None and decision.epoch != epoch:
                decision.begin_life(epoch)

    def submit(self, seat: Seat, decision_id: str, move: Move, now: int) -> int:
        """Answer a decision; returns the number of the move's event, 0 for a sealed answer.

        Raises:
            IllegalMove, MalformedMove: the rules refuse the move.
            NotYourTurn: no decision of this seat is open.
            StaleDecision: it was answered with another move, or is over.
            InvalidRequest: UNKNOWN_DECISION.
            Conflict: TABLE_QUARANTINED.
        """
        decision = self.decisions[seat]
        if decision is None or decision.id != decision_id:
            return self._again(seat, decision_id, move)
        if self.quarantined_ms is not None:
            raise Conflict(
                Reason.TABLE_QUARANTINED,
                "an operator has stopped play at this table for now; its clocks are paused",
                retry_ms=_QUARANTINE_RETRY_MS,
            )
        if decision.sealed:
            return self._submit_sealed(decision, move, now)
        try:
            events = self._game.apply(self.state, seat, move)
        except CroupierError:
            self.refuse(decision)
            raise
        sequence = self._journal.sequence + 1
        try:
            self._carry_on(decision, move, events, now, timed_out=False)
        except CroupierError as error:
            raise RulesFault(error.reason) from error
        return sequence

    def check(self, seat: Seat, decision_id: str, move: Move) -> None:
        """Raise what `submit` would raise, and change nothing."""
        decision = self.open_decision(seat)
        if decision is None or decision.id != decision_id:
            self._again(seat, decision_id, move)
        else:
            self._game.check(self.state, seat, move)

    def legal(self, seat: Seat, decision_id: str) -> Legal:
        """Legal answers of an open decision.

        Raises:
            NotYourTurn, StaleDecision, InvalidRequest: it is not open.
        """
        decision = self.open_decision(seat)
        if decision is None or decision.id != decision_id:
            self._again(seat, decision_id, None)
        return self._game.legal_moves(self.state, seat)

    def refuse(self, decision: Decision) -> None:
        """Count a refusal, unless play is stopped; every twentieth on one decision is a strike."""
        if self.quarantined_ms is not None:
            return
        decision.refusals += 1
        strikes, rest = divmod(decision.refusals, REFUSALS_MAX)
        if not rest and strikes <= REFUSED_STRIKES_MAX:
            self.strike(decision.seat, sealed=decision.sealed)

    def strike(self, seat: Seat, *, sealed: bool) -> None:
        """Count a strike for refusals; there is no event of it, but a note."""
        self._journal.note(Struck(seat, sealed))
        self.timing.accounts.strike(seat, sealed=sealed)
        self._check_forfeit()

    def tick(self, now: int) -> None:
        """Carry out what is due: windows close, time runs out."""
        while now >= self.timing.deadline:
            if not self.window_open:
                self.time_out(now)
            elif self._spec.clock.window_ms:
                self.close_window(now)
            else:
                self._time_out_sealed(now)

    def stop(self) -> None:
        """No more decisions: the match has ended, by the rules or otherwise.

        What windows cost in a deal that was cut short is not shown.
        """
        self._close_decisions()
        self.fresh.clear()
        self.timing.set_deadline()
        if self.is_over:
            self.timing.accounts.open_hidden()
        self._next = None

    def rest(self) -> tuple[tuple[Seat, int, int], ...]:
        """Clocks as if none ran; empty where there are none."""
        return tuple(self.timing.accounts.shown(None, 0)) if self.timing.is_timed else ()

    def told(self) -> Clocks:
        """Clocks as they are right after the last event."""
        running = (self._next, self._spec.clock.per_move_ms) if self._next is not None else None
        return self.rest(), running

    # What is asked ---------------------------------------------------------------------------

    def waits_for(self, seat: Seat, decision_id: str) -> bool:
        """Whether *seat* has been asked this and has not answered yet."""
        decision = self.decisions[seat]
        return decision is not None and decision.id == decision_id and decision.answer is None

    def open_decision(self, seat: Seat) -> Decision | None:
        """The decision that waits for *seat*, stored events only."""
        decision = self.decisions[seat]
        if decision is None or decision.answer is not None:
            return None
        return decision if decision.sequence <= self._journal.committed else None

    def decision_payload(
        self,
        decision: Decision,
        now: int,
        view: bytes | None,
        base: bytes | None = None,
        added: bytes | None = None,
    ) -> bytes:
        """Payload of ``Decision`` with *view* and, in the mode DELTA, what was left out of it."""
        game, wire, state, seat = self._game, self._wire, self.state, decision.seat
        mode = self._spec.legal_mode
        legal = _UNLISTED if mode == _OFF else game.legal_moves(state, seat)
        return messages.decision(
            decision.id,
            seat,
            wire.decision_kinds[decision.kind],
            decision.sequence,
            wire.legal_bytes(legal, mode),
            view,
            self.timing.left_ms(decision, now),
            decision.sealed,
            wire.move_bytes(game.fallback(state, seat)),
            base,
            added,
        )

    def _carry_on(
        self, decision: Decision, move: Move, events: Sequence[Event], now: int, *, timed_out: bool
    ) -> None:
        """Write down what a move led to, and go on."""
        seat = decision.seat
        cause = self._input(_MOVE, decision, move, now, timed_out=timed_out)
        self._emit(events, cause, now, (seat,))
        self.answered.add(self._journal.kept[-len(events)])
        self.decisions[seat] = None
        self._advance(now)

    def _input(
        self, tag: bytes, decision: Decision, move: Move, now: int, *, timed_out: bool
    ) -> bytes:
        """Charge an answer, and put it down with its times."""
        charged = self.timing.charge(decision, now)
        answered = record.move_input(
            decision.seat,
            decision.id,
            self._wire.move_bytes(move),
            timed_out,
            charged or None,
            decision.asked_ms,
            now,
            decision.absent_ms or None,
        )
        return framed(tag, answered)

    # Going on --------------------------------------------------------------------------------

    def _advance(self, now: int) -> None:
        """Put in chance and close empty windows until a seat must act or the match is over."""
        game, state = self._game, self.state
        while True:
            turn = game.turn(state)
            if turn is _ONE_MOVES:
                (seat,) = game.to_act(state)
                self._ask(seat, now, sealed=False)
                break
            if turn is _CHANCE:
                self._put_chance(now)
            elif turn is _WINDOW:
                asked = game.to_act(state)
                if asked or self._spec.clock.window_ms:
                    self._open_window(asked, now)
                    break
                self._emit(game.close_window(state, {}), encode.WINDOW_INPUT, now)
            else:
                self.is_over = True
                self.stop()
                self._check_forfeit()
                return
        self.timing.opened(self._journal.sequence)

    def _ask(self, seat: Seat, now: int, *, sealed: bool) -> None:
        kind = self._game.decision_kind(self.state, seat)
        journal = self._journal
        decision = Decision(seat, kind, journal.sequence, now, sealed=sealed, epoch=journal.epoch)
        self.decisions[seat] = decision
        self.fresh.append(decision)

    def _put_chance(self, now: int) -> None:
        chance = self._game.chance(self.state)
        changed: Collection[Seat] = ()
        deal: Deal | None = None
        if chance.deal != self._deal:
            changed = range(len(self.decisions))
            self._deal = chance.deal
            deal = self._start_deal()
        assert self._dealer is not None
        if chance.kind is ChanceKind.DECK:
            outcome = self._dealer.deck(chance.deal, chance.attempt, chance.cards)
        else:
            outcome = [self._dealer.lot(chance.deal, chance.sides)]
        events = self._game.apply_chance(self.state, outcome)
        self._emit(events, encode.chance_input(outcome), now, changed)
        if deal is not None:
            self._journal.carry(len(events), deal)

    def _emit(
        self, events: Sequence[Event], cause: bytes, now: int, changed: Collection[Seat] = ()
    ) -> None:
        """Number *events*, with the clocks of *changed* and the one that runs next.

        No clock of a sealed window is among them: nothing here depends on who is asked in one, who
        has answered, or when.
        """
        clocks = b""
        if self.timing.is_timed:
            game, state = self._game, self.state
            asks_one = game.turn(state) is _ONE_MOVES
            self._next = game.to_act(state)[0] if asks_one else None
            clocks = event_clocks(self.timing.accounts.told(changed, self._next))
        self._journal.emit(events, cause, now, clocks)

    def _start_deal(self) -> Deal | None:
        """Open hidden accounts and let go of what is older than the last deal.

        Returns:
            What a restart resumes the deal with, once every `CARRY_EVENTS`. None for a table that
            is shown late: what its spectators see follows from its whole log.
        """
        kept_from = self._journal.start_deal()
        self.answered.start_deal(kept_from)
        self.timing.accounts.open_hidden()
        self._check_forfeit()
        sequence = self._journal.sequence
        if self._spec.delay is not None or sequence < self._carry_from:
            return None
        self._carry_from = sequence + CARRY_EVENTS
        accounts = slots(self.timing.accounts, {"_spec"})
        carried = self._carried_bytes.dump(kept_from, self._game.carry(self.state), accounts)
        at, results = self.carried, self._game.results(self.state)
        self.carried = len(results)
        return Deal(dump_results(at, results[at:]), carried)

    # Windows ---------------------------------------------------------------------------------

    def _open_window(self, asked: tuple[Seat, ...], now: int) -> None:
        self.window_open = True
        self.timing.open_window()
        for seat in asked:
            self._ask(seat, now, sealed=True)

    def _submit_sealed(self, decision: Decision, move: Move, now: int) -> int:
        if decision.answer is not None:
            return self._again(decision.seat, decision.id, move)
        try:
            self._game.check(self.state, decision.seat, move)
        except CroupierError:
            self.refuse(decision)
            raise
        try:
            self._seal(decision, move, now, timed_out=False)
            if not self._spec.clock.window_ms and self._all_answered():
                self.close_window(now)
        except CroupierError as error:
            raise RulesFault(error.reason) from error
        return 0

    def _seal(self, decision: Decision, move: Move, now: int, *, timed_out: bool) -> None:
        """Keep a sealed answer."""
        cause = self._input(_ANSWER, decision, move, now, timed_out=timed_out)
        decision.answer = move
        self.answered.add(self._journal.seal(cause))

    def _all_answered(self) -> bool:
        return all(one is None or one.answer is not None for one in self.decisions)

    def close_window(self, now: int) -> None:
        """End the window; seats that have not answered get the fallback answer."""
        answers: dict[Seat, Move] = {}
        for seat, decision in enumerate(self.decisions):
            if decision is not None:
                if decision.answer is None:
                    self._seal(decision, self._game.fallback(self.state, seat), now, timed_out=True)
                assert decision.answer is not None
                answers[seat] = decision.answer
        events = self._game.close_window(self.state, answers)
        self._close_decisions()
        self._emit(events, encode.WINDOW_INPUT, now)
        self._advance(now)

    def _close_decisions(self) -> None:
        self.decisions[:] = [None] * len(self.decisions)
        self.window_open = False
        self.timing.close_window()

    # Time ------------------------------------------------------------------------------------

    def time_out(self, now: int) -> None:
        """The seat to move has run out of time: what follows is the clock's policy."""
        (decision,) = [one for one in self.decisions if one is not None]
        seat = decision.seat
        self._next = None
        strikes = self.timing.accounts.time_out(seat, sealed=False)
        payload = updates.timed_out(seat, strikes)
        self._journal.announce(EVENT["seat_timed_out"], payload, now)
        self._check_forfeit()
        if self.forfeit is None:
            move = self._game.fallback(self.state, seat)
            events = self._game.apply(self.state, seat, move)
            self._carry_on(decision, move, events, now, timed_out=True)

    def _time_out_sealed(self, now: int) -> None:
        """Seats of a window without a fixed time have run out of theirs."""
        for decision in self.decisions:
            if (
                decision is not None
                and decision.answer is None
                and self.timing.is_out(decision, now)
                and self.time_out_sealed(decision, now)
            ):
                return
        self.timing.set_deadline()

    def time_out_sealed(self, decision: Decision, now: int) -> bool:
        """Give the fallback answer for a seat; returns whether that closed the window."""
        self.timing.accounts.time_out(decision.seat, sealed=True)
        move = self._game.fallback(self.state, decision.seat)
        self._seal(decision, move, now, timed_out=True)
        if self._all_answered():
            self.close_window(now)
            return True
        return False

    def _check_forfeit(self) -> None:
        if self.forfeit is None:
            self.forfeit = self.timing.accounts.forfeit()
            if self.forfeit is not None:
                self.timing.deadline = FOREVER

    def _again(self, seat: Seat, decision_id: str, move: Move | None) -> int:
        """What becomes of an answer to a decision that is not open; see `Answered.again`."""
        is_asked = self.open_decision(seat) is not None
        epoch = self._journal.epoch
        return self.answered.again(seat, decision_id, move, is_asked=is_asked, epoch=epoch)
