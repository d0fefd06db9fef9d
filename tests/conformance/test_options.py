"""Every value of every option is played, and is one that tables can have.

Of options without listed values the suite guesses texts; see `subjects.guesses`.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import AnyGame, OptionSpec
from croupier_server.games.registry import find
from croupier_server.games.settings import new_options
from tests.conformance.playouts import playout
from tests.conformance.subjects import (
    CASES,
    NAMES,
    Texts,
    accepted,
    hook_of,
    limits,
    random_texts,
    samples,
    short,
)
from tests.conformance.test_every_game import assert_match

CONTEXTS = 400
"""So many tables of each sort are tried before an option counts as one that does nothing."""

OPTIONS = [(name, option) for name in NAMES for option in samples(name)]
NEEDY = [(name, spec) for name in NAMES for spec in find(name).option_specs() if spec.needs]
PLAYED = [(name, option) for name, option in OPTIONS if option not in limits(find(name))]


@pytest.mark.more
@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_every_value_of_an_option_is_played(name: str, option: str) -> None:
    """A match with each of them keeps what every match promises."""
    game = find(name)
    (spec,) = (spec for spec in game.option_specs() if spec.name == option)
    found = samples(name)[option]
    if spec.values:
        assert {text for text, _ in found} == set(spec.values), "a value that no table can have"
    assert len(found) > 1, "an option with a single value is none"
    for seed, (_, texts) in enumerate(found):
        if option not in limits(game):
            assert_match(game, short(game, game.rulesets()[0], 1, texts), seed)
            continue
        options = game.options(game.rulesets()[0], texts)
        if (game.deals_max(options) or CONTEXTS) <= 3:
            assert_match(game, options, seed)
        else:  # as long as that no match is played here
            _, log, _ = playout(game, options, seed, most=300)
            assert log


def story(game: AnyGame, texts: Texts, seed: int) -> object:
    """All that comes of a random match of a few deals, or now and then of many."""
    options = short(game, game.rulesets()[0], 30 if seed % 8 == 0 else 3, texts)
    state, log, happened = playout(game, options, seed, most=3_000)
    return log, happened, game.outcome(state)


def contexts(game: AnyGame, texts: Texts) -> Iterator[Texts]:
    """Tables at which the value of an option may make a difference: that of *texts*, those of the
    hook, and any."""
    rare = hook_of(game.name).rare
    for seed in range(CONTEXTS):
        yield texts
        yield random_texts(game, Random(seed))
        if rare:
            yield texts | dict(rare[seed % len(rare)])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "option"), PLAYED)
def test_every_value_of_an_option_matters(name: str, option: str) -> None:
    """At some table a match goes otherwise than with the first value, seats and chance alike. Of
    options without listed values one other will do: an `auto` may say what a number says."""
    game = find(name)
    (spec,) = (spec for spec in game.option_specs() if spec.name == option)
    (usual, _), *others = samples(name)[option][: None if spec.values else 4]
    silent = [text for text, texts in others if not matters(game, option, usual, text, texts)]
    assert silent == [] if spec.values else len(silent) < len(others)


def matters(game: AnyGame, option: str, usual: str, text: str, own: Texts) -> bool:
    """Whether some match goes otherwise with *text* than with *usual*."""
    for seed, context in enumerate(contexts(game, own)):
        one = accepted(game, game.rulesets()[0], context | {option: usual})
        two = accepted(game, game.rulesets()[0], context | {option: text})
        if one and two and story(game, one, seed) != story(game, two, seed):
            return True
    return False


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_no_option_takes_nonsense(name: str, option: str) -> None:
    """A value that cannot be is refused, and the option is named."""
    game = find(name)
    for text in ("", "nonsense", "-1", "1.5", "\u0663", "None", "true,false", "9" * 40):
        with pytest.raises(InvalidRequest) as caught:
            game.options(game.rulesets()[0], {option: text})
        assert caught.value.reason is Reason.INVALID_OPTION
        assert caught.value.field == f"options.{option}"


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_unknown_options_and_rulesets_are_refused(name: str, ruleset: str) -> None:
    game = find(name)
    with pytest.raises(InvalidRequest) as caught:
        game.options(ruleset, {"nonsense": "1"})
    assert caught.value.reason is Reason.UNKNOWN_OPTION
    with pytest.raises(InvalidRequest) as caught:
        game.options(ruleset + "x", {})
    assert caught.value.reason is Reason.UNKNOWN_RULESET


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_the_options_that_a_table_shows_make_the_same_table(name: str, ruleset: str) -> None:
    """Those of the ruleset as it is, and with any one option changed."""
    game = find(name)
    changes = [{option: text} for option, found in samples(name).items() for text, _ in found]
    own = new_options(game, ruleset, {})
    assert new_options(game, ruleset, game.option_text(own)) == own
    for change in changes:
        try:
            options = new_options(game, ruleset, change)
        except InvalidRequest:
            continue
        assert new_options(game, ruleset, game.option_text(options)) == options
        shown = game.option_text(own) | change
        assert new_options(game, ruleset, shown) == game.options(ruleset, shown)


@pytest.mark.parametrize(("name", "spec"), NEEDY, ids=lambda of: getattr(of, "name", of))
def test_a_value_without_what_it_needs_has_no_effect(name: str, spec: OptionSpec) -> None:
    """Refusing it takes no table from anybody."""
    game, needs = find(name), spec.needs
    assert needs
    (needed,) = (other for other in game.option_specs() if other.name == needs.option)
    assert needs.value in needed.values
    others = [text for text in needed.values if text != needs.value]
    without = next(text for text in (*spec.values, "none") if text not in needs.values)
    for seed, value in enumerate(needs.values * 3):
        context = random_texts(game, Random(seed)) | {needs.option: others[seed % len(others)]}
        stories = [story(game, context | {spec.name: text}, seed) for text in (value, without)]
        assert stories[0] == stories[1]
        with pytest.raises(InvalidRequest, match=f"with {needs.option}="):
            new_options(game, game.rulesets()[0], context | {spec.name: value})


@pytest.mark.parametrize("name", NAMES)
def test_a_match_can_be_bounded(name: str) -> None:
    """Some option says after how many deals a match is over: any table can be a short one."""
    assert limits(find(name))


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_no_two_rulesets_are_the_same(name: str, ruleset: str) -> None:
    game = find(name)
    own = game.option_text(game.options(ruleset, {}))
    same = [other for other in game.rulesets() if game.option_text(game.options(other, {})) == own]
    assert same == [ruleset]
