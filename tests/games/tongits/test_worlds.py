"""Worlds dealt anew fit all that a view implies, and play goes on in them (G-5.6, G-3.4)."""

from __future__ import annotations

import random
from collections import Counter
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.games.base import PUBLIC, Turn
from croupier_server.games.cards import parse
from croupier_server.games.tongits.melds import PACK_CARDS
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import Phase
from tests.games.tongits.kit import (
    GAME,
    any_options,
    everything,
    make_options,
    sampler,
    steps,
    table,
    words,
)


@settings(max_examples=60)
@given(any_options(), st.integers(0, 2**32))
def test_worlds_fit_the_view(options: TongitsOptions, seed: int) -> None:
    """At every stage of any match, for seats and spectators."""
    rng = random.Random(seed)
    draw = words(seed)
    state = GAME.new(options)
    for _ in steps(state, sampler(seed), seed):
        if rng.random() < 0.1:
            view = GAME.view(state, rng.choice((PUBLIC, 0, 1, 2)))
            world = GAME.worlds(view, draw)
            assert GAME.view(world, view.seat) == view
            assert world.public == state.public
            if GAME.turn(state) is Turn.MOVE:
                assert everything(world) == PACK_CARDS
                assert [hand.bit_count() for hand in world.hands] == state.public.hand_sizes
                assert list(map(len, world.secret_fours)) == state.public.secret_fours
            else:
                world.results = state.results  # a view has the last one alone
                assert world == state


@pytest.mark.parametrize("ruleset", ["standard", "document", "pay244"])
@pytest.mark.parametrize("seed", range(4))
def test_play_goes_on_in_a_world(ruleset: str, seed: int) -> None:
    state = GAME.new(make_options(ruleset, max_hands=2))
    for number, _ in enumerate(steps(state, sampler(seed), seed)):
        if number % 9 == 0:
            world = GAME.worlds(GAME.view(state, number % 3), words(seed))
            for _ in steps(world, sampler(number), seed):
                pass
            assert GAME.turn(world) is Turn.OVER
            assert world.public.finished() == 2


def test_worlds_depend_on_the_words_alone() -> None:
    state = table("2S 3D", "5D 7C 9H", "AC KS", fours={1: "8"})
    view = GAME.view(state, 2)
    assert GAME.worlds(view, words(1)) == GAME.worlds(view, words(1))
    assert len({repr(GAME.worlds(view, words(seed)).hands) for seed in range(20)}) == 20


def test_every_world_has_the_same_chance() -> None:
    """Two cards of another hand, of five that are unseen: all ten hands come as often."""
    state = table(
        "2S",
        "AS 3S",
        "",
        melds=[(0, "4S 5S 6S 7S 8S 9S TS JS QS KS"), (0, "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD")],
        discards="AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH 4C 5C 6C 7C 8C 9C TC JC QC KC",
        stock="AC 2C 3C",
    )
    view = GAME.view(state, 0)
    draw = words(7)
    number = 6000
    found = Counter(GAME.worlds(view, draw).hands[1] for _ in range(number))
    assert len(found) == comb(5, 2)
    expected = number / len(found)
    # Chi-square with nine degrees of freedom: beyond 30 once in two thousand times.
    assert sum((seen - expected) ** 2 / expected for seen in found.values()) < 30


def test_secret_fours_of_others_are_of_ranks_of_which_no_card_was_seen() -> None:
    """G-3.4: and all such ranks have the same chance, for both owners."""
    seen = "2S 3S 4S 5S 6S 7S 8S"
    state = table(seen, "KD", "KC", fours={1: "9", 2: "T"}, discards="QS")
    view = GAME.view(state, 0)
    draw = words(3)
    found: Counter[tuple[int, int]] = Counter()
    for _ in range(3000):
        world = GAME.worlds(view, draw)
        ((first,), (second,)) = world.secret_fours[1:]
        found[first, second] += 1
        assert everything(world) == PACK_CARDS
    # Of nines, tens, jacks, kings and aces nothing was seen.
    assert len(found) == 5 * 4
    expected = 3000 / 20
    assert sum((times - expected) ** 2 / expected for times in found.values()) < 45


def test_the_own_fours_are_known() -> None:
    """G-3.4."""
    state = table("2S", "KD", "KC", fours={0: "9", 1: "T"})
    for seed in range(10):
        world = GAME.worlds(GAME.view(state, 0), words(seed))
        assert world.secret_fours[0] == (9,)
        assert world.secret_fours[1] != (9,)
        assert world.hands[0] == parse("2S")
    assert {
        GAME.worlds(GAME.view(state, PUBLIC), words(seed)).secret_fours[0] for seed in range(30)
    } > {(9,)}


def test_between_deals_nothing_is_hidden() -> None:
    """G-5.6."""
    state = GAME.new(make_options(max_hands=2))
    for _ in steps(state, sampler(1), 1):
        if state.public.phase in (Phase.DEAL, Phase.OVER):
            for audience in (PUBLIC, 0, 1, 2):
                world = GAME.worlds(GAME.view(state, audience), words(1))
                world.results = state.results  # a view has the last one alone
                assert world == state
