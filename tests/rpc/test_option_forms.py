"""The catalogue holds what the server accepts: a form that is drawn and checked from it alone.

Nothing here knows an option by name. Requests go the way of `CreateTable`: they are checked against
the contract, read by the wire and judged by the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import pytest
from google.protobuf.message import Message

from croupier.v1 import catalog_service_pb2 as pb
from croupier.v1 import game_pb2
from croupier_server.errors import CroupierError
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.games.settings import new_options
from croupier_server.rpc.catalog_service import CatalogService
from croupier_server.rpc.pages import PageTokens
from croupier_server.rpc.validate import Requests
from croupier_server.tables.caller import Caller

Value = bool | int | list[int] | None
"""What a field of the options message holds; None: an empty message."""

READ = Requests(bytes_max=1 << 20).reader(game_pb2.GameOptions)


def catalog(name: str) -> dict[str, pb.OptionInfo]:
    """The options of the game's first ruleset, by name."""
    service = CatalogService(PageTokens(b"key of the test"))
    request = pb.GetRulesetRequest(game=WIRES_BY_NAME[name].kind)  # type: ignore[arg-type]
    try:
        service.get_ruleset(Caller(), request).send(None)
    except StopIteration as end:
        answer: pb.GetRulesetResponse = end.value
        return {option.name: option for option in answer.options}
    raise AssertionError("it would have waited")


OPTIONS = {name: catalog(name) for name in GAMES}
EVERY = [
    pytest.param(name, option, id=f"{name}-{option.name}")
    for name, options in OPTIONS.items()
    for option in options.values()
]


def lists(option: pb.OptionInfo) -> tuple[list[list[int]], list[list[int]]]:
    """Lists of numbers that may be put in, and some that may not."""
    if option.HasField("set"):
        numbers = [value.number for value in option.set.values]
        alone = [value.number for value in option.set.values if value.text in option.set.alone]
        free = [number for number in numbers if number not in alone]
        good = [[], free, *[[number] for number in numbers]]
        bad = [[one, one] for one in numbers]
        bad += [[one, two] for one, two in combinations(numbers, 2) if {one, two} & set(alone)]
        return good, [*bad, [max(numbers) + 1]]
    bounds = option.levels
    numbers = [value.number for value in bounds.levels]
    some = numbers if bounds.distinct else numbers[:1] * bounds.max_items
    good = [[number] for number in numbers] + [some[: bounds.max_items], some[: bounds.min_items]]
    bad = [[max(numbers) + 1], [*some, numbers[0]][: bounds.max_items + 1]]
    if bounds.distinct:
        bad += [[number, number] for number in numbers]
    if bounds.min_items:
        bad.append(some[: bounds.min_items - 1])
    return good, bad


def values(option: pb.OptionInfo) -> tuple[list[Value], list[Value]]:
    """Every value that may be put in, or of a number its bounds; and some beyond."""
    match option.WhichOneof("type"):
        case "boolean":
            return [True, False], []
        case "choice":
            numbers = [value.number for value in option.choice.values]
            below = [min(numbers) - 1] if min(numbers) > 1 else []  # 0 is a field that is not set
            return [*numbers], [max(numbers) + 1, *below]
        case "number":
            bounds = option.number
            good: list[Value] = [bounds.min, bounds.max]
            if bounds.word:
                good.append(0 if bounds.min else None)
            below = [bounds.min - 1] if bounds.min > bool(bounds.word) else []  # 0 is the word
            return good, [bounds.max + 1, *below]
        case _:
            good_lists, bad_lists = lists(option)
            return [*good_lists], [*bad_lists]


def every(option: pb.OptionInfo) -> list[Value]:
    """Every value that may be put in, also of a number where there are few."""
    bounds = option.number
    if not option.HasField("number"):
        return values(option)[0]
    assert bounds.max - bounds.min < 100, "an option depends on one with too many values"
    return [*range(bounds.min, bounds.max + 1), *([0 if bounds.min else None])]


def contexts(name: str, option: pb.OptionInfo) -> Iterator[dict[str, Value]]:
    """Other options with which any value must be accepted: those that narrow it, or are needed."""
    options = OPTIONS[name]
    base: dict[str, Value] = {}
    if option.HasField("needs"):
        other = options[option.needs.option]
        by_text: dict[str, Value] = {value.text: value.number for value in other.choice.values}
        if other.HasField("boolean"):
            by_text = {"true": True, "false": False}
        base[other.name] = by_text[option.needs.value]
    names = list(option.depends_on)
    for some in product(*(every(options[one]) for one in names)):
        yield base | dict(zip(names, some, strict=True))


def is_accepted(name: str, sent: Mapping[str, Value]) -> bool:
    """Whether a table can have these options."""
    message = game_pb2.GameOptions()
    inside = getattr(message, name)
    inside.SetInParent()
    for field, value in sent.items():
        holder = getattr(inside, field)
        if isinstance(holder, Message):
            holder.SetInParent()
            inner = holder.DESCRIPTOR.fields[0].name
            if isinstance(value, list):
                getattr(holder, inner).extend(value)
            elif value is not None:
                setattr(holder, inner, value)
        else:
            setattr(inside, field, value)
    game, wire = GAMES[name], WIRES_BY_NAME[name]
    try:
        read = READ(message.SerializeToString())
        new_options(game, game.rulesets()[0], wire.options_overrides(read))
    except CroupierError:
        return False
    return True


@pytest.mark.parametrize(("name", "option"), EVERY)
def test_every_value_of_the_catalogue_is_accepted(name: str, option: pb.OptionInfo) -> None:
    for value in values(option)[0]:
        assert any(
            is_accepted(name, context | {option.name: value}) for context in contexts(name, option)
        ), value


@pytest.mark.parametrize(("name", "option"), EVERY)
def test_a_value_beyond_the_catalogue_is_refused(name: str, option: pb.OptionInfo) -> None:
    for value in values(option)[1]:
        for context in contexts(name, option):
            assert is_accepted(name, context) or option.depends_on
            assert not is_accepted(name, context | {option.name: value}), value


@pytest.mark.parametrize(("name", "option"), EVERY)
def test_what_needs_another_option_is_refused_without_it(name: str, option: pb.OptionInfo) -> None:
    if not option.HasField("needs"):
        return
    other = OPTIONS[name][option.needs.option]
    others: list[Value] = [
        one.number for one in other.choice.values if one.text != option.needs.value
    ]
    if other.HasField("boolean"):
        others = [option.needs.value != "true"]
    listed = [*option.choice.values, *option.set.values]
    numbers = {value.text: value.number for value in listed}
    for text in option.needs.values:
        mine: Value = text == "true" if option.HasField("boolean") else numbers[text]
        for without in others:
            sent = [numbers[text]] if option.HasField("set") else mine
            assert not is_accepted(name, {option.name: sent, other.name: without})


@pytest.mark.parametrize("name", GAMES)
def test_every_option_has_a_type_and_a_default_that_it_allows(name: str) -> None:
    for option in OPTIONS[name].values():
        assert option.WhichOneof("type"), option.name
        assert set(option.depends_on) <= set(OPTIONS[name]), option.name
    assert is_accepted(name, {})
