"""Pokex's messages as values of its rules: what a seat's view says, exactly, and moves."""

from __future__ import annotations

from croupier.v1 import pokex_pb2
from croupier_server.games.pokex.events import Called, DealResult, Played
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.pokex.state import Phase, PublicState, Trick
from croupier_server.games.pokex.view import PokexView
from croupier_server.wire.reading import packed, seat_of


def read_view(message: pokex_pb2.PokexView, options: PokexOptions) -> PokexView:
    """See `BaseWire.read_view`."""
    return PokexView(_public(message.public_view, options), message.seat, packed(message.hand))


def _public(message: pokex_pb2.PokexPublicView, options: PokexOptions) -> PublicState:
    public = PublicState(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.dealer = seat_of(message, "dealer")
    public.center = bytes(message.center)
    public.center_left = bytes(message.center_left)
    public.calls = tuple(Called(call.seat, call.tricks) for call in message.calls)
    public.declarer = seat_of(message, "declarer")
    public.bid = message.bid
    public.wild_rank = message.wild_rank
    public.leader = seat_of(message, "leader")
    public.trick_center = message.trick.center
    public.plays = tuple(map(_play, message.trick.plays))
    public.tricks = tuple(map(_trick, message.tricks))
    public.taken = (message.taken[0], message.taken[1])
    public.carried = message.carried
    public.totals = (message.totals[0], message.totals[1])
    public.passed_out = message.consecutive_passed_out
    public.to_act = seat_of(message, "to_act")
    if message.HasField("last_result"):
        public.last_result = _result(message.last_result)
    return public


def _play(message: pokex_pb2.PokexPlayed) -> Played:
    return Played(message.seat, packed(message.cards))


def _trick(message: pokex_pb2.PokexTrick) -> Trick:
    first, second = (
        PokerHand(hand.category, tuple(hand.ranks), hand.wilds_used) for hand in message.hands
    )
    return Trick(
        message.center,
        tuple(map(_play, message.plays)),
        message.winning_team if message.HasField("winning_team") else None,
        (first, second),
        message.counted,
    )


def _result(message: pokex_pb2.PokexDealResult) -> DealResult:
    return DealResult(
        deal=message.deal,
        dealer=message.dealer,
        declarer=message.declarer if message.HasField("declarer") else None,
        bid=message.bid,
        is_passed_out=message.passed_out,
        wild_rank=message.wild_rank,
        tricks=(message.tricks[0], message.tricks[1]),
        points=(message.points[0], message.points[1]),
        totals=(message.totals[0], message.totals[1]),
    )
