"""What a seat knows of a match of Tractor, readable and lazy.

`TractorView` wraps the contract's message: a bot pays for what it reads. ``print(view)`` shows the
table as people see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

from croupier.cards import Card, pretty, to_cards
from croupier.tractor.order import Order
from croupier.v1 import tractor_pb2
from croupier.viewing import GameView

__all__ = ["Declaration", "Phase", "Play", "TractorView", "Trick", "Trumps", "ViewMemory"]

_LETTERS: Final = (None, "S", "H", "D", "C", None)
"""By number of ``TractorTrumpSuit``; None: no trump."""
_SYMBOLS: Final = {"S": "\u2660", "H": "\u2665", "D": "\u2666", "C": "\u2663"}
_SEATS_MAX: Final = 12
_LEVELS: Final = dict(enumerate("23456789TJQKA", start=2))


class Phase(IntEnum):
    """Where a deal stands."""

    DEAL = 1
    DRAW = 2
    AUCTION = 3
    SHOW = 4
    NAME_TRUMPS = 5
    BURY = 6
    PLAY = 7
    OVER = 8


@dataclass(frozen=True, slots=True)
class Trumps:
    """The trumps of a deal: the rank (2 to 14), and the suit letter or None without a suit."""

    rank: int
    suit: str | None

    def __str__(self) -> str:
        suit = "no trump" if self.suit is None else _SYMBOLS[self.suit]
        return f"{suit}, rank {_LEVELS[self.rank].replace('T', '10')}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration that stands: who made it, with which cards, and the suit (None: no trump)."""

    seat: int
    cards: tuple[Card, ...]
    suit: str | None


