"""Events of Tractor as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier_server.games.cards import CARD_MAX, Cards, unpack
from croupier_server.games.tractor import cards, events
from croupier_server.wire import tractor_parts as parts
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_varint,
)
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.kept import Kept
from croupier_server.wire.tractor_moves import GAME_ARM, tractor_move

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return field_number(1, event.seat)


def _deal_started(event: events.DealStarted) -> bytes:
    starter = b"" if event.starter is None else field_varint(5, event.starter)
    return (
        field_number(1, event.deal)
        + field_number(2, event.attempt)
        + field_number(3, event.trump_rank)
        + field_number(4, event.first_drawer)
        + starter
        + field_packed(6, bytes(event.levels))
    )


def _cards_drawn(event: events.CardsDrawn) -> bytes:
    return field_packed(1, event.hand_sizes)


def _window_closed(event: events.WindowClosed) -> bytes:
    made = event.declaration
    return b"" if made is None else field_bytes(1, parts.declaration(made))


def _kitty_turned(event: events.KittyTurned) -> bytes:
    return field_packed(1, bytes(event.cards)) + parts.suit_field(2, event.suit)


def _called(event: events.Called) -> bytes:
    return parts.called(event.seat, event.points)


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return (
        field_number(1, event.declarers)
        + field_number(2, event.bid)
        + field_number(3, event.trump_rank)
    )


def _card_shown(event: events.CardShown) -> bytes:
    return field_number(1, event.seat) + field_packed(2, bytes((event.card,)))


def _show_ended(event: events.ShowEnded) -> bytes:
    return (
        field_number(1, event.starter)
        + field_number(2, event.winner)
        + field_number(3, event.points)
        + field_signed(4, event.opponents_points)
    )


def _trumps_fixed(event: events.TrumpsFixed) -> bytes:
    trumps = cards.trumps(
        event.suit, event.rank, event.rank_gap, event.trump_ladder, event.nt_rank_cards
    )
    return (
        field_bytes(1, parts.trumps(event.suit, event.rank))
        + field_number(2, event.starter)
        + field_number(3, event.declarers)
        + parts.order(4, trumps)
    )


def _kitty_moved(event: events.KittyTaken | events.KittyBuried) -> bytes:
    return field_number(1, event.seat) + field_number(2, event.size)


def _cards_played(event: events.CardsPlayed) -> bytes:
    if event.failed_throw is None:
        found = parts.PLAYS[event.seat][event.cards]
    else:
        found = parts.failed_play(event.seat, event.cards, event.failed_throw)
    won = event.trick
    if won is None:
        return found
    return found + field_bytes(
        2,
        field_number(1, won.winner)
        + field_number(2, won.points)
        + field_signed(3, won.opponents_points),
    )


_PUBLIC: Final[Public] = {
    events.LotDrawn: (1, _lot_drawn),
    events.DealStarted: (2, _deal_started),
    events.CardsDrawn: (3, _cards_drawn),
    events.WindowClosed: (4, _window_closed),
    events.KittyTurned: (5, _kitty_turned),
    events.Called: (6, _called),
    events.AuctionEnded: (7, _auction_ended),
    events.CardShown: (8, _card_shown),
    events.ShowEnded: (9, _show_ended),
    events.TrumpsFixed: (10, _trumps_fixed),
    events.KittyTaken: (11, _kitty_moved),
    events.KittyBuried: (12, _kitty_moved),
    events.CardsPlayed: (13, _cards_played),
    events.DealScored: (14, parts.result),
}
"""By type of the public part: its arm in ``TractorEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _own_cards(arm: int, cards: bytes) -> bytes:
    return field_bytes(GAME_ARM, field_bytes(arm, field_packed(1, cards)))


_ONE_DRAWN: Final = tuple(_own_cards(1, bytes((card,))) for card in range(CARD_MAX + 1))
"""By card: what the seat that drew it is told. The same bytes each time, as every table's log
keeps a hundred of them a deal."""


def _own_cards_drawn(part: events.OwnCardsDrawn) -> bytes:
    return _ONE_DRAWN[part.cards[0]] if len(part.cards) == 1 else _own_cards(1, part.cards)


def _own_answer(part: events.OwnAnswer) -> bytes:
    return field_bytes(GAME_ARM, field_bytes(2, tractor_move(part.move)))


def _own_kitty(arm: int) -> Callable[[events.OwnKitty], bytes]:
    return lambda part: _own_cards(arm, unpack(part.cards))


_PRIVATE: Final[Private] = {
    events.CardsDrawn: _own_cards_drawn,
    events.WindowClosed: _own_answer,
    events.KittyTaken: _own_kitty(3),
    events.KittyBuried: _own_kitty(4),
}

EVENTS: Final = EventBytes(GAME_ARM, _PUBLIC, _PRIVATE, kept=(events.CardsDrawn,))
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
