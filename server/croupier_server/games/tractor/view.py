"""What an audience knows, built up from nothing: the public facts, and its own hand and kitty."""

from __future__ import annotations

from croupier_server.games.base import PUBLIC, Event, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tractor.state import PublicState, State


class TractorView:
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows; a copy of this view's own.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand, exposed cards included.
        taken: for the starter, the kitty's cards once taken, until the result.
        buried: for the starter, the cards it buried, until the result.
    """

    __slots__ = ("buried", "hand", "public", "seat", "taken")

    def __init__(
        self,
        public: PublicState,
        seat: Seat,
        hand: Cards = 0,
        taken: Cards = 0,
        buried: Cards = 0,
    ) -> None:
        self.public = public
        self.seat = seat
        self.hand = hand
        self.taken = taken
        self.buried = buried

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (self.public.facts(), self.seat, self.hand, self.taken, self.buried)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TractorView) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]


def view(state: State, audience: Seat) -> TractorView:
    """What *audience* knows now (T-2.3)."""
    public = state.public.copy()
    if audience == PUBLIC:
        return TractorView(public, PUBLIC)
    if audience == public.starter:
        return TractorView(public, audience, state.hands[audience], state.taken, state.buried)
    return TractorView(public, audience, state.hands[audience])


def show(event: Event, audience: Seat) -> tuple[object, object | None]:
    """The parts of *event* that *audience* sees."""
    return event.public, None if audience == PUBLIC else event.private.get(audience)
