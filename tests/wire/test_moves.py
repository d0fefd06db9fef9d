"""Moves of every game from messages: whatever the bytes, a move or a refusal with a path, by the
limits of the contract's annotations. Messages are made from the descriptors.
"""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import Card
from croupier.v1 import cards_pb2, game_pb2, pokex_pb2, table_pb2, tongits_pb2, tractor_pb2
from croupier_server.errors import CroupierError, IllegalMove, MalformedMove, Reason
from croupier_server.games.cards import parse
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.pokex import moves as pokex_moves
from croupier_server.games.pokex import state as pokex_state
from croupier_server.games.pokex.pokerhands import PokexCategory
from croupier_server.games.registry import GAMES
from croupier_server.games.tongits import events as tongits_events
from croupier_server.games.tongits import moves as tongits_moves
from croupier_server.games.tongits import state as tongits_state
from croupier_server.games.tractor import moves as tractor_moves
from croupier_server.games.tractor import state as tractor_state
from croupier_server.wire.moves import LegalMode

# Numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "prefix", "theirs"),
    [
        (tractor_moves.TractorMoveKind, "TRACTOR_MOVE_KIND_", tractor_pb2.TractorMoveKind),
        (
            tractor_moves.TractorDecisionKind,
            "TRACTOR_DECISION_KIND_",
            tractor_pb2.TractorDecisionKind,
        ),
        (tractor_state.Phase, "TRACTOR_PHASE_", tractor_pb2.TractorPhase),
        (tongits_moves.TongitsMoveKind, "TONGITS_MOVE_KIND_", tongits_pb2.TongitsMoveKind),
        (
            tongits_moves.TongitsDecisionKind,
            "TONGITS_DECISION_KIND_",
            tongits_pb2.TongitsDecisionKind,
        ),
        (tongits_state.Phase, "TONGITS_PHASE_", tongits_pb2.TongitsPhase),
        (tongits_events.Ending, "TONGITS_ENDING_", tongits_pb2.TongitsEnding),
        (pokex_moves.PokexMoveKind, "POKEX_MOVE_KIND_", pokex_pb2.PokexMoveKind),
        (pokex_moves.PokexDecisionKind, "POKEX_DECISION_KIND_", pokex_pb2.PokexDecisionKind),
        (pokex_state.Phase, "POKEX_PHASE_", pokex_pb2.PokexPhase),
        (PokexCategory, "POKEX_CATEGORY_", pokex_pb2.PokexCategory),
        (LegalMode, "LEGAL_MODE_", table_pb2.LegalMode),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_numbers_of_the_server_are_those_of_the_contract(
    ours: Any, prefix: str, theirs: Any
) -> None:
    wanted = {name: number for name, number in theirs.items() if number}
    assert {f"{prefix}{one.name}": int(one) for one in ours} == wanted


def test_cards_have_the_numbers_of_the_contract() -> None:
    for number in list(cards_pb2.Card.values())[1:]:
        assert parse(Card(number).text) == 1 << 4 * number


# Any messages ------------------------------------------------------------------------------------

CARDS = st.integers(1, 54)
NUMBERS = st.one_of(CARDS, st.integers(-3, 60), st.integers(-(2**31), 2**31 - 1))
COUNTS = st.one_of(st.integers(0, 8), st.integers(0, 610), st.integers(0, 2**32 - 1))
LISTS = st.one_of(
    st.lists(NUMBERS, max_size=9),
    st.lists(CARDS, max_size=20),
    st.lists(CARDS, max_size=220),
    st.tuples(CARDS, st.integers(0, 210)).map(lambda pair: [pair[0]] * pair[1]),
)


def move_of(name: str) -> Descriptor:
    """The descriptor of the game's move."""
    found = game_pb2.Move.DESCRIPTOR.fields_by_name[name].message_type
    assert found is not None
    return found


def fill(draw: st.DrawFn, message: Any, field: FieldDescriptor) -> None:
    """Put something into a field, or leave it."""
    if field.is_repeated:
        getattr(message, field.name).extend(draw(LISTS))
    elif draw(st.booleans()):
        values = COUNTS if field.enum_type is None else NUMBERS
        setattr(message, field.name, draw(values))


@st.composite
def any_move(draw: st.DrawFn) -> game_pb2.Move:
    """Any message of any game: every arm, empty ones, and numbers that no enum has."""
    message = game_pb2.Move()
    name = draw(st.sampled_from(["", *GAMES]))
    if not name:
        return message
    move = getattr(message, name)
    move.SetInParent()
    arm = draw(st.sampled_from([None, *move_of(name).fields]))
    if arm is not None:
        inner = getattr(move, arm.name)
        inner.SetInParent()
        for field in inner.DESCRIPTOR.fields:
            fill(draw, inner, field)
    return message


def read(message: game_pb2.Move, name: str) -> CroupierError | int:
    """What the game called *name* makes of *message*."""
    try:
        return WIRES_BY_NAME[name].move_code(message)
    except (IllegalMove, MalformedMove) as error:
        assert error.field.startswith("move.")  # noqa: PT017
        assert error.message  # noqa: PT017
        return error


def check_comes_back(message: game_pb2.Move, name: str, code: int) -> None:
    """The move says again what *message* said, up to the order of cards."""
    wire = WIRES_BY_NAME[name]
    again = wire.move_message(code)
    assert wire.move_code(again) == code
    wanted = game_pb2.Move()
    wanted.CopyFrom(message)
    move = getattr(wanted, name)
    inner = getattr(move, move.WhichOneof("move"))
    for field, value in inner.ListFields():
        if field.is_repeated:
            cards = sorted(value)
            inner.ClearField(field.name)
            getattr(inner, field.name).extend(cards)
    assert again == wanted


@given(message=any_move(), name=st.sampled_from(list(GAMES)))
def test_any_message_is_a_move_or_malformed(message: game_pb2.Move, name: str) -> None:
    code = read(message, name)
    arm = message.WhichOneof("game")
    if isinstance(code, int):
        assert arm == name
        check_comes_back(message, name, code)
        GAMES[name].move_text(code)
    elif arm != name:
        assert code.field == ("move.game" if arm is None else f"move.{arm}")


@given(data=st.binary(max_size=60), arm=st.sampled_from([b"", b"\x0a", b"\x12", b"\x1a"]))
def test_any_bytes_are_a_move_or_malformed(data: bytes, arm: bytes) -> None:
    try:
        message = game_pb2.Move.FromString(arm + bytes([len(data)]) + data if arm else data)
    except DecodeError:
        return
    for name, wire in WIRES_BY_NAME.items():
        code = read(message, name)
        if isinstance(code, int):
            assert wire.move_code(wire.move_message(code)) == code


@pytest.mark.parametrize("name", GAMES)
def test_an_empty_move(name: str) -> None:
    no_kind = game_pb2.Move()
    getattr(no_kind, name).SetInParent()
    for message, field in ((game_pb2.Move(), "move.game"), (no_kind, f"move.{name}.move")):
        error = read(message, name)
        assert isinstance(error, MalformedMove)
        assert error.reason is Reason.MALFORMED_MOVE
        assert error.field == field
