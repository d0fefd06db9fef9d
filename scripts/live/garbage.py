"""Messages that are nearly right, and bytes that are not: what a fuzzer sends.

Everything follows from the chance it is given.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from croupier_server.wire.encode import varint

Pool = Callable[[str], Any]
"""A value that a field of that name has in a message that is right, or None."""

LEFT_OUT: Final = object()
"""In the place of a value: the field is better left out."""

_KINDS = FieldDescriptor
_INTEGERS: Final = {
    _KINDS.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    _KINDS.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    _KINDS.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    _KINDS.CPPTYPE_UINT64: (0, (1 << 64) - 1),
    _KINDS.CPPTYPE_ENUM: (-(1 << 31), (1 << 31) - 1),
}
_SMALL: Final = (0, 1, 2, 3, 4, 7, 8, 15, 16, 52, 54, 55, 127, 128, 255, 256, 1_000, 1_001, 65_536)
_TEXTS: Final = (
    "",
    " ",
    "\0",
    "a\nb",
    "\x1b[2J",
    "\u202eevil",
    "\u0000\uffff",
    "\U0001f0cf" * 40,
    "e\u0301" * 200,
    "%s%n{0}{__class__}",
    "../../../etc/passwd",
    "'; DROP TABLE log; --",
    "-1-1",
    "999999999999999999999-0",
    "1-0",
    "null",
    "x" * 64,
    "x" * 5_000,
)
_DEPTH: Final = 6
_SPARSE: Final = 0.4
_WIRE: Final = (
    b"\xff" * 11,
    b"\x0b" * 200,
    b"\x0c",
    b"\x0a\xff\xff\xff\xff\x0f",
    b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\xfa\x3e\x80\x80\x04" + b"x" * 65_536,
    b"\x0f\x01",
    b"\x00",
    b"\xf8\xff\xff\xff\x0f\x01",
)
_HEADERS: Final = ("authorization", "croupier-ticket", "croupier-host-ticket", "grpc-timeout-x")


def fill(rng: Random, message: Message, pool: Pool, depth: int = 0) -> None:
    """Give *message* values that could be right: those of *pool* where it has any."""
    fields: list[Any] = list(message.DESCRIPTOR.fields)
    for oneof in message.DESCRIPTOR.oneofs:
        chosen: Any = rng.choice(list(oneof.fields))
        fields = [one for one in fields if one.containing_oneof != oneof or one == chosen]
    for field in fields:
        wanted = pool(field.name)
        if wanted is LEFT_OUT or (wanted is None and rng.random() < _SPARSE):
            continue
        _set(rng, message, field, pool, depth, wanted)


def _set(rng: Random, message: Any, field: Any, pool: Pool, depth: int, wanted: Any) -> None:
    if _is_map(field):
        if field.message_type.fields_by_name["value"].message_type is None:
            getattr(message, field.name)[rng.choice(_TEXTS)] = rng.choice(_TEXTS)
        return
    if field.message_type is not None:
        if depth >= _DEPTH:
            return
        inner = getattr(message, field.name)
        if wanted is not None and not field.is_repeated:
            inner.CopyFrom(wanted)
        elif field.is_repeated:
            for _ in range(rng.choice((0, 1, 1, 2, 4))):
                fill(rng, inner.add(), pool, depth + 1)
        else:
            inner.SetInParent()
            fill(rng, inner, pool, depth + 1)
        return
    if field.is_repeated:
        getattr(message, field.name).extend(
            scalar(rng, field, tame=True) for _ in range(rng.choice((0, 1, 2, 5)))
        )
        return
    setattr(message, field.name, scalar(rng, field, tame=True) if wanted is None else wanted)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def scalar(rng: Random, field: FieldDescriptor, *, tame: bool) -> Any:
    """A value for *field*; *tame*: one that may well be right."""
    kind = field.cpp_type
    if kind == _KINDS.CPPTYPE_BOOL:
        return rng.random() < 0.5
    if kind in (_KINDS.CPPTYPE_DOUBLE, _KINDS.CPPTYPE_FLOAT):
        return rng.choice((0.0, -1.0, 1e300, float("nan"), float("inf")))
    if kind == _KINDS.CPPTYPE_STRING:
        if field.type == _KINDS.TYPE_BYTES:
            return rng.randbytes(rng.choice((0, 1, 31, 32, 33, 64, 1_000)))
        return rng.choice(_TEXTS)
    least, most = _INTEGERS[kind]
    if kind == _KINDS.CPPTYPE_ENUM and rng.random() < (0.95 if tame else 0.3):
        assert field.enum_type is not None
        return rng.choice(field.enum_type.values).number
    if tame or rng.random() < 0.4:
        return rng.choice(_SMALL)
    return rng.choice((least, most, most - 1, max(least, -1), rng.randint(least, most)))


def spoil(rng: Random, message: Message) -> None:
    """Change something somewhere in *message*, field by field."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        place: Any = message
        while True:
            inner = [value for _, value in place.ListFields() if isinstance(value, Message)]
            for field, value in place.ListFields():
                if field.message_type is not None and field.is_repeated and not _is_map(field):
                    inner.extend(value)
            if not inner or rng.random() < 0.4:
                break
            place = rng.choice(inner)
        _spoil_field(rng, place)


