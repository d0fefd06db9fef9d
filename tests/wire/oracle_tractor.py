"""The messages of Tractor built with the generated classes, field by field.

Must not be put here: anything taken from `croupier_server.wire`, and anything quick.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from croupier.v1 import tractor_pb2
from croupier_server.games.base import Move, Pattern, Seat
from croupier_server.games.cards import Cards, rank
from croupier_server.games.tractor import cards as trump_cards
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.state import PublicState, State, Trick
from tests.wire.oracle import Oracle, a_rank, card, ids

TRUMP_SUITS = (
    tractor_pb2.TRACTOR_SUIT_SPADES,
    tractor_pb2.TRACTOR_SUIT_HEARTS,
    tractor_pb2.TRACTOR_SUIT_DIAMONDS,
    tractor_pb2.TRACTOR_SUIT_CLUBS,
    tractor_pb2.TRACTOR_SUIT_TRUMPS,
)


NAMED: dict[int | None, tractor_pb2.TractorTrumpSuit.ValueType] = {
    0: tractor_pb2.TRACTOR_TRUMP_SUIT_SPADES,
    1: tractor_pb2.TRACTOR_TRUMP_SUIT_HEARTS,
    2: tractor_pb2.TRACTOR_TRUMP_SUIT_DIAMONDS,
    3: tractor_pb2.TRACTOR_TRUMP_SUIT_CLUBS,
    None: tractor_pb2.TRACTOR_TRUMP_SUIT_NO_TRUMP,
}


def worth(cards: Iterable[int]) -> int:
    """Points of cards given by id (T-1.1)."""
    return sum({5: 5, 10: 10, 13: 10}.get(rank(card), 0) for card in cards)


# Parts ------------------------------------------------------------------------------------------


def trumps(suit: int | None, trump_rank: int) -> tractor_pb2.TractorTrumps:
    return tractor_pb2.TractorTrumps(rank=a_rank(trump_rank), suit=NAMED[suit])


def order(of: Trumps) -> list[tractor_pb2.TractorSuitOrder]:
    found = []
    for suit, name in enumerate(TRUMP_SUITS):
        cards = [card(one) for one in range(1, 55) if of.suit_of[one] == suit]
        cards.sort(key=lambda one: (of.height[one], one))
        if cards:
            found.append(
                tractor_pb2.TractorSuitOrder(
                    suit=name,
                    cards=cards,
                    strengths=[of.height[one] for one in cards],
                )
            )
    return found


def declaration(seat: Seat, exposed: int, count: int) -> tractor_pb2.TractorDeclaration:
    suit = NAMED[(exposed - 1) // 13 if exposed < 53 else None]
    return tractor_pb2.TractorDeclaration(seat=seat, cards=[card(exposed)] * count, suit=suit)


def played(seat: Seat, cards: Cards, failed: FailedThrow | None) -> tractor_pb2.TractorPlayed:
    message = tractor_pb2.TractorPlayed(seat=seat, cards=ids(cards))
    if failed is not None:
        message.failed_throw.tried.extend(ids(failed.tried))
        message.failed_throw.penalty = failed.penalty
    return message


def result(scored: DealScored) -> tractor_pb2.TractorDealResult:
    message = tractor_pb2.TractorDealResult(
        deal=scored.deal,
        starter=scored.starter,
        declaring_team=scored.declarers,
        trumps=trumps(scored.trump_suit, scored.trump_rank),
        trick_points=scored.trick_points,
        kitty=ids(scored.buried),
        kitty_multiplier=min(scored.multiplier, 2**53 - 1),
        kitty_bonus=min(scored.bonus, 2**53 - 1),
        total=min(scored.opponents_points, 2**53 - 1),
        levels_gained=min(scored.levels_gained, 2**53 - 1),
        levels=map(a_rank, scored.levels),
        next_starter=scored.next_starter,
        bid=scored.bid,
        last_trick_winning_seat=scored.last_trick_winner,
    )
    if scored.winners == scored.declarers or scored.levels_gained:
        message.winning_team = scored.winners
    return message


# Moves ------------------------------------------------------------------------------------------


def tractor_move(move: Move) -> tractor_pb2.TractorMove:
    kind, cards, number = move & 15, move & ~15, move >> 4
    message = tractor_pb2.TractorMove()
    if kind == moves.MoveType.PASS:
        message.decline.SetInParent()
    elif kind == moves.MoveType.DECLARE:
        message.declare.cards.extend(ids(cards))
    elif kind == moves.MoveType.CALL:
        message.call.points = number
    elif kind == moves.MoveType.SHOW:
        (message.show.card,) = ids(cards)
    elif kind == moves.MoveType.NAME_TRUMPS:
        message.name_trumps.suit = NAMED[number if number < 4 else None]
    elif kind == moves.MoveType.BURY:
        message.bury.cards.extend(ids(cards))
    else:
        assert kind == moves.MoveType.PLAY
        message.play.cards.extend(ids(cards))
    return message


# Events -----------------------------------------------------------------------------------------


def _fill_event(message: tractor_pb2.TractorEvent, part: object) -> None:
    match part:
        case events.LotDrawn():
            message.lot_drawn.SetInParent()
            message.lot_drawn.first_drawer = part.seat
        case events.DealStarted():
            started = message.deal_started
            started.deal, started.redeals = part.deal, part.attempt
            started.trump_rank, started.first_drawer = a_rank(part.trump_rank), part.first_drawer
            if part.starter is not None:
                started.starter = part.starter
            started.levels.extend(map(a_rank, part.levels))
        case events.CardsDrawn():
            message.cards_drawn.hand_sizes.extend(part.hand_sizes)
        case events.WindowClosed():
            message.window_closed.SetInParent()
            if part.declaration is not None:
                message.window_closed.declaration.CopyFrom(declaration(*part.declaration))
        case events.KittyTurned():
            message.kitty_turned.cards.extend(map(card, part.cards))
            message.kitty_turned.suit = NAMED[part.suit]
        case events.Called():
            message.called.SetInParent()
            message.called.seat, message.called.points = part.seat, part.points
        case events.AuctionEnded():
            ended = message.auction_ended
            ended.declaring_team, ended.bid = part.declarers, part.bid
            ended.trump_rank = a_rank(part.trump_rank)
        case events.CardShown():
            message.card_shown.seat = part.seat
            message.card_shown.cards.append(card(part.card))
        case _:
            _fill_later_event(message, part)


def _fill_later_event(message: tractor_pb2.TractorEvent, part: object) -> None:
    match part:
        case events.ShowEnded():
            shown = message.show_ended
            shown.SetInParent()
            shown.starter, shown.winning_seat, shown.points, shown.opponents_points = part
        case events.TrumpsFixed():
            fixed = message.trumps_fixed
            fixed.trumps.CopyFrom(trumps(part.suit, part.rank))
            fixed.starter, fixed.declaring_team = part.starter, part.declarers
            fixed.order.extend(
                order(
                    trump_cards.Trumps(
                        part.suit,
                        part.rank,
                        part.rank_gap,
                        part.trump_ladder,
                        part.nt_rank_cards,
                    )
                )
            )
        case events.KittyTaken():
            message.kitty_taken.seat, message.kitty_taken.count = part
        case events.KittyBuried():
            message.kitty_buried.seat, message.kitty_buried.count = part
        case events.CardsPlayed():
            message.cards_played.play.CopyFrom(played(part.seat, part.cards, part.failed_throw))
            if part.trick is not None:
                won = message.cards_played.trick_won
                won.SetInParent()
                won.winning_seat, won.points, won.opponents_points = part.trick
        case events.DealScored():
            message.deal_scored.CopyFrom(result(part))
        case _:
            raise AssertionError(part)


def _fill_private(message: tractor_pb2.TractorPrivateEvent, public: object, part: object) -> None:
    match part:
        case events.OwnCardsDrawn():
            message.drawn.cards.extend(map(card, part.cards))
        case events.OwnAnswer():
            message.answer.CopyFrom(tractor_move(part.move))
        case events.OwnKitty():
            is_taken = isinstance(public, events.KittyTaken)
            kitty = message.taken if is_taken else message.buried
            kitty.cards.extend(ids(part.cards))
        case _:
            raise AssertionError(part)


# Views ------------------------------------------------------------------------------------------


def _trick(leader: Seat, trick: Trick) -> tractor_pb2.TractorTrick:
    return tractor_pb2.TractorTrick(
        plays=_plays(leader, trick.plays, trick.failed_throw, len(trick.plays)),
        winning_seat=trick.winner,
        points=worth(one for cards in trick.plays for one in ids(cards)),
    )


def _plays(
    leader: Seat, plays: Iterable[Cards], failed: FailedThrow | None, players: int
) -> list[tractor_pb2.TractorPlayed]:
    return [
        played((leader + step) % players, cards, failed if step == 0 else None)
        for step, cards in enumerate(plays)
    ]


def _show(public: PublicState) -> tractor_pb2.TractorTrick:
    def height(shown: int) -> int:
        return shown if shown > 52 else 15 if rank(shown) == public.trump_rank else rank(shown)

    message = tractor_pb2.TractorTrick(points=worth(shown for _, shown in public.shown))
    for seat, shown in public.shown:
        message.plays.add(seat=seat, cards=[card(shown)])
    if len(public.shown) == public.options.players:
        message.winning_seat = max(public.shown, key=lambda shown: height(shown[1]))[0]
    return message


def tractor_public(public: PublicState) -> tractor_pb2.TractorPublicView:
    message = tractor_pb2.TractorPublicView(
        phase=tractor_pb2.TractorPhase.Value(f"TRACTOR_PHASE_{public.phase.name}"),
        deal=public.deal,
        redeals=public.attempt,
        levels=map(a_rank, public.levels),
        trump_rank=a_rank(public.trump_rank),
        turned=map(card, public.turned),
        hand_sizes=public.hand_sizes(),
        kitty_size=public.options.kitty,
        opponents_points=public.opponents_points,
        window_open=public.phase.name == "DRAW",
    )
    for name in ("first_drawer", "starter", "to_act", "first_declarer"):
        value = getattr(public, name)
        if value != -1:
            setattr(message, name, value)
    if public.declarers != -1:
        message.declaring_team = public.declarers
    if public.trumps is not None:
        message.trumps.CopyFrom(trumps(public.trumps.suit, public.trumps.rank))
        message.order.extend(order(public.trumps))
    if public.standing is not None:
        message.declaration.CopyFrom(declaration(*public.standing))
    for seat, exposed in enumerate(public.exposed):
        if exposed:
            message.exposed.add(seat=seat, cards=ids(exposed))
    for seat, points in public.calls:
        message.calls.add(seat=seat, points=points)
    if public.shown:
        message.show.CopyFrom(_show(public))
    if public.plays:
        message.trick.plays.extend(
            _plays(public.leader, public.plays, public.failed_throw, public.options.players)
        )
        message.trick.points = worth(one for cards in public.plays for one in ids(cards))
    message.tricks.extend(_trick(trick.leader, trick) for trick in public.tricks)
    if public.last_result is not None:
        message.last_result.CopyFrom(result(public.last_result))
    return message


def tractor_seat(state: State, seat: Seat) -> tractor_pb2.TractorView:
    message = tractor_pb2.TractorView(
        public_view=tractor_public(state.public), seat=seat, hand=ids(state.hands[seat])
    )
    if seat == state.public.starter:
        message.kitty.extend(ids(state.buried or state.taken))
    return message


class TractorOracle(Oracle):
    """Messages of Tractor."""

    name = "tractor"

    def game_move(self, code: Move) -> tractor_pb2.TractorMove:
        return tractor_move(code)

    def game_result(self, scored: DealScored) -> tractor_pb2.TractorDealResult:
        return result(scored)

    def fill_event(self, message: Any, part: Any) -> None:
        _fill_event(message, part)

    def fill_private(self, message: Any, public: Any, part: Any) -> None:
        _fill_private(message, public, part)

    def game_public(self, public: Any) -> tractor_pb2.TractorPublicView:
        return tractor_public(public)

    def game_seat(self, state: Any, seat: Seat) -> tractor_pb2.TractorView:
        return tractor_seat(state, seat)

    def game_template(self, of: Pattern) -> tractor_pb2.TractorMove:
        if of.kind == tractor_pb2.TRACTOR_MOVE_KIND_CALL:
            return tractor_pb2.TractorMove(call=tractor_pb2.TractorCall())
        if of.kind == tractor_pb2.TRACTOR_MOVE_KIND_BURY:
            return tractor_pb2.TractorMove(bury=tractor_pb2.TractorBury(cards=ids(of.fixed)))
        return tractor_pb2.TractorMove(play=tractor_pb2.TractorPlay(cards=ids(of.fixed)))

    def step(self, of: Pattern) -> int:
        return 5 if of.kind == tractor_pb2.TRACTOR_MOVE_KIND_CALL else 0
