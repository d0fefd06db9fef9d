"""The same inputs make the same match, for ever and everywhere.

A log replays to an equal state with equal events and bytes, a copy lives a life of its own, and
nothing depends on the process, on the order of a set, or on what was asked in between.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from random import Random

import pytest

from croupier_server.games.base import AnyGame, Turn
from croupier_server.games.registry import find
from tests.conformance.playouts import apply_entry, playout, replay, steps, words
from tests.conformance.subjects import (
    CASES,
    NAMES,
    audiences,
    random_texts,
    short,
    wire_of,
)


def assert_replays(game: AnyGame, options: object, seed: int) -> None:
    """State, events, views and bytes of a match come out of its log alone."""
    wire = wire_of(game)
    state, log, happened = playout(game, options, seed)
    again, events = replay(game, options, log)
    assert again == state
    assert events == happened
    assert [wire.event_bytes(event) for event in events] == [
        wire.event_bytes(event) for event in happened
    ]
    one, two = wire.views(), wire.views()
    assert one.public(state) == two.public(again)
    for audience in audiences(game, options):
        assert game.view(again, audience) == game.view(state, audience)
        if audience >= 0:
            assert one.seat(state, audience) == two.seat(again, audience)
    assert game.outcome(again) == game.outcome(state)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_log_replays(name: str, ruleset: str) -> None:
    game = find(name)
    for seed in range(3):
        assert_replays(game, short(game, ruleset, deals=1 + seed), seed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_log_replays_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    assert_replays(game, short(game, game.rulesets()[0], 2, random_texts(game, Random(seed))), seed)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_log_replays_from_any_moment(name: str, ruleset: str) -> None:
    """Half a log makes half a match, and a copy of that goes on as the whole one does."""
    game, options = find(name), short(find(name), ruleset)
    state, log, happened = playout(game, options, seed=6)
    for part in range(0, len(log), max(1, len(log) // 5)):
        half, told = replay(game, options, log[:part])
        assert told == happened[: len(told)]
        rest = game.copy(half)
        told += [event for entry in log[part:] for event in apply_entry(game, rest, entry)]
        assert (rest, told) == (state, happened)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_copies_are_independent(name: str, ruleset: str) -> None:
    """A copy stays as it was when the original goes on, and the other way about."""
    game = find(name)
    for step in steps(game, short(game, ruleset), seed=7):
        copy, rest = game.copy(step.state), game.copy(step.state)
        assert copy == step.state
        happened = apply_entry(game, copy, step.entry)
        assert rest == step.state, "the original changed with its copy"
        assert copy != step.state, "a step changed nothing"
        if step.number % 4 == 0:
            assert apply_entry(game, rest, step.entry) == happened
            assert rest == copy


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_asking_changes_nothing(name: str, ruleset: str) -> None:
    """A match in which everything was asked at every moment goes like one without a question."""
    game, options = find(name), short(find(name), ruleset)
    state, log, happened = playout(game, options, seed=8)
    asked = game.new(options)
    told = []
    for number, entry in enumerate(log):
        before = game.copy(asked)
        for audience in audiences(game, options):
            view = game.view(asked, audience)
            game.worlds(view, words(number))
        for seat in game.to_act(asked):
            game.decision_kind(asked, seat)
            game.sample(game.legal_moves(asked, seat), words(number))
            game.fallback(asked, seat)
        assert asked == before
        told += apply_entry(game, asked, entry)
    assert (asked, told) == (state, happened)


# Processes ----------------------------------------------------------------------------------------

DIGEST = """
import sys
from tests.conformance.test_same_again import digest
print(digest(sys.argv[1]))
"""


def digest(name: str) -> str:
    """A hash of all that comes out of a match of every ruleset, in the order in which it comes."""
    game = find(name)
    wire = wire_of(game)
    told = hashlib.sha256()
    for ruleset in game.rulesets():
        options = short(game, ruleset)
        views = wire.views()
        told.update(repr(game.option_text(options)).encode())
        for step in steps(game, options, seed=9):
            state = step.state
            told.update(repr((step.entry, game.to_act(state))).encode())
            for seat in game.to_act(state):
                legal = game.legal_moves(state, seat)
                told.update(repr((legal.moves, legal.kinds, game.fallback(state, seat))).encode())
                told.update(views.seat(state, seat))
                world = game.worlds(game.view(state, seat), words(step.number))
                if game.turn(world) is Turn.MOVE:
                    told.update(repr(list(game.legal_moves(world, seat).moves)).encode())
                    told.update(wire.views().public(world))
            for event in apply_entry(game, game.copy(state), step.entry):
                told.update(repr((event, wire.event_bytes(event))).encode())
    return told.hexdigest()


def digest_elsewhere(name: str, hash_seed: str) -> str:
    """`digest` of a new process, whose sets have the order of *hash_seed*."""
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        [sys.executable, "-c", DIGEST, name],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_nothing_depends_on_the_process(name: str) -> None:
    """PYTHONHASHSEED changes the order of sets; no output may show it."""
    elsewhere = {digest_elsewhere(name, seed) for seed in ("0", "12345")}
    assert elsewhere == {digest(name)}
