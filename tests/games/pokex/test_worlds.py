"""P-1.3: worlds dealt anew fit a view, are all equally likely, and can be played on."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.games.base import PUBLIC, Turn
from croupier_server.games.cards import unpack
from croupier_server.games.pokex import moves
from croupier_server.games.pokex.options import PokexOptions
from tests.games.pokex.table import GAME, finish_deal, make_options, playing, walk, words
from tests.games.pokex.table import options as any_options


@pytest.mark.more
@settings(max_examples=25)
@given(any_options(), st.integers(0, 1000))
def test_a_world_fits_the_view(options: PokexOptions, seed: int) -> None:
    """P-1.3: for every seat and for spectators, at every move; and it goes on."""
    draw = words(seed)
    for step, (state, seat, move) in enumerate(walk(options, seed)):
        for audience in (PUBLIC, *range(4)):
            view = GAME.view(state, audience)
            world = GAME.worlds(view, draw)
            assert GAME.view(world, audience) == view
            assert sum(world.hands) == sum(state.hands)
            assert world.public is not view.public
        own = GAME.worlds(GAME.view(state, seat), draw)
        assert list(GAME.members(GAME.legal_moves(own, seat))) == list(
            GAME.members(GAME.legal_moves(state, seat))
        )
        GAME.apply(own, seat, move)
        if step % 9 == 0:
            finish_deal(own)
            assert GAME.turn(own) in (Turn.CHANCE, Turn.OVER)


def test_worlds_between_deals_and_after_the_match() -> None:
    """P-1.3: nothing is hidden then."""
    state = GAME.new(make_options(max_deals=1))
    assert GAME.worlds(GAME.view(state, 2), words(1)) == state
    GAME.apply_chance(state, [0])
    assert GAME.worlds(GAME.view(state, 2), words(1)) == state
    GAME.apply_chance(state, list(range(1, 55)))
    finish_deal(state)
    world = GAME.worlds(GAME.view(state, 2), words(1))
    world.results = state.results  # a view has the last one alone
    assert world == state


@pytest.mark.parametrize("audience", [PUBLIC, 0])
def test_every_deal_of_the_hidden_cards_is_as_likely(audience: int) -> None:
    """P-1.3: before the last trick, two cards a hand: every pair of the hidden cards is as likely
    as any other to be a hand's, 28 pairs of eight cards or 15 of six."""
    state = playing(make_options())
    while len(state.public.tricks) < 5:
        seat = state.public.to_act
        GAME.apply(state, seat, GAME.fallback(state, seat))
    view = GAME.view(state, audience)
    draw = words(4)
    found = Counter(GAME.worlds(view, draw).hands[3] for _ in range(6_000))
    hidden = sum(state.hands) - view.hand
    pairs = moves.plays(unpack(hidden))
    expected = 6_000 / len(pairs)
    assert {cards | moves.PLAY for cards in found} == set(pairs)
    chi = sum((n - expected) ** 2 / expected for n in found.values())
    assert chi < len(pairs) + 5 * (2 * len(pairs)) ** 0.5
