"""`decision.legal`: exact from the message alone, and never built whole."""

from __future__ import annotations

import random
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier import Card, DecisionRandom, LegalMoves, Move
from croupier import tractor as moves
from croupier.moves import card_numbers
from croupier.randomness import SeatRandom
from croupier.tractor import MoveKind
from croupier.v1 import game_pb2

Members = set[tuple[int, ...]]


def pattern(
    kind: MoveKind, fixed: list[int], pool: list[int], least: int, most: int
) -> game_pb2.MovePattern:
    """A pattern message."""
    template = moves.bury(fixed) if kind is MoveKind.BURY else moves.play(fixed)
    return game_pb2.MovePattern(
        template=template.message,
        kind=game_pb2.MoveKind(tractor=int(kind)),  # type: ignore[arg-type]
        cards=game_pb2.CardChoice(pool=card_numbers(pool), min=least, max=most),
    )


def listed(*plays: list[int]) -> list[game_pb2.LegalMove]:
    """Listed plays."""
    return [game_pb2.LegalMove(move=moves.play(cards).message) for cards in plays]


def members(found: game_pb2.MovePattern) -> Members:
    """Every member, by brute force."""
    fixed, choice = found.template.tractor.play.cards, found.cards
    return {
        tuple(sorted([*fixed, *rest]))
        for size in range(choice.min, choice.max + 1)
        for rest in combinations(choice.pool, size)
    }


def chance(label: str = "1-0") -> DecisionRandom:
    """Numbers for one decision."""
    return SeatRandom(7, "t", 0).at(label)


def canonical(play: list[int]) -> tuple[int, ...]:
    """The same for the same cards."""
    return tuple(sorted(play))


hands = st.lists(st.integers(1, 6), max_size=7)


@st.composite
def patterns(draw: st.DrawFn) -> game_pb2.MovePattern:
    """A small pattern of plays."""
    pool = sorted(draw(hands))
    fixed = sorted(draw(st.lists(st.integers(1, 6), max_size=2)))
    least = draw(st.integers(0 if fixed else 1, max(len(pool), 1)))
    most = draw(st.integers(least, max(len(pool), least)))
    return pattern(MoveKind.FOLLOW, fixed, pool, least, most)


@given(
    st.lists(patterns(), max_size=4), st.lists(hands.filter(bool), max_size=3, unique_by=canonical)
)
def test_walking_counting_and_membership_agree_with_brute_force(
    families: list[game_pb2.MovePattern], plays: list[list[int]]
) -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed(*plays), patterns=families))
    expected = {tuple(sorted(play)) for play in plays}.union(*map(members, families))
    walked = [move.cards for move in legal]
    assert len(walked) == len(set(walked))
    assert set(walked) == expected
    assert len(legal) == len(expected)
    for cards in [*expected, (1,), (6, 6), (2, 3, 4)]:
        assert (moves.play(cards) in legal) == (cards in expected)
    assert moves.bury([1]) not in legal
    assert "play 2S" not in legal


@given(patterns(), st.integers(0, 50))
def test_a_sample_is_a_member(found: game_pb2.MovePattern, seed: int) -> None:
    if not members(found):
        return
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[found]))
    assert legal.sample(chance(str(seed))).cards in members(found)


def test_every_member_has_a_chance() -> None:
    found = pattern(MoveKind.LEAD_THROW, [], [1, 1, 2, 3], 2, 4)
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([1], [2]), patterns=[found]))
    drawn = {legal.sample(chance(str(number))).cards for number in range(400)}
    assert drawn == members(found) | {(1,), (2,)}


def test_listed_moves_are_equally_likely() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([1], [2], [3])))
    drawn = [legal.sample(chance(str(number))).cards[0] for number in range(3000)]
    assert all(900 < drawn.count(Card(card)) < 1100 for card in (1, 2, 3))


def test_a_standard_generator_serves_as_well() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([1], [2], [3])))
    assert legal.sample(random.Random(1)) in legal


def test_a_list_is_a_sequence() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([1], [2], [3])))
    assert legal.is_listed
    assert [move.cards for move in legal] == [(1,), (2,), (3,)]
    assert legal[-1].cards == (3,)
    assert [move.cards for move in legal[1:]] == [(2,), (3,)]
    assert legal.index(legal[2]) == 2
    assert legal.only is None
    with pytest.raises(IndexError):
        legal[3]


def test_a_bury_of_8_of_33_is_walked_and_counted_without_being_built() -> None:
    hand = sorted([*range(1, 26), *range(1, 9)])
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[pattern(MoveKind.BURY, [], hand, 8, 8)]))
    first = list(islice(legal, 1000))
    assert len(set(first)) == 1000
    assert first[0] == legal[0] == moves.bury(hand[:8])
    assert legal[999] == first[999]
    assert [move.cards for move in legal[2:4]] == [move.cards for move in first[2:4]]
    # p faces twice out of the eight that are there twice, the rest once.
    assert len(legal) == sum(comb(8, p) * comb(25 - p, 8 - 2 * p) for p in range(5))
    assert all(move in legal and move.kind is MoveKind.BURY for move in first)


def test_numbers_rise_by_their_step() -> None:
    calls = game_pb2.NumberRange(min=65, max=75, step=5)
    found = game_pb2.MovePattern(number=calls)
    found.template.tractor.call.SetInParent()
    found.kind.tractor = int(MoveKind.CALL)  # type: ignore[assignment]
    passing = game_pb2.LegalMove(move=moves.decline().message)
    legal = LegalMoves(game_pb2.LegalMoves(moves=[passing], patterns=[found]))
    assert [str(move) for move in legal] == ["pass", "call 65", "call 70", "call 75"]
    assert len(legal) == 4
    assert moves.call(70) in legal
    assert moves.call(72) not in legal
    assert {str(legal.sample(chance(str(n)))) for n in range(100)} == {str(m) for m in legal}


def test_a_pattern_with_a_new_kind_of_choice_is_passed_over() -> None:
    known = pattern(MoveKind.FOLLOW, [1], [2, 3], 1, 1)
    unknown = game_pb2.MovePattern(template=moves.play([4]).message, kind=known.kind)
    unknown.MergeFromString(b"\xaa\x06\x00")
    legal = LegalMoves(game_pb2.LegalMoves(patterns=[unknown, known]))
    assert [str(move) for move in legal] == ["play 2S 3S", "play 2S 4S"]
    assert {legal.sample(chance(str(number))) for number in range(40)} == set(legal)
    assert not LegalMoves(game_pb2.LegalMoves(patterns=[unknown]))


def test_a_truncated_list_has_no_known_length() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([1]), truncated=True))
    with pytest.raises(TypeError, match="truncated"):
        len(legal)
    assert list(legal) == [legal[0]]
    assert legal.is_truncated


def test_many_overlapping_patterns_have_no_known_length() -> None:
    families = [pattern(MoveKind.FOLLOW, [card], [1, 2, 3], 1, 1) for card in range(10, 24)]
    legal = LegalMoves(game_pb2.LegalMoves(patterns=families))
    with pytest.raises(TypeError, match="overlap"):
        len(legal)
    assert len(list(legal)) == 3 * 14


def test_a_table_that_lists_nothing_says_so() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(truncated=True))
    assert not legal
    with pytest.raises(IndexError, match="lists no legal moves"):
        legal[0]
    with pytest.raises(IndexError, match="lists no legal moves"):
        legal.sample(chance())


def test_the_only_move() -> None:
    legal = LegalMoves(game_pb2.LegalMoves(moves=listed([5])))
    assert legal.only == legal[0] == moves.play([5])
    assert isinstance(legal.only, Move)
