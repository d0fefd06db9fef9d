"""What `search` reads from messages: views, moves and options are those of the rules, exactly."""

from __future__ import annotations

import random
from typing import Any

import pytest

from croupier.games import GAMES as SDK_GAMES
from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, Seat, Turn
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from tests.conformance.playouts import apply_entry, make_entry, words

SHORT = {"tractor": {"max_deals": "2"}, "tongits": {"max_hands": "3"}, "pokex": {"max_deals": "3"}}
"""Options that keep a match short."""
MORE: dict[str, list[dict[str, str]]] = {
    "tractor": [{"starter": "2", "first_starter": "first_declarer", "start_levels": "5,7"}],
    "tongits": [
        {
            "discard_take": "meld_or_layoff_any",
            "draw_block_discard_taken": "true",
            "draw_block_scope": "whole_hand",
        }
    ],
    "pokex": [{"center": "leader_picks", "tied_trick": "carry", "all_pass": "redeal"}],
}
"""Options besides the rulesets, in which more of a view is used."""


def tables() -> list[tuple[str, str, dict[str, str]]]:
    found = []
    for name, game in GAMES.items():
        found += [(name, ruleset, SHORT[name]) for ruleset in game.rulesets()]
        found += [(name, game.rulesets()[0], SHORT[name] | more) for more in MORE[name]]
    return found


@pytest.fixture(params=tables(), ids=lambda table: "-".join((table[0], table[1], *table[2])))
def table(request: pytest.FixtureRequest) -> tuple[AnyGame, Any]:
    name, ruleset, overrides = request.param
    return GAMES[name], GAMES[name].options(ruleset, overrides)


def decisions(game: AnyGame, options: object, seed: int) -> Any:
    """Every state of a match at random in which somebody is asked, with the seats that are."""
    rng, draw = random.Random(seed), words(seed)
    state = game.new(options)
    while game.turn(state) is not Turn.OVER:
        if game.turn(state) is not Turn.CHANCE:
            yield state, game.to_act(state)
        apply_entry(game, state, make_entry(game, state, rng, draw))


def seen(game: AnyGame, state: object, seat: Seat, options: object) -> Any:
    """What *seat* is told, read back."""
    wire = WIRES_BY_NAME[game.name]
    message = game_pb2.SeatView.FromString(wire.views().seat(state, seat))
    return wire.read_view(getattr(message, game.name), options)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_view_is_read_exactly(table: tuple[AnyGame, Any], seed: int) -> None:
    game, options = table
    for state, seats in decisions(game, options, seed):
        for seat in seats:
            view = game.view(state, seat)
            read = seen(game, state, seat, options)
            if game.name == "tractor" and view.buried:
                view = view._replace(taken=0)  # not told any more
            assert read == view


def test_a_world_of_a_view_that_was_read_asks_the_same(table: tuple[AnyGame, Any]) -> None:
    game, options = table
    draw = words(7)
    for number, (state, seats) in enumerate(decisions(game, options, 3)):
        if number % 3:
            continue
        for seat in seats:
            world = game.worlds(seen(game, state, seat, options), draw)
            real, dealt = game.legal_moves(state, seat), game.legal_moves(world, seat)
            assert list(dealt.moves) == list(real.moves)
            assert list(dealt.kinds) == list(real.kinds)
            assert list(dealt.patterns) == list(real.patterns)
            assert game.decision_kind(world, seat) == game.decision_kind(state, seat)


def test_moves_are_read_and_written(table: tuple[AnyGame, Any]) -> None:
    game, options = table
    wire = WIRES_BY_NAME[game.name]
    draw = words(11)
    for state, seats in decisions(game, options, 4):
        for seat in seats:
            legal = game.legal_moves(state, seat)
            for move in {*legal.moves, game.sample(legal, draw)}:
                message = wire.move_message(move)
                assert wire.move_code(message) == move
                assert str(SDK_GAMES[game.name].move(message)) == game.move_text(move)


def test_options_are_read_from_their_message(table: tuple[AnyGame, Any]) -> None:
    game, options = table
    wire = WIRES_BY_NAME[game.name]
    texts = wire.options_overrides(wire.options_message(options))
    assert game.options(game.rulesets()[0], texts) == options
