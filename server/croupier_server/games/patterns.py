"""Families of moves: membership, enumeration and random draws over a union of patterns.

Knows packed counts and `Pattern`, no game. Everything is exact, and nothing that could be long is
ever made whole. All functions speak of cards; a game adds its own move type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import comb
from typing import Final, overload

from croupier_server.games.base import Pattern
from croupier_server.games.cards import CARD_MAX, ONES, Cards, at_least, contains, count, unpack

Words = Iterator[int]
"""Random 64-bit numbers, drawn one after the other."""


class LazyPatterns(Sequence[Pattern]):
    """Patterns that are made when they are asked for, and kept.

    Iterating and indexing make no more than they need; ``len`` makes all.
    """

    __slots__ = ("_found", "_more")

    def __init__(self, more: Iterator[Pattern]) -> None:
        self._found: list[Pattern] = []
        self._more: Iterator[Pattern] | None = more

    def is_longer(self, length: int) -> bool:
        """Whether there are more than *length*; makes at most one more than that."""
        if self._more is not None and len(self._found) <= length:
            wanted = length + 1 - len(self._found)
            self._found.extend(islice(self._more, wanted))
            if len(self._found) <= length:
                self._more = None
        return len(self._found) > length

    def __bool__(self) -> bool:
        """Whether there are any; without this, asking so would make all."""
        return self.is_longer(0)

    def __len__(self) -> int:
        while self._more is not None:
            self.is_longer(2 * len(self._found))
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Pattern: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Pattern]: ...

    def __getitem__(self, index: int | slice) -> Pattern | Sequence[Pattern]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if index < 0 or not self.is_longer(index):
            raise IndexError("no such pattern")
        return self._found[index]

    def __iter__(self) -> Iterator[Pattern]:
        index = 0
        while self.is_longer(index):
            yield self._found[index]
            index += 1


_GUARD: Final = ONES << 3

_ABOVE: Final = 4 * (CARD_MAX + 1)
"""The first bit above all cards, where the fixed part of a pattern may have a number."""


def holds(pattern: Pattern, cards: Cards) -> bool:
    """Whether *cards* is a member of *pattern*; counts are below 8."""
    if cards >> _ABOVE != pattern.fixed >> _ABOVE or not contains(cards, pattern.fixed):
        return False
    rest = cards - pattern.fixed
    return contains(pattern.pool, rest) and pattern.least <= count(rest) <= pattern.most


def owner(patterns: Sequence[Pattern], cards: Cards) -> int:
    """Index of the first pattern that holds *cards*, or -1."""
    for index, pattern in enumerate(patterns):
        if holds(pattern, cards):
            return index
    return -1


def members(patterns: Sequence[Pattern], after: Cards = 0) -> Iterator[Cards]:
    """Every member of the union once, in canonical order: by its `owner`, then ascending.

    *after* starts behind that member, so that a page can go on where the last one ended; 0
    starts at the beginning. Members produced are remembered until the iterator is dropped.

    Raises:
        ValueError: *after* is neither 0 nor a member.
    """
    is_no_multiset = after & (ONES << 3 | 15)  # of which `owner` could say anything
    start = -1 if is_no_multiset else owner(patterns, after) if after else 0
    if start < 0:
        raise ValueError("the place to go on from is not a member")
    before: list[Pattern] = []
    seen: set[Cards] = set()
    for index, pattern in enumerate(patterns):
        if index < start:
            before.append(pattern)
            continue
        is_resumed = after != 0 and index == start
        fixed = pattern.fixed
        rest = _next(pattern, after - fixed) if is_resumed else _first(pattern)
        while rest is not None:
            cards = fixed + rest
            if cards not in seen and not _is_held(before, cards):
                seen.add(cards)
                yield cards
            rest = _next(pattern, rest)
        if is_resumed:
            before.append(pattern)  # its members up to *after* have not been seen


def _is_held(patterns: Sequence[Pattern], cards: Cards) -> bool:
    """Whether one of *patterns* holds *cards*."""
    guarded = cards | _GUARD
    for pattern in patterns:
        # As `contains`, which only few of many patterns pass.
        if (guarded - pattern.fixed) & _GUARD == _GUARD and holds(pattern, cards):
            return True
    return False


def listing(patterns: Sequence[Pattern], limit: int) -> dict[Cards, int] | None:
    """Every member of the union with its kind, in the order of `members`; None if there are more
    than *limit*."""
    found: dict[Cards, int] = {}
    for pattern in patterns:
        kind, fixed, pool, least, most = pattern
        own: list[Cards] = []
        for number in range(least, most + 1):
            some = _choices(pool, number, limit)
            if some is None:
                return None
            own += some
        own.sort()
        if not found:
            found = dict.fromkeys([fixed + cards for cards in own], kind)
        else:
            for cards in own:
                found.setdefault(fixed + cards, kind)
        if len(found) > limit:
            return None
    return found


def _choices(pool: Cards, number: int, limit: int) -> list[Cards] | None:
    """Every multiset of *number* cards of *pool*, in no order; None if more than *limit*."""
    if not number:
        return [0]
    total = count(pool)
    if number >= total:
        return [pool] if number == total else []
    plane = at_least(pool, 1)
    if comb(plane.bit_count(), number) > limit:
        return None
    # What is left behind is chosen instead where that is less. Up to half of the pool there are
    # no more choices of fewer cards than of more, so that all lists stay within the limit.
    fewer = min(number, total - number)
    by_number: list[list[Cards]] = [[0], *([] for _ in range(fewer))]
    for card in unpack(plane):
        copies = pool >> 4 * card & 15
        one = 1 << 4 * card
        for more in range(fewer, 0, -1):
            chosen = by_number[more]
            chosen += [cards + one for cards in by_number[more - 1]]
            for taken in range(2, min(copies, more) + 1):
                chosen += [cards + taken * one for cards in by_number[more - taken]]
            if len(chosen) > limit:
                return None
    if fewer == number:
        return by_number[fewer]
    return [pool - cards for cards in by_number[fewer]]


def draw_one(pattern: Pattern, words: Words) -> Cards:
    """A member of *pattern* at random, quickly: a number of cards, all equally likely, then so
    many cards of the pool. Every member has a chance, but not the same one."""
    _, cards, pool, least, most = pattern
    ids = bytearray(unpack(pool))
    for place in range(least + below(most - least + 1, words)):
        other = place + below(len(ids) - place, words)
        card, ids[other] = ids[other], ids[place]
        cards += 1 << 4 * card
    return cards


def below(bound: int, words: Words) -> int:
    """A number in ``range(bound)``, all equally likely, by rejection."""
    bits = (bound - 1).bit_length()
    if 0 < bits <= 64:
        mask = (1 << bits) - 1
        number = next(words) & mask
        while number >= bound:
            number = next(words) & mask
        return number
    while True:
        number = 0
        for _ in range(0, bits, 64):
            number = number << 64 | next(words)
        number &= (1 << bits) - 1
        if number < bound:
            return number


def shuffled(ids: Iterable[int], words: Words) -> list[int]:
    """*ids* in random order, all orders equally likely."""
    cards = list(ids)
    for place in range(len(cards) - 1, 0, -1):
        other = below(place + 1, words)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def _first(pattern: Pattern) -> Cards | None:
    """The least multiset that *pattern* can add to its fixed cards, or None."""
    if pattern.least > min(pattern.most, count(pattern.pool)):
        return None
    return _lowest(pattern.pool, pattern.least)


def _lowest(pool: Cards, wanted: int) -> Cards:
    """The least multiset of *wanted* cards of *pool*."""
    cards = 0
    while wanted > 0:
        shift = ((pool & -pool).bit_length() - 1) & ~3
        copies = min(pool >> shift & 15, wanted)
        cards |= copies << shift
        wanted -= copies
        pool &= ~(15 << shift)
    return cards


def _next(pattern: Pattern, rest: Cards) -> Cards | None:
    """The least multiset above *rest* that *pattern* can add to its fixed cards, or None."""
    pool = pattern.pool
    higher = count(rest)
    lower = 0
    unseen = pool
    while unseen:
        shift = ((unseen & -unseen).bit_length() - 1) & ~3
        copies, held = pool >> shift & 15, rest >> shift & 15
        higher -= held
        total = higher + held + 1
        if held < copies and total <= pattern.most and total + lower >= pattern.least:
            base = (rest >> shift) + 1 << shift
            wanted = pattern.least - total
            return base | _lowest(pool & (1 << shift) - 1, wanted)
        lower += copies
        unseen &= ~(15 << shift)
    return None
