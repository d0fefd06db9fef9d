"""What a state takes from deal to deal is all that the rest of its match depends on."""

from __future__ import annotations

import json
from random import Random

import pytest

from croupier_server.games.base import PUBLIC, AnyGame, Turn
from croupier_server.games.registry import find
from croupier_server.tables.kept import plain
from tests.conformance.playouts import SILENCE, apply_entry, steps
from tests.conformance.subjects import CASES, NAMES, audiences, random_texts, short, wire_of

DEALS = 4


def resumed(game: AnyGame, options: object, state: object) -> object:
    """The state that goes on from what *state* carries, by way of text."""
    carried = json.dumps([game.carry(state), game.results(state)])
    numbers, results = plain(json.loads(carried))
    return game.resume(options, numbers, [game.read_result(one) for one in results])


def assert_goes_on(game: AnyGame, options: object, seed: int) -> int:
    """States resumed at the start of each deal are like the one that never stopped, up to the end
    of the match; returns the number of deals."""
    copies: list[object] = []
    silence = SILENCE if seed % 3 else 0.9  # where nobody bids, deals are passed out
    for step in steps(game, options, seed, silence=silence):
        state = game.copy(step.state)
        if game.turn(state) is Turn.CHANCE and game.chance(state).deal > len(copies):
            copies.append(resumed(game, options, state))
            assert game.chance(copies[-1]) == game.chance(state)
            assert repr(game.results(copies[-1])) == repr(game.results(state))
        events = apply_entry(game, state, step.entry)
        for copy in copies:
            assert apply_entry(game, copy, step.entry) == events
        if game.turn(state) is not Turn.CHANCE:  # the deck takes what the last deal left
            assert all(copy == state for copy in copies)
            assert_same(game, options, copies[-1], state)
    return len(copies)


def assert_same(game: AnyGame, options: object, copy: object, state: object) -> None:
    """Everything that anybody is shown and asked is the same."""
    assert game.results(copy) == game.results(state)
    assert game.standing(copy) == game.standing(state)
    assert game.outcome(copy) == game.outcome(state)
    assert game.to_act(copy) == game.to_act(state)
    one, two = wire_of(game).views(), wire_of(game).views()
    assert one.public(copy) == two.public(state)
    for audience in audiences(game, options):
        assert game.view(copy, audience) == game.view(state, audience)
        assert audience == PUBLIC or one.seat(copy, audience) == two.seat(state, audience)
    for seat in game.to_act(state):
        legal, expected = game.legal_moves(copy, seat), game.legal_moves(state, seat)
        assert list(legal.moves) == list(expected.moves)
        assert list(legal.patterns) == list(expected.patterns)
        assert game.fallback(copy, seat) == game.fallback(state, seat)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_durable_a_match_goes_on_from_what_a_deal_carries(
    name: str, ruleset: str, seed: int
) -> None:
    game = find(name)
    assert assert_goes_on(game, short(game, ruleset, DEALS), seed) > 1


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_durable_a_match_goes_on_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    texts = random_texts(game, Random(seed))
    assert_goes_on(game, short(game, game.rulesets()[0], DEALS, texts), seed)
