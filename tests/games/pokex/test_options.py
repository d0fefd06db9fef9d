"""P-7: options, their texts, their limits, and the rulesets."""

from __future__ import annotations

import pytest
from hypothesis import given

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.pokex.options import SPECS, PokexOptions
from tests.games.pokex.table import GAME, make_options
from tests.games.pokex.table import options as any_options

STANDARD = {
    "joker": "wild",
    "wild_rank": "named",
    "pass_is_out": "true",
    "all_pass": "play",
    "center": "fixed",
    "play_order": "pair_first",
    "tied_trick": "nobody",
    "flush_duplicates": "false",
    "tie_break_fewer_wilds": "true",
    "wild_as_self_free": "true",
    "undertrick": "zero",
    "opponents_score": "one_per_trick",
    "target": "33",
    "both_over": "higher",
    "max_deals": "100",
}
DOCUMENT = {
    "joker": "top_card",
    "wild_rank": "none",
    "all_pass": "redeal",
    "opponents_score": "none",
}


def test_rulesets() -> None:
    """P-7: both, whole."""
    assert GAME.rulesets() == ("standard", "document")
    assert GAME.option_text(make_options()) == STANDARD
    assert GAME.option_text(make_options("document")) == STANDARD | DOCUMENT
    assert [spec.name for spec in SPECS] == list(STANDARD)


def test_seats_and_teams() -> None:
    """P-1.1: four seats, partners opposite."""
    options = make_options()
    assert GAME.players(options) == 4
    assert [GAME.team(options, seat) for seat in range(4)] == [0, 1, 0, 1]


@given(any_options())
def test_texts_read_back(options: PokexOptions) -> None:
    """P-7: equal rules have equal text."""
    texts = GAME.option_text(options)
    assert list(texts) == sorted(STANDARD)
    assert GAME.options("document", texts) == options


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_value_is_read(spec: object) -> None:
    """P-7."""
    name, values, standard = spec.name, spec.values, spec.standard  # type: ignore[attr-defined]
    for value in values or (standard,):
        assert GAME.option_text(GAME.options("standard", {name: value}))[name] == value


@pytest.mark.parametrize(
    ("name", "text"),
    [("target", "1"), ("target", "1000000"), ("max_deals", "none"), ("max_deals", "1000000")],
)
def test_numbers_at_their_limits(name: str, text: str) -> None:
    """P-6.4, P-6.5."""
    assert GAME.option_text(GAME.options("standard", {name: text}))[name] == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("target", "0"),
        ("target", "1000001"),
        ("target", "none"),
        ("target", "-3"),
        ("target", ""),
        ("max_deals", "0"),
        ("max_deals", "1000001"),
        ("max_deals", "many"),
        ("joker", "dull"),
        ("pass_is_out", "yes"),
        ("both_over", "HIGHER"),
    ],
)
def test_what_is_no_value(name: str, text: str) -> None:
    """P-7."""
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("standard", {name: text})
    assert caught.value.reason is Reason.INVALID_OPTION
    assert caught.value.field == f"options.{name}"


def test_unknown_names() -> None:
    """P-7."""
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("pagat", {})
    assert caught.value.reason is Reason.UNKNOWN_RULESET
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("standard", {"trumps": "none"})
    assert caught.value.reason is Reason.UNKNOWN_OPTION
