"""Events of Pokex as bytes: one function for each kind of part, in two tables by type.

Must not be put here: anything that looks at a state. An event says all that is to be said.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.kept import Kept
from croupier_server.games.pokex import events
from croupier_server.games.pokex.state import PLAYERS
from croupier_server.games.pokex.wire import parts
from croupier_server.wire.encode import framed
from croupier_server.wire.events import EventBytes, Private, Public
from croupier_server.wire.generated import game
from croupier_server.wire.generated import pokex as messages
from croupier_server.wire.generated.pokex import EVENT, PRIVATE_EVENT

# Public parts -----------------------------------------------------------------------------------


def _lot_drawn(event: events.LotDrawn) -> bytes:
    return messages.lot_drawn(event.dealer)


def _deal_started(event: events.DealStarted) -> bytes:
    return messages.deal_started(event.deal, event.dealer, event.center, event.totals)


def _auction_ended(event: events.AuctionEnded) -> bytes:
    return messages.auction_ended(event.declarer, event.bid)


def _rank_named(event: events.RankNamed) -> bytes:
    return messages.rank_named(event.seat, event.rank)


def _cards_played(event: events.CardsPlayed) -> bytes:
    ended = event.trick_ended
    return messages.cards_played(
        play=parts.played(*event.play),
        center=event.center or None,
        trick_ended=None if ended is None else _trick_ended(ended),
    )


def _trick_ended(part: events.TrickEnded) -> bytes:
    return messages.trick_ended(
        part.winner, [parts.HANDS[hand] for hand in part.hands], part.counted
    )


_PUBLIC: Final[Public] = {
    events.LotDrawn: (EVENT["lot_drawn"], _lot_drawn),
    events.DealStarted: (EVENT["deal_started"], _deal_started),
    events.Called: (EVENT["called"], parts.called),
    events.AuctionEnded: (EVENT["auction_ended"], _auction_ended),
    events.RankNamed: (EVENT["rank_named"], _rank_named),
    events.CardsPlayed: (EVENT["cards_played"], _cards_played),
    events.DealResult: (EVENT["deal_scored"], parts.result),
}
"""By type of the public part: its tag in ``PokexEvent``, and what encodes it."""


# Private parts ----------------------------------------------------------------------------------


def _own_cards(part: events.OwnCards) -> bytes:
    own = messages.private_cards(part.cards)
    return framed(game.PRIVATE_EVENT["pokex"], framed(PRIVATE_EVENT["dealt"], own))


_PRIVATE: Final[Private] = {events.DealStarted: _own_cards}

EVENTS: Final = EventBytes(
    game.EVENT["pokex"],
    _PUBLIC,
    _PRIVATE,
    kept=(events.Called, events.AuctionEnded, events.RankNamed),
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
