"""The state of a match of Tong-its: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. What a
seat sees besides is in `State` and reaches a view only through `view`. Both are changed in place.
All sets of cards, the hands too, are packed `Cards`; there is no second form of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from croupier_server.games.base import NO_SEAT, PUBLIC, Legal, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.states import Facts
from croupier_server.games.tongits.events import Answered, DealResult, Meld
from croupier_server.games.tongits.melds import MeldTable, meld_table
from croupier_server.games.tongits.options import TongitsOptions

PLAYERS: Final = 3
HAND: Final = 12
"""Cards of a hand; the dealer gets one more (G-1.3)."""


class Phase(IntEnum):
    """Where a deal stands; the numbers are those of the contract."""

    DEAL = 1
    """A lot or a deck is waited for."""
    START_TURN = 2
    """G-2.1."""
    PLAY = 3
    """G-2.3, G-2.4."""
    ANSWER = 4
    """A draw call is answered (G-5.2)."""
    OVER = 5


SEATS: Final[tuple[tuple[Seat, ...], ...]] = tuple((seat,) for seat in range(PLAYERS))
"""By seat, the tuple of that seat alone."""

SEATS_OF: Final[tuple[tuple[Seat, ...], ...]] = tuple(
    tuple(seat for seat in range(PLAYERS) if mask >> seat & 1) for mask in range(1 << PLAYERS)
)
"""The seats of a bit set of seats, rising."""


def _zeros() -> list[int]:
    return [0] * PLAYERS


@dataclass(slots=True)
class PublicState(Facts):
    """What everybody knows.

    Between deals, and after the last, hands and stock are empty; the table of the last deal stays
    to be seen until the next deck is put in.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal: number of the deal from 1; 0 before the first.
        dealer: of the deal, between deals of the next one; `NO_SEAT` before the lot.
        hand_sizes: cards in each hand.
        stock_size: cards in the stock.
        discards: ids of the discard pile, oldest first.
        discarders: by whom each of them was discarded.
        melds: exposed melds of the deal; the index of a meld is its number.
        opened: bit set of the seats that own one (G-3.5).
        secret_fours: how many secret fours lie before each seat.
        turns: turns that each seat has ended in the deal.
        barred_turn: bit set of seats barred from calling draw until they begin a turn (G-5.2).
        barred_deal: bit set of seats barred for the rest of the deal.
        barred_discard: bit set of seats barred until they discard again.
        took_discard: the turn under way began with the discard.
        caller: who called draw, or `NO_SEAT`.
        answers: to the call, in order.
        pot: chips in it.
        chips: received less paid since the match began, by seat; with the pot they sum to zero.
        streak_seat: who won the last deal that had a winner, or `NO_SEAT`.
        streak: its wins in a row that count towards the pot.
        to_act: seat to move, or `NO_SEAT`.
        last_result: of the deal that was finished last, or None.
    """

    options: TongitsOptions
    phase: Phase = Phase.DEAL
    deal: int = 0
    dealer: Seat = NO_SEAT
    hand_sizes: list[int] = field(default_factory=_zeros)
    stock_size: int = 0
    discards: bytes = b""
    discarders: bytes = b""
    melds: list[Meld] = field(default_factory=list)
    opened: int = 0
    secret_fours: list[int] = field(default_factory=_zeros)
    turns: list[int] = field(default_factory=_zeros)
    barred_turn: int = 0
    barred_deal: int = 0
    barred_discard: int = 0
    took_discard: bool = False
    caller: Seat = NO_SEAT
    answers: tuple[Answered, ...] = ()
    pot: int = 0
    chips: list[int] = field(default_factory=_zeros)
    streak_seat: Seat = NO_SEAT
    streak: int = 0
    to_act: Seat = NO_SEAT
    last_result: DealResult | None = None

    def clear_deal(self) -> None:
        """Forget everything of the last deal; it stays to be seen until the next deck is put in."""
        self.reset(
            "options",
            "phase",
            "deal",
            "last_result",
            "dealer",
            "pot",
            "chips",
            "streak_seat",
            "streak",
        )

    def finished(self) -> int:
        """Number of finished deals."""
        return 0 if self.last_result is None else self.last_result.deal

    def barred(self) -> tuple[Seat, ...]:
        """Seats that may not call draw at their next turn because of a lay-off or of a discard
        that was taken, rising (G-5.2)."""
        return SEATS_OF[self.barred_turn | self.barred_deal | self.barred_discard]


@dataclass(slots=True)
class State(Facts):
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat, packed.
        stock: ids, the next card first.
        secret_fours: by seat, the ranks (2 to 14) of its secret fours in the order laid.
        table: the melds that there are by the options.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory, and
            shared by copies, as nobody changes it.
    """

    public: PublicState
    results: tuple[DealResult, ...] = ()
    legal: Legal | None = field(default=None, compare=False)
    hands: list[Cards] = field(default_factory=_zeros)
    stock: bytes = b""
    secret_fours: list[tuple[int, ...]] = field(default_factory=lambda: [()] * PLAYERS)
    table: MeldTable = field(init=False, compare=False)

    def __post_init__(self) -> None:
        options = self.public.options
        self.table = meld_table(options.runs, options.ace_high_runs)


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