@dataclass(frozen=True, slots=True)
class Play:
    """One seat's cards in a trick; ``tried`` holds all cards of a throw that failed (T-8)."""

    seat: int
    cards: tuple[Card, ...]
    tried: tuple[Card, ...] = ()

    def __str__(self) -> str:
        tried = f" (tried {pretty(self.tried)})" if self.tried else ""
        return f"{self.seat}: {pretty(self.cards)}{tried}"


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick: plays in turn order, who won it (None while under way), and its points so far."""

    plays: tuple[Play, ...]
    winner: int | None
    points: int

    def __str__(self) -> str:
        won = "" if self.winner is None else f"  won by {self.winner}, {self.points} points"
        return "  ".join(map(str, self.plays)) + won


def _play(message: tractor_pb2.TractorPlayed) -> Play:
    tried = message.failed_throw.tried if message.HasField("failed_throw") else ()
    return Play(message.seat, tuple(to_cards(message.cards)), tuple(to_cards(tried)))


def _trick(message: tractor_pb2.TractorTrick) -> Trick:
    winner = message.winning_seat if message.HasField("winning_seat") else None
    return Trick(tuple(map(_play, message.plays)), winner, message.points)


def _trumps(message: tractor_pb2.TractorTrumps) -> Trumps:
    return Trumps(message.rank, _LETTERS[message.suit])


class ViewMemory:
    """What consecutive views of one seat share, so that each is read once: an `Order` for each
    trumps, and the cards seen in the finished tricks of the deal. The client keeps one a seat."""

    __slots__ = ("deal", "orders", "played", "show", "tricks", "voids")

    def __init__(self) -> None:
        self.orders: dict[tuple[int, int], Order] = {}
        self.forget()

    def forget(self, deal: int = -1) -> None:
        """Start counting the cards of a deal."""
        self.deal = deal
        self.tricks = 0
        self.show = False
        self.played = [0] * 55
        self.voids: list[set[int]] = [set() for _ in range(_SEATS_MAX)]


class TractorView(GameView[tractor_pb2.TractorView]):
    """One seat's view. Cards are lists of `Card`, seats are numbers, teams are 0 (even seats) and
    1 (odd seats); what is not known yet is None.

    Attributes:
        message: the view as the contract writes it.
    """

    memory = ViewMemory

    def __init__(self, message: tractor_pb2.TractorView, memory: ViewMemory | None = None) -> None:
        super().__init__(message)
        self._memory = memory or ViewMemory()

    @cached_property
    def public(self) -> tractor_pb2.TractorPublicView:
        """The part of the view that everybody sees, as the contract writes it."""
        return self.message.public_view

    @property
    def kitty(self) -> list[Card]:
        """T-9.1: for the starter: the kitty as taken, then as buried; otherwise empty."""
        return to_cards(self.message.kitty)

    # The deal ------------------------------------------------------------------------------------
    @property
    def phase(self) -> Phase:
        """Where the deal stands."""
        return Phase(self.public.phase)

    @property
    def kitty_size(self) -> int:
        """Cards in the kitty."""
        return self.public.kitty_size

    @property
    def levels(self) -> tuple[int, ...]:
        """Levels of team 0 and team 1, 2 to 14."""
        return tuple(self.public.levels)

    @property
    def trump_rank(self) -> int | None:
        """The trump rank, 2 to 14."""
        return self.public.trump_rank or None

    @property
    def trumps(self) -> Trumps | None:
        """The trumps, once fixed."""
        return _trumps(self.public.trumps) if self.public.HasField("trumps") else None

    @property
    def first_drawer(self) -> int | None:
        """Who draws first."""
        return self.public.first_drawer if self.public.HasField("first_drawer") else None

    @property
    def starter(self) -> int | None:
        """T-2.1: who takes the kitty and leads first."""
        return self.public.starter if self.public.HasField("starter") else None

    @property
    def declaring_team(self) -> int | None:
        """T-2.1: team of the declarers."""
        return self.public.declaring_team if self.public.HasField("declaring_team") else None

    @property
    def team(self) -> int:
        """The seat's own team."""
        return self.seat % 2

    @property
    def is_declarer(self) -> bool:
        """Whether the seat is on the declarers' side."""
        return self.declaring_team == self.team

    @property
    def opponents_points(self) -> int:
        """T-2.1: points of the opponents of the declarers so far; may be negative."""
        return self.public.opponents_points

    @property
    def declaration(self) -> Declaration | None:
        """T-3: the declaration that stands."""
        if not self.public.HasField("declaration"):
            return None
        found = self.public.declaration
        return Declaration(found.seat, tuple(to_cards(found.cards)), _LETTERS[found.suit])

    @property
    def turned(self) -> list[Card]:
        """T-3.7: kitty cards turned for all to see."""
        return to_cards(self.public.turned)

    @property
    def calls(self) -> list[tuple[int, int]]:
        """T-11.1: calls in order as (seat, points); 0 points are a pass."""
        return [(call.seat, call.points) for call in self.public.calls]

    @property
    def last_result(self) -> tractor_pb2.TractorDealResult | None:
        """Result of the deal that was finished last. `Client.deal_results` has all of them."""
        return self.public.last_result if self.public.HasField("last_result") else None

    # Tricks --------------------------------------------------------------------------------------
    @cached_property
    def trick(self) -> Trick | None:
        """The trick under way; None between tricks."""
        return _trick(self.public.trick) if self.public.HasField("trick") else None

    @cached_property
    def tricks(self) -> list[Trick]:
        """Finished tricks of this deal."""
        return [_trick(trick) for trick in self.public.tricks]

    @property
    def show(self) -> Trick | None:
        """T-11.2: the show, which is also the first trick."""
        return _trick(self.public.show) if self.public.HasField("show") else None

    @cached_property
    def order(self) -> Order | None:
        """T-4: suits and strengths of the cards, once trumps are fixed."""
        public = self.public
        if not public.order:
            return None
        trumps = public.trumps
        key = (trumps.rank, trumps.suit)
        order = self._memory.orders.get(key)
        if order is None:
            order = self._memory.orders[key] = Order(public.order)
        return order

    @property
    def finished_plays(self) -> list[int]:
        """Copies of each card that lie in finished tricks of this deal, by card number. The list is
        shared between views: read it only."""
        return self._read_tricks().played

    @property
    def voids(self) -> list[set[int]]:
        """By seat, the effective suits (`Suit`) that it was seen not to follow in this deal, up to
        the last finished trick. Shared between views: read it only."""
        return self._read_tricks().voids

    def _read_tricks(self) -> ViewMemory:
        """Bring the memory up to this view: read the tricks that are new since the last one."""
        memory, public = self._memory, self.public
        tricks = public.tricks
        if memory.deal != public.deal or memory.tricks > len(tricks):
            memory.forget(public.deal)
        new = [tricks[place] for place in range(memory.tricks, len(tricks))]
        memory.tricks = len(tricks)
        if public.HasField("show") and public.show.HasField("winning_seat") and not memory.show:
            memory.show = True
            for play in public.show.plays:
                memory.played[play.cards[0]] += 1
        for trick in new:
            self._read_trick(trick, memory)
        return memory

    def _read_trick(self, trick: tractor_pb2.TractorTrick, memory: ViewMemory) -> None:
        """Count the cards of a finished trick, and note who did not follow."""
        plays = trick.plays
        order = self.order
        suit_of = order.suit_of if order is not None else [0] * 55
        led = suit_of[plays[0].cards[0]]
        played = memory.played
        for play in plays:
            follows = 0
            for card in play.cards:
                played[card] += 1
                follows += suit_of[card] == led
            if follows < len(play.cards):
                memory.voids[play.seat].add(led)

    # For people ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        levels = " and ".join(_LEVELS.get(level, "?") for level in self.levels)
        lines = [f"deal {self.deal}, {self.phase.name.lower()}, levels {levels}, seat {self.seat}"]
        if (trumps := self.trumps) is not None:
            side = "declarers" if self.is_declarer else "opponents"
            lines.append(f"trumps {trumps}; starter {self.starter}; this seat is of the {side}")
        elif (made := self.declaration) is not None:
            lines.append(f"declared by {made.seat}: {pretty(made.cards)}")
        if self.calls:
            lines.append("calls " + " ".join(f"{s}:{points or 'pass'}" for s, points in self.calls))
        if self.trumps is not None:
            lines.append(f"opponents' points {self.opponents_points}")
        if self.tricks:
            lines.append(f"last trick  {self.tricks[-1]}")
        if self.trick is not None:
            lines.append(f"on the table  {self.trick}")
        lines.append(f"hand  {pretty(self.order.sort(self.hand) if self.order else self.hand)}")
        if self.kitty:
            lines.append(f"kitty  {pretty(self.kitty)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<TractorView of seat {self.seat}, deal {self.deal}, {self.phase.name}>"
