"""The state of a match of Tractor: what everybody knows, and what is hidden.

`PublicState` holds the facts that every audience sees; a spectator's view is nothing else. What a
seat sees besides is in `State` and reaches a view only through `view`. Both are changed in place.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from croupier_server.games.base import Legal, Seat
from croupier_server.games.cards import Card, Cards, count
from croupier_server.games.tractor.bidding import Declaration
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import Lead
from croupier_server.games.tractor.events import DealScored, FailedThrow
from croupier_server.games.tractor.follow import FollowRules
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.tricks import Standing

NO_SEAT: Final[Seat] = -1
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


class PublicState:
    """What everybody knows.

    Attributes:
        options: of the match.
        phase: where the deal stands.
        deal, attempt: number of the deal from 1 (0 before the first) and redeals of it.
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
        to_act: seat to move, or `NO_SEAT`.
        leader: seat that led, or leads, the trick under way.
        lead: what stays on the table of its lead, or None before it.
        best: the play that wins it so far.
        winner: whose play that is.
        failed_throw: of its lead.
        plays: its plays in turn order.
        tricks: finished tricks of this deal; the show is not among them.
        opponents_points: running total, may be negative.
        last_result: of the deal that was finished last, or None.
        match_winner: team that has won by its ace, or `NO_TEAM`.
    """

    __slots__ = (
        "attempt",
        "best",
        "bid",
        "calls",
        "deal",
        "declarers",
        "drawn",
        "exposed",
        "failed_throw",
        "first_declarer",
        "first_drawer",
        "last_result",
        "lead",
        "leader",
        "levels",
        "match_winner",
        "nominee",
        "opponents_points",
        "options",
        "phase",
        "plays",
        "show_points",
        "shown",
        "standing",
        "starter",
        "to_act",
        "tricks",
        "trump_rank",
        "trumps",
        "turned",
        "winner",
    )

    def __init__(self, options: TractorOptions, original: PublicState | None = None) -> None:
        self.options = options
        if original is not None:
            self._take(original)
            return
        self.phase = Phase.DEAL
        self.deal = 0
        self.attempt = 0
        self.levels = options.start_levels
        self.first_drawer: Seat = NO_SEAT
        self.nominee: Seat = NO_SEAT if options.starter is None else options.starter
        self.match_winner = NO_TEAM
        self.last_result: DealScored | None = None
        self.clear_deal()

    def clear_deal(self) -> None:
        """Forget everything of the last deal; it stays to be seen until the next deck is put in."""
        self.starter: Seat = NO_SEAT
        self.declarers = NO_TEAM
        self.trump_rank = 0
        self.trumps: Trumps | None = None
        self.drawn = 0
        self.standing: Declaration | None = None
        self.first_declarer: Seat = NO_SEAT
        self.exposed: tuple[Cards, ...] = (0,) * self.options.players
        self.turned: tuple[Card, ...] = ()
        self.calls: tuple[tuple[Seat, int], ...] = ()
        self.bid = 0
        self.shown: tuple[tuple[Seat, Card], ...] = ()
        self.show_points = 0
        self.opponents_points = 0
        self.to_act: Seat = NO_SEAT
        self.leader: Seat = NO_SEAT
        self.lead: Lead | None = None
        self.best: Standing | None = None
        self.winner: Seat = NO_SEAT
        self.failed_throw: FailedThrow | None = None
        self.plays: list[Cards] = []
        self.tricks: list[Trick] = []

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
        self.attempt = original.attempt
        self.levels = original.levels
        self.first_drawer = original.first_drawer
        self.nominee = original.nominee
        self.match_winner = original.match_winner
        self.last_result = original.last_result
        self.opponents_points = original.opponents_points
        self.starter = original.starter
        self.declarers = original.declarers
        self.trump_rank = original.trump_rank
        self.trumps = original.trumps
        self.drawn = original.drawn
        self.standing = original.standing
        self.first_declarer = original.first_declarer
        self.exposed = original.exposed
        self.turned = original.turned
        self.calls = original.calls
        self.bid = original.bid
        self.shown = original.shown
        self.show_points = original.show_points
        self.to_act = original.to_act
        self.leader = original.leader
        self.lead = original.lead
        self.best = original.best
        self.winner = original.winner
        self.failed_throw = original.failed_throw
        self.plays = original.plays.copy()
        self.tricks = original.tricks.copy()

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing. What a lead is and who wins it
        so far follow from the plays, so the kernel's objects are left out."""
        trumps = self.trumps
        return (
            self.options,
            int(self.phase),
            self.deal,
            self.attempt,
            self.levels,
            self.first_drawer,
            self.nominee,
            self.match_winner,
            self.last_result,
            self.opponents_points,
            self.starter,
            self.declarers,
            self.trump_rank,
            None if trumps is None else (trumps.suit, trumps.rank),
            self.drawn,
            self.standing,
            self.first_declarer,
            self.exposed,
            self.turned,
            self.calls,
            self.bid,
            self.shown,
            self.show_points,
            self.to_act,
            self.leader,
            self.winner,
            self.failed_throw,
            tuple(self.plays),
            tuple(self.tricks),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicState) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]

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


class State:
    """A match with everything in it.

    Attributes:
        public: what everybody knows.
        results: of the finished deals. Public, but no part of a view, which would grow with them.
        hands: by seat.
        stock: cards not drawn yet, the kitty last; empty once the kitty is taken.
        taken: the kitty's cards, known to the starter from taking them on.
        buried: the buried cards, known to the starter until the result.
        follow_rules: the options of T-6, in the kernel's form.
        legal: the legal answer of the seat to act, once asked for. No fact, only a memory.
        asked: by seat, the legal answers in the window that is open, once asked for. The same.
        asking: the seats that have any, as long as `asked` is known.
    """

    __slots__ = (
        "asked",
        "asking",
        "buried",
        "follow_rules",
        "hands",
        "legal",
        "public",
        "results",
        "stock",
        "taken",
    )

    def __init__(self, options: TractorOptions, original: State | None = None) -> None:
        if original is None:
            self.public = PublicState(options)
            self.results: tuple[DealScored, ...] = ()
            self.hands: list[Cards] = [0] * options.players
            self.stock = b""
            self.taken: Cards = 0
            self.buried: Cards = 0
            self.follow_rules = FollowRules(options.tractor_follow, options.protect)
            self.legal: Legal | None = None
            self.asked: tuple[Legal | None, ...] | None = None
            self.asking: tuple[Seat, ...] = ()
        else:
            self.public = original.public.copy()
            self.results = original.results
            self.hands = original.hands.copy()
            self.stock = original.stock
            self.taken = original.taken
            self.buried = original.buried
            self.follow_rules = original.follow_rules
            self.legal = original.legal
            self.asked = original.asked
            self.asking = original.asking

    def copy(self) -> State:
        """An independent copy; the remembered legal answers are shared, as nobody changes them."""
        return State(self.public.options, self)

    def facts(self) -> tuple[object, ...]:
        """Everything as plain values, for comparing and hashing."""
        return (
            self.public.facts(),
            self.results,
            tuple(self.hands),
            self.stock,
            self.taken,
            self.buried,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.facts() == other.facts()

    __hash__ = None  # type: ignore[assignment]
