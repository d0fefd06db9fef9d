"""Whole matches: moves as text, fallbacks, what is remembered, copies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.errors import MalformedMove
from croupier_server.games.base import Turn
from croupier_server.games.cards import ONES, parse, parse_card
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.state import Phase, State
from tests.games.pokex.table import GAME, make_options, new_deal, playing, walk, words
from tests.games.pokex.table import options as any_options


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (moves.PASS, "pass"),
        (moves.bid(6), "bid 6"),
        (moves.name_rank(14), "wild A"),
        (moves.play(parse("RJ 2S")), "play 2S RJ"),
        (moves.play(parse("RJ 2S"), parse_card("TD")), "play 2S RJ with TD"),
    ],
)
def test_moves_as_text(move: int, text: str) -> None:
    """P-2.1, P-3.2, P-4.1: as a card player writes them, and their parts."""
    assert GAME.move_text(move) == text
    assert moves.move_type(move) == {"p": 1, "b": 2, "w": 3}.get(text[0]) or text.startswith("play")


@pytest.mark.parametrize("move", [0, 5, 17, moves.name_rank(1), moves.name_rank(15), 55 << 220 | 4])
def test_what_has_no_text(move: int) -> None:
    """P-2.1: numbers that are no moves."""
    with pytest.raises(MalformedMove):
        GAME.move_text(move)


@settings(max_examples=40)
@given(any_options(), st.integers(0, 1000))
def test_matches_keep_cards_and_answers(options: PokexOptions, seed: int) -> None:
    """P-1.1, P-4.2: every card is in one place, sizes are right, what is remembered is true, and
    fallbacks are legal."""
    for state, seat, move in walk(options, seed):
        public = state.public
        legal = GAME.legal_moves(state, seat)
        assert_remembered(state)
        members = list(GAME.members(legal))
        assert move in members
        assert GAME.fallback(state, seat) in members
        GAME.check(state, seat, move)
        assert tuple(hand.bit_count() for hand in state.hands) == public.hand_sizes()
        seen = [1 << 4 * card for card in public.center] + state.hands
        seen += [cards for trick in public.tricks for _, cards in trick.plays]
        seen += [cards for _, cards in public.plays]
        assert sum(seen) == ONES
        used = [trick.center for trick in public.tricks]
        used += [public.trick_center] if public.trick_center else []
        assert sorted([*used, *public.center_left]) == sorted(public.center)
        assert sum(public.taken) + public.carried <= len(public.tricks)


def assert_remembered(state: State) -> None:
    """Remembered lists are what a state without memory lists."""
    forgetful = state.copy()
    forgetful.legal = None
    forgetful.plays = [None] * 4
    (seat,) = GAME.to_act(state)
    known, anew = GAME.legal_moves(state, seat), GAME.legal_moves(forgetful, seat)
    assert list(known.moves) == list(anew.moves)
    assert list(known.kinds) == list(anew.kinds)
    assert list(known.patterns) == list(anew.patterns)


@pytest.mark.parametrize("ruleset", ["standard", "document"])
def test_copies_are_independent(ruleset: str) -> None:
    """P-4: a copy goes its own way, and so does its original."""
    options = make_options(ruleset, max_deals=2, center="leader_picks", tied_trick="carry")
    for state, seat, move in walk(options, 7):
        copy, before = GAME.copy(state), GAME.copy(state)
        assert copy == state
        GAME.apply(copy, seat, move)
        assert copy != state == before


def test_a_sample_is_any_move() -> None:
    """P-4.1, P-4.2: every listed move and every member of every pattern comes up."""
    draw = words(3)
    for state in (
        new_deal(make_options()),
        playing(make_options()),
        playing(make_options(center="leader_picks")),
    ):
        legal = GAME.legal_moves(state, state.public.to_act)
        members = set(GAME.members(legal))
        drawn = {GAME.sample(legal, draw) for _ in range(12 * len(members))}
        assert drawn == members


def test_a_fallback_passes() -> None:
    """P-2.1."""
    state = new_deal(make_options())
    assert GAME.fallback(state, 0) == moves.PASS


def test_a_fallback_names_the_rank_held_most() -> None:
    """P-3.2: of equals the lowest; jokers are no rank."""
    hand = "BJ RJ KS KH 9S 9H 9D 4S 4H 4D 2S 3S"
    state = new_deal(make_options(), hands={0: hand})
    GAME.apply(state, 0, moves.bid(6))
    assert state.public.phase is Phase.NAME_RANK
    assert GAME.fallback(state, 0) == moves.name_rank(4)


def test_a_fallback_plays_the_lowest_cards() -> None:
    """P-4.1, P-4.2: wild ones last, of equals the first; and the leftmost centre card."""
    hand = "BJ RJ KS KH 2S 2H 2D 2C AS TD 9S 9C"
    options = make_options(center="leader_picks")
    state = playing(options, {0: hand}, "QD 3S", wild_rank=2)
    expected = moves.play(parse("9S 9C"), parse_card("QD"))
    assert GAME.fallback(state, 0) == expected
    state = playing(make_options(), {0: hand}, "QD 3S", wild_rank=9)
    assert GAME.fallback(state, 0) == moves.play(parse("2S 2H"))


def test_a_match_that_is_over_asks_nobody() -> None:
    """P-6.5."""
    states = [state for state, _, _ in walk(make_options(max_deals=1), 1)]
    state = states[-1]
    assert GAME.turn(state) is Turn.OVER
    assert GAME.to_act(state) == ()
    assert GAME.outcome(state) is not None
