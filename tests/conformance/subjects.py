"""What the conformance suite runs on: every registered game, with what it finds out by itself.

A game needs nothing but its lines in the registries. A few things only the game can know; it may
say them in ``tests/games/<game>/conformance.py`` as ``HOOK = Hook(...)``, and without that file
the strictest reading holds.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, count
from random import Random

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import PUBLIC, AnyGame, Seat
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.wire.game import GameWire

RARE_TABLES = 40
"""So many tables are played with each set of options that a hook names for rare things."""

SAMPLES_MAX = 16
"""So many texts are tried of an option whose values are not listed."""

Texts = dict[str, str]
"""Options as text."""


def _nothing(state: object) -> None:
    """No more is asked of a state than what every game promises."""


@dataclass(frozen=True)
class Hook:
    """What the suite cannot find out.

    Attributes:
        reveals: names of the public parts of events that may show a hidden card before the end of
            a deal. At its end every game may.
        samples: texts of options without listed values, beside those that the suite guesses.
        check_state: raises when a state has lost or doubled a card, a point, a chip.
        rare: options of tables at which things happen that are rare elsewhere; they are looked at
            first, and no promise rests on them.
        is_zero_sum: whether the scores of a match add up to nothing.
        never_sent: fields of the game's messages that no match can send, as
            ``MessageName.field``; each needs a comment that says why.
    """

    reveals: frozenset[str] = frozenset()
    samples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    check_state: Callable[[object], None] = _nothing
    rare: Sequence[Mapping[str, str]] = ()
    is_zero_sum: bool = True
    never_sent: frozenset[str] = frozenset()


def hook_of(name: str) -> Hook:
    """The hook of a game, or the strictest one."""
    module = f"tests.games.{name}.conformance"
    try:
        if importlib.util.find_spec(module) is None:
            return Hook()
    except ModuleNotFoundError:  # not even a folder of tests
        return Hook()
    found = importlib.import_module(module).HOOK
    assert isinstance(found, Hook)
    return found


NAMES: tuple[str, ...] = tuple(GAMES)
CASES: tuple[tuple[str, str], ...] = tuple(
    (name, ruleset) for name, game in GAMES.items() for ruleset in game.rulesets()
)
"""Every ruleset of every game: what most tests are parametrised over."""


def wire_of(game: AnyGame) -> GameWire:
    """The messages of *game*."""
    assert game.name in WIRES_BY_NAME, f"{game.name} is registered, but has no messages"
    return WIRES_BY_NAME[game.name]


def audiences(game: AnyGame, options: object) -> tuple[Seat, ...]:
    """Everybody who can be shown something."""
    return (PUBLIC, *range(game.players(options)))


# Options ------------------------------------------------------------------------------------------


@cache
def guesses(name: str) -> Mapping[str, tuple[str, ...]]:
    """By option, texts that it may take: the listed ones; otherwise those of the rulesets, words of
    its syntax, small numbers, and two words with a comma between them."""
    game = GAMES[name]
    hook = hook_of(name)
    found: dict[str, tuple[str, ...]] = {}
    for spec in game.option_specs():
        if spec.values:
            found[spec.name] = spec.values
            continue
        words = re.findall(r"[A-Za-z0-9_]+", spec.syntax)
        texts = [spec.standard]
        texts += [game.option_text(game.options(each, {}))[spec.name] for each in game.rulesets()]
        texts += hook.samples.get(spec.name, ())
        texts += [*words, *map(str, range(13)), "20", "50", "1000"]
        texts += [",".join(two) for two in combinations(words, 2)]
        found[spec.name] = tuple(dict.fromkeys(texts))
    return found


@cache
def samples(name: str) -> Mapping[str, tuple[tuple[str, Texts], ...]]:
    """By option, texts that it takes, each with options that make it possible.

    Of listed values all are there, or it is an error of the game; of others, as many as were
    guessed right, and at most `SAMPLES_MAX`.
    """
    game = GAMES[name]
    found: dict[str, tuple[tuple[str, Texts], ...]] = {}
    for spec in game.option_specs():
        taken: dict[str, tuple[str, Texts]] = {}
        for text in guesses(name)[spec.name]:
            texts = _possible(game, spec.name, text, exhaustive=bool(spec.values))
            if texts is not None:
                value = game.option_text(game.options(game.rulesets()[0], texts))[spec.name]
                taken.setdefault(value, (text, texts))
        found[spec.name] = tuple(taken.values())[: None if spec.values else SAMPLES_MAX]
    return found


def _possible(game: AnyGame, option: str, text: str, *, exhaustive: bool) -> Texts | None:
    """All options of some table where *option* is *text*, or None."""
    for ruleset in game.rulesets():
        texts = accepted(game, ruleset, {option: text})
        if texts is not None:
            return texts
    if exhaustive:
        rng = Random(text)
        for _ in range(200):
            texts = accepted(game, game.rulesets()[0], random_texts(game, rng) | {option: text})
            if texts is not None:
                return texts
    return None


def accepted(game: AnyGame, ruleset: str, overrides: Texts) -> Texts | None:
    """All options as text, or None where these cannot be."""
    try:
        return game.option_text(game.options(ruleset, overrides))
    except InvalidRequest as refusal:
        assert refusal.reason is Reason.INVALID_OPTION  # noqa: PT017
        return None


def random_texts(game: AnyGame, rng: Random) -> Texts:
    """Options of any table that can be: a ruleset with a few of them changed."""
    ruleset = rng.choice(game.rulesets())
    texts = game.option_text(game.options(ruleset, {}))
    names = list(texts)
    for option in rng.sample(names, rng.randrange(min(10, len(names)))):
        changed = texts | {option: rng.choice(guesses(game.name)[option])}
        texts = accepted(game, ruleset, changed) or texts
    return texts


def limits(game: AnyGame) -> tuple[str, ...]:
    """Options that bound the number of deals: by our words their names begin with ``max_``."""
    return tuple(
        spec.name
        for spec in game.option_specs()
        if spec.name.startswith("max_") and accepted(game, game.rulesets()[0], {spec.name: "1"})
    )


def short(game: AnyGame, ruleset: str, deals: int = 1, overrides: Texts | None = None) -> object:
    """Options of *ruleset* for a match of at most so many deals, as far as the game can do that."""
    return game.options(ruleset, (overrides or {}) | dict.fromkeys(limits(game), str(deals)))


def sizes(game: AnyGame, ruleset: str) -> Iterator[Texts]:
    """For each number of seats that *ruleset* can be played with, an option that makes it."""
    seen = set()
    for option, texts in samples(game.name).items():
        for text, _ in texts:
            if (all_texts := accepted(game, ruleset, {option: text})) is None:
                continue
            players = game.players(game.options(ruleset, all_texts))
            if players not in seen:
                seen.add(players)
                yield {option: text}


def tables(game: AnyGame, deals: int = 1) -> Iterator[object]:
    """Options of table after table, without an end: every ruleset as it is, then in turn one option
    set to its next value, and any options. Whoever looks for something rare looks here."""
    for ruleset in game.rulesets():
        yield short(game, ruleset, deals)
    for _ in range(RARE_TABLES):
        for changes in hook_of(game.name).rare:
            yield short(game, game.rulesets()[0], deals, dict(changes))
    own = [found for name, found in samples(game.name).items() if name not in limits(game)]
    own = own or [(("", {}),)]  # its options bound a match and nothing else
    for number in count(1):
        for found in own:
            _, texts = found[number % len(found)]
            yield short(game, game.rulesets()[0], deals, texts)
            if number > 1:
                rng = Random(f"{number} {found[0]}")
                yield short(game, game.rulesets()[0], deals, random_texts(game, rng))
