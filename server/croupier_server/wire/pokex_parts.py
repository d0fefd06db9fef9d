"""Messages of Pokex that stand in events and in views alike: calls, plays, poker hands, results.

Each function gives a payload, without the tag and length of the field it is put into.

Must not be put here: anything that only one seat may see.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards, unpack
from croupier_server.games.pokex.events import Called, DealResult
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_optional,
    field_packed,
    field_packed_signed,
    field_varint,
)
from croupier_server.wire.kept import Kept

KEPT_MAX: Final = 2048
"""So many encoded plays of one seat are kept: all 1431 pairs of cards."""

_HANDS_KEPT_MAX: Final = 4096


def called(part: Called) -> bytes:
    """``PokexCalled``."""
    return field_number(1, part.seat) + field_number(2, part.tricks)


def played(seat: Seat, cards: Cards) -> bytes:
    """``PokexPlayed``."""
    return field_number(1, seat) + field_packed(2, unpack(cards))


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: field_bytes(2, played(seat, cards)), KEPT_MAX)


TRICK_PLAYS: Final = tuple(_plays_of(seat) for seat in range(PLAYERS))
"""By seat and cards: ``PokexPlayed`` as field 2 of its trick."""


def _hand(hand: PokerHand) -> bytes:
    category, ranks, wilds_used = hand
    return field_number(1, category) + field_packed(2, bytes(ranks)) + field_number(3, wilds_used)


HANDS: Final = Kept[PokerHand, bytes](_hand, _HANDS_KEPT_MAX)
"""``PokexPokerHand`` by its value."""


def result(scored: DealResult) -> bytes:
    """``PokexDealResult``."""
    return (
        field_number(1, scored.deal)
        + field_number(2, scored.dealer)
        + field_optional(3, scored.declarer)
        + field_number(4, scored.bid)
        + field_number(5, scored.is_passed_out)
        + (field_varint(6, scored.wild_rank) if scored.wild_rank else b"")
        + field_packed(7, bytes(scored.tricks))
        + field_packed_signed(8, scored.points)
        + field_packed_signed(9, scored.totals)
    )


def trick_end(
    winner: int | None, hands: tuple[PokerHand, PokerHand], counted: int, first: int
) -> bytes:
    """Who took a trick, with what, and how often it counted: three fields from number *first* on,
    in ``PokexTrick`` and ``PokexTrickEnded``."""
    return (
        field_optional(first, winner)
        + field_bytes(first + 1, HANDS[hands[0]])
        + field_bytes(first + 1, HANDS[hands[1]])
        + field_number(first + 2, counted)
    )
