"""Events of Tong-its as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.cards import CARD_MAX
from croupier_server.games.tongits import events
from croupier_server.wire import tongits_parts as parts
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_packed,
    field_packed_signed,
)
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.tongits_moves import GAME_ARM

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return field_number(1, event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return (
        field_number(1, event.deal)
        + field_number(2, event.dealer)
        + field_number(3, event.ante)
        + field_number(4, event.pot)
    )


def _stock_drawn(event: events.StockDrawn) -> bytes:
    return field_number(1, event.seat) + field_number(2, event.stock_size)


def _discard_taken(event: events.DiscardTaken) -> bytes:
    return (
        field_number(1, event.seat)
        + field_number(2, event.card)
        + field_bytes(3, parts.meld(event.meld))
    )


def _meld_exposed(event: events.MeldExposed) -> bytes:
    return field_bytes(1, parts.meld(event.meld))


def _cards_laid_off(event: events.CardsLaidOff) -> bytes:
    return field_number(1, event.meld) + field_bytes(2, parts.laid_off(event.laid_off))


def _discarded(event: events.Discarded) -> bytes:
    return field_number(1, event.seat) + field_number(2, event.card)


def _by_seat(event: events.SecretFourLaid | events.TurnEnded | events.DrawCalled) -> bytes:
    return field_number(1, event.seat)


def _pot_split(event: events.PotSplit) -> bytes:
    return field_number(1, event.share) + field_packed_signed(2, event.chips)


_PUBLIC: Final[Public] = {
    events.LotDrawn: (1, _lot_drawn),
    events.DealStarted: (2, _deal_started),
    events.StockDrawn: (3, _stock_drawn),
    events.DiscardTaken: (4, _discard_taken),
    events.MeldExposed: (5, _meld_exposed),
    events.SecretFourLaid: (6, _by_seat),
    events.CardsLaidOff: (7, _cards_laid_off),
    events.Discarded: (8, _discarded),
    events.TurnEnded: (9, _by_seat),
    events.DrawCalled: (10, _by_seat),
    events.Answered: (11, parts.answered),
    events.DealResult: (12, parts.result),
    events.PotSplit: (13, _pot_split),
}
"""By type of the public part: its arm in ``TongitsEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _own_cards(part: events.OwnCards) -> bytes:
    return field_bytes(GAME_ARM, field_bytes(1, field_packed(1, part.cards)))


_DRAWN: Final = tuple(
    field_bytes(GAME_ARM, field_bytes(2, field_packed(1, bytes((card,)))))
    for card in range(CARD_MAX + 1)
)
"""By card: what the seat that drew it from the stock is told."""


def _own_card(part: events.OwnCard) -> bytes:
    return _DRAWN[part.card]


def _own_four(part: events.OwnFour) -> bytes:
    return field_bytes(GAME_ARM, field_bytes(3, field_number(1, part.rank)))


_PRIVATE: Final[Private] = {
    events.DealStarted: _own_cards,
    events.StockDrawn: _own_card,
    events.SecretFourLaid: _own_four,
}

EVENTS: Final = EventBytes(
    GAME_ARM,
    _PUBLIC,
    _PRIVATE,
    kept=(
        events.StockDrawn,
        events.Discarded,
        events.SecretFourLaid,
        events.TurnEnded,
        events.DrawCalled,
        events.Answered,
    ),
)
"""Events of Tong-its. Those kept have a seat and at most a card: in every turn, and few in all."""
