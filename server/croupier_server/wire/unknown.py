"""Fields that a client sent and this server does not know.

Must not be put here: which messages may have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier_server.errors import InvalidRequest, Reason

_LOOKED_AT_MAX: Final = 1_000
_TAG_BYTES_MAX: Final = 5


def drop_unknown(message: Message, data: bytes) -> bool:
    """Take unknown fields out of *message*, which was read from *data*, at any depth; returns
    whether there were any."""
    message.DiscardUnknownFields()
    if message.SerializeToString() == data:  # nearly always: fields are written by their numbers
        return False
    return type(message).FromString(data).ByteSize() != message.ByteSize()


def unknown_number(message: Message) -> int:
    """Number of the first field that *message* itself does not know; 0 if it knows all.

    protobuf's own `UnknownFieldSet` makes an object of every such field, which takes a quarter of a
    second for a megabyte.
    """
    rest = type(message)()
    rest.CopyFrom(message)
    for known, _ in rest.ListFields():
        rest.ClearField(known.name)
    return _tag(rest.SerializeToString()) >> 3


def _tag(data: bytes) -> int:
    """The varint at the start of *data*; 0 if it is empty."""
    tag = 0
    for place, byte in enumerate(data[:_TAG_BYTES_MAX]):
        tag |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return tag


def unknown_path(message: Message) -> str:
    """Path of an unknown field of *message*, such as ``move.tractor.play.9``; empty if there is
    none, or none among the first `_LOOKED_AT_MAX` messages in it. The last part is the number of
    the field."""
    return _path(message, iter(range(_LOOKED_AT_MAX)))


def _path(message: Message, looks: Iterator[int]) -> str:
    if next(looks, None) is None:
        return ""
    number = unknown_number(message)
    if number:
        return str(number)
    for known, value in message.ListFields():
        if known.type != FieldDescriptor.TYPE_MESSAGE:
            continue
        if isinstance(value, Message):
            inner = _path(value, looks)
            if inner:
                return f"{known.name}.{inner}"
            continue
        for index, element in enumerate(value):
            inner = _path(element, looks) if isinstance(element, Message) else ""
            if inner:
                return f"{known.name}[{index}].{inner}"
    return ""


def unknown_field(path: str) -> InvalidRequest:
    """The refusal of a message whose field *path* is unknown."""
    return InvalidRequest(
        Reason.UNKNOWN_FIELD,
        f"unknown {f'field {path}' if path else 'field in the request'}; the server may be older "
        "than your stubs: remove the field, or upgrade the server",
        field=path,
    )
