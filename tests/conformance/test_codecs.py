"""Bytes and texts of every game say exactly what its values say, and are read back as the same.

Driven by the registries: a registered game without messages fails here. That hand-written bytes
are those of the message classes, field by field, is shown in ``tests/wire``.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any, TypeAlias, TypeVar

import pytest
from google.protobuf.message import Message

from croupier.v1 import game_pb2
from croupier_server.games.base import AnyGame, Event, Move, Seat
from croupier_server.games.modules import WIRES, WIRES_BY_NAME
from croupier_server.games.registry import GAMES, find
from croupier_server.wire.game import GameWire
from croupier_server.wire.moves import LegalMode
from croupier_server.wire.views import Views
from tests.conformance.playouts import apply_entry, steps
from tests.conformance.subjects import (
    CASES,
    NAMES,
    hook_of,
    random_texts,
    samples,
    short,
    sizes,
    tables,
    wire_of,
)

M = TypeVar("M", bound=Message)

Descriptor: TypeAlias = Any
"""Of either implementation of the library, whose types have no name in common."""


def test_every_game_has_messages() -> None:
    """Both registries and the contract hold the same games."""
    assert set(WIRES_BY_NAME) == set(GAMES)
    assert {wire.kind for wire in WIRES_BY_NAME.values()} == set(WIRES)
    assert set(WIRES) == set(game_pb2.GameKind.values()) - {game_pb2.GAME_KIND_UNSPECIFIED}


def exactly(message: type[M], data: bytes, name: str) -> M:
    """*data* as a message of the game called *name*, canonical and without a field that it does
    not know."""
    found = message.FromString(data)
    assert found.WhichOneof("game") == name
    known = message()
    known.CopyFrom(found)
    known.DiscardUnknownFields()
    assert known.SerializeToString(deterministic=True) == data
    return found


class Reader:
    """Reads all bytes of a match, and holds against each other what was written in two ways."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.wire: GameWire = wire_of(game)
        self.views: Views[Any, Any] = self.wire.views()
        self.by_bytes: dict[bytes, object] = {}

    def events(self, events: list[Event]) -> None:
        """Canonical; a private part for whom there is one; different events, different bytes."""
        for event in events:
            public, private = self.wire.event_bytes(event)
            exactly(game_pb2.GameEvent, public, self.game.name)
            assert list(private) == list(event.private)
            self.tells_apart(b"event " + public, event.public)
            for seat, part in private.items():
                exactly(game_pb2.GamePrivateEvent, part, self.game.name)
                self.tells_apart(b"part " + part, event.private[seat])

    def tells_apart(self, data: bytes, value: object) -> None:
        """Nothing was dropped on the way."""
        known = self.by_bytes.setdefault(data, value)
        assert known == value, "the same bytes say two things"

    def view(self, state: object, seat: Seat) -> None:
        """What a table keeps between two calls never shows."""
        public, own = self.views.public(state), self.views.seat(state, seat)
        fresh = self.wire.views()
        assert (fresh.public(state), fresh.seat(state, seat)) == (public, own)
        exactly(game_pb2.PublicView, public, self.game.name)
        exactly(game_pb2.SeatView, own, self.game.name)

    def decision(self, state: object, seat: Seat) -> None:
        """The answer in every mode; all of its moves, and as many members of its patterns."""
        kind = self.game.decision_kind(state, seat)
        exactly(game_pb2.DecisionKind, self.wire.decision_kinds[kind], self.game.name)
        legal = self.game.legal_moves(state, seat)
        for mode in LegalMode:
            data = self.wire.legal_bytes(legal, mode)
            message = game_pb2.LegalMoves.FromString(data)
            assert message.SerializeToString(deterministic=True) == data
            if mode is LegalMode.FULL:
                assert len(message.moves) == len(legal.moves)
                assert message.truncated or len(message.patterns) == len(legal.patterns)
                listed = [self.wire.move_code(each.move) for each in message.moves]
                assert listed == list(legal.moves)
        for move, kind in zip(legal.moves, legal.kinds, strict=True):
            data = self.wire.legal_move_bytes(move, kind)
            message_of_one = game_pb2.LegalMove.FromString(data)
            assert message_of_one.SerializeToString(deterministic=True) == data
            assert message_of_one.kind.WhichOneof("game") == self.game.name
        for move in islice(self.game.members(legal), 100):
            self.move(move)

    def move(self, move: Move) -> None:
        """Move, bytes and message are three forms of one thing."""
        data = self.wire.move_bytes(move)
        message = exactly(game_pb2.Move, data, self.game.name)
        assert self.wire.move_code(message) == move
        assert self.wire.move_message(move) == message


