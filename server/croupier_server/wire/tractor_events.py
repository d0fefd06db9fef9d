"""Events of Tractor as bytes: the public part for everybody, the private parts seat by seat.

One function for each kind of part, in two tables by type. The server part of an event never comes
here.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from croupier_server.games.base import Event, Seat
from croupier_server.games.cards import unpack
from croupier_server.games.tractor import cards, events
from croupier_server.wire import tractor_parts as parts
from croupier_server.wire.encode import (
    TAGS,
    field_bytes,
    field_number,
    field_packed,
    field_signed,
    field_varint,
    varint,
)
from croupier_server.wire.tractor_moves import GAME_ARM, tractor_move

_TAKEN, _BURIED = 3, 4


def event_bytes(event: Event) -> tuple[bytes, dict[Seat, bytes]]:
    """See `GameWire.event_bytes`."""
    public = event.public
    arm, encode = _PUBLIC[type(public)]
    payload = encode(public)
    payload = TAGS[arm] + varint(len(payload)) + payload
    found = TAGS[GAME_ARM] + varint(len(payload)) + payload
    private: dict[Seat, bytes] = {}
    for seat, part in event.private.items():
        private[seat] = field_bytes(GAME_ARM, _private(public, part))
    return found, private


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
        found = field_bytes(1, parts.played(event.seat, event.cards, event.failed_throw))
    won = event.trick
    if won is None:
        return found
    return found + field_bytes(
        2,
        field_number(1, won.winner)
        + field_number(2, won.points)
        + field_signed(3, won.opponents_points),
    )


# Any: a table by type cannot say that the key is the type of the argument.
_PUBLIC: Final[dict[type, tuple[int, Callable[[Any], bytes]]]] = {
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


def _private(public: object, part: object) -> bytes:
    """``TractorPrivateEvent`` of one seat."""
    match part:
        case events.OwnCardsDrawn():
            return field_bytes(1, field_packed(1, part.cards))
        case events.OwnAnswer():
            return field_bytes(2, tractor_move(part.move))
        case events.OwnKitty():
            arm = _TAKEN if isinstance(public, events.KittyTaken) else _BURIED
            return field_bytes(arm, field_packed(1, unpack(part.cards)))
    raise AssertionError(f"no private part of Tractor: {type(part).__name__}")
