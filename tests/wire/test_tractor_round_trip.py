"""Tractor's bytes are those of its messages: hand-written encodings against the readable ones."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from croupier.v1 import game_pb2
from croupier_server.games.base import Event, Legal, Seat
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import State
from croupier_server.wire.base import GameWire, LegalMode, ViewEncoder
from croupier_server.wire.registry import WIRES_BY_NAME
from tests.wire import playouts

WIRE = WIRES_BY_NAME["tractor"]


def check_events(wire: GameWire, events: list[Event]) -> None:
    for event in events:
        public, private = wire.event_bytes(event)
        wanted = oracle.game_event(event)
        assert game_pb2.GameEvent.FromString(public) == wanted
        assert public == wanted.SerializeToString(deterministic=True)
        assert list(private) == list(event.private)
        for seat, part in private.items():
            own = oracle.private_event(event, seat)
            assert game_pb2.GamePrivateEvent.FromString(part) == own
            assert part == own.SerializeToString(deterministic=True)


def check_legal(wire: GameWire, legal: Legal) -> None:
    found = wire.legal_bytes(legal, LegalMode.FULL)
    wanted = oracle.legal_moves(legal)
    assert game_pb2.LegalMoves.FromString(found) == wanted
    assert found == wanted.SerializeToString(deterministic=True)
    for move in legal.moves:
        message = oracle.move(move)
        assert wire.move_message(move) == message
        assert wire.move_bytes(move) == message.SerializeToString(deterministic=True)
        assert wire.move_code(message) == move


def check_views(views: ViewEncoder, state: State, seats: Iterable[Seat]) -> None:
    public = oracle.public_view(state)
    found = views.public(state)
    assert game_pb2.PublicView.FromString(found) == public
    assert found == public.SerializeToString(deterministic=True)
    for seat in seats:
        own = oracle.seat_view(state, seat)
        found = views.seat(state, seat)
        assert game_pb2.SeatView.FromString(found) == own
        assert found == own.SerializeToString(deterministic=True)


def check_match(options: TractorOptions, rng: random.Random, deals: int) -> int:
    """Compare everything of a random match; the number of moves compared."""
    views = WIRE.views()
    compared = 0
    for number, step in enumerate(playouts.play(options, rng, deals)):
        check_events(WIRE, step.events)
        # The readable version is slow: at large tables every fourth view will do.
        if options.players == 4 or number % 4 == 0:
            check_views(views, step.state, [rng.randrange(options.players)])
        for legal in step.asked.values():
            check_legal(WIRE, legal)
        for move in step.answers.values():
            assert WIRE.move_code(game_pb2.Move.FromString(WIRE.move_bytes(move))) == move
            compared += 1
    return compared


@pytest.mark.parametrize("ruleset", playouts.RULESETS)
def test_every_ruleset(ruleset: str) -> None:
    assert check_match(playouts.options(ruleset), random.Random(ruleset), deals=2) > 150


@pytest.mark.parametrize(("players", "packs"), playouts.SIZES)
def test_every_size(players: str, packs: str) -> None:
    options = playouts.options("standard", players=players, packs=packs)
    assert check_match(options, random.Random(int(players)), deals=1) > 20


@pytest.mark.parametrize("seed", range(5))
def test_any_options(seed: int) -> None:
    rng = random.Random(seed)
    assert check_match(playouts.random_options(rng), rng, deals=1) > 5


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(100, 300))
def test_any_options_at_length(seed: int) -> None:
    rng = random.Random(seed)
    assert check_match(playouts.random_options(rng), rng, deals=3) > 5
