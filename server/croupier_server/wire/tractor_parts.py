"""Messages of Tractor that stand in events and in views alike: plays, trumps, results.

Each function gives a payload, without the tag and length of the field it is put into.

Must not be put here: anything that only one seat may see.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards, unpack
from croupier_server.games.tractor.bidding import Declaration
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_varint,
)
from croupier_server.wire.kept import Kept

SAFE_MAX: Final = 2**53 - 1
"""What stands for any greater number: JSON and JavaScript carry no greater one exactly."""

KEPT_MAX: Final = 512
"""So many encoded plays of one seat are kept, in each form."""

SEATS_MAX: Final = 12
_SEATS: Final = tuple(field_number(1, seat) for seat in range(SEATS_MAX))


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: field_bytes(1, played(seat, cards)), KEPT_MAX)


PLAYS: Final = tuple(_plays_of(seat) for seat in range(SEATS_MAX))
"""By seat and cards: a ``TractorPlayed`` that is no failed throw, as field 1 of its message,
which is where tricks and events have them. Most plays are seen again and again."""


def played(seat: Seat, cards: Cards) -> bytes:
    """``TractorPlayed``: what *seat* has lying on the table."""
    return _SEATS[seat] + field_packed(2, unpack(cards))


@lru_cache(maxsize=KEPT_MAX)
def failed_play(seat: Seat, cards: Cards, failed: FailedThrow) -> bytes:
    """As `PLAYS` has it, a lead that is what stayed of a failed throw. Kept for the trick, which
    shows it again with each play."""
    throw = field_packed(1, unpack(failed.tried)) + field_number(2, failed.penalty)
    return field_bytes(1, played(seat, cards) + field_bytes(3, throw))


def suit_field(field: int, suit: int | None) -> bytes:
    """An optional ``Suit``, as a whole field: nothing at all for no trump."""
    return b"" if suit is None else field_varint(field, suit + 1)


def trumps(suit: int | None, rank: int) -> bytes:
    """``TractorTrumps``."""
    return field_number(1, rank) + suit_field(2, suit)


def declaration(made: Declaration) -> bytes:
    """``TractorDeclaration``."""
    return _SEATS[made.seat] + field_packed(2, unpack(made.cards)) + suit_field(3, made.suit)


def exposed(seat: Seat, cards: Cards) -> bytes:
    """``TractorExposed``."""
    return _SEATS[seat] + field_packed(2, unpack(cards))


def called(seat: Seat, points: int) -> bytes:
    """``TractorCalled``."""
    return _SEATS[seat] + field_number(2, points)


@lru_cache(maxsize=1024)
def order(field: int, of: Trumps) -> bytes:
    """Every ``TractorSuitOrder``, as elements of the repeated *field*.

    The strengths are the heights of the rules: two cards of a suit are neighbours on its ladder
    (T-5.3) when they differ by one.
    """
    found = b""
    for suit, groups in enumerate(of.order):
        cards = bytes(card for group in reversed(groups) for card in group)
        if cards:
            strengths = bytes(of.height[card] for card in cards)
            found += field_bytes(
                field,
                field_number(1, suit + 1) + field_packed(2, cards) + field_packed(3, strengths),
            )
    return found


def result(scored: DealScored) -> bytes:
    """``TractorDealResult``. Where no team wins the deal (T-9.3), no winner is set."""
    is_won = scored.winners == scored.declarers or scored.levels_gained > 0
    return (
        field_number(1, scored.deal)
        + field_number(2, scored.starter)
        + field_number(3, scored.declarers)
        + field_bytes(4, trumps(scored.trump_suit, scored.trump_rank))
        + field_signed(5, scored.trick_points)
        + field_packed(6, unpack(scored.buried))
        + field_number(7, min(scored.multiplier, SAFE_MAX))
        + field_number(8, min(scored.bonus, SAFE_MAX))
        + field_number(9, min(scored.opponents_points, SAFE_MAX))
        + (field_varint(10, scored.winners) if is_won else b"")
        + field_number(11, min(scored.levels_gained, SAFE_MAX))
        + field_packed(12, bytes(scored.levels))
        + field_number(13, scored.next_starter)
        + field_number(14, scored.bid)
        + field_number(15, scored.last_trick_winner)
    )
