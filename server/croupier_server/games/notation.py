"""What a notation asks of a game (`Words`), and what the words of several games share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from croupier_server.games.base import Event, Move
from croupier_server.games.cards import CARD_NAMES, RANKS


class Words(Protocol):
    """How the matches of one game are written."""

    def parse_move(self, text: str) -> Move:
        """The move that `Game.move_text` writes as *text*.

        Raises:
            ValueError: it writes none so.
        """
        ...

    # Any: each game has its own types of events and options, which nobody else looks into.
    def dealt(self, started: Any, deck: Sequence[int], options: Any) -> list[str]:
        """Lines on who is dealt what when *deck* is put in, which begins with *started*."""
        ...

    def remark(self, event: Event) -> str:
        """A few words behind the move; empty where the move says it all."""
        ...

    def ends_line(self, public: Any) -> bool:
        """Whether the next move begins a line: after a trick, a turn, an auction."""
        ...

    def scored(self, public: Any) -> list[str]:
        """Lines on the end of a deal; none for other events."""
        ...


def in_order(cards: Iterable[int]) -> str:
    """Cards in the order in which they lie."""
    return " ".join(CARD_NAMES[card] for card in cards)


def hands(deck: Sequence[int], first: int, players: int, dealt: int, rest: str) -> list[str]:
    """Lines on who is dealt what: one card at a time from *first* on, *dealt* cards in all; what is
    left is called *rest*. Hands are in canonical order."""
    lines = []
    for seat in range(players):
        own = deck[(seat - first) % players : dealt : players]
        lines.append(f"{seat} holds {in_order(sorted(own))}")
    return [*lines, f"{rest} {in_order(deck[dealt:])}"]


def rank_text(rank: int) -> str:
    """The letter of a rank from 2 to 14."""
    return RANKS[rank - 2]


def parse_rank(text: str) -> int:
    """The rank from 2 to 14 with this letter.

    Raises:
        ValueError: there is none.
    """
    if len(text) != 1 or text not in RANKS:
        raise ValueError(f"{text!r} is not a rank")
    return RANKS.index(text) + 2


def signed(numbers: Iterable[int]) -> str:
    """Numbers with their signs."""
    return " ".join(f"{number:+d}" for number in numbers)


def no_move(text: str, title: str) -> ValueError:
    """What is raised for a text that is no move."""
    return ValueError(f"{text!r} is not a move of {title}")
