"""A pattern is filled in without a word about any game, and what comes out is legal.

`fill` is what the section "Any legal move" of ``docs/protocol.md`` says, read from the descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any, TypeAlias, cast

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier import LegalMoves
from croupier.arms import game_of
from croupier.v1 import cards_pb2, game_pb2
from croupier_server.games.base import AnyGame
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import find
from croupier_server.wire.moves import LegalMode
from tests.conformance.playouts import steps
from tests.conformance.subjects import CASES, NAMES, random_texts, short

Arm: TypeAlias = Any
"""A descriptor; the stubs have two classes of them."""

ARMS: dict[str, Arm] = {
    arm.message_type.name: arm.message_type
    for game in cast("Arm", game_pb2.Move.DESCRIPTOR).oneofs_by_name["game"].fields
    for arm in game.message_type.oneofs_by_name["move"].fields
}
"""Every message that says what a move does, such as ``TractorPlay``."""

_NUMBERS = (
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
)


def card_lists(arm: Arm) -> list[str]:
    """The repeated ``Card`` fields of an arm."""
    cards = cards_pb2.Card.DESCRIPTOR
    return [one.name for one in arm.fields if one.enum_type is cards and one.is_repeated]


def numbers(arm: Arm) -> list[str]:
    """The number fields of an arm."""
    return [one.name for one in arm.fields if one.cpp_type in _NUMBERS]


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_has_one_place_for_cards_and_one_for_a_number_at_most(name: str) -> None:
    arm = ARMS[name]
    assert len(card_lists(arm)) <= 1
    assert len(numbers(arm)) <= 1
    others = {one.name for one in arm.fields if one.is_repeated} - set(card_lists(arm))
    assert not others, "nothing but cards is repeated in a move"


def arm_of(move: game_pb2.Move) -> Message:
    """The part of *move* that says what it does."""
    game = getattr(move, move.WhichOneof("game") or "")
    arm: Message = getattr(game, game.WhichOneof("move"))
    return arm


def fill(pattern: game_pb2.MovePattern, rng: Random) -> game_pb2.Move:
    """A member of *pattern* at random."""
    move = game_pb2.Move()
    move.CopyFrom(pattern.template)
    arm = arm_of(move)
    if pattern.HasField("cards"):
        choice = pattern.cards
        chosen = rng.sample(list(choice.pool), rng.randint(choice.min, choice.max))
        if chosen:
            (field,) = card_lists(arm.DESCRIPTOR)
            getattr(arm, field).extend(chosen)
    else:
        (field,) = numbers(arm.DESCRIPTOR)
        span = pattern.number
        setattr(arm, field, rng.choice(range(span.min, span.max + 1, span.step)))
    return move


def answers(
    game: AnyGame, options: object, seed: int
) -> Iterator[tuple[object, int, game_pb2.LegalMoves]]:
    """State, seat and answer of each decision in a match that has patterns."""
    wire = WIRES_BY_NAME[game.name]
    for step in steps(game, options, seed):
        for seat in game.to_act(step.state):
            legal = game.legal_moves(step.state, seat)
            if legal.patterns:
                data = wire.legal_bytes(legal, LegalMode.FULL)
                yield step.state, seat, game_pb2.LegalMoves.FromString(data)


@pytest.mark.parametrize(("name", "ruleset"), CASES)
def test_a_template_filled_at_random_is_legal(name: str, ruleset: str) -> None:
    game = find(name)
    for seed in range(4):
        assert_templates(game, short(game, ruleset), seed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_a_template_filled_at_random_is_legal_with_any_options(name: str, seed: int) -> None:
    game = find(name)
    texts = random_texts(game, Random(seed))
    assert_templates(game, short(game, game.rulesets()[0], 1, texts), seed)


def assert_templates(game: AnyGame, options: object, seed: int) -> None:
    """Some patterns of each answer in a match, filled in here and by the SDK."""
    wire, rng = WIRES_BY_NAME[game.name], Random(seed)
    for state, seat, answer in islice(answers(game, options, seed), 60):
        legal = LegalMoves(answer)
        for pattern in rng.sample(list(answer.patterns), min(5, len(answer.patterns))):
            assert pattern.WhichOneof("choice")
            move = fill(pattern, rng)
            game.check(state, seat, wire.move_code(move))
            assert game_of(move).move(move) in legal
        game.check(state, seat, wire.move_code(legal.sample(rng).message))
