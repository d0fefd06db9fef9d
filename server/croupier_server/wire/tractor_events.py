"""Events of Tractor as bytes: the public part for everybody, the private parts seat by seat.

One function for each kind of part, in two tables by type. The server part of an event never comes
here.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from croupier_server.games.base import Event, Seat
from croupier_server.games.cards import CARD_MAX, Cards, unpack
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
_DRAWN_KEPT_MAX: Final = 1024


def event_bytes(event: Event) -> tuple[bytes, dict[Seat, bytes]]:
    """See `GameWire.event_bytes`."""
    public, shown, _ = event
    if type(public) is events.CardsPlayed:  # nine of ten events, most of them seen before
        seat, cards, failed, won = public
        if failed is None and won is None:
            return _PLAYED[seat][cards], {}
    found = _drawn(public) if type(public) is events.CardsDrawn else _whole(public)
    return found, {seat: _private(public, part) for seat, part in shown.items()}


def _whole(public: object) -> bytes:
    """Payload of ``GameEvent``."""
    arm, encode = _PUBLIC[type(public)]
    payload = encode(public)
    payload = TAGS[arm] + varint(len(payload)) + payload
    return TAGS[GAME_ARM] + varint(len(payload)) + payload


class _Played(dict[Cards, bytes]):
    """Payloads of ``GameEvent`` of plays of one seat that end no trick; the first ones are kept."""

    __slots__ = ("seat",)

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.seat = seat

    def __missing__(self, cards: Cards) -> bytes:
        found = _whole(events.CardsPlayed(self.seat, cards, None, None))
        if len(self) < parts.KEPT_MAX:
            self[cards] = found
        return found


_PLAYED: Final = tuple(_Played(seat) for seat in range(parts.SEATS_MAX))


@lru_cache(maxsize=_DRAWN_KEPT_MAX)
def _drawn(event: events.CardsDrawn) -> bytes:
    """Payload of ``GameEvent``; the numbers of cards are the same in every deal."""
    return _whole(event)


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
    """Payload of ``GamePrivateEvent`` of one seat."""
    match part:
        case events.OwnCardsDrawn():
            if len(part.cards) == 1:
                return _ONE_DRAWN[part.cards[0]]
            payload = _own_cards(1, part.cards)
        case events.OwnAnswer():
            payload = field_bytes(2, tractor_move(part.move))
        case events.OwnKitty():
            arm = _TAKEN if isinstance(public, events.KittyTaken) else _BURIED
            payload = _own_cards(arm, unpack(part.cards))
        case _:
            raise AssertionError(f"no private part of Tractor: {type(part).__name__}")
    return field_bytes(GAME_ARM, payload)


def _own_cards(arm: int, cards: bytes) -> bytes:
    return field_bytes(arm, field_packed(1, cards))


_ONE_DRAWN: Final = tuple(
    field_bytes(GAME_ARM, _own_cards(1, bytes((card,)))) for card in range(CARD_MAX + 1)
)
"""By card: what the seat that drew it is told. The same bytes each time, as every table's log
keeps a hundred of them a deal."""
