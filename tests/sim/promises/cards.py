"""Which cards a message of the contract names, and in which lists, whatever message it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from croupier.v1 import cards_pb2

_CARD: Final[str] = cards_pb2.Card.DESCRIPTOR.full_name


class _Fields(NamedTuple):
    """Fields of a message: single cards, lists of cards, and messages with cards in them."""

    cards: tuple[str, ...]
    lists: tuple[str, ...]
    messages: tuple[tuple[str, bool], ...]


@cache
def _holds_cards(descriptor: Descriptor, path: frozenset[str] = frozenset()) -> bool:
    if descriptor.full_name in path:
        return False
    inner = path | {descriptor.full_name}
    return any(
        _is_card(field)
        or (field.message_type is not None and _holds_cards(field.message_type, inner))
        for field in descriptor.fields
    )


@cache
def _fields(descriptor: Descriptor) -> _Fields:
    cards: list[str] = []
    lists: list[str] = []
    messages: list[tuple[str, bool]] = []
    for field in descriptor.fields:
        if _is_card(field):
            (lists if field.is_repeated else cards).append(field.name)
        elif field.message_type is not None and _holds_cards(field.message_type):
            messages.append((field.name, field.is_repeated))
    return _Fields(tuple(cards), tuple(lists), tuple(messages))


def _is_card(field: FieldDescriptor) -> bool:
    return field.enum_type is not None and field.enum_type.full_name == _CARD


def cards_in(message: Message) -> Iterator[int]:
    """Every card that *message* names, repeats included."""
    fields = _fields(message.DESCRIPTOR)
    found: Any = message
    for name in fields.cards:
        if card := getattr(found, name):
            yield card
    for name in fields.lists:
        yield from getattr(found, name)
    for name, is_repeated in fields.messages:
        if is_repeated:
            for one in getattr(found, name):
                yield from cards_in(one)
        elif message.HasField(name):
            yield from cards_in(getattr(found, name))


def leaves(message: Message) -> Iterator[bytes]:
    """Each field of *message* that is no message itself, as bytes: of a list of numbers the last
    byte of each, as cards are written."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else (value,):
                yield from leaves(one)
        else:
            found = value if field.is_repeated else (value,)
            if isinstance(found[0], int):
                yield bytes(number & 0xFF for number in found)
            else:
                yield from (one.encode() if isinstance(one, str) else one for one in found)
