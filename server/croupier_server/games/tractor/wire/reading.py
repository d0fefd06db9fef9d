"""Tractor's messages as values of its rules: what a seat's view says, and moves.

A view is rebuilt exactly, but for one thing that a starter is no longer told once it has buried:
which cards it had taken. Nothing in play depends on them.
"""

from __future__ import annotations

from croupier.v1 import tractor_pb2
from croupier_server.games.tractor.bidding import Declaration
from croupier_server.games.tractor.cards import trumps
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import Phase, PublicState, Trick
from croupier_server.games.tractor.tricks import challenge, new_standing
from croupier_server.games.tractor.view import TractorView
from croupier_server.wire.reading import packed, seat_of


def read_view(message: tractor_pb2.TractorView, options: TractorOptions) -> TractorView:
    """See `BaseWire.read_view`."""
    public = _public(message.public_view, options)
    hand, kitty = packed(message.hand), packed(message.kitty)
    if public.phase is Phase.BURY:
        return TractorView(public, message.seat, hand, taken=kitty)
    return TractorView(public, message.seat, hand, buried=kitty)


def _public(message: tractor_pb2.TractorPublicView, options: TractorOptions) -> PublicState:
    public = PublicState.new(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.attempt = message.redeals
    first, second = message.levels
    public.levels = (first, second)
    public.trump_rank = message.trump_rank
    public.first_drawer = seat_of(message, "first_drawer")
    public.starter = seat_of(message, "starter")
    public.declarers = seat_of(message, "declaring_team")
    public.to_act = seat_of(message, "to_act")
    public.opponents_points = message.opponents_points
    if message.HasField("last_result"):
        public.last_result = _result(message.last_result)
        public.nominee = public.last_result.next_starter
    if message.HasField("trumps"):
        public.trumps = trumps(
            _suit(message.trumps),
            message.trumps.rank,
            options.rank_gap,
            options.trump_ladder,
            options.nt_rank_cards,
        )
    _read_making(message, public)
    public.tricks = [_trick(trick) for trick in message.tricks]
    if public.phase is Phase.DRAW:
        public.drawn = sum(message.hand_sizes)
    elif public.phase is not Phase.DEAL:
        public.drawn = options.players * options.hand
    if public.phase is Phase.PLAY:
        _read_play(message, public)
    return public


def _read_making(message: tractor_pb2.TractorPublicView, public: PublicState) -> None:
    """Declarations, turned cards, auction and show."""
    if message.HasField("declaration"):
        made = message.declaration
        public.standing = Declaration(made.seat, made.cards[0], len(made.cards))
    public.first_declarer = seat_of(message, "first_declarer")
    exposed = [0] * public.options.players
    for part in message.exposed:
        exposed[part.seat] = packed(part.cards)
    public.exposed = tuple(exposed)
    public.turned = tuple(message.turned)
    public.calls = tuple((called.seat, called.points) for called in message.calls)
    public.bid = max((points for _, points in public.calls), default=0)
    public.shown = tuple((play.seat, play.cards[0]) for play in message.show.plays)
    if message.show.HasField("winning_seat"):
        public.show_points = message.show.points


def _read_play(message: tractor_pb2.TractorPublicView, public: PublicState) -> None:
    """The trick under way, or who leads to the next one, and what wins so far."""
    order = public.trumps
    assert order is not None
    if public.tricks:
        public.winner = public.tricks[-1].winner
    public.leader = public.to_act
    if not message.HasField("trick"):
        return
    plays = message.trick.plays
    public.leader = public.winner = plays[0].seat
    public.plays = [packed(play.cards) for play in plays]
    public.failed_throw = _failed(plays[0])
    lead = public.lead = read_lead(public.plays[0], order)
    best = new_standing(lead, order, public.options.throw_compare)
    for play, cards in zip(plays, public.plays, strict=True):
        better = None if play is plays[0] else challenge(best, cards)
        if better is not None:
            best = better
            public.winner = play.seat
    public.best = best


def _suit(message: tractor_pb2.TractorTrumps) -> int | None:
    is_named = message.suit != tractor_pb2.TRACTOR_TRUMP_SUIT_NO_TRUMP
    return message.suit - 1 if is_named else None


def _failed(lead: tractor_pb2.TractorPlayed) -> FailedThrow | None:
    if not lead.HasField("failed_throw"):
        return None
    tried = packed(lead.failed_throw.tried)
    return FailedThrow(tried, tried - packed(lead.cards), lead.failed_throw.penalty)


def _trick(message: tractor_pb2.TractorTrick) -> Trick:
    plays = message.plays
    return Trick(
        plays[0].seat,
        tuple(packed(play.cards) for play in plays),
        _failed(plays[0]),
        message.winning_seat,
        message.points,
    )


def _result(message: tractor_pb2.TractorDealResult) -> DealScored:
    """A result; who won a match is never told to a seat that has still to move."""
    first, second = message.levels
    winners = (
        message.winning_team if message.HasField("winning_team") else 1 - message.declaring_team
    )
    return DealScored(
        deal=message.deal,
        starter=message.starter,
        declarers=message.declaring_team,
        trump_suit=_suit(message.trumps),
        trump_rank=message.trumps.rank,
        bid=message.bid,
        trick_points=message.trick_points,
        last_trick_winner=message.last_trick_winning_seat,
        buried=packed(message.kitty),
        multiplier=message.kitty_multiplier,
        bonus=message.kitty_bonus,
        opponents_points=message.total,
        winners=winners,
        levels_gained=message.levels_gained,
        levels=(first, second),
        next_starter=message.next_starter,
        match_winner=None,
    )
