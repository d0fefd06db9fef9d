"""Families of moves: membership, counting, enumeration and sampling over a union of patterns.

Knows packed counts and `Pattern`, no game. Everything is exact; nothing is ever materialised
that could be long. All functions speak of cards; a game adds its own move type.

Must not be put here: what a pattern is used for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croupier_server.games.base import Pattern
from croupier_server.games.cards import Cards


def holds(pattern: Pattern, cards: Cards) -> bool:
    """Whether *cards* is a member of *pattern*."""
    raise NotImplementedError


def size(pattern: Pattern) -> int:
    """Number of members of *pattern*."""
    raise NotImplementedError


def owner(patterns: Sequence[Pattern], cards: Cards) -> int:
    """Index of the first pattern that holds *cards*, or -1."""
    raise NotImplementedError


def members(patterns: Sequence[Pattern], after: Cards = 0) -> Iterator[Cards]:
    """Every member of the union once, in canonical order: by its `owner`, then ascending.

    *after* starts behind that member, so that a page can go on where the last one ended; 0
    starts at the beginning.

    Raises:
        ValueError: *after* is neither 0 nor a member.
    """
    raise NotImplementedError


def sample(patterns: Sequence[Pattern], words: Iterator[int]) -> Cards:
    """A member of the union, drawn with 64-bit *words*; every member has a chance."""
    raise NotImplementedError
