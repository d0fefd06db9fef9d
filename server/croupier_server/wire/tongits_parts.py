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
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_optional,
    field_packed,
    field_signed,
    field_varint,
)


def laid_off(part: LaidOff) -> bytes:
    """``TongitsLaidOff``."""
    return field_number(1, part.seat) + field_packed(2, unpack(part.cards))


def meld(of: Meld) -> bytes:
    """``TongitsMeld``."""
    found = (
        field_number(1, of.number) + field_number(2, of.seat) + field_packed(3, unpack(of.cards))
    )
    if of.taken:
        found += field_varint(4, of.taken)
    found += field_number(5, of.is_turned_down)
    for part in of.lay_offs:
        found += field_bytes(6, laid_off(part))
    return found


def answered(part: Answered) -> bytes:
    """``TongitsAnswered``."""
    return (
        field_number(1, part.seat)
        + field_number(2, part.is_challenge)
        + field_number(3, part.is_unasked)
    )


def result(scored: DealResult) -> bytes:
    """``TongitsDealResult``."""
    found = (
        field_number(1, scored.deal)
        + field_number(2, scored.dealer)
        + field_number(3, scored.ending)
        + field_optional(4, scored.winner)
        + field_optional(5, scored.caller)
        + field_packed(6, bytes(scored.challengers))
    )
    for seat in scored.seats:
        found += field_bytes(7, _seat_result(seat))
    for payment in scored.payments:
        found += field_bytes(8, _payment(payment))
    return (
        found
        + field_number(9, scored.jackpot)
        + field_number(10, scored.pot)
        + field_number(11, scored.streak)
        + field_number(12, scored.next_dealer)
    )


def _seat_result(of: SeatResult) -> bytes:
    """``TongitsSeatResult``."""
    return (
        field_number(1, of.seat)
        + field_number(2, of.is_burned)
        + field_number(3, of.is_shown)
        + field_packed(4, unpack(of.hand))
        + field_packed(5, bytes(of.secret_fours))
        + field_number(6, of.deadwood)
        + field_signed(7, of.settlement)
        + field_signed(8, of.chips)
    )


def _payment(of: Payment) -> bytes:
    """``TongitsPayment``."""
    return (
        field_number(1, of.seat)
        + field_number(2, of.base)
        + field_number(3, of.aces)
        + field_number(4, of.specials)
        + field_number(5, of.burned)
        + field_number(6, of.fold_penalty)
    )
