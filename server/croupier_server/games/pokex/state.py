"""The state of a match of Pokex: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. The
hands are in `State` and reach a view only through `view`. Both are changed in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from croupier_server.games.base import Legal, Move, Seat
from croupier_server.games.cards import Card, Cards
from croupier_server.games.pokex.events import Called, DealResult, Played
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.pokerhands import PokerHand

PLAYERS: Final = 4
HAND: Final = 12
"""Cards that each seat is dealt (P-1.1)."""
TRICKS: Final = 6
"""Tricks of a deal, and cards in the centre (P-1.1)."""

NO_SEAT: Final[Seat] = -1
NO_SIDE: Final = -1


class Phase(IntEnum):
    """Where a deal stands; the numbers are those of the contract."""

    DEAL = 1
    """A lot or a deck is waited for."""
    BIDDING = 2
    NAME_RANK = 3
    PLAY = 4
    OVER = 5


class Trick(NamedTuple):
    """A finished trick, all of it public: its centre card, its plays in turn order from the
    leader, the side that took it or None, the hands of both sides, and the tricks that it counted
    for the winner."""

    center: Card
    plays: tuple[Played, ...]
    winner: int | None
    hands: tuple[PokerHand, PokerHand]
    counted: int


class PublicState:
    """What everybody knows. A pair of numbers is that of side 0 and side 1.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal: its number from 1; 0 before the first.
        dealer: or `NO_SEAT` before the lot.
        center: ids of the six centre cards from left to right; empty before the first deal.
        center_left: those that no trick, finished or under way, has had.
        calls: of the auction, in order.
        declarer: or `NO_SEAT` while unknown, and where all passed.
        bid: that stands, or 0.
        wild_rank: 2 to 14 once named, else 0.
        leader: seat that led, or leads, the trick under way; `NO_SEAT` without one.
        trick_center: centre card of the trick under way, or 0 while it is not known.
        plays: of the trick under way, in turn order.
        tricks: finished tricks of this deal.
        taken: tricks that each side has taken.
        carried: tied tricks that the next trick won counts for (P-4.3).
        totals: points of each side.
        passed_out: deals in a row that were passed out (P-2.4).
        to_act: seat to move, or `NO_SEAT`.
        last_result: of the deal that was finished last, or None.
        match_winner: side that has won the match, or `NO_SIDE`, also after a draw.
    """

    __slots__ = (
        "bid",
        "calls",
        "carried",
        "center",
        "center_left",
        "deal",
        "dealer",
        "declarer",
        "last_result",
        "leader",
        "match_winner",
        "options",
        "passed_out",
        "phase",
        "plays",
        "taken",
        "to_act",
        "totals",
        "trick_center",
        "tricks",
        "wild_rank",
    )

    def __init__(self, options: PokexOptions, original: PublicState | None = None) -> None:
        self.options = options
        if original is not None:
            self._take(original)
            return
        self.phase = Phase.DEAL
        self.deal = 0
        self.dealer: Seat = NO_SEAT
        self.totals = (0, 0)
        self.passed_out = 0
        self.last_result: DealResult | None = None
        self.match_winner = NO_SIDE
        self.clear_deal()

    def clear_deal(self) -> None:
        """Forget everything of the last deal; it stays to be seen until the next deck is put in."""
        self.center = b""
        self.center_left = b""
        self.calls: tuple[Called, ...] = ()
        self.declarer: Seat = NO_SEAT
        self.bid = 0
        self.wild_rank = 0
        self.leader: Seat = NO_SEAT
        self.trick_center: Card = 0
        self.plays: tuple[Played, ...] = ()
        self.tricks: tuple[Trick, ...] = ()
        self.taken = (0, 0)
        self.carried = 0
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
        self.totals = original.totals
        self.passed_out = original.passed_out
        self.last_result = original.last_result
        self.match_winner = original.match_winner
        self.center = original.center
        self.center_left = original.center_left
        self.calls = original.calls
        self.declarer = original.declarer
        self.bid = original.bid
        self.wild_rank = original.wild_rank
        self.leader = original.leader
        self.trick_center = original.trick_center
        self.plays = original.plays
        self.tricks = original.tricks
        self.taken = original.taken
        self.carried = original.carried
        self.to_act = original.to_act

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (
            self.options,
            int(self.phase),
            self.deal,
            self.dealer,
            self.totals,
            self.passed_out,
            self.last_result,
            self.match_winner,
            self.center,
            self.center_left,
            self.calls,
            self.declarer,
            self.bid,
            self.wild_rank,
            self.leader,
            self.trick_center,
            self.plays,
            self.tricks,
            self.taken,
            self.carried,
            self.to_act,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicState) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]

    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards in each hand, in seat order."""
        if self.phase is Phase.DEAL or self.phase is Phase.OVER:
            return (0,) * PLAYERS
        sizes = [HAND - 2 * len(self.tricks)] * PLAYERS
        for played in self.plays:
            sizes[played.seat] -= 2
        return tuple(sizes)


class State:
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat, packed.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory.
        plays: by seat, all plays of two cards of its hand, or None where nobody has asked yet. The
            same.
    """

    __slots__ = ("hands", "legal", "plays", "public", "results")

    def __init__(self, options: PokexOptions, original: State | None = None) -> None:
        if original is None:
            self.public = PublicState(options)
            self.results: tuple[DealResult, ...] = ()
            self.hands: list[Cards] = [0] * PLAYERS
            self.legal: Legal | None = None
            self.plays: list[Sequence[Move] | None] = [None] * PLAYERS
        else:
            self.public = original.public.copy()
            self.results = original.results
            self.hands = original.hands.copy()
            self.legal = original.legal
            self.plays = original.plays.copy()

    def copy(self) -> State:
        """An independent copy; what is remembered is shared, as nobody changes it."""
        return State(self.public.options, self)

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (self.public.facts(), self.results, tuple(self.hands))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]
