"""Random matches of Tractor, step by step, under any options: something to encode.

Must not be put here: assertions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from croupier_server.errors import InvalidRequest
from croupier_server.games import patterns
from croupier_server.games.base import Event, Legal, Move, Seat, Turn
from croupier_server.games.registry import GAMES
from croupier_server.games.tractor import moves
from croupier_server.games.tractor.options import SPECS, TractorOptions
from croupier_server.games.tractor.state import State

GAME = GAMES["tractor"]
RULESETS = GAME.rulesets()
SIZES = (("4", "2"), ("6", "3"), ("8", "4"), ("10", "5"), ("12", "6"), ("4", "6"), ("12", "2"))
"""Players and packs."""


class Step(NamedTuple):
    """What one step of a match did.

    ``asked`` holds the legal answer of every seat that was asked before it, and ``answers`` what
    they answered; a chance event asks nobody. ``events`` came of it, ``state`` is afterwards and
    changes with the next step.
    """

    asked: dict[Seat, Legal]
    answers: dict[Seat, Move]
    events: list[Event]
    state: State


def options(ruleset: str, **overrides: str) -> TractorOptions:
    """Options of *ruleset* with some replaced."""
    found = GAME.options(ruleset, overrides)
    assert isinstance(found, TractorOptions)
    return found


def random_texts(rng: random.Random) -> dict[str, str]:
    """A text for every option, not always for a table that can be."""
    texts = {spec.name: rng.choice(spec.values) for spec in SPECS if spec.values}
    letters = "23456789TJQK"
    texts["packs"] = rng.choice(["auto", "2", "3", "4", "5", "6"])
    texts["kitty_size"] = rng.choice(["auto", "auto", str(rng.randrange(1, 30))])
    texts["mandatory_levels"] = ",".join(rng.sample(letters + "A", rng.randrange(4))) or "none"
    texts["max_deals"] = rng.choice(["none", "1", str(rng.randrange(1, 400))])
    texts["starter"] = rng.choice(["none", str(rng.randrange(4))])
    levels = 1 if texts["starter"] == "none" else 2
    texts["start_levels"] = ",".join(rng.choice(letters) for _ in range(levels))
    return texts


def random_options(rng: random.Random) -> TractorOptions:
    """Any options that can be."""
    while True:
        try:
            return options(rng.choice(RULESETS), **random_texts(rng))
        except InvalidRequest as refusal:
            # A kitty that leaves no equal hands is the one combination that chance does not avoid.
            assert refusal.field == "options.kitty_size", refusal  # noqa: PT017


def words(rng: random.Random) -> Iterator[int]:
    """Random 64-bit numbers."""
    while True:
        yield rng.getrandbits(64)


def choose(legal: Legal, rng: random.Random) -> Move:
    """A listed move or a member of a pattern."""
    if legal.moves and not (legal.patterns and rng.random() < 0.5):
        return rng.choice(legal.moves)
    kind = legal.patterns[0].kind
    if kind == moves.TractorMoveKind.CALL:
        low, high = legal.patterns[0].least, legal.patterns[0].most
        return moves.call(rng.randrange(low, high + 1, moves.CALL_STEP))
    move_type = moves.BURY if kind == moves.TractorMoveKind.BURY else moves.PLAY
    return patterns.sample(legal.patterns, words(rng)) | move_type


def chance(state: State, rng: random.Random) -> list[int]:
    """An outcome of the chance event that *state* waits for."""
    wanted = GAME.chance(state)
    if wanted.sides:
        return [rng.randrange(wanted.sides)]
    return rng.sample(wanted.cards, len(wanted.cards))


def play(of: TractorOptions, rng: random.Random, deals: int = 1) -> Iterator[Step]:
    """A match of random legal moves, up to the end of so many deals."""
    state = GAME.new(of)
    assert isinstance(state, State)
    yield Step({}, {}, [], state)
    while (turn := GAME.turn(state)) is not Turn.OVER and len(state.public.results) < deals:
        if turn is Turn.CHANCE:
            yield Step({}, {}, GAME.apply_chance(state, chance(state, rng)), state)
            continue
        asked = {seat: GAME.legal_moves(state, seat) for seat in GAME.to_act(state)}
        answers = {seat: choose(legal, rng) for seat, legal in asked.items()}
        if turn is Turn.WINDOW:
            events = GAME.close_window(state, answers)
        else:
            ((seat, move),) = answers.items()
            events = GAME.apply(state, seat, move)
        yield Step(asked, answers, events, state)