def read_match(game: AnyGame, options: object, seed: int, every: int = 1) -> None:
    """Encode and read everything of a random match; views and decisions at some of its steps."""
    reader = Reader(game)
    rng = Random(seed)
    for step in steps(game, options, seed, most=500):
        if step.number % every == 0:
            reader.view(step.state, rng.randrange(game.players(options)))
            for seat in game.to_act(step.state):
                reader.decision(step.state, seat)
        reader.events(apply_entry(game, game.copy(step.state), step.entry))


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_bytes_of_a_match(name: str, ruleset: str) -> None:
    game = find(name)
    read_match(game, short(game, ruleset), 1)
    read_match(game, short(game, ruleset, deals=3), 2, every=5)


@pytest.mark.parametrize("name", NAMES)
def test_bytes_of_a_match_of_any_size(name: str) -> None:
    game = find(name)
    for size in sizes(game, game.rulesets()[0]):
        read_match(game, short(game, game.rulesets()[0], 1, size), 3, every=4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_bytes_of_a_match_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    options = short(game, game.rulesets()[0], 2, random_texts(game, Random(seed)))
    read_match(game, options, seed, every=4)


# Options ------------------------------------------------------------------------------------------


def assert_options(game: AnyGame, ruleset: str, overrides: dict[str, str]) -> None:
    """Options as text and as a message say the same, over any ruleset."""
    wire = wire_of(game)
    options = game.options(ruleset, overrides)
    texts = game.option_text(options)
    message = wire.options_message(options)
    assert message.WhichOneof("game") == game.name
    again = game_pb2.GameOptions.FromString(message.SerializeToString(deterministic=True))
    for other in game.rulesets():
        assert game.options(other, texts) == options
    read = game.options(ruleset, wire.options_overrides(again))
    assert read == options
    assert game.option_text(read) == texts


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_options_of_a_ruleset_round_trip(name: str, ruleset: str) -> None:
    assert_options(find(name), ruleset, {})


@pytest.mark.parametrize("name", NAMES)
def test_every_option_value_round_trips(name: str) -> None:
    game = find(name)
    for found in samples(name).values():
        for _, texts in found:
            assert_options(game, game.rulesets()[0], texts)


@pytest.mark.parametrize("name", NAMES)
def test_any_options_round_trip(name: str) -> None:
    game = find(name)
    for seed in range(100):
        assert_options(game, game.rulesets()[-1], random_texts(game, Random(seed)))


# Every field --------------------------------------------------------------------------------------


TABLES = 1000
"""So many tables are played before something counts as never sent."""

SILENCES = (0.1, 0.5, 1.0, 0.9)
"""How talkative the seats of one table after the other are."""


def descriptor_of(message: type[Message], name: str) -> Descriptor:
    """What the game's own message holds, in one of those that every game has."""
    return message.DESCRIPTOR.fields_by_name[name].message_type


def fields_of(descriptor: Descriptor) -> set[str]:
    """Names of all fields of a message and of the messages in it."""
    found: set[str] = set()
    waiting, known = [descriptor], {descriptor.full_name}
    while waiting:
        one = waiting.pop()
        for field in one.fields:
            found.add(f"{one.name}.{field.name}")
            inner = field.message_type
            if inner is not None and inner.full_name not in known:
                known.add(inner.full_name)
                waiting.append(inner)
    return found


class Missing:
    """Fields of the contract that nothing has set yet."""

    def __init__(self, game: AnyGame) -> None:
        self.name = game.name
        self.reach: dict[str, set[str]] = {}
        self.fields: set[str] = set()
        for message in MESSAGES:
            self.fields |= fields_of(descriptor_of(message, game.name))
        self.fields -= hook_of(game.name).never_sent

    def within(self, descriptor: Descriptor) -> bool:
        """Whether one of them may be in such a message."""
        if descriptor.full_name not in self.reach:
            self.reach[descriptor.full_name] = fields_of(descriptor)
        return not self.fields.isdisjoint(self.reach[descriptor.full_name])

    def of(self, message: type[Message]) -> bool:
        """Whether one of them may be in the game's own arm of *message*."""
        return self.within(descriptor_of(message, self.name))

    def read(self, message: Message) -> None:
        """Strike out what *message*, which every game has, says by the game's own."""
        self._strike(getattr(message, self.name))

    def _strike(self, message: Message) -> None:
        if not self.within(message.DESCRIPTOR):
            return
        for field, value in message.ListFields():
            self.fields.discard(f"{message.DESCRIPTOR.name}.{field.name}")
            if field.message_type is not None:
                for inner in value if hasattr(value, "append") else [value]:
                    self._strike(inner)


MESSAGES: tuple[type[Message], ...] = (
    game_pb2.GameOptions,
    game_pb2.Move,
    game_pb2.GameEvent,
    game_pb2.GamePrivateEvent,
    game_pb2.PublicView,
    game_pb2.SeatView,
)


def look_for(missing: Missing, game: AnyGame, options: object, seed: int) -> None:
    """Strike out of *missing* what is sent and read in a random match."""
    wire = wire_of(game)
    views = wire.views()
    missing.read(wire.options_message(options))
    for step in steps(game, options, seed, most=600, silence=SILENCES[seed % len(SILENCES)]):
        for seat, move in step.entry.by_seat().items():
            if missing.of(game_pb2.Move):
                missing.read(wire.move_message(move))
            if missing.of(game_pb2.SeatView):
                missing.read(game_pb2.SeatView.FromString(views.seat(step.state, seat)))
        if missing.of(game_pb2.PublicView):
            missing.read(game_pb2.PublicView.FromString(views.public(step.state)))
        if not missing.of(game_pb2.GameEvent) and not missing.of(game_pb2.GamePrivateEvent):
            continue
        for event in apply_entry(game, game.copy(step.state), step.entry):
            public, private = wire.event_bytes(event)
            missing.read(game_pb2.GameEvent.FromString(public))
            for part in private.values():
                missing.read(game_pb2.GamePrivateEvent.FromString(part))


@pytest.mark.more
@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_the_contract_is_sent(name: str) -> None:
    """A field that no match of any options ever sets is dropped on the way, or of no use."""
    game = find(name)
    missing = Missing(game)
    for seed, options in enumerate(islice(tables(game, deals=2), TABLES)):
        look_for(missing, game, options, seed)
        if not missing.fields:
            return
    assert missing.fields == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_the_contract_occurs(name: str) -> None:
    """Decisions and listed moves of every kind come up in matches."""
    game = find(name)
    enums: dict[str, Descriptor] = {
        message.DESCRIPTOR.name: message.DESCRIPTOR.fields_by_name[name].enum_type
        for message in (game_pb2.DecisionKind, game_pb2.MoveKind)
    }
    missing = {
        (kind, number) for kind, enum in enums.items() for number in enum.values_by_number if number
    }
    for seed, options in enumerate(islice(tables(game), TABLES)):
        silence = SILENCES[seed % len(SILENCES)]
        for step in steps(game, options, seed, most=600, silence=silence):
            for seat in game.to_act(step.state):
                missing.discard(("DecisionKind", game.decision_kind(step.state, seat)))
                legal = game.legal_moves(step.state, seat)
                missing -= {("MoveKind", kind) for kind in legal.kinds}
                missing -= {("MoveKind", pattern.kind) for pattern in legal.patterns}
        if not missing:
            return
    assert missing == set()
