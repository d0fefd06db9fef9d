"""What an audience knows, built up from nothing: the public facts, and its own hand and fours."""

from __future__ import annotations

from croupier_server.games.base import PUBLIC, Event, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tongits.melds import meld_table
from croupier_server.games.tongits.state import PublicState, State


class TongitsView:
    """What *seat* knows; a spectator (`PUBLIC`) knows the public facts alone.

    Attributes:
        public: what everybody knows; a copy of this view's own.
        seat: whose view it is, or `PUBLIC`.
        hand: the seat's own hand.
        secret_fours: the ranks of its own secret fours, in the order laid.
    """

    __slots__ = ("hand", "public", "seat", "secret_fours")

    def __init__(
        self,
        public: PublicState,
        seat: Seat,
        hand: Cards = 0,
        secret_fours: tuple[int, ...] = (),
    ) -> None:
        self.public = public
        self.seat = seat
        self.hand = hand
        self.secret_fours = secret_fours

    @property
    def deadwood(self) -> int:
        """Deadwood of the hand (G-5.4)."""
        options = self.public.options
        return meld_table(options.runs, options.ace_high_runs).deadwood(self.hand)

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (self.public.facts(), self.seat, self.hand, self.secret_fours)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TongitsView) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]


def view(state: State, audience: Seat) -> TongitsView:
    """What *audience* knows now (G-5.6)."""
    public = state.public.copy()
    if audience == PUBLIC:
        return TongitsView(public, PUBLIC)
    return TongitsView(public, audience, state.hands[audience], state.secret_fours[audience])


def show(event: Event, audience: Seat) -> tuple[object, object | None]:
    """The parts of *event* that *audience* sees."""
    return event.public, None if audience == PUBLIC else event.private.get(audience)
