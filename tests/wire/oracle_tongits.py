"""The messages of Tong-its built with the generated classes, field by field.

Must not be put here: anything taken from `croupier_server.wire`, and anything quick.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

from croupier.v1 import tongits_pb2
from croupier_server.games.base import Move, Pattern, Seat
from croupier_server.games.cards import Cards, rank, suit, unpack
from croupier_server.games.tongits import events
from croupier_server.games.tongits.events import DealResult, LaidOff, Meld
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import PublicState, State
from tests.wire.oracle import Oracle, a_rank, card, ids

NO_SEAT = -1


# Moves ------------------------------------------------------------------------------------------


def tongits_move(move: Move) -> tongits_pb2.TongitsMove:
    kind, cards, named = move & 15, move & (1 << 220) - 16, move >> 220
    message = tongits_pb2.TongitsMove()
    if kind == 1:
        message.draw_stock.SetInParent()
    elif kind == 2:
        message.take_discard.SetInParent()
        message.take_discard.cards.extend(ids(cards))
        if named:
            message.take_discard.meld = named - 1
    elif kind == 3:
        message.call_draw.SetInParent()
    elif kind == 4:
        message.meld.cards.extend(ids(cards))
    elif kind == 5:
        (of,) = {rank(one) for one in unpack(cards)}
        message.secret_four.rank = a_rank(of)
    elif kind == 6:
        message.lay_off.meld = named - 1
        message.lay_off.cards.extend(ids(cards))
    elif kind == 7:
        (message.discard.card,) = ids(cards)
    elif kind == 8:
        message.end_turn.SetInParent()
    elif kind == 9:
        message.fold.SetInParent()
    else:
        assert kind == 10
        message.challenge.SetInParent()
    return message


# Parts ------------------------------------------------------------------------------------------


def laid_off(part: LaidOff) -> tongits_pb2.TongitsLaidOff:
    return tongits_pb2.TongitsLaidOff(seat=part.seat, cards=ids(part.cards))


def meld(of: Meld) -> tongits_pb2.TongitsMeld:
    message = tongits_pb2.TongitsMeld(
        number=of.number,
        seat=of.seat,
        cards=ids(of.cards),
        turned_down=of.is_turned_down,
        lay_offs=map(laid_off, of.lay_offs),
    )
    if of.taken:
        message.taken = card(of.taken)
    return message


def answered(part: events.Answered) -> tongits_pb2.TongitsAnswered:
    return tongits_pb2.TongitsAnswered(
        seat=part.seat, challenged=part.is_challenge, unasked=part.is_unasked
    )


def result(scored: DealResult) -> tongits_pb2.TongitsDealResult:
    message = tongits_pb2.TongitsDealResult(
        deal=scored.deal,
        dealer=scored.dealer,
        ending=tongits_pb2.TongitsEnding.Value(f"TONGITS_ENDING_{scored.ending.name}"),
        challengers=scored.challengers,
        jackpot=scored.jackpot,
        pot=scored.pot,
        streak=scored.streak,
        next_dealer=scored.next_dealer,
    )
    if scored.winner is not None:
        message.winning_seat = scored.winner
    if scored.caller is not None:
        message.caller = scored.caller
    for of in scored.seats:
        message.seats.add(
            seat=of.seat,
            burned=of.is_burned,
            shown=of.is_shown,
            hand=ids(of.hand),
            secret_fours=map(a_rank, of.secret_fours),
            deadwood=of.deadwood,
            settlement=of.settlement,
            chips=of.chips,
        )
    for payment in scored.payments:
        message.payments.add(
            seat=payment.seat,
            base=payment.base,
            aces=payment.aces,
            specials=payment.specials,
            burned=payment.burned,
            fold_penalty=payment.fold_penalty,
        )
    return message


# Events -----------------------------------------------------------------------------------------


def _fill_event(message: tongits_pb2.TongitsEvent, part: object) -> None:
    match part:
        case events.LotDrawn():
            message.lot_drawn.SetInParent()
            message.lot_drawn.dealer = part.dealer
        case events.DealStarted():
            started = message.deal_started
            started.deal, started.dealer, started.ante, started.pot = part
        case events.StockDrawn():
            message.stock_drawn.SetInParent()
            message.stock_drawn.seat, message.stock_drawn.stock_size = part
        case events.DiscardTaken():
            taken = message.discard_taken
            taken.seat, taken.card = part.seat, card(part.card)
            taken.meld.CopyFrom(meld(part.meld))
        case events.MeldExposed():
            message.meld_exposed.meld.CopyFrom(meld(part.meld))
        case events.SecretFourLaid():
            message.secret_four_laid.SetInParent()
            message.secret_four_laid.seat = part.seat
        case events.CardsLaidOff():
            message.cards_laid_off.meld = part.meld
            message.cards_laid_off.laid_off.CopyFrom(laid_off(part.laid_off))
        case events.Discarded():
            message.discarded.seat, message.discarded.card = part.seat, card(part.card)
        case events.TurnEnded():
            message.turn_ended.SetInParent()
            message.turn_ended.seat = part.seat
        case events.DrawCalled():
            message.draw_called.SetInParent()
            message.draw_called.seat = part.seat
        case events.Answered():
            message.answered.CopyFrom(answered(part))
        case events.DealResult():
            message.deal_scored.CopyFrom(result(part))
        case events.PotSplit():
            message.pot_split.share = part.share
            message.pot_split.chips.extend(part.chips)
        case _:
            raise AssertionError(part)


def _fill_private(message: tongits_pb2.TongitsPrivateEvent, part: object) -> None:
    match part:
        case events.OwnCards():
            message.dealt.cards.extend(map(card, part.cards))
        case events.OwnCard():
            message.drawn.cards.append(card(part.card))
        case events.OwnFour():
            message.laid.rank = a_rank(part.rank)
        case _:
            raise AssertionError(part)


# Views ------------------------------------------------------------------------------------------


def tongits_public(public: PublicState) -> tongits_pb2.TongitsPublicView:
    message = tongits_pb2.TongitsPublicView(
        phase=tongits_pb2.TongitsPhase.Value(f"TONGITS_PHASE_{public.phase.name}"),
        deal=public.deal,
        hand_sizes=public.hand_sizes,
        stock_size=public.stock_size,
        discards=map(card, public.discards),
        discarders=public.discarders,
        melds=map(meld, public.melds),
        secret_four_counts=public.secret_fours,
        turns=public.turns,
        took_discard=public.took_discard,
        answers=map(answered, public.answers),
        pot=public.pot,
        chips=public.chips,
        streak=public.streak,
        last_result=None if public.last_result is None else result(public.last_result),
    )
    for seat in range(3):
        for barred in (public.barred_turn, public.barred_deal, public.barred_discard):
            if barred & 1 << seat and seat not in message.barred:
                message.barred.append(seat)
        for name in ("barred_turn", "barred_deal", "barred_discard"):
            if getattr(public, name) & 1 << seat:
                getattr(message, name).append(seat)
    for name in ("dealer", "caller", "to_act", "streak_seat"):
        value = getattr(public, name)
        if value != NO_SEAT:
            setattr(message, name, value)
    return message


def deadwood(hand: Cards, options: TongitsOptions) -> int:
    """G-5.4 by trying every meld that the lowest card left could be in, and none."""
    order = tuple(unpack(hand))
    return _least(order, options.runs, options.ace_high_runs)


def _least(held: tuple[int, ...], runs: bool, ace_high: bool) -> int:
    if not held:
        return 0
    first, rest = held[0], held[1:]
    least = min(rank(first) if rank(first) < 14 else 1, 10) + _least(rest, runs, ace_high)
    for one in _melds_with(first, rest, runs, ace_high):
        left = tuple(card for card in rest if card not in one)
        least = min(least, _least(left, runs, ace_high))
    return least


def _melds_with(
    first: int, rest: tuple[int, ...], runs: bool, ace_high: bool
) -> list[tuple[int, ...]]:
    """What of *rest* makes a meld with *first*, whose id is lower."""
    same = [one for one in rest if rank(one) == rank(first)]
    found = list(chain(combinations(same, 2), combinations(same, 3)))
    of_suit = {rank(one): one for one in rest if suit(one) == suit(first)} if runs else {}
    of_suit[rank(first)] = first
    for low in range(1, 13) if runs else ():
        for high in range(low + 2, 15):
            wanted = [14 if step == 1 else step for step in range(low, high + 1)]
            if high == 14 and not ace_high:
                continue
            if rank(first) in wanted and all(step in of_suit for step in wanted):
                found.append(tuple(of_suit[step] for step in wanted if of_suit[step] != first))
    return found


def tongits_seat(state: State, seat: Seat) -> tongits_pb2.TongitsView:
    return tongits_pb2.TongitsView(
        public_view=tongits_public(state.public),
        seat=seat,
        hand=ids(state.hands[seat]),
        secret_fours=map(a_rank, state.secret_fours[seat]),
        deadwood=deadwood(state.hands[seat], state.public.options),
    )


class TongitsOracle(Oracle):
    """Messages of Tong-its."""

    name = "tongits"

    def game_move(self, code: Move) -> tongits_pb2.TongitsMove:
        return tongits_move(code)

    def game_result(self, scored: DealResult) -> tongits_pb2.TongitsDealResult:
        return result(scored)

    def fill_event(self, message: Any, part: Any) -> None:
        _fill_event(message, part)

    def fill_private(self, message: Any, public: Any, part: Any) -> None:
        _fill_private(message, part)

    def game_public(self, public: Any) -> tongits_pb2.TongitsPublicView:
        return tongits_public(public)

    def game_template(self, of: Pattern) -> tongits_pb2.TongitsMove:
        return tongits_pb2.TongitsMove(meld=tongits_pb2.TongitsMeldCards(cards=ids(of.fixed)))

    def game_seat(self, state: Any, seat: Seat) -> tongits_pb2.TongitsView:
        return tongits_seat(state, seat)
