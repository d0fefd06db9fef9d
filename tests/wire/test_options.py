"""Options of every game as messages: every value there and back."""

from __future__ import annotations

import random
from itertools import chain, combinations
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor

from croupier.option_texts import option_texts
from croupier.v1 import game_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.base import OptionSpec
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.rpc.validate import Requests
from tests.wire import playouts

LISTED = [
    pytest.param(name, spec, id=f"{name}-{spec.name}")
    for name, game in GAMES.items()
    for spec in game.option_specs()
    if spec.values
]
RULESETS = [(name, ruleset) for name, game in GAMES.items() for ruleset in game.rulesets()]


def fields_of(name: str) -> dict[str, FieldDescriptor]:
    arm = game_pb2.GameOptions.DESCRIPTOR.fields_by_name[name].message_type
    assert arm is not None
    return dict(arm.fields_by_name)


def sent(name: str, options: object) -> game_pb2.GameOptions:
    message = WIRES_BY_NAME[name].options_message(options)
    return game_pb2.GameOptions.FromString(message.SerializeToString())


def back(name: str, options: object) -> Any:
    """*options* through their message, over the last ruleset, which has most of them otherwise."""
    texts = WIRES_BY_NAME[name].options_overrides(sent(name, options))
    return GAMES[name].options(GAMES[name].rulesets()[-1], texts)


@pytest.mark.parametrize("name", GAMES)
def test_there_is_a_field_for_every_option(name: str) -> None:
    assert set(fields_of(name)) == {spec.name for spec in GAMES[name].option_specs()}


@pytest.mark.parametrize(("name", "spec"), LISTED)
def test_every_value_of_an_option_has_a_number(name: str, spec: OptionSpec) -> None:
    enum = fields_of(name)[spec.name].enum_type
    if enum is not None:
        assert set(option_texts(enum).values()) == set(spec.values)
    rng = random.Random(spec.name)
    for text in spec.values:
        for _ in range(100):
            texts = playouts.random_texts(GAMES[name], rng) | {spec.name: text}
            try:
                options = GAMES[name].options(GAMES[name].rulesets()[0], texts)
            except InvalidRequest:
                continue
            assert WIRES_BY_NAME[name].options_overrides(sent(name, options))[spec.name] == text
            break
        else:
            raise AssertionError(f"{spec.name} is never {text}")


@pytest.mark.parametrize(("name", "ruleset"), RULESETS)
def test_every_ruleset_comes_back_with_every_field_set(name: str, ruleset: str) -> None:
    options = playouts.options(GAMES[name], ruleset)
    assert back(name, options) == options
    shown = {field.name for field, _ in getattr(sent(name, options), name).ListFields()}
    assert shown == set(fields_of(name))


@pytest.mark.parametrize("name", GAMES)
def test_any_options_come_back_and_keep_to_the_contract(name: str) -> None:
    rng = random.Random(5)
    read = Requests(bytes_max=1 << 20).reader(game_pb2.GameOptions)
    for _ in range(300):
        options = playouts.random_options(GAMES[name], rng)
        assert back(name, options) == options
        read(sent(name, options).SerializeToString())


@pytest.mark.parametrize("name", GAMES)
def test_what_is_not_set_is_no_override(name: str) -> None:
    wire = WIRES_BY_NAME[name]
    assert wire.options_overrides(game_pb2.GameOptions()) == {}
    message = game_pb2.GameOptions()
    getattr(message, name).SetInParent()
    assert wire.options_overrides(message) == {}


@pytest.mark.parametrize("name", GAMES)
def test_options_of_another_game_are_refused(name: str) -> None:
    for other in set(GAMES) - {name}:
        message = game_pb2.GameOptions()
        getattr(message, other).SetInParent()
        with pytest.raises(InvalidRequest) as caught:
            WIRES_BY_NAME[name].options_overrides(message)
        assert caught.value.reason is Reason.MALFORMED_REQUEST
        assert caught.value.field == f"options.{other}"


@pytest.mark.parametrize("number", [0, 77, -3])
@pytest.mark.parametrize("name", GAMES)
def test_unknown_numbers_are_refused_with_their_path(name: str, number: int) -> None:
    tried = 0
    for field in fields_of(name).values():
        message = game_pb2.GameOptions()
        options = getattr(message, name)
        path = f"options.{name}.{field.name}"
        if field.message_type is not None:
            (inner,) = field.message_type.fields
            if inner.enum_type is None:
                continue
            good = inner.enum_type.values[1].number
            getattr(getattr(options, field.name), inner.name).extend([good, number])
            path += f".{inner.name}[1]"
        elif field.enum_type is not None and number:
            setattr(options, field.name, number)
        else:
            continue
        with pytest.raises(InvalidRequest) as caught:
            WIRES_BY_NAME[name].options_overrides(message)
        assert (caught.value.reason, caught.value.field) == (Reason.INVALID_OPTION, path)
        tried += 1
    enums = [field for field in fields_of(name).values() if field.enum_type is not None]
    assert tried >= len(enums) or not number


# Sets of Tong-its --------------------------------------------------------------------------------

OPEN = ("burn", "challenge", "call")
SETS = list(chain.from_iterable(combinations(OPEN, size) for size in range(4)))


@pytest.mark.parametrize("words", SETS, ids=lambda words: ",".join(words) or "none")
def test_a_set_of_tongits_comes_back(words: tuple[str, ...]) -> None:
    text = ",".join(words) or "none"
    options = playouts.options(GAMES["tongits"], "standard", secret_open=text)
    message = sent("tongits", options)
    assert message.tongits.HasField("secret_open")
    assert len(message.tongits.secret_open.values) == len(words)
    assert back("tongits", options) == options
    assert WIRES_BY_NAME["tongits"].options_overrides(message)["secret_open"] == text


def test_an_empty_set_is_not_one_that_is_not_set() -> None:
    """Not set: the ruleset's value; empty: nothing pays."""
    wire, game = WIRES_BY_NAME["tongits"], GAMES["tongits"]
    message = game_pb2.GameOptions()
    message.tongits.special_pays.SetInParent()
    texts = wire.options_overrides(message)
    assert texts == {"special_pays": "none"}
    assert game.option_text(game.options("standard", texts))["special_pays"] == "none"
    assert game.option_text(game.options("standard", {}))["special_pays"] == "face_down,in_hand"


def test_the_order_of_a_set_means_nothing_and_repeats_are_refused() -> None:
    wire, game = WIRES_BY_NAME["tongits"], GAMES["tongits"]
    message = game_pb2.GameOptions()
    message.tongits.secret_open.values.extend([3, 1])  # type: ignore[list-item]
    options = game.options("standard", wire.options_overrides(message))
    assert game.option_text(options)["secret_open"] == "burn,call"
    message.tongits.secret_open.values.append(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest) as caught:
        game.options("standard", wire.options_overrides(message))
    assert (caught.value.reason, caught.value.field) == (
        Reason.INVALID_OPTION,
        "options.secret_open",
    )
