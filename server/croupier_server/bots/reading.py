"""What the readers of all games share: options, cards and optional numbers of messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier.moves import Move as SdkMove
from croupier.option_texts import option_texts
from croupier.v1 import game_pb2
from croupier_server.games import registry
from croupier_server.games.base import Move, Number, OptionType, Seat
from croupier_server.games.cards import Cards


class Reader(Protocol):
    """Messages of one game as values of its rules, and back."""

    def read_view(self, message: Any, options: Any) -> Any:
        """The view that *message*, the game's own, tells at a table with these *options*."""
        ...

    def read_move(self, message: game_pb2.Move) -> Move:
        """The code of a move."""
        ...

    def write_move(self, move: Move) -> SdkMove:
        """The move of a code."""
        ...


def read_options(name: str, message: game_pb2.GameOptions) -> Any:
    """The options of a table of the game *name*, all of which *message* tells.

    Raises:
        InvalidRequest: they are none that the game can have.
    """
    game = registry.find(name)
    ruleset = game.rulesets()[0]
    types = {spec.name: spec.type for spec in game.option_specs()}
    fields: Message = getattr(message, name)
    texts = {
        field.name: _text(field, value, types[field.name]) for field, value in fields.ListFields()
    }
    return game.options(ruleset, texts)


def _text(field: FieldDescriptor, value: Any, type_: OptionType) -> str:
    """The text of an option that is set: a word, a number, a truth, or a list of words."""
    if field.message_type is not None:
        inner = field.message_type.fields[0]
        if inner.enum_type is None:
            return str(getattr(value, inner.name)) if value.HasField(inner.name) else "none"
        words = [option_texts(inner.enum_type)[number] for number in getattr(value, inner.name)]
        return ",".join(words) or "none"
    if field.enum_type is not None:
        return option_texts(field.enum_type)[value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(type_, Number) and type_.word and value < type_.least:
        return type_.word
    return str(value)


def packed(cards: Iterable[int]) -> Cards:
    """*cards* in packed counts."""
    found = 0
    for card in cards:
        found += 1 << 4 * card
    return found


def seat_of(message: Message, field: str) -> Seat:
    """The seat or side in an optional *field*, or -1 if it is not set."""
    value: int = getattr(message, field)
    return value if message.HasField(field) else -1
