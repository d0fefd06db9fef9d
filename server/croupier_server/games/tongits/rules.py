"""Tong-its as a `Game`: which moves are wanted when, what checks them, what carries them out.

One table says which moves each phase takes. What is legal is in `legal`; what a move does is in
`turn_phase`, and what surrounds the turns in `deal_phase`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from croupier_server.errors import MalformedMove, NotYourTurn, Reason
from croupier_server.games.base import (
    NO_SEAT,
    Chance,
    Event,
    Legal,
    Move,
    Outcome,
    Seat,
    SeatOutcome,
    Turn,
)
from croupier_server.games.rules import BaseRules, PhaseRow
from croupier_server.games.tongits import deal_phase, legal, moves, scoring, turn_phase, worlds
from croupier_server.games.tongits.events import DealResult, Ending, Payment, SeatResult
from croupier_server.games.tongits.melds import BY_POINTS
from croupier_server.games.tongits.moves import (
    CALL_DRAW,
    CARDS_MASK,
    CHALLENGE,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    FOLD,
    LAY_OFF,
    MELD,
    MELD_SHIFT,
    SECRET_FOUR,
    TAKE_DISCARD,
    TYPE_MASK,
    MoveType,
    TongitsDecisionKind,
)
from croupier_server.games.tongits.options import (
    RULESETS,
    SPECS,
    TongitsOptions,
    parse_options,
)
from croupier_server.games.tongits.state import (
    PLAYERS,
    SEATS,
    Phase,
    PublicState,
    State,
    TongitsView,
)
from croupier_server.games.tongits.state import view as view_of

# Members of an enum are looked up slowly, and as keys of a dictionary more slowly still. What the
# hot path needs has a name of its own, and tables by phase are tuples.
_START: Final = Phase.START_TURN
_PLAY: Final = Phase.PLAY


_ROWS: Final[tuple[PhaseRow, ...]] = (
    PhaseRow(Turn.CHANCE, (), 0),  # No phase has the number 0.
    PhaseRow(Turn.CHANCE, (), 0),
    PhaseRow(Turn.MOVE, (DRAW_STOCK, TAKE_DISCARD, CALL_DRAW), TongitsDecisionKind.START_TURN),
    PhaseRow(Turn.MOVE, (MELD, SECRET_FOUR, LAY_OFF, DISCARD, END_TURN), TongitsDecisionKind.PLAY),
    PhaseRow(Turn.MOVE, (FOLD, CHALLENGE), TongitsDecisionKind.ANSWER),
    PhaseRow(Turn.OVER, (), 0),
)
"""By number of the phase."""

_TURNS: Final = tuple(row.turn for row in _ROWS)
_DECISIONS: Final = tuple(row.decision for row in _ROWS)


class Tongits(BaseRules):
    """The rules of Tong-its; see `croupier_server.games.base.Game` for what each method means."""

    name = "tongits"
    rules_version = 1

    def __init__(self) -> None:
        super().__init__(SPECS, RULESETS)

    # Options -----------------------------------------------------------------------------------

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> TongitsOptions:
        return parse_options(ruleset, overrides)

    def players(self, options: TongitsOptions) -> int:
        return PLAYERS

    def team(self, options: TongitsOptions, seat: Seat) -> int:
        return seat

    def deals_max(self, options: TongitsOptions) -> int | None:
        return options.max_hands

    def worst_deal(self, options: TongitsOptions) -> int:
        return scoring.worst_deal(options)

    # Life --------------------------------------------------------------------------------------

    def new(self, options: TongitsOptions) -> State:
        return State(PublicState(options))

    def turn(self, state: State) -> Turn:
        return _TURNS[state.public.phase]

    def chance(self, state: State) -> Chance:
        return deal_phase.pending_chance(state.public)

    def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
        if state.public.phase is not Phase.DEAL:
            raise MalformedMove(Reason.MOVE_NOT_EXPECTED, "no chance event is waited for")
        return deal_phase.put_chance(state, outcome)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        seat = state.public.to_act
        return SEATS[seat] if seat != NO_SEAT else ()

    def decision_kind(self, state: State, seat: Seat) -> int:
        public = state.public
        if seat != public.to_act:
            _expect(state, seat)
        return _DECISIONS[public.phase]

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        public = state.public
        if seat != public.to_act:
            _expect(state, seat)
        known = state.legal
        if known is None:
            if public.phase is _PLAY:
                known = legal.play_moves(state, seat)
            elif public.phase is _START:
                known = legal.start_moves(state, seat)
            else:
                _expect(state, seat)
                known = legal.answers()
            state.legal = known
        return known

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        return moves.members(legal, after)

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        return moves.sample(legal, draw)

    def check(self, state: State, seat: Seat, move: Move) -> None:
        known = state.legal
        if known is not None and seat == state.public.to_act and move in known.moves:
            return
        _expect(state, seat)
        legal.check_form(move)
        kind = move & TYPE_MASK
        phase = state.public.phase
        if kind not in _ROWS[phase].wanted:
            raise MalformedMove(
                Reason.MOVE_NOT_EXPECTED,
                f"this decision does not accept a move of the kind {MoveType(kind).name}",
            )
        if phase is _PLAY:
            legal.check_play(state, seat, kind, move)
        elif phase is _START:
            legal.check_start(state, seat, kind, move)

    def apply(self, state: State, seat: Seat, move: Move) -> list[Event]:
        known = state.legal
        if known is None or seat != state.public.to_act or move not in known.moves:
            self.check(state, seat, move)
        return self.apply_unchecked(state, seat, move)

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        kind = move & TYPE_MASK
        if kind == DISCARD:
            return turn_phase.discard(state, seat, move ^ DISCARD)
        if kind == DRAW_STOCK:
            return turn_phase.draw_stock(state, seat)
        cards, number = move & CARDS_MASK, (move >> MELD_SHIFT) - 1
        if kind == MELD:
            return turn_phase.meld(state, seat, cards)
        if kind == LAY_OFF:
            return turn_phase.lay_off(state, seat, number, cards)
        if kind == TAKE_DISCARD:
            if cards:
                return turn_phase.take_for_meld(state, seat, cards)
            return turn_phase.take_for_lay_off(state, seat, number)
        if kind == SECRET_FOUR:
            return turn_phase.secret_four(state, seat, cards)
        if kind == END_TURN:
            return turn_phase.end_turn(state, seat)
        if kind == CALL_DRAW:
            return turn_phase.call_draw(state, seat)
        return turn_phase.answer(state, seat, kind == CHALLENGE)

    def fallback(self, state: State, seat: Seat) -> Move:
        """Draw from the stock, discard the dearest card that is in no meld, fold (G-2, G-5.2)."""
        _expect(state, seat)
        public = state.public
        if public.phase is _START:
            return DRAW_STOCK
        if public.phase is not _PLAY:
            return FOLD
        if public.took_discard and not public.options.discard_after_take:
            return END_TURN
        hand = state.hands[seat]
        loose = hand ^ state.table.melded(hand) or hand
        dearest = 0
        for worth in BY_POINTS:
            dearest = loose & worth
            if dearest:
                break
        return dearest & -dearest | DISCARD

    def read_result(self, values: Sequence[Any]) -> DealResult:
        # Any: compiled code holds the fields of a result to their types.
        plain: Any = DealResult(*values)
        result: DealResult = plain._replace(
            ending=Ending(plain.ending),
            seats=tuple([SeatResult(*seat) for seat in plain.seats]),
            payments=tuple([Payment(*payment) for payment in plain.payments]),
        )
        return result

    def carry(self, state: State) -> tuple[int, ...]:
        return (state.public.streak_seat, state.public.streak)

    def resume(
        self, options: TongitsOptions, carried: Sequence[int], results: Sequence[object]
    ) -> State:
        state = State(PublicState(options))
        public = state.public
        public.streak_seat, public.streak = carried
        state.results = tuple(cast("Sequence[DealResult]", results))
        if state.results:
            last = public.last_result = state.results[-1]
            public.deal = last.deal
            public.dealer = last.next_dealer
            public.pot = last.pot
            public.chips = [seat.chips for seat in last.seats]
        return state

    def standing(self, state: State) -> tuple[int, ...]:
        """G-7: chips received less chips paid, with an even share of the pot."""
        share = state.public.pot // PLAYERS
        return tuple([chips + share for chips in state.public.chips])

    def outcome(self, state: State) -> Outcome | None:
        """G-7: equal scores share the place."""
        if state.public.phase is not Phase.OVER:
            return None
        chips = self.standing(state)
        return Outcome(
            tuple(SeatOutcome(own, 1 + sum(other > own for other in chips)) for own in chips)
        )

    # Knowledge ---------------------------------------------------------------------------------

    def view(self, state: State, audience: Seat) -> TongitsView:
        return view_of(state, audience)

    def worlds(self, view: TongitsView, draw: Iterator[int]) -> State:
        return worlds.deal_world(view, draw)

    # Text --------------------------------------------------------------------------------------

    def move_text(self, move: Move) -> str:
        return moves.move_text(move)


def _expect(state: State, seat: Seat) -> None:
    """Raise NotYourTurn unless *seat* is to act."""
    if seat == NO_SEAT or seat != state.public.to_act:
        raise NotYourTurn(Reason.NOT_YOUR_TURN, "it is not this seat's turn")


RULES: Final = Tongits()
"""The game, for the registry."""
