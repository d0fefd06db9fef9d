"""What the words of several games share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from croupier_server.games.cards import CARD_NAMES, RANKS


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
        raise ValueError(f"{text!r} is no rank")
    return RANKS.index(text) + 2


def signed(numbers: Iterable[int]) -> str:
    """Numbers with their signs."""
    return " ".join(f"{number:+d}" for number in numbers)


def no_move(text: str, title: str) -> ValueError:
    """What is raised for a text that is no move."""
    return ValueError(f"{text!r} is no move of {title}")
