"""What a seat knows, as numbers for programs that learn.

The module `features` of a game's folder gives, for a view, named lists of numbers. Their names and
lengths depend on nothing but the number of seats. They are made from the view alone, so they hold
nothing that the seat may not see. Seats are counted from the one that looks, which is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

Features: TypeAlias = Iterator[tuple[str, Sequence[int]]]
"""Names with their numbers, in a fixed order."""

MakeFeatures: TypeAlias = Callable[[Any, int], Features]
"""Makes the features of a view of a match with this number of seats."""


def card_counts(cards: Iterable[int]) -> list[int]:
    """Copies of each card, by its number less 1."""
    counts = [0] * 54
    for card in cards:
        counts[card - 1] += 1
    return counts


def one_of(size: int, place: int | None) -> list[int]:
    """Zeros with a one in *place*; None: zeros."""
    return [int(place == one) for one in range(size)]


class Round:
    """The seats of a table as one of them counts them.

    Args:
        seat: who looks.
        players: number of seats.
    """

    def __init__(self, seat: int, players: int) -> None:
        self.seat = seat
        self.players = players

    def one(self, seat: int | None) -> list[int]:
        """A one for *seat*; None: zeros."""
        return one_of(self.players, None if seat is None else (seat - self.seat) % self.players)

    def each(self, values: Sequence[int]) -> list[int]:
        """*values*, given by seat."""
        return [*values[self.seat :], *values[: self.seat]]

    def cards(self, held: Iterable[tuple[int, Iterable[int]]]) -> list[int]:
        """Cards by seat: 54 numbers for each, from pairs of a seat and its cards."""
        counts = [0] * (54 * self.players)
        for seat, cards in held:
            start = (seat - self.seat) % self.players * 54 - 1
            for card in cards:
                counts[start + card] += 1
        return counts
