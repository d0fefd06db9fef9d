"""Messages of Tong-its that stand in events and in views alike: melds, answers, results.

Each function gives a payload, without the tag and length of the field it is put into.

Must not be put here: anything that only one seat may see.
"""

from __future__ import annotations

from croupier_server.games.cards import unpack
from croupier_server.games.tongits.events import (
    Answered,
    DealResult,
    LaidOff,
    Meld,
    Payment,
    SeatResult,
)
from croupier_server.wire.generated import tongits as messages


def laid_off(part: LaidOff) -> bytes:
    """``TongitsLaidOff``."""
    return messages.laid_off(part.seat, unpack(part.cards))


def meld(of: Meld) -> bytes:
    """``TongitsMeld``."""
    return messages.meld(
        number=of.number,
        seat=of.seat,
        cards=unpack(of.cards),
        taken=of.taken or None,
        turned_down=of.is_turned_down,
        lay_offs=map(laid_off, of.lay_offs),
    )


def answered(part: Answered) -> bytes:
    """``TongitsAnswered``."""
    return messages.answered(part.seat, part.is_challenge, part.is_unasked)


def result(scored: DealResult) -> bytes:
    """``TongitsDealResult``."""
    return messages.deal_result(
        deal=scored.deal,
        dealer=scored.dealer,
        ending=scored.ending,
        winning_seat=scored.winner,
        caller=scored.caller,
        challengers=bytes(scored.challengers),
        seats=map(_seat_result, scored.seats),
        payments=map(_payment, scored.payments),
        jackpot=scored.jackpot,
        pot=scored.pot,
        streak=scored.streak,
        next_dealer=scored.next_dealer,
    )


def _seat_result(of: SeatResult) -> bytes:
    """``TongitsSeatResult``."""
    return messages.seat_result(
        seat=of.seat,
        burned=of.is_burned,
        shown=of.is_shown,
        hand=unpack(of.hand),
        secret_fours=bytes(of.secret_fours),
        deadwood=of.deadwood,
        settlement=of.settlement,
        chips=of.chips,
    )


def _payment(of: Payment) -> bytes:
    """``TongitsPayment``."""
    return messages.payment(
        seat=of.seat,
        base=of.base,
        aces=of.aces,
        specials=of.specials,
        burned=of.burned,
        fold_penalty=of.fold_penalty,
    )
