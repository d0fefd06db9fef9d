"""What a seat knows of a match of Tong-its, readable and lazy.

`TongitsView` wraps the contract's message: a bot pays for what it reads. ``print(view)`` shows the
table as people see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from croupier.cards import CARDS, Card, pretty, rank_text, to_cards
from croupier.v1 import tongits_pb2
from croupier.viewing import GameView

__all__ = ["Answer", "LayOff", "Meld", "Phase", "TongitsView"]


class Phase(IntEnum):
    """Where a deal stands."""

    DEAL = 1
    START_TURN = 2
    PLAY = 3
    ANSWER = 4
    OVER = 5


@dataclass(frozen=True, slots=True)
class LayOff:
    """G-4: cards that one seat laid off on a meld."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Meld:
    """G-3: an exposed meld.

    Attributes:
        number: its number in this deal, which moves name.
        seat: its owner.
        cards: all its cards, lay-offs included.
        taken: the card that was taken from the discard pile for it.
        is_turned_down: it lies face down, though all have seen it (G-3.3).
        lay_offs: what was laid off on it, in order.
    """

    number: int
    seat: int
    cards: tuple[Card, ...]
    taken: Card | None = None
    is_turned_down: bool = False
    lay_offs: tuple[LayOff, ...] = ()

    @property
    def is_set(self) -> bool:
        """Whether it is a set; otherwise it is a run."""
        return self.cards[0].rank == self.cards[1].rank

    def __str__(self) -> str:
        down = " (turned down)" if self.is_turned_down else ""
        return f"{self.number} of {self.seat}: {pretty(self.cards)}{down}"


@dataclass(frozen=True, slots=True)
class Answer:
    """G-5.2: an answer to a draw call.

    ``is_unasked`` is set for a seat that could not challenge and so folded.
    """

    seat: int
    is_challenge: bool
    is_unasked: bool


def _meld(message: tongits_pb2.TongitsMeld) -> Meld:
    return Meld(
        message.number,
        message.seat,
        tuple(to_cards(message.cards)),
        CARDS[message.taken] if message.HasField("taken") else None,
        message.turned_down,
        tuple(LayOff(laid.seat, tuple(to_cards(laid.cards))) for laid in message.lay_offs),
    )


class TongitsView(GameView[tongits_pb2.TongitsView]):
    """One seat's view. Cards are lists of `Card`, seats are numbers, chips whole numbers; what is
    not known yet is None."""

    @cached_property
    def public(self) -> tongits_pb2.TongitsPublicView:
        """The part of the view that everybody sees, as the contract writes it."""
        return self.message.public_view

    # Own cards -----------------------------------------------------------------------------------
    @property
    def secret_fours(self) -> list[int]:
        """G-3.4: ranks (2 to 14) of the seat's own secret fours, in the order they were laid."""
        return [int(rank) for rank in self.message.secret_fours]

    @property
    def deadwood(self) -> int:
        """G-5.4: points of the hand after its best melds were taken out."""
        return self.message.deadwood

    @property
    def is_opened(self) -> bool:
        """G-3.5: whether the seat has a meld of its own on the table."""
        return any(meld.seat == self.seat for meld in self.public.melds)

    @property
    def is_barred(self) -> bool:
        """G-5.2: whether a lay-off or a taken discard bars the seat's next draw call."""
        return self.seat in self.public.barred

    # The deal ------------------------------------------------------------------------------------
    @property
    def phase(self) -> Phase:
        """Where the deal stands."""
        return Phase(self.public.phase)

    @property
    def dealer(self) -> int | None:
        """Who dealt, and had the first turn."""
        return self.public.dealer if self.public.HasField("dealer") else None

    @property
    def stock_size(self) -> int:
        """Cards left in the stock."""
        return self.public.stock_size

    @cached_property
    def discards(self) -> list[Card]:
        """The discard pile, oldest card first."""
        return to_cards(self.public.discards)

    @property
    def discarders(self) -> list[int]:
        """By whom each card of the discard pile was discarded."""
        return list(self.public.discarders)

    @property
    def top_discard(self) -> Card | None:
        """The card that can be taken."""
        discards = self.public.discards
        return CARDS[discards[-1]] if discards else None

    @cached_property
    def melds(self) -> list[Meld]:
        """Exposed melds of this deal by number."""
        return [_meld(meld) for meld in self.public.melds]

    @property
    def secret_four_counts(self) -> list[int]:
        """Secret fours that lie before each seat."""
        return list(self.public.secret_four_counts)

    @property
    def turns(self) -> list[int]:
        """Turns that each seat has ended in this deal."""
        return list(self.public.turns)

    @property
    def took_discard(self) -> bool:
        """Whether the turn under way began with the discard."""
        return self.public.took_discard

    @property
    def caller(self) -> int | None:
        """G-5.2: who called draw."""
        return self.public.caller if self.public.HasField("caller") else None

    @property
    def answers(self) -> list[Answer]:
        """G-5.2: answers to the call so far."""
        found = self.public.answers
        return [Answer(one.seat, one.challenged, one.unasked) for one in found]

    # The match -----------------------------------------------------------------------------------
    @property
    def chips(self) -> list[int]:
        """G-7: chips received less chips paid by each seat since the match began."""
        return list(self.public.chips)

    @property
    def pot(self) -> int:
        """G-7: chips in the pot."""
        return self.public.pot

    @property
    def streak_seat(self) -> int | None:
        """G-7: who won the last deal that had a winner."""
        return self.public.streak_seat if self.public.HasField("streak_seat") else None

    @property
    def streak(self) -> int:
        """G-7: wins in a row of that seat that count towards the pot."""
        return self.public.streak

    @property
    def last_result(self) -> tongits_pb2.TongitsDealResult | None:
        """Result of the deal that was finished last. `Client.deal_results` has all of them."""
        return self.public.last_result if self.public.HasField("last_result") else None

    # For people ----------------------------------------------------------------------------------
    def __str__(self) -> str:
        chips = " ".join(f"{chips:+d}" for chips in self.chips)
        lines = [
            f"deal {self.deal}, {self.phase.name.lower().replace('_', ' ')}, seat {self.seat}",
            f"chips {chips}, pot {self.pot}, stock {self.stock_size}, "
            f"hands of {' '.join(map(str, self.hand_sizes))}",
        ]
        lines += [f"meld {meld}" for meld in self.melds]
        fours = self.secret_four_counts
        lines += [
            f"secret fours of {seat}: {fours[seat]}" for seat in range(self.players) if fours[seat]
        ]
        if self.top_discard is not None:
            lines.append(f"top discard  {pretty([self.top_discard])}")
        if self.caller is not None:
            lines.append(f"{self.caller} called draw")
        lines.append(f"hand  {pretty(self.hand)}   deadwood {self.deadwood}")
        if self.secret_fours:
            lines.append("own secret fours  " + " ".join(map(rank_text, self.secret_fours)))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<TongitsView of seat {self.seat}, deal {self.deal}, {self.phase.name}>"
