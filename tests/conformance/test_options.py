"""Every value of every option is played, and is one that tables can have.

Of options without listed values the suite guesses texts; see `subjects.guesses`.
"""

from __future__ import annotations

import pytest

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.registry import find
from tests.conformance.playouts import playout
from tests.conformance.subjects import CASES, NAMES, limits, samples, short
from tests.conformance.test_every_game import assert_match, deals_of

OPTIONS = [(name, option) for name in NAMES for option in samples(name)]


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
        if deals_of(game, options) <= 3:
            assert_match(game, options, seed)
        else:  # as long as that no match is played here
            _, log, _ = playout(game, options, seed, most=300)
            assert log


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
