"""Tong-its's messages as values of its rules: what a seat's view says, exactly, and moves."""

from __future__ import annotations

from collections.abc import Iterable

from croupier.v1 import tongits_pb2
from croupier_server.games.base import Seat
from croupier_server.games.tongits.events import (
    Answered,
    DealResult,
    Ending,
    LaidOff,
    Meld,
    Payment,
    SeatResult,
)
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import Phase, PublicState
from croupier_server.games.tongits.view import TongitsView
from croupier_server.wire.reading import packed, seat_of


def read_view(message: tongits_pb2.TongitsView, options: TongitsOptions) -> TongitsView:
    """See `BaseWire.read_view`."""
    public = _public(message.public_view, options)
    fours = tuple(message.secret_fours)
    return TongitsView(public, message.seat, packed(message.hand), fours, message.deadwood)


def _public(message: tongits_pb2.TongitsPublicView, options: TongitsOptions) -> PublicState:
    public = PublicState(options)
    public.phase = Phase(message.phase)
    public.deal = message.deal
    public.dealer = seat_of(message, "dealer")
    public.hand_sizes = list(message.hand_sizes)
    public.stock_size = message.stock_size
    public.discards = bytes(message.discards)
    public.discarders = bytes(message.discarders)
    public.melds = [_meld(meld) for meld in message.melds]
    public.opened = _seats(meld.seat for meld in public.melds)
    public.secret_fours = list(message.secret_four_counts)
    public.turns = list(message.turns)
    public.barred_turn = _seats(message.barred_turn)
    public.barred_deal = _seats(message.barred_deal)
    public.barred_discard = _seats(message.barred_discard)
    public.took_discard = message.took_discard
    public.caller = seat_of(message, "caller")
    public.answers = tuple(
        Answered(answer.seat, answer.challenged, answer.unasked) for answer in message.answers
    )
    public.to_act = seat_of(message, "to_act")
    public.pot = message.pot
    public.chips = list(message.chips)
    public.streak_seat = seat_of(message, "streak_seat")
    public.streak = message.streak
    if message.HasField("last_result"):
        public.last_result = _result(message.last_result)
    return public


def _seats(seats: Iterable[Seat]) -> int:
    """*seats* as a bit set."""
    found = 0
    for seat in seats:
        found |= 1 << seat
    return found


def _meld(message: tongits_pb2.TongitsMeld) -> Meld:
    return Meld(
        message.number,
        message.seat,
        packed(message.cards),
        message.taken,
        message.turned_down,
        tuple(LaidOff(part.seat, packed(part.cards)) for part in message.lay_offs),
    )


def _result(message: tongits_pb2.TongitsDealResult) -> DealResult:
    return DealResult(
        deal=message.deal,
        dealer=message.dealer,
        ending=Ending(message.ending),
        winner=message.winning_seat if message.HasField("winning_seat") else None,
        caller=message.caller if message.HasField("caller") else None,
        challengers=tuple(message.challengers),
        seats=tuple(map(_seat_result, message.seats)),
        payments=tuple(
            Payment(
                payment.seat,
                payment.base,
                payment.aces,
                payment.specials,
                payment.burned,
                payment.fold_penalty,
            )
            for payment in message.payments
        ),
        jackpot=message.jackpot,
        pot=message.pot,
        streak=message.streak,
        next_dealer=message.next_dealer,
    )


def _seat_result(message: tongits_pb2.TongitsSeatResult) -> SeatResult:
    return SeatResult(
        message.seat,
        message.burned,
        message.shown,
        packed(message.hand),
        tuple(message.secret_fours),
        message.deadwood,
        message.settlement,
        message.chips,
    )
