"""Each value of the rules goes into the right field: bytes against messages built field by field.

Driven by the registries: a game without messages, or without a readable version, fails here.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from google.protobuf.message import Message

from croupier.v1 import game_pb2
from croupier_server.games.base import Event, Legal, Seat
from croupier_server.games.modules import WIRES, WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from croupier_server.wire.game import GameWire
from croupier_server.wire.moves import LegalMode
from croupier_server.wire.views import Views
from tests.wire import playouts
from tests.wire.oracle import Oracle
from tests.wire.oracles import ORACLES

RULESETS = [(name, ruleset) for name, game in GAMES.items() for ruleset in game.rulesets()]
PLAYERS_SLOW = 4
"""At larger tables the readable version takes long."""


def assert_is(data: bytes, wanted: Message) -> None:
    """Check that *data* is *wanted*, serialised."""
    assert type(wanted).FromString(data) == wanted  # which tells the fields that differ
    assert data == wanted.SerializeToString(deterministic=True)


def check_events(wire: GameWire, oracle: Oracle, events: list[Event]) -> None:
    for event in events:
        public, private = wire.event_bytes(event)
        assert_is(public, oracle.game_event(event))
        assert list(private) == list(event.private)
        for seat, part in private.items():
            assert_is(part, oracle.private_event(event, seat))


def check_legal(wire: GameWire, oracle: Oracle, legal: Legal) -> None:
    assert_is(wire.legal_bytes(legal, LegalMode.FULL), oracle.legal_moves(legal))
    for move in legal.moves:
        assert_is(wire.move_bytes(move), oracle.move(move))


def check_views(views: Views[Any, Any], oracle: Oracle, state: Any, seats: Iterable[Seat]) -> None:
    assert_is(views.public(state), oracle.public_view(state))
    for seat in seats:
        assert_is(views.seat(state, seat), oracle.seat_view(state, seat))


def check_results(wire: GameWire, oracle: Oracle, results: Iterable[object]) -> None:
    for result in results:
        assert_is(wire.deal_result_bytes(result), oracle.deal_result(result))


def check_match(name: str, options: object, rng: random.Random, deals: int) -> int:
    """Compare everything of a random match; the number of moves compared."""
    game, wire, oracle = GAMES[name], WIRES_BY_NAME[name], ORACLES[name]
    players = game.players(options)
    views = wire.views()
    compared = 0
    state: Any = None
    for number, step in enumerate(playouts.play(game, options, rng, deals)):
        check_events(wire, oracle, step.events)
        if players <= PLAYERS_SLOW or number % 4 == 0:
            check_views(views, oracle, step.state, [rng.randrange(players)])
        for legal in step.asked.values():
            check_legal(wire, oracle, legal)
        compared += len(step.answers)
        state = step.state
    results = game.results(state)
    assert len(results) == playouts.deals_of(state)
    check_results(wire, oracle, results)
    return compared


def test_every_game_has_a_readable_version() -> None:
    assert set(ORACLES) == set(GAMES)
    for wire in WIRES.values():
        assert game_pb2.GameKind.Name(wire.kind) == f"GAME_KIND_{wire.name.upper()}"  # type: ignore[arg-type]


@pytest.mark.more
@pytest.mark.parametrize(("name", "ruleset"), RULESETS)
def test_every_ruleset(name: str, ruleset: str) -> None:
    options = playouts.options(GAMES[name], ruleset)
    assert check_match(name, options, random.Random(ruleset), deals=3) > 20


@pytest.mark.more
@pytest.mark.parametrize(("players", "packs"), playouts.TRACTOR_SIZES)
def test_every_size(players: str, packs: str) -> None:
    options = playouts.options(GAMES["tractor"], "standard", players=players, packs=packs)
    assert check_match("tractor", options, random.Random(int(players)), deals=1) > 20


@pytest.mark.more
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", GAMES)
def test_any_options(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    assert check_match(name, playouts.random_options(GAMES[name], rng), rng, deals=2) > 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
@pytest.mark.parametrize("name", GAMES)
def test_any_options_at_length(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    assert check_match(name, playouts.random_options(GAMES[name], rng), rng, deals=6) > 2


@pytest.mark.parametrize("name", GAMES)
def test_states_in_any_order_through_one_encoder(name: str) -> None:
    """What is kept between two calls never shows: of two matches, several deals and all seats,
    forwards, backwards and at random."""
    game, wire = GAMES[name], WIRES_BY_NAME[name]
    rng = random.Random(name)
    moments: list[tuple[Any, Seat]] = []
    for _ in range(2):
        options = playouts.random_options(game, rng)
        for step in playouts.play(game, options, rng, deals=3):
            if rng.random() < 0.5:
                moments.append((game.copy(step.state), rng.randrange(game.players(options))))
    fresh = [
        (wire.views().public(state), wire.views().seat(state, seat)) for state, seat in moments
    ]
    numbers = list(range(len(moments)))
    views = wire.views()
    for order in (numbers, numbers[::-1], rng.sample(numbers, len(numbers))):
        for number in order:
            state, seat = moments[number]
            assert (views.public(state), views.seat(state, seat)) == fresh[number]
