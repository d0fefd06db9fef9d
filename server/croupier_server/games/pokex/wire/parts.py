"""Messages of Pokex that stand in events and in views alike: calls, plays, poker hands, results.

Each function gives a payload, without the tag and length of the field it is put into.

Must not be put here: anything that only one seat may see.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.base import Seat
from croupier_server.games.cards import Cards, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.pokex.events import Called, DealResult
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.wire.generated import pokex as messages

KEPT_MAX: Final = 2048
"""So many encoded plays of one seat are kept: all 1431 pairs of cards."""

_HANDS_KEPT_MAX: Final = 4096


def called(part: Called) -> bytes:
    """``PokexCalled``."""
    return messages.called(part.seat, part.tricks)


def played(seat: Seat, cards: Cards) -> bytes:
    """``PokexPlayed``."""
    return messages.played(seat, unpack(cards))


def _plays_of(seat: Seat) -> Kept[Cards, bytes]:
    return Kept(lambda cards: messages.trick_plays([played(seat, cards)]), KEPT_MAX)


TRICK_PLAYS: Final = tuple(_plays_of(seat) for seat in range(PLAYERS))
"""By seat and cards: one play of ``PokexTrick.plays``."""


def _hand(hand: PokerHand) -> bytes:
    category, ranks, wilds_used = hand
    return messages.poker_hand(category, bytes(ranks), wilds_used)


HANDS: Final = Kept[PokerHand, bytes](_hand, _HANDS_KEPT_MAX)
"""``PokexPokerHand`` by its value."""


def result(scored: DealResult) -> bytes:
    """``PokexDealResult``."""
    return messages.deal_result(
        deal=scored.deal,
        dealer=scored.dealer,
        declarer=scored.declarer,
        bid=scored.bid,
        passed_out=scored.is_passed_out,
        wild_rank=scored.wild_rank or None,
        tricks=bytes(scored.tricks),
        points=scored.points,
        totals=scored.totals,
    )
