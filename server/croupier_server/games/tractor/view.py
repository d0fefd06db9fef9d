"""What an audience knows, built up from nothing: the public facts, and its own hand and kitty."""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier_server.games.base import PUBLIC, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tractor.state import PublicState, State


class TractorView(NamedTuple):
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand, exposed cards included.
        taken: for the starter, the kitty's cards once taken, until the result.
        buried: for the starter, the cards it buried, until the result.
    """

    public: PublicState
    seat: Seat
    hand: Cards = 0
    taken: Cards = 0
    buried: Cards = 0


_new: Final = tuple.__new__


def view(state: State, audience: Seat) -> TractorView:
    """What *audience* knows now (T-2.3)."""
    public = state.public
    if audience == PUBLIC:
        return _new(TractorView, (public, PUBLIC, 0, 0, 0))
    hand = state.hands[audience]
    if audience == public.starter:
        return _new(TractorView, (public, audience, hand, state.taken, state.buried))
    return _new(TractorView, (public, audience, hand, 0, 0))
