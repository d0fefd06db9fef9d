"""The state of a match of Tong-its: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. What a
seat sees besides is in `State` and reaches a view only through `view`. Both are changed in place.
All sets of cards, the hands too, are packed `Cards`; there is no second form of them.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from croupier_server.games.base import Legal, Seat
from croupier_server.games.cards import Cards
from croupier_server.games.tongits.events import Answered, DealResult, Meld
from croupier_server.games.tongits.melds import MeldTable, meld_table
from croupier_server.games.tongits.options import TongitsOptions

PLAYERS: Final = 3
HAND: Final = 12
"""Cards of a hand; the dealer gets one more (G-1.3)."""
NO_SEAT: Final[Seat] = -1


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


class PublicState:
    """What everybody knows.

    Between deals, and after the last, hands and stock are empty; the table of the last deal stays
    to be seen until the next deck is put in.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal: number of the deal from 1, 0 before the first.
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
        to_act: seat to move, or `NO_SEAT`.
        pot: chips in it.
        chips: received less paid since the match began, by seat; with the pot they sum to zero.
        streak_seat: who won the last deal that had a winner, or `NO_SEAT`.
        streak: its wins in a row that count towards the pot.
        last_result: of the deal that was finished last, or None.
    """

    __slots__ = (
        "answers",
        "barred_deal",
        "barred_discard",
        "barred_turn",
        "caller",
        "chips",
        "deal",
        "dealer",
        "discarders",
        "discards",
        "hand_sizes",
        "last_result",
        "melds",
        "opened",
        "options",
        "phase",
        "pot",
        "secret_fours",
        "stock_size",
        "streak",
        "streak_seat",
        "to_act",
        "took_discard",
        "turns",
    )

    def __init__(self, options: TongitsOptions, original: PublicState | None = None) -> None:
        self.options = options
        if original is not None:
            self._take(original)
            return
        self.phase = Phase.DEAL
        self.deal = 0
        self.dealer: Seat = NO_SEAT
        self.pot = 0
        self.chips = [0] * PLAYERS
        self.streak_seat: Seat = NO_SEAT
        self.streak = 0
        self.last_result: DealResult | None = None
        self.clear_deal()

    def clear_deal(self) -> None:
        """Forget everything of the last deal."""
        self.hand_sizes = [0] * PLAYERS
        self.stock_size = 0
        self.discards = b""
        self.discarders = b""
        self.melds: list[Meld] = []
        self.opened = 0
        self.secret_fours = [0] * PLAYERS
        self.turns = [0] * PLAYERS
        self.barred_turn = 0
        self.barred_deal = 0
        self.barred_discard = 0
        self.took_discard = False
        self.caller: Seat = NO_SEAT
        self.answers: tuple[Answered, ...] = ()
        self.to_act: Seat = NO_SEAT

    def finished(self) -> int:
        """Number of finished deals."""
        return 0 if self.last_result is None else self.last_result.deal

    def copy(self) -> PublicState:
        """An independent copy."""
        return PublicState(self.options, self)

    def _take(self, original: PublicState) -> None:
        """Become a copy of *original*. Not done by way of ``__new__``, because that runs the
        constructor in compiled code."""
        self.phase = original.phase
        self.deal = original.deal
        self.dealer = original.dealer
        self.hand_sizes = original.hand_sizes.copy()
        self.stock_size = original.stock_size
        self.discards = original.discards
        self.discarders = original.discarders
        self.melds = original.melds.copy()
        self.opened = original.opened
        self.secret_fours = original.secret_fours.copy()
        self.turns = original.turns.copy()
        self.barred_turn = original.barred_turn
        self.barred_deal = original.barred_deal
        self.barred_discard = original.barred_discard
        self.took_discard = original.took_discard
        self.caller = original.caller
        self.answers = original.answers
        self.to_act = original.to_act
        self.pot = original.pot
        self.chips = original.chips.copy()
        self.streak_seat = original.streak_seat
        self.streak = original.streak
        self.last_result = original.last_result

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (
            self.options,
            int(self.phase),
            self.deal,
            self.dealer,
            tuple(self.hand_sizes),
            self.stock_size,
            self.discards,
            self.discarders,
            tuple(self.melds),
            self.opened,
            tuple(self.secret_fours),
            tuple(self.turns),
            self.barred_turn,
            self.barred_deal,
            self.barred_discard,
            self.took_discard,
            self.caller,
            self.answers,
            self.to_act,
            self.pot,
            tuple(self.chips),
            self.streak_seat,
            self.streak,
            self.last_result,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicState) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]

    def barred(self) -> tuple[Seat, ...]:
        """Seats that may not call draw at their next turn because of a lay-off or of a discard
        that was taken, rising (G-5.2)."""
        return SEATS_OF[self.barred_turn | self.barred_deal | self.barred_discard]


class State:
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat, packed.
        stock: ids, the next card first.
        secret_fours: by seat, the ranks (2 to 14) of its secret fours in the order laid.
        table: the melds that there are by the options.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory.
    """

    __slots__ = ("hands", "legal", "public", "results", "secret_fours", "stock", "table")

    def __init__(self, options: TongitsOptions, original: State | None = None) -> None:
        if original is None:
            self.public = PublicState(options)
            self.results: tuple[DealResult, ...] = ()
            self.hands: list[Cards] = [0] * PLAYERS
            self.stock = b""
            self.secret_fours: list[tuple[int, ...]] = [()] * PLAYERS
            self.table: MeldTable = meld_table(options.runs, options.ace_high_runs)
            self.legal: Legal | None = None
        else:
            self.public = original.public.copy()
            self.results = original.results
            self.hands = original.hands.copy()
            self.stock = original.stock
            self.secret_fours = original.secret_fours.copy()
            self.table = original.table
            self.legal = original.legal

    def copy(self) -> State:
        """An independent copy; the remembered legal answer is shared, as nobody changes it."""
        return State(self.public.options, self)

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (
            self.public.facts(),
            self.results,
            tuple(self.hands),
            self.stock,
            tuple(self.secret_fours),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]
