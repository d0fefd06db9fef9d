"""Burying, tricks, false throws, and the end of a deal (T-5 to T-9).

Functions change a `State` and return the events; moves are known to be legal. `play` is the hot
path of the whole game.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import NO_SEAT, NOBODY, Event, Seat
from croupier_server.games.cards import Cards, count
from croupier_server.games.tractor import scoring
from croupier_server.games.tractor.cards import Trumps, points
from croupier_server.games.tractor.components import Lead, read_lead
from croupier_server.games.tractor.events import (
    CardsPlayed,
    DealScored,
    FailedThrow,
    KittyBuried,
    OwnKitty,
    TrickWon,
)
from croupier_server.games.tractor.state import NO_TEAM, Phase, State, Trick
from croupier_server.games.tractor.throws import judge_throw
from croupier_server.games.tractor.tricks import challenge, new_standing

_new: Final = tuple.__new__


def bury(state: State, seat: Seat, cards: Cards) -> list[Event]:
    """The starter buries *cards* and will lead (T-9.1)."""
    public = state.public
    state.hands[seat] -= cards
    state.buried = cards
    public.phase = Phase.PLAY
    public.leader = public.to_act = seat
    state.legal = None
    return [Event(KittyBuried(seat, public.options.kitty), {seat: OwnKitty(cards)})]


def play(state: State, seat: Seat, cards: Cards) -> list[Event]:
    """Lead or follow with *cards*; the last play of a trick ends it, and maybe the deal."""
    public = state.public
    failed: FailedThrow | None = None
    best = public.best
    if best is None:
        trumps = public.trumps
        assert trumps is not None
        lead = read_lead(cards, trumps)
        if lead.is_throw:
            failed, lead = _try_throw(state, seat, lead, trumps)
            cards = lead.cards
        public.failed_throw = failed
        public.lead = lead
        public.best = new_standing(lead, trumps, public.options.throw_compare)
        public.winner = seat
    else:
        better = challenge(best, cards)
        if better is not None:
            public.best = better
            public.winner = seat
    state.hands[seat] -= cards
    state.legal = None
    plays = public.plays
    plays.append(cards)
    players = public.options.players
    if len(plays) < players:
        seat_next = seat + 1
        public.to_act = seat_next if seat_next < players else 0
        # Made without the detour of their own constructors, which take longer than the rest.
        played = _new(CardsPlayed, (seat, cards, failed, None))
        return [_new(Event, (played, NOBODY, None))]
    won = _end_trick(state)
    played = _new(CardsPlayed, (seat, cards, failed, won))
    happened = [_new(Event, (played, NOBODY, None))]
    if not state.hands[seat]:
        happened.append(Event(_end_deal(state, won), NOBODY))
    return happened


def _try_throw(
    state: State, seat: Seat, lead: Lead, trumps: Trumps
) -> tuple[FailedThrow | None, Lead]:
    """What stays of a throw, with what was tried and paid if it failed (T-8)."""
    public = state.public
    others = state.hands.copy()
    del others[seat]
    judged = judge_throw(lead, others, trumps)
    if not judged.withdrawn:
        return None, lead
    penalty = scoring.throw_penalty(
        public.options.throw_penalty,
        count(judged.withdrawn),
        sum([component.count for component in judged.beatable]),
    )
    public.opponents_points += penalty if seat % 2 == public.declarers else -penalty
    return FailedThrow(lead.cards, judged.withdrawn, penalty), read_lead(judged.stays, trumps)


def _end_trick(state: State) -> TrickWon:
    """Give the trick to its winner, who leads next."""
    public = state.public
    plays = public.plays
    worth = points(sum(plays))
    winner = public.winner
    if winner % 2 != public.declarers:
        public.opponents_points += worth
    trick = (public.leader, tuple(plays), public.failed_throw, winner, worth)
    public.tricks.append(_new(Trick, trick))
    public.plays = []
    public.best = None
    public.failed_throw = None
    public.leader = public.to_act = winner
    return _new(TrickWon, (winner, worth, public.opponents_points))


def _end_deal(state: State, last: TrickWon) -> DealScored:
    """Score the deal and move the teams (T-9.2 to T-9.6)."""
    public = state.public
    options = public.options
    lead, trumps = public.lead, public.trumps
    assert lead is not None
    assert trumps is not None
    multiplier = 0
    if last.winner % 2 != public.declarers:
        multiplier = scoring.kitty_multiplier(
            options.kitty_multiplier, lead.count, lead.components[0].count
        )
    bonus = multiplier * points(state.buried)
    total = scoring.final_points(public.opponents_points, bonus)
    verdict = scoring.judge(total, options, public.bid)
    winners = public.declarers if verdict.declarers_held else 1 - public.declarers
    promotion = scoring.promote(
        public.levels[winners], verdict.levels, verdict.declarers_held, options
    )
    levels = list(public.levels)
    levels[winners] = promotion.level
    public.levels = (levels[0], levels[1])
    public.nominee = scoring.next_starter(public.starter, verdict.declarers_held, options.players)
    if promotion.wins_match:
        public.match_winner = winners
    result = DealScored(
        deal=public.deal,
        starter=public.starter,
        declarers=public.declarers,
        trump_suit=trumps.suit,
        trump_rank=trumps.rank,
        bid=public.bid,
        trick_points=public.opponents_points,
        last_trick_winner=last.winner,
        buried=state.buried,
        multiplier=multiplier,
        bonus=bonus,
        opponents_points=total,
        winners=winners,
        levels_gained=verdict.levels,
        levels=public.levels,
        next_starter=public.nominee,
        match_winner=winners if promotion.wins_match else None,
    )
    state.results += (result,)
    public.last_result = result
    public.lead = None
    public.leader = public.winner = public.to_act = NO_SEAT
    state.taken = state.buried = 0
    is_over = public.match_winner != NO_TEAM or public.deal == options.max_deals
    public.phase = Phase.OVER if is_over else Phase.DEAL
    return result
