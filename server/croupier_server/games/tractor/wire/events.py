"""Events of Tractor as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_server.games.base import Move
from croupier_server.games.cards import CARD_MAX, Cards, unpack
from croupier_server.games.kept import Kept
from croupier_server.games.tractor import cards, events
from croupier_server.games.tractor.wire import parts
from croupier_server.games.tractor.wire.moves import tractor_move
from croupier_server.wire.encode import framed, packed
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.generated import game
from croupier_server.wire.generated import tractor as messages
from croupier_server.wire.generated.tractor import EVENT, PRIVATE_EVENT

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.seat)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(
        deal=event.deal,
        redeals=event.attempt,
        trump_rank=event.trump_rank,
        first_drawer=event.first_drawer,
        starter=event.starter,
        levels=bytes(event.levels),
    )


def _cards_drawn(event: events.CardsDrawn) -> bytes:
    return messages.cards_drawn(packed(event.hand_sizes))


def _window_closed(event: events.WindowClosed) -> bytes:
    made = event.declaration
    return messages.window_closed(None if made is None else parts.declaration(made))


def _kitty_turned(event: events.KittyTurned) -> bytes:
    return messages.kitty_turned(bytes(event.cards), parts.suit_number(event.suit))


def _called(event: events.Called) -> bytes:
    return messages.called(event.seat, event.points)


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return messages.auction_ended(event.declarers, event.bid, event.trump_rank)


def _card_shown(event: events.CardShown) -> bytes:
    return messages.played(event.seat, bytes((event.card,)), None)


def _show_ended(event: events.ShowEnded) -> bytes:
    return messages.show_ended(event.starter, event.winner, event.points, event.opponents_points)


def _trumps_fixed(event: events.TrumpsFixed) -> bytes:
    trumps = cards.trumps(
        event.suit, event.rank, event.rank_gap, event.trump_ladder, event.nt_rank_cards
    )
    return messages.trumps_fixed(
        trumps=parts.trumps(event.suit, event.rank),
        starter=event.starter,
        declaring_team=event.declarers,
        order=parts.order(trumps),
    )


def _kitty_taken(event: events.KittyTaken) -> bytes:
    return messages.kitty_taken(event.seat, event.size)


def _kitty_buried(event: events.KittyBuried) -> bytes:
    return messages.kitty_buried(event.seat, event.size)


def _cards_played(event: events.CardsPlayed) -> bytes:
    seat, cards, failed, won = event
    return messages.cards_played(
        play=parts.PLAYED[seat][cards] if failed is None else parts.played(seat, cards, failed),
        trick_won=None if won is None else messages.trick_won(*won),
    )


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.CardsDrawn: (EVENT["cards_drawn"], _cards_drawn),
    events.WindowClosed: (EVENT["window_closed"], _window_closed),
    events.KittyTurned: (EVENT["kitty_turned"], _kitty_turned),
    events.Called: (EVENT["called"], _called),
    events.AuctionEnded: (EVENT["auction_ended"], _auction_ended),
    events.CardShown: (EVENT["card_shown"], _card_shown),
    events.ShowEnded: (EVENT["show_ended"], _show_ended),
    events.TrumpsFixed: (EVENT["trumps_fixed"], _trumps_fixed),
    events.KittyTaken: (EVENT["kitty_taken"], _kitty_taken),
    events.KittyBuried: (EVENT["kitty_buried"], _kitty_buried),
    events.CardsPlayed: (EVENT["cards_played"], _cards_played),
    events.DealScored: (EVENT["deal_scored"], parts.result),
}
"""By type of the public part: its tag in ``TractorEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _private(arm: str, payload: bytes) -> bytes:
    return framed(game.PRIVATE_EVENT["tractor"], framed(PRIVATE_EVENT[arm], payload))


def _own_cards(arm: str, cards: bytes) -> bytes:
    return _private(arm, messages.private_cards(cards))


_ONE_DRAWN: Final = tuple(_own_cards("drawn", bytes((card,))) for card in range(CARD_MAX + 1))
"""By card: what the seat that drew it is told. The same bytes each time, as every table's log
keeps a hundred of them a deal."""


def _own_cards_drawn(part: events.OwnCardsDrawn) -> bytes:
    return _ONE_DRAWN[part.cards[0]] if len(part.cards) == 1 else _own_cards("drawn", part.cards)


_ANSWERS: Final = Kept[Move, bytes](
    lambda move: _private("answer", tractor_move(move)), parts.KEPT_MAX
)
"""By move: what a seat that answered it in a window is told. Most windows are declined."""


def _own_answer(part: events.OwnAnswer) -> bytes:
    return _ANSWERS[part.move]


def _own_kitty(arm: str) -> Callable[[events.OwnKitty], bytes]:
    return lambda part: _own_cards(arm, unpack(part.cards))


_PRIVATE: Final[Private] = {
    events.CardsDrawn: _own_cards_drawn,
    events.WindowClosed: _own_answer,
    events.KittyTaken: _own_kitty("taken"),
    events.KittyBuried: _own_kitty("buried"),
}

EVENTS: Final = EventBytes(game.EVENT["tractor"], _PUBLIC, _PRIVATE, kept=(events.CardsDrawn,))
"""Events of Tractor. The numbers of cards drawn are the same in every deal."""


# Plays: nine of ten events ----------------------------------------------------------------------


def _plays_of(seat: int) -> Kept[Cards, bytes]:
    return Kept(
        lambda cards: EVENTS.encode(events.CardsPlayed(seat, cards, None, None)), parts.KEPT_MAX
    )


_PLAYED: Final = tuple(_plays_of(seat) for seat in range(parts.SEATS_MAX))
"""By seat and cards: payload of ``GameEvent`` of a play that ends no trick."""


def _whole_play(event: events.CardsPlayed) -> bytes:
    seat, cards, failed, won = event
    if failed is None and won is None:
        return _PLAYED[seat][cards]
    return EVENTS.encode(event)


EVENTS.whole[events.CardsPlayed] = _whole_play
