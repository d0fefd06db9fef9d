"""Tractor as a `Game`: which moves are wanted when, what checks them, what carries them out.

One table says which moves each phase takes; the phases themselves are in `making_phase` and
`play_phase`. The hot path is `apply` of a listed play, which costs a look-up here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
from croupier_server.games import patterns
from croupier_server.games.base import (
    NO_SEAT,
    Chance,
    Event,
    Legal,
    Move,
    Outcome,
    Pattern,
    Seat,
    SeatOutcome,
    Turn,
)
from croupier_server.games.cards import (
    ONES,
    Cards,
    at_least,
    contains,
    count,
    single,
    unpack,
)
from croupier_server.games.rules import BaseRules, PhaseRow
from croupier_server.games.tractor import (
    bidding,
    making_phase,
    moves,
    play_phase,
    scoring,
    worlds,
)
from croupier_server.games.tractor.events import DealScored
from croupier_server.games.tractor.follow import (
    check_follow,
    check_lead,
    legal_follows,
    legal_leads,
)
from croupier_server.games.tractor.moves import (
    BURY,
    CALL,
    DECLARE,
    LEGAL_LIST_MAX,
    NAME_TRUMPS,
    PASS,
    PLAY,
    SHOW,
    TYPE_MASK,
    MoveType,
    TractorDecisionKind,
    TractorMoveKind,
)
from croupier_server.games.tractor.options import (
    RULESETS,
    SPECS,
    TractorOptions,
    option_text,
    parse_options,
)
from croupier_server.games.tractor.refusals import Rule
from croupier_server.games.tractor.state import (
    NO_TEAM,
    SEATS,
    Phase,
    PublicState,
    State,
    TractorView,
)
from croupier_server.games.tractor.state import view as view_of

# Members of an enum are looked up slowly, and as keys of a dictionary more slowly still. What the
# hot path needs has a name of its own, and tables by phase are tuples.
_DRAW: Final = Phase.DRAW
_PLAYING: Final = Phase.PLAY
_LEAD: Final = TractorDecisionKind.LEAD
_FOLLOW: Final = TractorDecisionKind.FOLLOW

_NO_COPIES: Final = ~(7 * ONES)
"""Bits that no set of cards has set."""


_ROWS: Final[dict[Phase, PhaseRow]] = {
    Phase.DEAL: PhaseRow(Turn.CHANCE, (), 0),
    Phase.DRAW: PhaseRow(Turn.WINDOW, (PASS, DECLARE), TractorDecisionKind.DECLARE),
    Phase.AUCTION: PhaseRow(Turn.MOVE, (PASS, CALL), TractorDecisionKind.CALL),
    Phase.SHOW: PhaseRow(Turn.MOVE, (SHOW,), TractorDecisionKind.SHOW),
    Phase.NAME_TRUMPS: PhaseRow(Turn.MOVE, (NAME_TRUMPS,), TractorDecisionKind.NAME_TRUMPS),
    Phase.BURY: PhaseRow(Turn.MOVE, (BURY,), TractorDecisionKind.BURY),
    Phase.PLAY: PhaseRow(Turn.MOVE, (PLAY,), _LEAD),
    Phase.OVER: PhaseRow(Turn.OVER, (), 0),
}
_TURNS: Final[tuple[Turn, ...]] = (Turn.CHANCE, *(_ROWS[phase].turn for phase in Phase))
"""By number of the phase; no phase has the number 0."""

_SUIT_CHOICES: tuple[int | None, ...] = (0, 1, 2, 3, None)
_NAMES: Final = Legal(
    [moves.name_trumps(suit) for suit in _SUIT_CHOICES],
    [TractorMoveKind.NAME_TRUMPS] * len(_SUIT_CHOICES),
)


class Tractor(BaseRules):
    """The rules of Tractor; see `croupier_server.games.base.Game` for what each method means."""

    name = "tractor"
    rules_version = 1

    def __init__(self) -> None:
        super().__init__(SPECS, RULESETS)

    # Options -----------------------------------------------------------------------------------

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> TractorOptions:
        return parse_options(ruleset, overrides)

    def option_text(self, options: TractorOptions) -> dict[str, str]:
        return option_text(options)

    def players(self, options: TractorOptions) -> int:
        return options.players

    def team(self, options: TractorOptions, seat: Seat) -> int:
        return seat % 2

    def deals_max(self, options: TractorOptions) -> int | None:
        return options.max_deals or None

    def worst_deal(self, options: TractorOptions) -> int:
        return scoring.worst_deal(options)

    # Life --------------------------------------------------------------------------------------

    def new(self, options: TractorOptions) -> State:
        return State(PublicState.new(options))

    def turn(self, state: State) -> Turn:
        return _TURNS[state.public.phase]

    def chance(self, state: State) -> Chance:
        return making_phase.pending_chance(state.public)

    def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
        if state.public.phase is not Phase.DEAL:
            raise MalformedMove(Reason.MOVE_NOT_EXPECTED, "no chance event is waited for")
        return making_phase.put_chance(state, outcome)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        public = state.public
        if public.phase is _DRAW:
            if state.asked is None:
                making_phase.asked(state)
            return state.asking
        return SEATS[public.to_act] if public.to_act != NO_SEAT else ()

    def decision_kind(self, state: State, seat: Seat) -> int:
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            self._window_moves(state, seat)
        if public.phase is _PLAYING:
            return _FOLLOW if public.plays else _LEAD
        return _ROWS[public.phase].decision

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            return self._window_moves(state, seat)
        legal = state.legal
        if legal is None:
            if public.phase is _PLAYING:
                assert public.trumps is not None
                hand = state.hands[seat]
                if public.best is None:
                    legal = legal_leads(hand, public.trumps)
                else:
                    assert public.lead is not None
                    legal = legal_follows(hand, public.lead, public.trumps, state.follow_rules)
            else:
                legal = _other_moves(state, seat)
            state.legal = legal
        return legal

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        return moves.members(legal, after)

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        return moves.sample(legal, draw)

    def _window_moves(self, state: State, seat: Seat) -> Legal:
        if state.public.phase is Phase.DRAW and 0 <= seat < state.public.options.players:
            answer = making_phase.asked(state)[seat]
            if answer is not None:
                return answer
        raise NotYourTurn(Reason.NOT_YOUR_TURN, "it is not this seat's turn")

    def _expect(self, state: State, seat: Seat) -> None:
        """Raise NotYourTurn unless *seat* is to act."""
        if seat != state.public.to_act or seat == NO_SEAT:
            self._window_moves(state, seat)

    def check(self, state: State, seat: Seat, move: Move) -> None:
        public = state.public
        legal = state.legal
        if legal is not None and seat == public.to_act and move in legal.moves:
            return
        self._check_unlisted(state, seat, move)

    def _check_unlisted(self, state: State, seat: Seat, move: Move) -> None:
        """`check` a move that is none of those listed for a seat that is to move."""
        public = state.public
        self._expect(state, seat)
        _check_form(move)
        kind = move & TYPE_MASK
        if kind not in _ROWS[public.phase].wanted:
            raise MalformedMove(
                Reason.MOVE_NOT_EXPECTED,
                f"this decision does not accept a move of the kind {MoveType(kind).name}",
            )
        if public.phase is _PLAYING:
            _check_play(state, seat, move & ~TYPE_MASK)
        else:
            _check_other(state, seat, kind, move)

    def apply(self, state: State, seat: Seat, move: Move) -> list[Event]:
        legal = state.legal
        if legal is None or seat != state.public.to_act or move not in legal.moves:
            if state.public.phase is _DRAW:
                raise NotYourTurn(Reason.NOT_YOUR_TURN, "a sealed window collects answers")
            self._check_unlisted(state, seat, move)
        if move & TYPE_MASK == PLAY:
            return play_phase.play(state, seat, move ^ PLAY)
        return self.apply_unchecked(state, seat, move)

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        kind = move & TYPE_MASK
        if kind == PLAY:
            return play_phase.play(state, seat, move ^ PLAY)
        if kind == BURY:
            return play_phase.bury(state, seat, move ^ BURY)
        if kind == SHOW:
            return making_phase.show_card(state, seat, unpack(move ^ SHOW)[0])
        if kind == NAME_TRUMPS:
            suit = moves.number_of(move)
            return making_phase.name_trumps(state, None if suit == moves.NO_TRUMP else suit)
        return making_phase.call(state, seat, moves.number_of(move))

    def close_window(self, state: State, answers: Mapping[Seat, Move]) -> list[Event]:
        assert state.public.phase is _DRAW, "no window is open"
        assert answers.keys() == set(self.to_act(state)), "an answer of every seat that is asked"
        return making_phase.close_window(state, answers)

    def fallback(self, state: State, seat: Seat) -> Move:
        """T-3, T-11: pass, show and name what costs least. T-9: bury and play low cards without
        points; a follower plays the first legal answer."""
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            self._window_moves(state, seat)
            return PASS
        hand = state.hands[seat]
        if public.phase is _PLAYING:
            if public.plays:
                legal = self.legal_moves(state, seat)
                if legal.moves:
                    return legal.moves[0]
                return next(patterns.members(legal.patterns)) | PLAY
            assert public.trumps is not None
            for every in public.trumps.cheapest_first:
                if hand & every:
                    return every & ONES | PLAY
        if public.phase is Phase.BURY:
            assert public.trumps is not None
            order = {
                every & ONES: place for place, every in enumerate(public.trumps.cheapest_first)
            }
            cards = sorted(map(single, unpack(hand)), key=order.__getitem__)
            return sum(cards[: public.options.kitty]) | BURY
        if public.phase is Phase.AUCTION:
            return PASS
        if public.phase is Phase.NAME_TRUMPS:
            return moves.name_trumps(_longest_suit(hand))
        lowest = min(unpack(hand), key=lambda card: bidding.show_height(card, public.trump_rank))
        return single(lowest) | SHOW

    def read_result(self, values: Sequence[Any]) -> DealScored:
        return DealScored(*values)

    def carry(self, state: State) -> tuple[int, ...]:
        return (state.public.first_drawer,)

    def resume(
        self, options: TractorOptions, carried: Sequence[int], results: Sequence[object]
    ) -> State:
        state = State(PublicState.new(options))
        public = state.public
        (public.first_drawer,) = carried
        state.results = tuple(cast("Sequence[DealScored]", results))
        if state.results:
            last = public.last_result = state.results[-1]
            public.levels = last.levels
            public.nominee = last.next_starter
        return state

    def standing(self, state: State) -> tuple[int, ...]:
        """T-9.6: by how many steps each seat's team is ahead."""
        public = state.public
        winner = None if public.match_winner == NO_TEAM else public.match_winner
        scores = scoring.match_scores(public.levels, winner)
        return scores * (public.options.players // 2)

    def outcome(self, state: State) -> Outcome | None:
        """T-9.6."""
        if state.public.phase is not Phase.OVER:
            return None
        return Outcome(
            tuple(SeatOutcome(score, 1 if score >= 0 else 2) for score in self.standing(state))
        )

    # Knowledge ---------------------------------------------------------------------------------

    def view(self, state: State, audience: Seat) -> TractorView:
        return view_of(state, audience)

    def worlds(self, view: TractorView, draw: Iterator[int]) -> State:
        return worlds.deal_world(view, draw)

    # Text --------------------------------------------------------------------------------------

    def move_text(self, move: Move) -> str:
        return moves.move_text(move)


def _check_form(move: Move) -> None:
    """Raise MalformedMove unless *move* is a move of Tractor, legal or not."""
    kind, payload = move & TYPE_MASK, move & ~TYPE_MASK
    if not PASS <= kind <= PLAY or (kind == PASS and payload):
        raise MalformedMove(Reason.MALFORMED_MOVE, "not a move of Tractor")
    if kind in (PASS, CALL, NAME_TRUMPS):
        return
    is_over = payload & payload >> 1 & payload >> 2 & ONES  # as if there were 7 copies or more
    if payload & _NO_COPIES or is_over:
        raise MalformedMove(Reason.MALFORMED_MOVE, "not a set of cards of a pack")


def _check_play(state: State, seat: Seat, cards: Cards) -> None:
    public = state.public
    assert public.trumps is not None
    if public.best is None:
        check_lead(state.hands[seat], cards, public.trumps)
    else:
        assert public.lead is not None
        check_follow(state.hands[seat], public.lead, cards, public.trumps, state.follow_rules)


def _check_other(state: State, seat: Seat, kind: int, move: Move) -> None:
    """Check a move that is no play and of a kind that the phase takes."""
    public, options = state.public, state.public.options
    hand, cards = state.hands[seat], moves.cards_of(move)
    if kind == DECLARE:
        bidding.check_declaration(hand, seat, cards, public.standing, public.trump_rank, options)
    elif kind == CALL:
        bidding.check_call(moves.number_of(move), public.bid, options)
    elif kind == SHOW:
        _check_cards(hand, cards, 1, "T-11.2")
    elif kind == NAME_TRUMPS and moves.number_of(move) > moves.NO_TRUMP:
        raise IllegalMove(Rule.UNKNOWN_TRUMP_SUIT, "T-11.3", "name a suit or no trump")
    elif kind == BURY:
        _check_cards(hand, cards, options.kitty, "T-9.1")


def _check_cards(hand: Cards, cards: Cards, wanted: int, clause: str) -> None:
    if count(cards) != wanted:
        raise IllegalMove(
            Rule.WRONG_CARD_COUNT, clause, f"{count(cards)} cards given; exactly {wanted} needed"
        )
    if not contains(hand, cards):
        raise IllegalMove(
            Rule.CARDS_NOT_IN_HAND, clause, "the hand does not hold all of these cards"
        )


def _other_moves(state: State, seat: Seat) -> Legal:
    """The legal answer of a decision that is no play."""
    public, options = state.public, state.public.options
    hand = state.hands[seat]
    if public.phase is Phase.NAME_TRUMPS:
        return _NAMES
    if public.phase is Phase.SHOW:
        shown = [single(card) | SHOW for card in unpack(at_least(hand, 1))]
        return Legal(shown, [TractorMoveKind.SHOW] * len(shown))
    if public.phase is Phase.AUCTION:
        calls = bidding.call_range(public.bid, options)
        if len(calls) < LEGAL_LIST_MAX:
            kinds = [TractorMoveKind.PASS] + [TractorMoveKind.CALL] * len(calls)
            return Legal([PASS, *(moves.call(points) for points in calls)], kinds)
        span = Pattern(TractorMoveKind.CALL, 0, 0, calls[0], calls[-1])
        return Legal([PASS], [TractorMoveKind.PASS], (span,))
    pattern = Pattern(TractorMoveKind.BURY, 0, hand, options.kitty, options.kitty)
    listed = patterns.listing((pattern,), LEGAL_LIST_MAX)
    if listed is None:
        return Legal((), (), (pattern,))
    buried = [cards | BURY for cards in listed]
    return Legal(buried, [TractorMoveKind.BURY] * len(buried))


def _longest_suit(hand: Cards) -> int:
    """The printed suit with most cards in *hand*, of equals the first in S H D C."""
    suits = [count(hand >> 52 * suit & (1 << 56) - 16) for suit in range(4)]
    return suits.index(max(suits))


RULES: Final = Tractor()
"""The game, for the registry."""