def _spoil_field(rng: Random, place: Any) -> None:
    fields = place.DESCRIPTOR.fields
    if not fields:
        return
    field = rng.choice(fields)
    if rng.random() < 0.2:
        place.ClearField(field.name)
    elif _is_map(field):
        getattr(place, field.name).clear()
    elif field.message_type is not None:
        inner = getattr(place, field.name)
        if not field.is_repeated:
            inner.SetInParent()
        elif len(inner) and rng.random() < 0.5:
            for _ in range(rng.choice((1, 13, 300))):
                inner.add().CopyFrom(inner[0])
        else:
            inner.add()
    elif field.is_repeated:
        number = rng.choice((1, 1, 30, 3_000))
        getattr(place, field.name).extend([scalar(rng, field, tame=False)] * number)
    else:
        setattr(place, field.name, scalar(rng, field, tame=False))


def spoil_bytes(rng: Random, data: bytes) -> bytes:
    """Change something in *data*, byte by byte."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(found) + 1)
        match rng.randrange(8):
            case 0:
                found[place:place] = rng.randbytes(rng.choice((1, 2, 8)))
            case 1:
                del found[place : place + rng.choice((1, 2, 8))]
            case 2 if found:
                found[place % len(found)] ^= 1 << rng.randrange(8)
            case 3 if found:
                found[place % len(found)] = rng.choice((0, 0x7F, 0x80, 0xFF))
            case 4:
                del found[place:]
            case 5:
                found[place:place] = rng.choice(_WIRE)
            case 6:
                found += found[: 1 << 12]
            case _:
                found[place:place] = _field(rng)
    return bytes(found)


def _field(rng: Random) -> bytes:
    """A field that may be of any message, whatever it is there."""
    tag = rng.randrange(1, 40) << 3
    match rng.randrange(4):
        case 0:
            return varint(tag) + varint(rng.getrandbits(rng.choice((1, 7, 32, 64))))
        case 1:
            return varint(tag | 1) + struct.pack("<q", -1)
        case 2:
            data = rng.randbytes(rng.choice((0, 1, 32, 200)))
            return varint(tag | 2) + varint(len(data)) + data
        case _:
            inner = b""
            for _ in range(rng.choice((3, 30, 120))):
                inner = varint(tag | 2) + varint(len(inner)) + inner
            return inner


def headers(rng: Random) -> list[tuple[str, str | bytes]]:
    """Metadata that no client of ours would send."""
    found: list[tuple[str, str | bytes]] = []
    for _ in range(rng.choice((1, 1, 3, 20))):
        if rng.random() < 0.3:
            found.append((f"x{rng.randrange(9)}-bin", rng.randbytes(rng.choice((0, 3, 600)))))
            continue
        text = "".join(chr(rng.randrange(33, 127)) for _ in range(rng.choice((1, 20, 300))))
        found.append((rng.choice(_HEADERS), rng.choice(("Bearer ", "", "Basic ")) + text))
    return found
