"""Families of moves against their members, written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_server.games.base import Pattern
from croupier_server.games.cards import Cards, at_least, contains, pack, parse, unpack
from croupier_server.games.patterns import (
    LazyPatterns,
    below,
    draw_one,
    holds,
    listing,
    members,
    owner,
)

CARDS = [1, 2, 3, 20, 54]


def words(seed: int) -> Iterator[int]:
    random = Random(seed)
    while True:
        yield random.getrandbits(64)


def written_out(pattern: Pattern) -> set[Cards]:
    pool = unpack(pattern.pool)
    return {
        pattern.fixed + pack(rest)
        for number in range(pattern.least, min(pattern.most, len(pool)) + 1)
        for rest in combinations(pool, number)
    }


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    counts = st.lists(st.integers(0, 3), min_size=len(CARDS), max_size=len(CARDS))
    fixed = pack(Counter(dict(zip(CARDS, draw(counts), strict=True))).elements())
    pool = pack(Counter(dict(zip(CARDS, draw(counts), strict=True))).elements())
    least = draw(st.integers(0, 4))
    return Pattern(draw(st.integers(1, 3)), fixed, pool, least, least + draw(st.integers(0, 3)))


unions = st.lists(patterns(), min_size=1, max_size=4)


@given(patterns(), patterns())
def test_holds_tells_members(pattern: Pattern, other: Pattern) -> None:
    inside = written_out(pattern)
    for cards in inside | written_out(other):
        assert holds(pattern, cards) == (cards in inside)


@given(unions)
def test_members_come_once_by_owner_then_ascending(union: list[Pattern]) -> None:
    found = list(members(union))
    assert set(found) == set().union(*map(written_out, union))
    keys = [(owner(union, cards), cards) for cards in found]
    assert keys == sorted(keys)
    assert len(set(found)) == len(found)


@given(unions, st.data())
def test_members_go_on_behind_any_member(union: list[Pattern], data: st.DataObject) -> None:
    found = list(members(union))
    if not found or found == [0]:
        return
    place = data.draw(st.integers(0, len(found) - 1))
    if found[place]:  # nothing at all cannot be told from the beginning
        assert list(members(union, found[place])) == found[place + 1 :]


def test_members_do_not_go_on_from_elsewhere() -> None:
    with pytest.raises(ValueError, match="not a member"):
        next(members([Pattern(1, 0, parse("2S 3S"), 1, 1)], parse("4S")))


@given(unions, st.integers(0, 40))
def test_listing_is_members_with_kinds_or_none(union: list[Pattern], limit: int) -> None:
    found = list(members(union))
    listed = listing(union, limit)
    if len(found) > limit:
        assert listed is None
    else:
        assert listed is not None
        assert list(listed) == found
        assert list(listed.values()) == [union[owner(union, cards)].kind for cards in found]


def test_long_families_are_entered_without_being_made() -> None:
    pool = pack(card for card in range(1, 41) for _ in range(6))
    pattern = Pattern(1, 0, pool, 60, 60)
    assert listing([pattern], 64) is None
    first = list(islice(members([pattern]), 3))
    assert list(islice(members([pattern], first[0]), 2)) == first[1:]


def test_below_covers_its_range() -> None:
    draw = words(2)
    assert {below(5, draw) for _ in range(200)} == set(range(5))
    assert below(1, draw) == 0
    assert max(below(2**100, draw) for _ in range(20)) > 2**64


class TestLazyPatterns:
    """They look like a sequence and make no more than is looked at."""

    def make(self, number: int, made: list[int]) -> LazyPatterns:
        def every() -> Iterator[Pattern]:
            for index in range(number):
                made.append(index)
                yield Pattern(1, 1 << 4 * (1 + index % 54), 0, 0, 0)

        return LazyPatterns(every())

    def test_only_what_is_looked_at_is_made(self) -> None:
        made: list[int] = []
        lazy = self.make(1000, made)
        assert bool(lazy[3].fixed)
        assert len(made) == 4
        assert next(iter(lazy)) is lazy[0]
        assert lazy.is_longer(9)
        assert len(made) == 10

    def test_asking_whether_there_are_any_makes_one(self) -> None:
        made: list[int] = []
        assert self.make(1000, made)
        assert len(made) == 1
        assert not self.make(0, made)

    def test_it_is_a_sequence(self) -> None:
        lazy = self.make(10, [])
        assert len(lazy) == 10
        assert list(lazy) == [lazy[index] for index in range(10)]
        assert lazy[-1] is lazy[9]
        assert lazy[2:4] == [lazy[2], lazy[3]]
        assert not lazy.is_longer(10)
        with pytest.raises(IndexError):
            lazy[10]


@given(patterns())
def test_members_lie_between_fixed_and_all(pattern: Pattern) -> None:
    for cards in members([pattern]):
        assert contains(cards, pattern.fixed)
        assert not at_least(cards, 7)


def test_a_quick_draw_gives_every_member_a_chance() -> None:
    pattern = Pattern(0, parse("2S 2S"), parse("3S 3S 4S 5H"), 1, 3)
    rng = Random(4)
    words = iter(lambda: rng.getrandbits(64), None)
    drawn = {draw_one(pattern, words) for _ in range(2000)}
    assert drawn == set(members([pattern]))
