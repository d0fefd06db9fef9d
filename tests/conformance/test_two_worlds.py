"""Private (design promise 4), for every game: what an audience sees, is asked, and is told when it
asks is the same in every world that it cannot tell apart. See `two_worlds` for what is compared.
"""

from __future__ import annotations

from random import Random

import pytest

from croupier_server.games.base import PUBLIC, Move, Turn
from croupier_server.games.registry import AnyGame, find
from tests.conformance.playouts import apply_entry, make_entry, steps, words
from tests.conformance.subjects import CASES, NAMES, audiences, random_texts, short, sizes
from tests.conformance.two_worlds import Pair


def compare(game: AnyGame, options: object, seed: int, every: int = 1) -> list[Pair]:
    """Look at one random match through the eyes of everybody, at every so many-th step."""
    pairs = [Pair(game, audience, seed) for audience in audiences(game, options)]
    seen: list[Move] = []
    for step in steps(game, options, seed, most=600):
        for pair in pairs:
            if (step.number + pair.audience) % every == 0:
                pair.go(step, seen)
            else:
                pair.world = None
        seen = [*seen[-200:], *step.entry.by_seat().values()]
    return pairs


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_nobody_is_told_what_is_hidden(name: str, ruleset: str) -> None:
    """For every seat and a spectator; most steps go on in both worlds."""
    game = find(name)
    compared = 0
    for seed in range(1, 9):
        pairs = compare(game, short(game, ruleset), seed)
        compared += sum(pair.compared for pair in pairs)
        if compared > 60 * len(pairs):
            return
    assert compared > 20, "hardly anything was compared"


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_told_what_is_hidden_at_any_size(name: str) -> None:
    game = find(name)
    for size in sizes(game, game.rulesets()[0]):
        options = short(game, game.rulesets()[0], 1, size)
        compare(game, options, 3, every=game.players(options) + 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_nobody_is_told_what_is_hidden_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    options = short(game, game.rulesets()[0], 2, random_texts(game, Random(seed)))
    compare(game, options, seed, every=game.players(options) // 2)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", range(20))
def test_nobody_is_told_what_is_hidden_at_length(name: str, block: int) -> None:
    game = find(name)
    for seed in range(100 + 10 * block, 110 + 10 * block):
        compare(game, short(game, game.rulesets()[0], 2, random_texts(game, Random(seed))), seed)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_worlds_can_be_played_on(name: str, ruleset: str) -> None:
    """Dealt from any moment and for any audience, a world comes to an end like any match."""
    game = find(name)
    rng = Random(4)
    options = short(game, ruleset)
    for step in steps(game, options, seed=4):
        if rng.random() > 0.1:
            continue
        audience = rng.choice(audiences(game, options))
        view = game.view(step.state, audience)
        draw = words(step.number)
        world = game.worlds(view, draw)
        assert game.view(world, audience) == view
        while game.turn(world) is not Turn.OVER:
            apply_entry(game, world, make_entry(game, world, rng, draw))
        assert game.outcome(world) is not None


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_worlds_differ(name: str, ruleset: str) -> None:
    """Two worlds of the same view are two: a search bot would otherwise look at one alone."""
    game = find(name)
    found = 0
    for step in steps(game, short(game, ruleset), seed=5, most=30):
        if game.turn(step.state) is Turn.MOVE:
            view = game.view(step.state, PUBLIC)
            found += game.worlds(view, words(1)) != game.worlds(view, words(2))
    assert found
