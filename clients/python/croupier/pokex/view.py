"""What a seat knows of a match of Pokex, readable and lazy.

`PokexView` wraps the contract's message: a bot pays for what it reads. ``print(view)`` shows the
table as people see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from croupier.cards import CARDS, Card, pretty, rank_text, to_cards
from croupier.v1 import pokex_pb2
from croupier.viewing import GameView

__all__ = ["Category", "Phase", "Play", "PokerHand", "PokexView", "Trick"]

_TOP_CARD = 15


class Phase(IntEnum):
    """Where a deal stands."""

    DEAL = 1
    BIDDING = 2
    NAME_RANK = 3
    PLAY = 4
    OVER = 5


class Category(IntEnum):
    """P-5.1: categories of poker hands; higher is better."""

    HIGH_CARD = 1
    PAIR = 2
    TWO_PAIR = 3
    THREE_OF_A_KIND = 4
    STRAIGHT = 5
    FLUSH = 6
    FULL_HOUSE = 7
    FOUR_OF_A_KIND = 8
    STRAIGHT_FLUSH = 9
    FIVE_OF_A_KIND = 10


@dataclass(frozen=True, slots=True)
class PokerHand:
    """P-5: the poker hand of a team in a trick.

    Attributes:
        category: its category.
        ranks: what decides between hands of the category, most important first; 15 is a joker that
            is the top card.
        wilds_used: wild cards in it.
    """

    category: Category
    ranks: tuple[int, ...]
    wilds_used: int

    @classmethod
    def of(cls, message: pokex_pb2.PokexPokerHand) -> PokerHand:
        """The hand that *message* tells."""
        return cls(Category(message.category), tuple(message.ranks), message.wilds_used)

    def __str__(self) -> str:
        name = self.category.name.lower().replace("_", " ")
        of = " ".join("joker" if rank == _TOP_CARD else rank_text(rank) for rank in self.ranks)
        return f"{name} {of}" + (f" ({self.wilds_used} wild)" if self.wilds_used else "")


@dataclass(frozen=True, slots=True)
class Play:
    """One seat's two cards in a trick."""

    seat: int
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return f"{self.seat}: {pretty(self.cards)}"


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick: its centre card (None before a lead that names it), plays in turn order, the team
    that took it (None: nobody, or it is under way), the hands of team 0 and team 1 once it has
    ended, and for how many tricks it counted."""

    center: Card | None
    plays: tuple[Play, ...]
    winner: int | None
    hands: tuple[PokerHand, ...]
    counted: int

    def __str__(self) -> str:
        center = "" if self.center is None else f"[{pretty([self.center])}]  "
        shown = center + "  ".join(map(str, self.plays))
        if not self.hands:
            return shown
        won = "nobody takes it" if self.winner is None else f"team {self.winner} takes it"
        return f"{shown}  {won}: {self.hands[0]} and {self.hands[1]}"


def _trick(message: pokex_pb2.PokexTrick) -> Trick:
    return Trick(
        CARDS[message.center] if message.HasField("center") else None,
        tuple(Play(play.seat, tuple(to_cards(play.cards))) for play in message.plays),
        message.winning_team if message.HasField("winning_team") else None,
        tuple(map(PokerHand.of, message.hands)),
        message.counted,
    )


class PokexView(GameView[pokex_pb2.PokexView]):
    """One seat's view. Cards are lists of `Card`, seats are numbers, teams are 0 (seats 0 and 2)
    and 1 (seats 1 and 3); what is not known yet is None."""

    @cached_property
    def public(self) -> pokex_pb2.PokexPublicView:
        """The part of the view that everybody sees, as the contract writes it."""
        return self.message.public_view

    @property
    def team(self) -> int:
        """The seat's own team."""
        return self.seat % 2

    # The deal ------------------------------------------------------------------------------------
    @property
    def phase(self) -> Phase:
        """Where the deal stands."""
        return Phase(self.public.phase)

    @property
    def dealer(self) -> int | None:
        """Who dealt."""
        return self.public.dealer if self.public.HasField("dealer") else None

    @cached_property
    def center(self) -> list[Card]:
        """P-1.1: the six centre cards, from left to right."""
        return to_cards(self.public.center)

    @cached_property
    def center_left(self) -> list[Card]:
        """Centre cards that no trick has used yet, from left to right."""
        return to_cards(self.public.center_left)

    @property
    def calls(self) -> list[tuple[int, int]]:
        """P-2.1: calls in order as (seat, tricks); 0 tricks are a pass."""
        return [(call.seat, call.tricks) for call in self.public.calls]

    @property
    def declarer(self) -> int | None:
        """P-2.3: the highest bidder, once known."""
        return self.public.declarer if self.public.HasField("declarer") else None

    @property
    def is_declarer(self) -> bool:
        """Whether the seat is on the declarer's team."""
        return self.declarer is not None and self.declarer % 2 == self.team

    @property
    def bid(self) -> int:
        """The bid that stands; 0: none."""
        return self.public.bid

    @property
    def wild_rank(self) -> int | None:
        """P-3.2: the wild rank, 2 to 14, once named."""
        return int(self.public.wild_rank) if self.public.HasField("wild_rank") else None

    @property
    def leader(self) -> int | None:
        """Who leads, or led, the trick under way."""
        return self.public.leader if self.public.HasField("leader") else None

    # Tricks --------------------------------------------------------------------------------------
    @cached_property
    def trick(self) -> Trick | None:
        """The trick under way."""
        return _trick(self.public.trick) if self.public.HasField("trick") else None

    @cached_property
    def tricks(self) -> list[Trick]:
        """Finished tricks of this deal."""
        return [_trick(trick) for trick in self.public.tricks]

    @property
    def taken(self) -> list[int]:
        """Tricks that team 0 and team 1 have taken in this deal."""
        return list(self.public.taken)

    @property
    def carried(self) -> int:
        """P-4.3: tied tricks that the next trick won counts for."""
        return self.public.carried

    # The match -----------------------------------------------------------------------------------
    @property
    def totals(self) -> list[int]:
        """Points of team 0 and team 1."""
        return list(self.public.totals)

    @property
    def consecutive_passed_out(self) -> int:
        """P-2.4: deals in a row that were passed out."""
        return self.public.consecutive_passed_out

    @property
    def last_result(self) -> pokex_pb2.PokexDealResult | None:
        """Result of the deal that was finished last. `Client.deal_results` has all of them."""
        return self.public.last_result if self.public.HasField("last_result") else None

    # For people ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        totals = " and ".join(map(str, self.totals))
        phase = self.phase.name.lower().replace("_", " ")
        lines = [f"deal {self.deal}, {phase}, points {totals}, seat {self.seat}"]
        if self.calls:
            lines.append("calls " + " ".join(f"{s}:{tricks or 'pass'}" for s, tricks in self.calls))
        if self.declarer is not None:
            wild = self.wild_rank
            named = "" if wild is None else f"; wild rank {rank_text(wild)}"
            lines.append(f"declarer {self.declarer} at {self.bid}{named}")
        if self.phase is Phase.PLAY:
            lines.append(f"tricks {' and '.join(map(str, self.taken))}, carried {self.carried}")
        lines.append(f"centre  {pretty(self.center_left)}")
        if self.tricks:
            lines.append(f"last trick  {self.tricks[-1]}")
        if self.trick is not None:
            lines.append(f"on the table  {self.trick}")
        lines.append(f"hand  {pretty(self.hand)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<PokexView of seat {self.seat}, deal {self.deal}, {self.phase.name}>"
