"""What an audience knows, built up from nothing: the public facts and its own hand."""

from __future__ import annotations

from croupier_server.games.base import PUBLIC, Event, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.pokex.state import PublicState, State


class PokexView:
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows; a copy of this view's own.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand.
    """

    __slots__ = ("hand", "public", "seat")

    def __init__(self, public: PublicState, seat: Seat, hand: Cards = 0) -> None:
        self.public = public
        self.seat = seat
        self.hand = hand

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (self.public.facts(), self.seat, self.hand)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PokexView) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]


def view(state: State, audience: Seat) -> PokexView:
    """What *audience* knows now (P-1.3)."""
    public = state.public.copy()
    if audience == PUBLIC:
        return PokexView(public, PUBLIC)
    return PokexView(public, audience, state.hands[audience])


def show(event: Event, audience: Seat) -> tuple[object, object | None]:
    """The parts of *event* that *audience* sees."""
    return event.public, None if audience == PUBLIC else event.private.get(audience)
