"""The state of a match of Pokex: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. The
hands are in `State` and reach a view only through `view`. Both are changed in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from croupier_server.games.base import NO_SEAT, PUBLIC, Legal, Move, Seat
from croupier_server.games.cards import Card, Cards
from croupier_server.games.pokex.events import Called, DealResult, Played
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.pokerhands import PokerHand
from croupier_server.games.states import Facts

PLAYERS: Final = 4
HAND: Final = 12
"""Cards that each seat is dealt (P-1.1)."""
TRICKS: Final = 6
"""Tricks of a deal, and cards in the centre (P-1.1)."""

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


@dataclass(slots=True)
class PublicState(Facts):
    """What everybody knows. A pair of numbers is that of side 0 and side 1.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal: number of the deal from 1; 0 before the first.
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
        match_winner: side that has won the match, or `NO_SIDE`, also after a draw.
        to_act: seat to move, or `NO_SEAT`.
        last_result: of the deal that was finished last, or None.
    """

    options: PokexOptions
    phase: Phase = Phase.DEAL
    deal: int = 0
    dealer: Seat = NO_SEAT
    center: bytes = b""
    center_left: bytes = b""
    calls: tuple[Called, ...] = ()
    declarer: Seat = NO_SEAT
    bid: int = 0
    wild_rank: int = 0
    leader: Seat = NO_SEAT
    trick_center: Card = 0
    plays: tuple[Played, ...] = ()
    tricks: tuple[Trick, ...] = ()
    taken: tuple[int, int] = (0, 0)
    carried: int = 0
    totals: tuple[int, int] = (0, 0)
    passed_out: int = 0
    match_winner: int = NO_SIDE
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
            "totals",
            "passed_out",
            "match_winner",
        )

    def finished(self) -> int:
        """Number of finished deals."""
        return 0 if self.last_result is None else self.last_result.deal

    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards in each hand, in seat order."""
        if self.phase is Phase.DEAL or self.phase is Phase.OVER:
            return (0,) * PLAYERS
        sizes = [HAND - 2 * len(self.tricks)] * PLAYERS
        for played in self.plays:
            sizes[played.seat] -= 2
        return tuple(sizes)


@dataclass(slots=True)
class State(Facts):
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat, packed.
        plays: by seat, all plays of two cards of its hand, or None where nobody has asked yet. As
            `legal` no fact.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory, and
            shared by copies, as nobody changes it.
    """

    public: PublicState
    results: tuple[DealResult, ...] = ()
    legal: Legal | None = field(default=None, compare=False)
    hands: list[Cards] = field(default_factory=lambda: [0] * PLAYERS)
    plays: list[Sequence[Move] | None] = field(
        default_factory=lambda: [None] * PLAYERS, compare=False
    )


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
