"""What an audience knows, built up from nothing: the public facts and its own hand."""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier_server.games.base import PUBLIC, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.pokex.state import PublicState, State


class PokexView(NamedTuple):
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand.
    """

    public: PublicState
    seat: Seat
    hand: Cards = 0


_new: Final = tuple.__new__


def view(state: State, audience: Seat) -> PokexView:
    """What *audience* knows now (P-1.3)."""
    if audience == PUBLIC:
        return _new(PokexView, (state.public, PUBLIC, 0))
    return _new(PokexView, (state.public, audience, state.hands[audience]))
