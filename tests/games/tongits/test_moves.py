"""Codes of moves: their text, and paging and sampling through lists and patterns."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from croupier_server.errors import MalformedMove
from croupier_server.games.base import Legal
from croupier_server.games.cards import parse, single
from croupier_server.games.tongits import moves
from tests.games.tongits.kit import GAME, in_play, move_of, sampler, steps, table, words

TEXTS = {
    "draw": "draw stock",
    "take 7H 7C": "take discard with 7H 7C",
    "take on 3": "take discard on 3",
    "call": "call draw",
    "meld 4H 5H 6H": "meld 4H 5H 6H",
    "four 7S 7H 7D 7C": "secret four 7S 7H 7D 7C",
    "lay 7H 8H on 0": "lay off 7H 8H on meld 0",
    "discard AS": "discard AS",
    "end": "end turn",
    "fold": "fold",
    "challenge": "challenge",
}


@pytest.mark.parametrize(("written", "told"), TEXTS.items())
def test_moves_as_text(written: str, told: str) -> None:
    """G-2 to G-5: one text for each kind of move."""
    move = move_of(written)
    assert GAME.move_text(move) == told
    kinds = moves.MoveType
    assert moves.move_type(move) in list(kinds)


def test_the_parts_of_a_code() -> None:
    move = moves.lay_off(11, parse("4S KC"))
    assert (moves.cards_of(move), moves.meld_of(move)) == (parse("4S KC"), 11)
    assert moves.meld_of(moves.discard(5)) == -1
    assert moves.cards_of(moves.discard(5)) == single(5)
    assert moves.cards_of(moves.take_for_lay_off(0)) == 0


@pytest.mark.parametrize(
    "move",
    [
        0,
        11,
        moves.DRAW_STOCK | 16,
        moves.MELD,
        moves.TAKE_DISCARD,
        moves.take_for_lay_off(1) | 16,
        moves.LAY_OFF | 16,
        moves.lay_off(1, 0),
        moves.DISCARD | 1 << moves.MELD_SHIFT | 16,
    ],
)
def test_what_has_no_text(move: int) -> None:
    with pytest.raises(MalformedMove):
        GAME.move_text(move)


def long_answer() -> Legal:
    """One with listed moves, a pattern of discards and patterns of single melds."""
    state = in_play(table("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", melds=[(1, "4S 4D 4C")]))
    return GAME.legal_moves(state, 0)


def test_a_page_goes_on_where_the_last_one_ended() -> None:
    for answer in (long_answer(), Legal([1, 3], [1, 4])):
        every = list(GAME.members(answer))
        for place, move in enumerate(every):
            assert list(GAME.members(answer, move)) == every[place + 1 :]
        with pytest.raises(ValueError, match="no legal move"):
            list(GAME.members(answer, moves.CHALLENGE))


def test_every_move_has_a_chance() -> None:
    answer = long_answer()
    every = set(GAME.members(answer))
    draw = words(1)
    found = Counter(GAME.sample(answer, draw) for _ in range(6000))
    assert set(found) == every
    listed = sum(found[move] for move in answer.moves)
    assert 0.45 < listed / 6000 < 0.55


def test_short_lists_are_sampled_evenly() -> None:
    answer = Legal([1, 3, 18], [1, 4, 2])
    draw = words(2)
    found = Counter(GAME.sample(answer, draw) for _ in range(3000))
    assert all(850 < times < 1150 for times in found.values())


def test_listed_moves_come_in_canonical_order() -> None:
    """By type, then by code, without repeats, with as many kinds."""
    state = GAME.new(GAME.options("standard", {"discard_take": "meld_or_layoff_any"}))
    choose = sampler(5)
    rng = random.Random(5)

    def look(state: object, seat: int) -> int:
        answer = GAME.legal_moves(state, seat)  # type: ignore[arg-type]
        listed = list(answer.moves)
        assert listed == sorted(set(listed), key=lambda move: (moves.move_type(move), move))
        assert len(answer.kinds) == len(listed)
        assert rng.choice(listed) in listed
        return choose(state, seat)  # type: ignore[arg-type]

    for _ in steps(state, look, 5):
        pass
