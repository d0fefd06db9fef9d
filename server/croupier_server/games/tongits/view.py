"""What an audience knows, built up from nothing: the public facts, and its own hand and fours."""

from __future__ import annotations

from typing import Final, NamedTuple

from croupier_server.games.base import PUBLIC, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tongits.state import PublicState, State


class TongitsView(NamedTuple):
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand.
        secret_fours: the ranks of its own secret fours, in the order laid.
        deadwood: of the hand (G-5.4).
    """

    public: PublicState
    seat: Seat
    hand: Cards = 0
    secret_fours: tuple[int, ...] = ()
    deadwood: int = 0


_new: Final = tuple.__new__


def view(state: State, audience: Seat) -> TongitsView:
    """What *audience* knows now (G-5.6)."""
    if audience == PUBLIC:
        return _new(TongitsView, (state.public, PUBLIC, 0, (), 0))
    hand, fours = state.hands[audience], state.secret_fours[audience]
    return _new(TongitsView, (state.public, audience, hand, fours, state.table.deadwood(hand)))
