"""Options of Tractor as messages: every value there and back."""

from __future__ import annotations

import random

import pytest

from croupier.v1 import cards_pb2, game_pb2, tractor_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.tractor.options import SPECS, TractorOptions, option_text
from croupier_server.wire.registry import WIRES
from croupier_server.wire.tractor_options import OPTION_FIELDS
from tests.wire import playouts

WIRE = WIRES[game_pb2.GAME_KIND_TRACTOR]
FIELDS = tractor_pb2.TractorOptions.DESCRIPTOR.fields_by_name


def back(options: TractorOptions) -> TractorOptions:
    """*options* through their message, over the ruleset that has most of them otherwise."""
    message = WIRE.options_message(options)
    sent = game_pb2.GameOptions.FromString(message.SerializeToString())
    return playouts.options("document", **WIRE.options_overrides(sent))


def test_there_is_a_field_for_every_option() -> None:
    assert set(FIELDS) == {spec.name for spec in SPECS}


@pytest.mark.parametrize(
    "spec", [spec for spec in SPECS if spec.values], ids=lambda spec: spec.name
)
def test_every_value_of_an_option_has_a_number(spec: object) -> None:
    (found,) = [one for one in SPECS if one is spec]
    enum = FIELDS[found.name].enum_type
    if enum is not None:
        prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
        names = {value.name for value in enum.values if value.number}
        assert names == {prefix + text.upper() for text in found.values}
    for text in found.values:
        texts = option_text(playouts.options("standard"))
        texts[found.name] = text
        message = OPTION_FIELDS.message(texts)
        assert OPTION_FIELDS.overrides(message)[found.name] == text


@pytest.mark.parametrize("ruleset", playouts.RULESETS)
def test_every_ruleset_comes_back(ruleset: str) -> None:
    options = playouts.options(ruleset)
    assert back(options) == options


@pytest.mark.parametrize("ruleset", playouts.RULESETS)
def test_a_table_shows_every_field_set(ruleset: str) -> None:
    message = WIRE.options_message(playouts.options(ruleset)).tractor
    shown = {field.name for field, _ in message.ListFields()}
    assert shown == set(FIELDS) - {"starter"}


def test_any_options_come_back() -> None:
    rng = random.Random(5)
    for _ in range(500):
        options = playouts.random_options(rng)
        assert back(options) == options


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kitty_size", "auto"),
        ("kitty_size", "12"),
        ("max_deals", "none"),
        ("max_deals", "1"),
        ("mandatory_levels", "none"),
        ("mandatory_levels", "5,T,K,A"),
        ("starter", "0"),
        ("starter", "3"),
        ("packs", "3"),
    ],
)
def test_numbers_and_levels_have_their_words(name: str, text: str) -> None:
    overrides = {name: text} if name != "packs" else {"packs": text, "players": "6"}
    options = playouts.options("standard", **overrides)
    assert WIRE.options_overrides(WIRE.options_message(options))[name] == text


def test_two_start_levels_with_a_starter() -> None:
    options = playouts.options("standard", starter="1", start_levels="5,3")
    message = WIRE.options_message(options).tractor
    assert list(message.start_levels.ranks) == [cards_pb2.RANK_5, cards_pb2.RANK_3]
    assert back(options) == options


def test_what_is_not_set_is_no_override() -> None:
    assert WIRE.options_overrides(game_pb2.GameOptions()) == {}
    message = game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(self_override=False))
    assert WIRE.options_overrides(message) == {"self_override": "false"}


def refusal(**fields: object) -> InvalidRequest:
    message = game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(**fields))  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest) as caught:
        WIRE.options_overrides(message)
    assert caught.value.reason is Reason.INVALID_OPTION
    return caught.value


def test_unknown_numbers_are_refused_with_their_path() -> None:
    for name, field in FIELDS.items():
        if field.enum_type is not None:
            assert refusal(**{name: 77}).field == f"options.tractor.{name}"
    assert refusal(level_cap=2).field == "options.tractor.level_cap"


@pytest.mark.parametrize("name", ["mandatory_levels", "start_levels"])
@pytest.mark.parametrize("rank", [0, 1, 15, -3])
def test_unknown_ranks_are_refused_with_their_path(name: str, rank: int) -> None:
    levels = tractor_pb2.TractorLevels(ranks=[cards_pb2.RANK_5, rank])  # type: ignore[list-item]
    assert refusal(**{name: levels}).field == f"options.tractor.{name}.ranks[1]"


def test_start_levels_cannot_be_empty() -> None:
    levels = tractor_pb2.TractorOptions(start_levels=tractor_pb2.TractorLevels())
    message = game_pb2.GameOptions(tractor=levels)
    with pytest.raises(InvalidRequest) as caught:
        playouts.options("standard", **OPTION_FIELDS.overrides(message))
    assert caught.value.field == "options.start_levels"
