"""Private (design promise 4), for every game: what an audience sees, is asked, and is told when it
asks is the same in every world that it cannot tell apart. See `two_worlds` for what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from croupier_server.games.base import PUBLIC, AnyGame, Event, Move, Seat, Turn
from croupier_server.games.registry import find
from croupier_server.wire.game import GameWire
from tests.conformance.playouts import Entry, apply_entry, make_entry, steps, words
from tests.conformance.subjects import (
    CASES,
    NAMES,
    audiences,
    hook_of,
    random_texts,
    short,
    sizes,
    wire_of,
)
from tests.conformance.two_worlds import Pair, compare_moment, entry_there

Told = Sequence[list[object]]
"""What an audience was told, step by step."""


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


@pytest.mark.more
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


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_told_what_is_hidden_at_any_size(name: str) -> None:
    game = find(name)
    for size in sizes(game, game.rulesets()[0]):
        options = short(game, game.rulesets()[0], 1, size)
        compare(game, options, 3, every=game.players(options) + 1)


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_nobody_is_told_what_is_hidden_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    options = short(game, game.rulesets()[0], 2, random_texts(game, Random(seed)))
    compare(game, options, seed, every=game.players(options) // 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", range(20))
def test_nobody_is_told_what_is_hidden_at_length(name: str, block: int) -> None:
    game = find(name)
    for seed in range(100 + 10 * block, 110 + 10 * block):
        compare(game, short(game, game.rulesets()[0], 2, random_texts(game, Random(seed))), seed)


def swapped(
    game: AnyGame, options: object, log: Sequence[Entry], told: Told, audience: Seat, rng: Random
) -> object | None:
    """What comes of *log* when two cards of its last deck have changed places; None where that
    makes a move impossible, or lets the audience be told anything else."""
    place = max((at for at, entry in enumerate(log) if len(entry.chance) > 1), default=-1)
    if place < 0:
        return None
    deck = list(log[place].chance)
    one, two = rng.sample(range(len(deck)), 2)
    deck[one], deck[two] = deck[two], deck[one]
    here, there = game.new(options), game.new(options)
    wire = wire_of(game)
    for at, (entry, heard) in enumerate(zip(log, told, strict=True)):
        other = Entry(chance=tuple(deck)) if at == place else entry
        if at > place:
            found = entry_there(game, here, there, entry, PUBLIC)
            if found is None:
                return None
            other = found
        apply_entry(game, here, entry)
        if hear(wire, apply_entry(game, there, other), audience) != heard:
            return None
    found_there: object = there
    return found_there


def hear(wire: GameWire, events: Sequence[Event], audience: Seat) -> list[object]:
    """What the audience is told of events."""
    encoded = [wire.event_bytes(event) for event in events]
    return [(public, private.get(audience)) for public, private in encoded]


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_views_tell_no_more_than_events(name: str, ruleset: str) -> None:
    """Where everything that the audience was told is the same, so is everything that it can see
    and ask: two cards of the deck change places, and no event says so."""
    game = find(name)
    options, rng = short(game, ruleset), Random(6)
    wire = wire_of(game)
    compared = 0
    for audience in audiences(game, options):
        log: list[Entry] = []
        told: list[list[object]] = []
        for step in steps(game, options, seed=audience + 7):
            for _ in range(240 // (len(log) + 20)):  # replaying a long log takes long
                other = swapped(game, options, log, told, audience, rng)
                if other is not None:
                    compare_moment(Pair(game, audience, 0), step.state, other)
                    compared += other != step.state
            log.append(step.entry)
            after = game.copy(step.state)
            told.append(hear(wire, apply_entry(game, after, step.entry), audience))
    assert compared > 20, "hardly anything was compared"


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
        hook_of(name).check_state(world)
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
