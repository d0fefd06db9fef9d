"""Options of Tractor that are not a word of a list: levels, and numbers that have a word."""

from __future__ import annotations

import pytest

from croupier.v1 import cards_pb2, game_pb2, tractor_pb2
from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from tests.wire import playouts

GAME = GAMES["tractor"]
WIRE = WIRES_BY_NAME["tractor"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kitty_size", "auto"),
        ("kitty_size", "12"),
        ("max_deals", "none"),
        ("max_deals", "1"),
        ("mandatory_levels", "none"),
        ("mandatory_levels", "5,T,K,A"),
        ("starter", "none"),
        ("starter", "0"),
        ("starter", "3"),
        ("packs", "3"),
    ],
)
def test_numbers_and_levels_have_their_words(name: str, text: str) -> None:
    overrides = {name: text} if name != "packs" else {"packs": text, "players": "6"}
    options = playouts.options(GAME, "standard", **overrides)
    assert WIRE.options_overrides(WIRE.options_message(options))[name] == text


def test_two_start_levels_with_a_starter() -> None:
    options = playouts.options(GAME, "standard", starter="1", start_levels="5,3")
    message = WIRE.options_message(options)
    assert list(message.tractor.start_levels.ranks) == [cards_pb2.RANK_FIVE, cards_pb2.RANK_THREE]
    assert GAME.options("document", WIRE.options_overrides(message)) == options


def test_false_is_a_value() -> None:
    message = game_pb2.GameOptions(tractor=tractor_pb2.TractorOptions(self_override=False))
    assert WIRE.options_overrides(message) == {"self_override": "false"}


def test_a_level_cap_that_its_enum_does_not_have() -> None:
    options = tractor_pb2.TractorOptions(level_cap=2)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest) as caught:
        WIRE.options_overrides(game_pb2.GameOptions(tractor=options))
    assert caught.value.reason is Reason.INVALID_OPTION
    assert caught.value.field == "options.tractor.level_cap"


def test_start_levels_cannot_be_empty() -> None:
    levels = tractor_pb2.TractorOptions(start_levels=tractor_pb2.TractorLevels())
    message = game_pb2.GameOptions(tractor=levels)
    with pytest.raises(InvalidRequest) as caught:
        playouts.options(GAME, "standard", **WIRE.options_overrides(message))
    assert caught.value.field == "options.start_levels"
