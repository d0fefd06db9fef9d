"""The messages of Pokex built with the generated classes, field by field.

Must not be put here: anything taken from `croupier_server.wire`, and anything quick.
"""

from __future__ import annotations

from typing import Any

from croupier.v1 import pokex_pb2
from croupier_server.games.base import Move, Pattern, Seat
from croupier_server.games.pokex import events
from croupier_server.games.pokex.events import DealResult, Played
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.pokex.state import PublicState, State, Trick
from tests.wire.oracle import Oracle, a_rank, card, ids

NO_SEAT = -1

CATEGORIES = (
    pokex_pb2.POKEX_CATEGORY_HIGH_CARD,
    pokex_pb2.POKEX_CATEGORY_PAIR,
    pokex_pb2.POKEX_CATEGORY_TWO_PAIR,
    pokex_pb2.POKEX_CATEGORY_THREE_OF_A_KIND,
    pokex_pb2.POKEX_CATEGORY_STRAIGHT,
    pokex_pb2.POKEX_CATEGORY_FLUSH,
    pokex_pb2.POKEX_CATEGORY_FULL_HOUSE,
    pokex_pb2.POKEX_CATEGORY_FOUR_OF_A_KIND,
    pokex_pb2.POKEX_CATEGORY_STRAIGHT_FLUSH,
    pokex_pb2.POKEX_CATEGORY_FIVE_OF_A_KIND,
)
"""P-5.1, rising."""


# Moves ------------------------------------------------------------------------------------------


def pokex_move(move: Move) -> pokex_pb2.PokexMove:
    kind, number, center = move & 15, move >> 4, move >> 220
    message = pokex_pb2.PokexMove()
    if kind == 1:
        message.decline.SetInParent()
    elif kind == 2:
        message.bid.tricks = number
    elif kind == 3:
        message.name_rank.rank = a_rank(number)
    else:
        assert kind == 4
        message.play.cards.extend(ids(move))
        if center:
            message.play.center = card(center)
    return message


# Parts ------------------------------------------------------------------------------------------


def played(part: Played) -> pokex_pb2.PokexPlayed:
    return pokex_pb2.PokexPlayed(seat=part.seat, cards=ids(part.cards))


def poker_hand(hand: PokerHand) -> pokex_pb2.PokexPokerHand:
    return pokex_pb2.PokexPokerHand(
        category=CATEGORIES[hand.category - 1], ranks=hand.ranks, wilds_used=hand.wilds_used
    )


def result(scored: DealResult) -> pokex_pb2.PokexDealResult:
    message = pokex_pb2.PokexDealResult(
        deal=scored.deal,
        dealer=scored.dealer,
        bid=scored.bid,
        passed_out=scored.is_passed_out,
        tricks=scored.tricks,
        points=scored.points,
        totals=scored.totals,
    )
    if scored.declarer is not None:
        message.declarer = scored.declarer
    if scored.wild_rank:
        message.wild_rank = a_rank(scored.wild_rank)
    return message


# Events -----------------------------------------------------------------------------------------


def _fill_event(message: pokex_pb2.PokexEvent, part: object) -> None:
    match part:
        case events.LotDrawn():
            message.lot_drawn.SetInParent()
            message.lot_drawn.dealer = part.dealer
        case events.DealStarted():
            message.deal_started.deal, message.deal_started.dealer = part.deal, part.dealer
            message.deal_started.center.extend(map(card, part.center))
            message.deal_started.totals.extend(part.totals)
        case events.Called():
            message.called.SetInParent()
            message.called.seat, message.called.tricks = part
        case events.AuctionEnded():
            message.auction_ended.SetInParent()
            message.auction_ended.bid = part.bid
            if part.declarer is not None:
                message.auction_ended.declarer = part.declarer
        case events.RankNamed():
            message.rank_named.seat, message.rank_named.rank = part.seat, a_rank(part.rank)
        case events.CardsPlayed():
            message.cards_played.play.CopyFrom(played(part.play))
            if part.center:
                message.cards_played.center = card(part.center)
            if part.trick_ended is not None:
                ended = message.cards_played.trick_ended
                ended.counted = part.trick_ended.counted
                ended.hands.extend(map(poker_hand, part.trick_ended.hands))
                if part.trick_ended.winner is not None:
                    ended.winning_team = part.trick_ended.winner
        case events.DealResult():
            message.deal_scored.CopyFrom(result(part))
        case _:
            raise AssertionError(part)


# Views ------------------------------------------------------------------------------------------


def _trick(trick: Trick) -> pokex_pb2.PokexTrick:
    message = pokex_pb2.PokexTrick(
        center=card(trick.center),
        plays=map(played, trick.plays),
        hands=map(poker_hand, trick.hands),
        counted=trick.counted,
    )
    if trick.winner is not None:
        message.winning_team = trick.winner
    return message


def pokex_public(public: PublicState) -> pokex_pb2.PokexPublicView:
    message = pokex_pb2.PokexPublicView(
        phase=pokex_pb2.PokexPhase.Value(f"POKEX_PHASE_{public.phase.name}"),
        deal=public.deal,
        center=map(card, public.center),
        center_left=map(card, public.center_left),
        bid=public.bid,
        hand_sizes=public.hand_sizes(),
        tricks=map(_trick, public.tricks),
        taken=public.taken,
        carried=public.carried,
        totals=public.totals,
        consecutive_passed_out=public.passed_out,
        last_result=None if public.last_result is None else result(public.last_result),
    )
    for seat, tricks in public.calls:
        message.calls.add(seat=seat, tricks=tricks)
    for name in ("dealer", "declarer", "leader", "to_act"):
        value = getattr(public, name)
        if value != NO_SEAT:
            setattr(message, name, value)
    if public.wild_rank:
        message.wild_rank = a_rank(public.wild_rank)
    if public.trick_center:
        message.trick.center = card(public.trick_center)
    message.trick.plays.extend(map(played, public.plays))
    if not message.trick.ByteSize():
        message.ClearField("trick")
    return message


class PokexOracle(Oracle):
    """Messages of Pokex."""

    name = "pokex"

    def game_move(self, code: Move) -> pokex_pb2.PokexMove:
        return pokex_move(code)

    def game_result(self, scored: DealResult) -> pokex_pb2.PokexDealResult:
        return result(scored)

    def fill_event(self, message: Any, part: Any) -> None:
        _fill_event(message, part)

    def fill_private(self, message: Any, public: Any, part: Any) -> None:
        assert isinstance(part, events.OwnCards)
        message.dealt.cards.extend(map(card, part.cards))

    def game_public(self, public: Any) -> pokex_pb2.PokexPublicView:
        return pokex_public(public)

    def game_seat(self, state: Any, seat: Seat) -> pokex_pb2.PokexView:
        assert isinstance(state, State)
        return pokex_pb2.PokexView(
            public_view=pokex_public(state.public), seat=seat, hand=ids(state.hands[seat])
        )

    def game_template(self, of: Pattern) -> pokex_pb2.PokexMove:
        play = pokex_pb2.PokexPlay(cards=ids(of.fixed))
        if of.fixed >> 220:
            play.center = card(of.fixed >> 220)
        return pokex_pb2.PokexMove(play=play)
