"""Random matches of any game, step by step, under any options: something to encode.

Must not be put here: assertions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from croupier_server.errors import InvalidRequest
from croupier_server.games.base import AnyGame, Event, Legal, Move, Number, Seat, Turn
from croupier_server.games.registry import GAMES

Texts = dict[str, str]

TRACTOR_SIZES = (
    ("4", "2"), ("6", "3"), ("8", "4"), ("10", "5"), ("12", "6"), ("4", "6"), ("12", "2"),
)  # fmt: skip
"""Players and packs."""


class Step(NamedTuple):
    """What one step of a match did.

    ``asked`` holds the legal answer of every seat that was asked before it, and ``answers`` what
    they answered; a chance event asks nobody. ``events`` came of it, ``state`` is afterwards and
    changes with the next step. States are `Any`, as every game has its own.
    """

    asked: dict[Seat, Legal]
    answers: dict[Seat, Move]
    events: list[Event]
    state: Any


# Options -----------------------------------------------------------------------------------------


def options(game: AnyGame, ruleset: str, **overrides: str) -> Any:
    """Options of *ruleset* with some replaced."""
    return game.options(ruleset, overrides)


def _tractor_texts(rng: random.Random) -> Texts:
    letters = "23456789TJQK"
    starter = rng.choice(["none", str(rng.randrange(4))])
    levels = 1 if starter == "none" else 2
    return {
        "packs": rng.choice(["auto", "2", "3", "4", "5", "6"]),
        "kitty_size": rng.choice(["auto", "auto", str(rng.randrange(1, 30))]),
        "mandatory_levels": ",".join(rng.sample(letters + "A", rng.randrange(4))) or "none",
        "max_deals": rng.choice(["none", "1", str(rng.randrange(1, 400))]),
        "starter": starter,
        "start_levels": ",".join(rng.choice(letters) for _ in range(levels)),
    }


def _some(rng: random.Random, words: str) -> str:
    """Some of *words*, in their order, or none."""
    return ",".join(word for word in words.split() if rng.random() < 0.5) or "none"


def _tongits_texts(rng: random.Random) -> Texts:
    pays = ("fold_penalty", "win", "tongits", "draw_fought", "ace", "burned", "special")
    texts = {name if "_p" in name else f"pay_{name}": _chips(rng) for name in pays}
    specials = _some(rng, "face_down in_hand any_four")
    return texts | {
        "secret_open": _some(rng, "burn challenge call"),
        "special_pays": rng.choice([specials, specials, "every_set"]),
        "ante": _chips(rng),
        "max_hands": str(rng.randrange(1, 12)),
    }


def _chips(rng: random.Random) -> str:
    return str(rng.choice([0, 1, 2, rng.randrange(1000), 1_000_000]))


def _pokex_texts(rng: random.Random) -> Texts:
    return {
        "target": str(rng.choice([1, 33, rng.randrange(1, 100)])),
        "max_deals": rng.choice(["none", str(rng.randrange(1, 30))]),
    }


_TEXTS: dict[str, Callable[[random.Random], Texts]] = {
    "tractor": _tractor_texts,
    "tongits": _tongits_texts,
    "pokex": _pokex_texts,
}
"""By game: texts of the options that have no list of values, where not any number will do."""


def _numbers(game: AnyGame, rng: random.Random) -> Texts:
    """Any text of the options that are numbers."""
    kinds = {spec.name: spec.type for spec in game.option_specs() if not spec.values}
    numbers = {name: kind for name, kind in kinds.items() if isinstance(kind, Number)}
    return {name: str(rng.randint(kind.least, kind.most)) for name, kind in numbers.items()}


def random_texts(game: AnyGame, rng: random.Random) -> Texts:
    """A text for every option, not always for a table that can be."""
    listed = {spec.name: rng.choice(spec.values) for spec in game.option_specs() if spec.values}
    texts = _TEXTS.get(game.name)
    found = listed | (_numbers(game, rng) if texts is None else texts(rng))
    assert set(found) == {spec.name for spec in game.option_specs()}
    return found


def random_options(game: AnyGame, rng: random.Random) -> Any:
    """Any options that can be."""
    while True:
        try:
            return options(game, rng.choice(game.rulesets()), **random_texts(game, rng))
        except InvalidRequest as refusal:
            # A kitty that leaves no equal hands is the one combination that chance does not avoid.
            assert refusal.field == "options.kitty_size", refusal  # noqa: PT017


# Matches -----------------------------------------------------------------------------------------


def words(rng: random.Random) -> Iterator[int]:
    """Random 64-bit numbers."""
    while True:
        yield rng.getrandbits(64)


def choose(game: AnyGame, legal: Legal, rng: random.Random) -> Move:
    """A listed move or a member of a pattern."""
    return game.sample(legal, words(rng))


def chance(game: AnyGame, state: object, rng: random.Random) -> list[int]:
    """An outcome of the chance event that *state* waits for."""
    wanted = game.chance(state)
    if wanted.sides:
        return [rng.randrange(wanted.sides)]
    return rng.sample(wanted.cards, len(wanted.cards))


def deals_of(state: Any) -> int:
    """How many deals have ended; every game counts them."""
    return int(state.public.finished())


def play(game: AnyGame, of: object, rng: random.Random, deals: int = 1) -> Iterator[Step]:
    """A match of random legal moves, up to the end of so many deals."""
    state = game.new(of)
    yield Step({}, {}, [], state)
    while (turn := game.turn(state)) is not Turn.OVER and deals_of(state) < deals:
        if turn is Turn.CHANCE:
            yield Step({}, {}, game.apply_chance(state, chance(game, state, rng)), state)
            continue
        asked = {seat: game.legal_moves(state, seat) for seat in game.to_act(state)}
        answers = {seat: choose(game, legal, rng) for seat, legal in asked.items()}
        if turn is Turn.WINDOW:
            events = game.close_window(state, answers)
        else:
            ((seat, move),) = answers.items()
            events = game.apply(state, seat, move)
        yield Step(asked, answers, events, state)


def by_name(name: str) -> AnyGame:
    """The game of that name."""
    return GAMES[name]
