"""Tricks and the end of a deal (P-4, P-6).

Functions change a `State` and return the events; moves are known to be legal. `play` is the hot
path of the game.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import NO_SEAT, NOBODY, Event, Seat
from croupier_server.games.cards import CARD_MAX, Card, Cards
from croupier_server.games.pokex import scoring
from croupier_server.games.pokex.events import (
    CardsPlayed,
    DealResult,
    Played,
    TrickEnded,
)
from croupier_server.games.pokex.moves import PLAY, plays_left
from croupier_server.games.pokex.pokerhands import HandRules, hand_rules
from croupier_server.games.pokex.state import (
    NO_SIDE,
    PLAYERS,
    TRICKS,
    Phase,
    PublicState,
    State,
    Trick,
)
from croupier_server.games.pokex.tricks import ORDERS, award, next_leader

_ID: Final = tuple(bytes((card,)) for card in range(CARD_MAX + 1))

_new: Final = tuple.__new__


def start_play(state: State, leader: Seat) -> None:
    """Ask *leader* for the first lead (P-2.4, P-4.4)."""
    public = state.public
    public.phase = Phase.PLAY
    state.legal = None
    _start_trick(public, leader)


def _start_trick(public: PublicState, leader: Seat) -> None:
    """Ask *leader* for a lead; under ``center`` fixed the centre card is known now (P-4.1)."""
    public.leader = public.to_act = leader
    if public.options.center == "fixed":
        public.trick_center = public.center_left[0]
        public.center_left = public.center_left[1:]
    else:
        public.trick_center = 0


def play(state: State, seat: Seat, cards: Cards, center: Card) -> list[Event]:
    """Lead or follow with *cards*; a lead under ``center`` leader_picks names *center*, which is
    0 otherwise. The last play of a trick ends it, and maybe the deal."""
    public = state.public
    state.hands[seat] ^= cards
    state.legal = None
    known = state.plays[seat]
    if known is not None:
        state.plays[seat] = plays_left(known, cards | PLAY)
    # Tuples are made without the detour of their own constructors, which takes longer.
    played = _new(Played, (seat, cards))
    plays = public.plays
    is_lead = not plays
    public.plays = plays = (*plays, played)
    if is_lead and center:
        public.trick_center = center
        public.center_left = public.center_left.replace(_ID[center], b"")
    if len(plays) < PLAYERS:
        public.to_act = ORDERS[public.options.play_order][public.leader][len(plays)]
        told = _new(CardsPlayed, (played, public.trick_center if is_lead else 0, None))
        return [_new(Event, (told, NOBODY, None))]
    told = _new(CardsPlayed, (played, 0, _end_trick(public)))
    happened = [_new(Event, (told, NOBODY, None))]
    if len(public.tricks) == TRICKS:
        happened.append(Event(end_deal(state), NOBODY))
    return happened


def rules_of(public: PublicState) -> HandRules:
    """How hands are read and compared in this deal (P-3, P-5)."""
    options = public.options
    return hand_rules(
        public.wild_rank,
        options.joker,
        options.flush_duplicates,
        options.wild_as_self_free,
        options.tie_break_fewer_wilds,
    )


def _end_trick(public: PublicState) -> TrickEnded:
    """Compare the hands of both sides and give the trick to one, or to nobody (P-4.3)."""
    rules = rules_of(public)
    features = rules.features
    sums = [features[public.trick_center]] * 2
    for seat, cards in public.plays:  # as `HandRules.sum_of`, which would be four calls more
        high, low = cards.bit_length() >> 2, (cards & -cards).bit_length() >> 2
        sums[seat & 1] += features[high] + features[low]
    first, first_hand = rules.best_of_sum(sums[0])
    second, second_hand = rules.best_of_sum(sums[1])
    ignored = rules.ignored_bits
    first, second = first >> ignored, second >> ignored
    better = None if first == second else 0 if first > second else 1
    winner, counted, public.carried = award(
        better, public.leader & 1, public.carried, public.options.tied_trick
    )
    if winner is not None:
        own, others = public.taken
        public.taken = (own, others + counted) if winner else (own + counted, others)
    hands = (first_hand, second_hand)
    trick = (public.trick_center, public.plays, winner, hands, counted)
    public.tricks += (_new(Trick, trick),)
    public.plays = ()
    if len(public.tricks) < TRICKS:
        _start_trick(public, next_leader(public.leader))
    return _new(TrickEnded, (winner, hands, counted))


def end_deal(state: State, is_passed_out: bool = False) -> DealResult:
    """Score the deal, and end the match if it is over (P-2.4, P-6)."""
    public = state.public
    options = public.options
    declarer = None if public.declarer == NO_SEAT else public.declarer
    side = None if declarer is None else declarer % 2
    points = (0, 0)
    if is_passed_out:
        public.passed_out += 1
    else:
        public.passed_out = 0
        points = scoring.deal_points(side, public.bid, public.taken, options)
    public.totals = (public.totals[0] + points[0], public.totals[1] + points[1])
    result = DealResult(
        deal=public.deal,
        dealer=public.dealer,
        declarer=declarer,
        bid=public.bid,
        is_passed_out=is_passed_out,
        wild_rank=public.wild_rank,
        tricks=public.taken,
        points=points,
        totals=public.totals,
    )
    state.results += (result,)
    public.last_result = result
    public.leader = public.to_act = NO_SEAT
    public.trick_center = 0
    public.carried = 0
    state.legal = None
    verdict = scoring.judge(public.totals, side, public.deal, options)
    public.match_winner = NO_SIDE if verdict.winner is None else verdict.winner
    public.phase = Phase.OVER if verdict.is_over else Phase.DEAL
    return result
