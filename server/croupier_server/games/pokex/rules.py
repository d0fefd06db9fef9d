"""Pokex as a `Game`: which moves are wanted when, what checks them, what carries them out.

One table says which moves each phase takes; the phases themselves are in `auction_phase` and
`play_phase`. The hot path is `apply` of a play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from math import comb
from typing import Any, Final, cast

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
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
    BLACK_JOKER,
    CARD_MAX,
    ONES,
    Cards,
    contains,
    count,
    one_pack_ids,
    rank,
    single,
)
from croupier_server.games.pokex import (
    auction_phase,
    bidding,
    moves,
    play_phase,
    scoring,
    worlds,
)
from croupier_server.games.pokex.events import DealResult
from croupier_server.games.pokex.moves import (
    BID,
    BID_MAX,
    CENTER_SHIFT,
    LEGAL_LIST_MAX,
    NAME_RANK,
    PASS,
    PLAY,
    RANK_LEAST,
    RANK_MOST,
    TYPE_MASK,
    MoveType,
    PokexDecisionKind,
    PokexMoveKind,
)
from croupier_server.games.pokex.options import (
    RULESETS,
    SPECS,
    PokexOptions,
    parse_options,
)
from croupier_server.games.pokex.refusals import Rule
from croupier_server.games.pokex.state import (
    HAND,
    NO_SIDE,
    PLAYERS,
    Phase,
    PokexView,
    PublicState,
    State,
)
from croupier_server.games.pokex.state import view as view_of
from croupier_server.games.rules import BaseRules, PhaseRow

# Members of an enum are looked up slowly, and as keys of a dictionary more slowly still. What the
# hot path needs has a name of its own, and tables by phase are tuples.
_BIDDING: Final = Phase.BIDDING
_PLAYING: Final = Phase.PLAY
_LEAD: Final = int(PokexDecisionKind.LEAD)
_FOLLOW: Final = int(PokexDecisionKind.FOLLOW)
_PAIR: Final = 2
"""Cards of a play (P-4.2)."""
_PAIRS: Final = tuple(comb(size, _PAIR) for size in range(HAND + 1))
"""Pairs of cards by the size of a hand."""

_new: Final = tuple.__new__

_SEATS: Final[tuple[tuple[Seat, ...], ...]] = (*((seat,) for seat in range(PLAYERS)), ())
"""By seat, the tuple of that seat alone; and for `NO_SEAT`, the last one."""


_BY_PHASE: dict[Phase, PhaseRow] = {
    Phase.DEAL: PhaseRow(Turn.CHANCE, (), 0),
    Phase.BIDDING: PhaseRow(Turn.MOVE, (PASS, BID), PokexDecisionKind.BID),
    Phase.NAME_RANK: PhaseRow(Turn.MOVE, (NAME_RANK,), PokexDecisionKind.NAME_RANK),
    Phase.PLAY: PhaseRow(Turn.MOVE, (PLAY,), PokexDecisionKind.LEAD),
    Phase.OVER: PhaseRow(Turn.OVER, (), 0),
}
_ROWS: Final = (_BY_PHASE[Phase.DEAL], *(_BY_PHASE[phase] for phase in Phase))
"""By number of the phase; no phase has the number 0."""
_TURNS: Final = tuple(row.turn for row in _ROWS)

_BIDS: Final = tuple(
    Legal(
        (PASS, *(moves.bid(tricks) for tricks in range(standing + 1, BID_MAX + 1))),
        (PokexMoveKind.PASS, *[PokexMoveKind.BID] * (BID_MAX - standing)),
    )
    for standing in range(BID_MAX)
)
"""Legal calls by the bid that stands; over the highest nothing is asked."""

_RANKS = range(RANK_LEAST, RANK_MOST + 1)
_NAMES: Final = Legal(
    tuple(moves.name_rank(named) for named in _RANKS), (PokexMoveKind.NAME_RANK,) * len(_RANKS)
)
_PLAY_KIND: Final = int(PokexMoveKind.PLAY)
_PLAY_KINDS: Final = tuple((PokexMoveKind.PLAY,) * number for number in range(LEGAL_LIST_MAX + 1))
"""Kinds of so many listed plays."""


class Pokex(BaseRules):
    """The rules of Pokex; see `croupier_server.games.base.Game` for what each method means."""

    name = "pokex"
    rules_version = 1

    def __init__(self) -> None:
        super().__init__(SPECS, RULESETS)

    # Options -----------------------------------------------------------------------------------

    def options(self, ruleset: str, overrides: Mapping[str, str]) -> PokexOptions:
        return parse_options(ruleset, overrides)

    def players(self, options: PokexOptions) -> int:
        return PLAYERS

    def team(self, options: PokexOptions, seat: Seat) -> int:
        return seat % 2

    def deals_max(self, options: PokexOptions) -> int | None:
        return options.max_deals or None

    def worst_deal(self, options: PokexOptions) -> int:
        return scoring.worst_deal(options)

    # Life --------------------------------------------------------------------------------------

    def new(self, options: PokexOptions) -> State:
        return State(PublicState(options))

    def turn(self, state: State) -> Turn:
        return _TURNS[state.public.phase]

    def chance(self, state: State) -> Chance:
        return auction_phase.pending_chance(state.public)

    def apply_chance(self, state: State, outcome: Sequence[int]) -> list[Event]:
        if state.public.phase is not Phase.DEAL:
            raise MalformedMove(Reason.MOVE_NOT_EXPECTED, "no chance event is waited for")
        return auction_phase.put_chance(state, outcome)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        return _SEATS[state.public.to_act]

    def decision_kind(self, state: State, seat: Seat) -> int:
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            raise _not_your_turn()
        if public.phase is _PLAYING:
            return _FOLLOW if public.plays else _LEAD
        return _ROWS[public.phase].decision

    def legal_moves(self, state: State, seat: Seat) -> Legal:
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            raise _not_your_turn()
        legal = state.legal
        if legal is None:
            if public.phase is _PLAYING:
                pairs = state.plays[seat]
                if pairs is not None and public.trick_center:
                    legal = Legal(pairs, _PLAY_KINDS[len(pairs)])
                else:
                    legal = _plays(state, seat)
            else:
                legal = _BIDS[public.bid] if public.phase is _BIDDING else _NAMES
            state.legal = legal
        return legal

    def members(self, legal: Legal, after: Move = 0) -> Iterator[Move]:
        return moves.members(legal, after)

    def sample(self, legal: Legal, draw: Iterator[int]) -> Move:
        return moves.sample(legal, draw)

    def check(self, state: State, seat: Seat, move: Move) -> None:
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            raise _not_your_turn()
        _check_form(move)
        kind = move & TYPE_MASK
        if kind not in _ROWS[public.phase].wanted:
            raise MalformedMove(
                Reason.MOVE_NOT_EXPECTED,
                f"this decision does not accept a move of the kind {MoveType(kind).name}",
            )
        if kind == PLAY:
            _check_play(public, state.hands[seat], move)
        elif kind == BID:
            bidding.check_bid(moves.number_of(move), public.bid)

    def apply(self, state: State, seat: Seat, move: Move) -> list[Event]:
        public = state.public
        if public.phase is _PLAYING and seat == public.to_act and public.trick_center:
            # The usual play, known to be legal at once: two cards of the hand, no centre card.
            cards = move ^ PLAY
            if cards & state.hands[seat] == cards and cards.bit_count() == _PAIR:
                return play_phase.play(state, seat, cards, 0)
        self.check(state, seat, move)
        return self.apply_unchecked(state, seat, move)

    def apply_unchecked(self, state: State, seat: Seat, move: Move) -> list[Event]:
        kind = move & TYPE_MASK
        if kind == PLAY:
            return play_phase.play(state, seat, moves.cards_of(move), move >> CENTER_SHIFT)
        if kind == NAME_RANK:
            return auction_phase.name_rank(state, seat, moves.number_of(move))
        return auction_phase.call(state, seat, moves.number_of(move))

    def fallback(self, state: State, seat: Seat) -> Move:
        """P-2: pass. P-3.2: name the rank held most, of equals the lowest. P-4: play the two
        lowest cards, wild ones last, and name the leftmost centre card."""
        public = state.public
        if seat != public.to_act or seat == NO_SEAT:
            raise _not_your_turn()
        hand = state.hands[seat]
        if public.phase is _PLAYING:
            low = 0
            for group in _cheapest_first(public.wild_rank):
                held = hand & group
                if held and not low:
                    low = held & -held
                    held ^= low
                if held:
                    center = 0 if public.trick_center else public.center_left[0]
                    return moves.play(low | held & -held, center)
        if public.phase is _BIDDING:
            return PASS
        ranks = [rank(card) for card in one_pack_ids(hand)]
        return moves.name_rank(max(_RANKS, key=lambda named: (ranks.count(named), -named)))

    def read_result(self, values: Sequence[Any]) -> DealResult:
        return DealResult(*values)

    def carry(self, state: State) -> tuple[int, ...]:
        return (state.public.passed_out,)

    def resume(
        self, options: PokexOptions, carried: Sequence[int], results: Sequence[object]
    ) -> State:
        state = State(PublicState(options))
        public = state.public
        (public.passed_out,) = carried
        state.results = tuple(cast("Sequence[DealResult]", results))
        if state.results:
            last = public.last_result = state.results[-1]
            public.deal = last.deal
            public.dealer = last.dealer
            public.totals = last.totals
        return state

    def standing(self, state: State) -> tuple[int, ...]:
        """P-6: the own side's points less the other's."""
        lead = state.public.totals[0] - state.public.totals[1]
        return (lead, -lead) * (PLAYERS // 2)

    def outcome(self, state: State) -> Outcome | None:
        """P-6.4, P-6.5."""
        public = state.public
        if public.phase is not Phase.OVER:
            return None
        winner = public.match_winner
        return Outcome(
            tuple(
                SeatOutcome(score, 1 if winner == NO_SIDE or winner == seat % 2 else 2)
                for seat, score in enumerate(self.standing(state))
            )
        )

    # Knowledge ---------------------------------------------------------------------------------

    def view(self, state: State, audience: Seat) -> PokexView:
        return view_of(state, audience)

    def worlds(self, view: PokexView, draw: Iterator[int]) -> State:
        return worlds.deal_world(view, draw)

    # Text --------------------------------------------------------------------------------------

    def move_text(self, move: Move) -> str:
        return moves.move_text(move)


def _not_your_turn() -> NotYourTurn:
    return NotYourTurn(Reason.NOT_YOUR_TURN, "this seat is not to act")


def _plays(state: State, seat: Seat) -> Legal:
    """Any two cards of the hand (P-4.2), and in a lead that names its centre card any one of
    those left (P-4.1)."""
    public, hand = state.public, state.hands[seat]
    number = _PAIRS[hand.bit_count()]
    if public.trick_center:
        if number > LEGAL_LIST_MAX:
            return Legal((), (), (_any_two(hand, 0),))
        return Legal(_listed(state, seat), _PLAY_KINDS[number])
    named = [center << CENTER_SHIFT for center in sorted(public.center_left)]
    number *= len(named)
    if number > LEGAL_LIST_MAX:
        return Legal((), (), [_any_two(hand, center) for center in named])
    pairs = _listed(state, seat)
    return Legal([center | play for center in named for play in pairs], _PLAY_KINDS[number])


def _listed(state: State, seat: Seat) -> Sequence[Move]:
    """All plays of two cards of the hand of *seat*."""
    pairs = state.plays[seat]
    if pairs is None:
        pairs = state.plays[seat] = moves.plays(one_pack_ids(state.hands[seat]))
    return pairs


def _any_two(hand: Cards, fixed: int) -> Pattern:
    return _new(Pattern, (_PLAY_KIND, fixed, hand, _PAIR, _PAIR))


def _check_form(move: Move) -> None:
    """Raise MalformedMove unless *move* is a move of Pokex, legal or not."""
    kind, payload = move & TYPE_MASK, move & ~TYPE_MASK
    if not PASS <= kind <= PLAY or (kind == PASS and payload):
        raise MalformedMove(Reason.MALFORMED_MOVE, "not a move of Pokex")
    if kind == NAME_RANK and not RANK_LEAST <= moves.number_of(move) <= RANK_MOST:
        raise MalformedMove(Reason.MALFORMED_MOVE, "no rank")
    if kind != PLAY:
        return
    cards = moves.cards_of(move)
    is_over = cards & cards >> 1 & cards >> 2 & ONES  # as if there were 7 copies or more
    if moves.center_of(move) > CARD_MAX or cards & ONES << 3 or is_over:
        raise MalformedMove(Reason.MALFORMED_MOVE, "not a set of cards of a pack")


def _check_play(public: PublicState, hand: Cards, move: Move) -> None:
    """Check the two cards of a play and the centre card that it names or does not (P-4)."""
    cards, center = moves.cards_of(move), moves.center_of(move)
    if count(cards) != _PAIR:
        raise IllegalMove(
            Rule.WRONG_CARD_COUNT, "P-4.2", f"{count(cards)} cards given; exactly {_PAIR} needed"
        )
    if not contains(hand, cards):
        raise IllegalMove(
            Rule.CARDS_NOT_IN_HAND, "P-4.2", "the hand does not hold all of these cards"
        )
    if public.trick_center:
        if center:
            raise IllegalMove(
                Rule.CENTER_NOT_YOURS, "P-4.1", "you cannot name the centre card of this trick"
            )
    elif not center:
        raise IllegalMove(
            Rule.CENTER_NOT_NAMED, "P-4.1", "the leader must name the centre card of the trick"
        )
    elif center not in public.center_left:
        raise IllegalMove(
            Rule.CENTER_NOT_AVAILABLE, "P-4.1", "that card is not in the centre any more"
        )


@cache
def _cheapest_first(wild_rank: int) -> tuple[Cards, ...]:
    """The cards of each rank, rising with what they are worth keeping: jokers and the wild rank are
    worth most, then high ranks."""
    ranked = sorted(
        range(1, CARD_MAX + 1),
        key=lambda card: (card >= BLACK_JOKER or rank(card) == wild_rank, rank(card), card),
    )
    return tuple(sum(map(single, cards)) for _, cards in groupby(ranked, rank))


RULES: Final = Pokex()
"""The game, for the registry."""
