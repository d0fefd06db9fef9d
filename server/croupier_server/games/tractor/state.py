"""The state of a match of Tractor: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. What a
seat sees besides is in `State` and reaches a view only through `view`. Both are changed in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple, Self

from croupier_server.games.base import NO_SEAT, PUBLIC, Legal, Seat
from croupier_server.games.cards import Card, Cards, count
from croupier_server.games.states import Facts
from croupier_server.games.tractor.bidding import Declaration
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.follow import FollowRules
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.tricks import Standing

NO_TEAM: Final = -1


class Phase(IntEnum):
    """Where a deal stands; the numbers are those of the contract."""

    DEAL = 1
    """A lot or a deck is waited for."""
    DRAW = 2
    """A window for declarations is open (T-3.5)."""
    AUCTION = 3
    SHOW = 4
    NAME_TRUMPS = 5
    BURY = 6
    PLAY = 7
    OVER = 8


SEATS: Final[tuple[tuple[Seat, ...], ...]] = tuple((seat,) for seat in range(12))
"""By seat, the tuple of that seat alone."""


class Trick(NamedTuple):
    """A finished trick: its plays in turn order from the leader; all of it is public."""

    leader: Seat
    plays: tuple[Cards, ...]
    failed_throw: FailedThrow | None
    winner: Seat
    points: int


@dataclass(slots=True)
class PublicState(Facts):
    """What everybody knows.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal: number of the deal from 1; 0 before the first.
        attempt: redeals of the deal.
        levels: of both teams.
        first_drawer: seat, or `NO_SEAT` before the lot.
        nominee: the seat that T-9.4 named, or `NO_SEAT` where a declaration makes the starter.
        starter: seat that takes the kitty, or `NO_SEAT` while unknown.
        declarers: team, or `NO_TEAM` while unknown.
        trump_rank: 0 while unknown.
        trumps: None until fixed.
        drawn: cards drawn in this deal, by all seats.
        standing: the declaration that stands.
        first_declarer: seat of the first published declaration, or `NO_SEAT`.
        exposed: by seat, every card that it has exposed by declaring.
        turned: kitty cards turned, in order.
        calls: calls of the auction, 0 for a pass.
        bid: last bid, or 0.
        shown: cards of the show, in order.
        show_points: what the show was worth, once it ended.
        leader: seat that led, or leads, the trick under way.
        lead: what stays on the table of its lead, or None before it.
        best: the play that wins it so far.
        winner: whose play that is.
        failed_throw: of its lead.
        plays: its plays in turn order.
        tricks: finished tricks of this deal; the show is not among them.
        opponents_points: running total, may be negative.
        match_winner: team that has won by its ace, or `NO_TEAM`.
        to_act: seat to move, or `NO_SEAT`.
        last_result: of the deal that was finished last, or None.
    """

    options: TractorOptions
    phase: Phase = Phase.DEAL
    deal: int = 0
    attempt: int = 0
    levels: tuple[int, int] = (0, 0)
    first_drawer: Seat = NO_SEAT
    nominee: Seat = NO_SEAT
    starter: Seat = NO_SEAT
    declarers: int = NO_TEAM
    trump_rank: int = 0
    trumps: Trumps | None = None
    drawn: int = 0
    standing: Declaration | None = None
    first_declarer: Seat = NO_SEAT
    exposed: tuple[Cards, ...] = ()
    turned: tuple[Card, ...] = ()
    calls: tuple[tuple[Seat, int], ...] = ()
    bid: int = 0
    shown: tuple[tuple[Seat, Card], ...] = ()
    show_points: int = 0
    leader: Seat = NO_SEAT
    lead: Lead | None = field(default=None, compare=False)
    best: Standing | None = field(default=None, compare=False)
    winner: Seat = NO_SEAT
    failed_throw: FailedThrow | None = None
    plays: list[Cards] = field(default_factory=list)
    tricks: list[Trick] = field(default_factory=list)
    opponents_points: int = 0
    match_winner: int = NO_TEAM
    to_act: Seat = NO_SEAT
    last_result: DealScored | None = None

    @classmethod
    def new(cls, options: TractorOptions) -> Self:
        """A match before its first lot or deck."""
        nominee = NO_SEAT if options.starter is None else options.starter
        nothing = (0,) * options.players
        return cls(options, levels=options.start_levels, nominee=nominee, exposed=nothing)

    def clear_deal(self) -> None:
        """Forget everything of the last deal; it stays to be seen until the next deck is put in."""
        self.reset(
            "options",
            "phase",
            "deal",
            "last_result",
            "attempt",
            "levels",
            "first_drawer",
            "nominee",
            "match_winner",
        )
        self.exposed = (0,) * self.options.players

    def finished(self) -> int:
        """Number of finished deals."""
        return 0 if self.last_result is None else self.last_result.deal

    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards in each hand, in seat order."""
        players = self.options.players
        if self.phase is Phase.DEAL or self.phase is Phase.OVER:
            return (0,) * players
        each, more = divmod(self.drawn, players)
        if self.phase is Phase.DRAW and not more:
            return (each,) * players
        each -= sum(count(trick.plays[0]) for trick in self.tricks)
        sizes = [each] * players
        for step in range(more):
            sizes[(self.first_drawer + step) % players] += 1
        for seat, _ in self.shown:
            sizes[seat] -= 1
        if self.phase is Phase.BURY:
            sizes[self.starter] += self.options.kitty
        for step, cards in enumerate(self.plays):
            sizes[(self.leader + step) % players] -= count(cards)
        return tuple(sizes)


@dataclass(slots=True)
class State(Facts):
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat.
        stock: cards not drawn yet, the kitty last; empty once the kitty is taken.
        taken: the kitty's cards, known to the starter from taking them on.
        buried: the buried cards, known to the starter until the result.
        asked: by seat, the legal answers in the window that is open, once asked for. As `legal` no
            fact.
        asking: the seats that have any, as long as `asked` is known.
        follow_rules: the options of T-6, in the kernel's form.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory, and
            shared by copies, as nobody changes it.
    """

    public: PublicState
    results: tuple[DealScored, ...] = ()
    legal: Legal | None = field(default=None, compare=False)
    hands: list[Cards] = field(default_factory=list)
    stock: bytes = b""
    taken: Cards = 0
    buried: Cards = 0
    asked: tuple[Legal | None, ...] | None = field(default=None, compare=False)
    asking: tuple[Seat, ...] = field(default=(), compare=False)
    follow_rules: FollowRules = field(init=False, compare=False)

    def __post_init__(self) -> None:
        options = self.public.options
        self.hands = self.hands or [0] * options.players
        self.follow_rules = FollowRules(options.tractor_follow, options.protect)


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
