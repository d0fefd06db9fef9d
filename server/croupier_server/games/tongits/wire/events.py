"""Events of Tong-its as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.cards import CARD_MAX
from croupier_server.games.tongits import events
from croupier_server.games.tongits.wire import parts
from croupier_server.wire.encode import framed
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tongits as messages
from croupier_server.wire.generated.tongits import EVENT, PRIVATE_EVENT

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(event.deal, event.dealer, event.ante, event.pot)


def _stock_drawn(event: events.StockDrawn) -> bytes:
    return messages.stock_drawn(event.seat, event.stock_size)


def _discard_taken(event: events.DiscardTaken) -> bytes:
    return messages.discard_taken(event.seat, event.card, parts.meld(event.meld))


def _meld_exposed(event: events.MeldExposed) -> bytes:
    return messages.meld_exposed(parts.meld(event.meld))


def _secret_four_laid(event: events.SecretFourLaid) -> bytes:
    return messages.secret_four_laid(event.seat)


def _cards_laid_off(event: events.CardsLaidOff) -> bytes:
    return messages.cards_laid_off(event.meld, parts.laid_off(event.laid_off))


def _discarded(event: events.Discarded) -> bytes:
    return messages.discarded(event.seat, event.card)


def _turn_ended(event: events.TurnEnded) -> bytes:
    return messages.turn_ended(event.seat)


def _draw_called(event: events.DrawCalled) -> bytes:
    return messages.draw_called(event.seat)


def _pot_split(event: events.PotSplit) -> bytes:
    return messages.pot_split(event.share, event.chips)


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.StockDrawn: (EVENT["stock_drawn"], _stock_drawn),
    events.DiscardTaken: (EVENT["discard_taken"], _discard_taken),
    events.MeldExposed: (EVENT["meld_exposed"], _meld_exposed),
    events.SecretFourLaid: (EVENT["secret_four_laid"], _secret_four_laid),
    events.CardsLaidOff: (EVENT["cards_laid_off"], _cards_laid_off),
    events.Discarded: (EVENT["discarded"], _discarded),
    events.TurnEnded: (EVENT["turn_ended"], _turn_ended),
    events.DrawCalled: (EVENT["draw_called"], _draw_called),
    events.Answered: (EVENT["answered"], parts.answered),
    events.DealResult: (EVENT["deal_scored"], parts.result),
    events.PotSplit: (EVENT["pot_split"], _pot_split),
}
"""By type of the public part: its tag in ``TongitsEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _private(arm: str, payload: bytes) -> bytes:
    return framed(game.PRIVATE_EVENT["tongits"], framed(PRIVATE_EVENT[arm], payload))


def _own_cards(part: events.OwnCards) -> bytes:
    return _private("dealt", messages.private_cards(part.cards))


_DRAWN: Final = tuple(
    _private("drawn", messages.private_cards(bytes((card,)))) for card in range(CARD_MAX + 1)
)
"""By card: what the seat that drew it from the stock is told."""


def _own_card(part: events.OwnCard) -> bytes:
    return _DRAWN[part.card]


def _own_four(part: events.OwnFour) -> bytes:
    return _private("laid", messages.private_four(part.rank))


_PRIVATE: Final[Private] = {
    events.DealStarted: _own_cards,
    events.StockDrawn: _own_card,
    events.SecretFourLaid: _own_four,
}

EVENTS: Final = EventBytes(
    game.EVENT["tongits"],
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
