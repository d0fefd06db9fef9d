"""Events of Pokex as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.pokex import events
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.wire import pokex_parts as parts
from croupier_server.wire.encode import (
    field_bytes,
    field_number,
    field_optional,
    field_packed,
    field_packed_signed,
    field_varint,
)
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.kept import Kept
from croupier_server.wire.pokex_moves import GAME_ARM

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return field_number(1, event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return (
        field_number(1, event.deal)
        + field_number(2, event.dealer)
        + field_packed(3, event.center)
        + field_packed_signed(4, event.totals)
    )


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return field_optional(1, event.declarer) + field_number(2, event.bid)


def _rank_named(event: events.RankNamed) -> bytes:
    return field_number(1, event.seat) + field_number(2, event.rank)


def _cards_played(event: events.CardsPlayed) -> bytes:
    found = field_bytes(1, parts.played(*event.play))
    if event.center:
        found += field_varint(2, event.center)
    if event.trick_ended is not None:
        found += field_bytes(3, parts.trick_end(*event.trick_ended, first=1))
    return found


_PUBLIC: Final[Public] = {
    events.LotDrawn: (1, _lot_drawn),
    events.DealStarted: (2, _deal_started),
    events.Called: (3, parts.called),
    events.AuctionEnded: (4, _auction_ended),
    events.RankNamed: (5, _rank_named),
    events.CardsPlayed: (6, _cards_played),
    events.DealResult: (7, parts.result),
}
"""By type of the public part: its arm in ``PokexEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _own_cards(part: events.OwnCards) -> bytes:
    return field_bytes(GAME_ARM, field_bytes(1, field_packed(1, part.cards)))


_PRIVATE: Final[Private] = {events.DealStarted: _own_cards}

EVENTS: Final = EventBytes(
    GAME_ARM, _PUBLIC, _PRIVATE, kept=(events.Called, events.AuctionEnded, events.RankNamed)
)
"""Events of Pokex. Those kept are of an auction: few in all."""


# Plays: most events -----------------------------------------------------------------------------


def _plays_of(seat: int) -> Kept[int, bytes]:
    return Kept(
        lambda cards: EVENTS.encode(events.CardsPlayed(events.Played(seat, cards), 0, None)),
        parts.KEPT_MAX,
    )


_FOLLOWED: Final = tuple(_plays_of(seat) for seat in range(PLAYERS))
"""By seat and cards: payload of ``GameEvent`` of a play that neither leads nor ends a trick."""


def _whole_play(event: events.CardsPlayed) -> bytes:
    if event.trick_ended is None and not event.center:
        return _FOLLOWED[event.play.seat][event.play.cards]
    return EVENTS.encode(event)


EVENTS.whole[events.CardsPlayed] = _whole_play
