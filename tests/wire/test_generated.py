"""Every generated encoder writes what the official library writes for the same fields."""

from __future__ import annotations

import importlib
import random
from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from croupier.record.v1 import record_pb2
from croupier_server.wire.encode import packed
from scripts import gen_encoders
from scripts.gen_encoders import read_list, snake
from scripts.gen_protos import wanted_encoders
from tests.meta.sources import ROOT

POOL: DescriptorPool = record_pb2.DESCRIPTOR.pool
LIST = wanted_encoders(ROOT)
MODULES = read_list(LIST, POOL)
ENCODERS = [(module.stem, encoder) for module in MODULES for encoder in module.encoders]

EDGES = (0, 1, 127, 128, 4095, 4096, 2**31 - 1)
SIGNED = (*EDGES, -1, -64, -65, -(2**31))
NUMBERS = {
    FieldDescriptor.TYPE_UINT32: (*EDGES, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (*EDGES, 2**64 - 1),
    FieldDescriptor.TYPE_INT32: SIGNED,
    FieldDescriptor.TYPE_SINT32: SIGNED,
    FieldDescriptor.TYPE_INT64: (*SIGNED, -(2**63)),
    FieldDescriptor.TYPE_SINT64: (*SIGNED, -(2**63)),
    FieldDescriptor.TYPE_BOOL: (False, True),
    FieldDescriptor.TYPE_STRING: ("", "x", "é" * 70, "long" * 1100),
    FieldDescriptor.TYPE_BYTES: (b"", b"\0", b"\xff" * 128, b"long" * 1100),
}


def generated(stem: str, name: str) -> Any:
    return getattr(importlib.import_module(f"croupier_server.wire.generated.{stem}"), name)


def fill(message: Message, fields: Sequence[FieldDescriptor], rng: random.Random) -> None:
    """Set some of *fields* to random values."""
    for field in fields:
        if rng.random() < 0.3:
            continue
        if field.is_repeated:
            repeated: Any = getattr(message, field.name)
            for _ in range(rng.choice((0, 1, 3, 200))):
                if field.message_type is None:
                    repeated.append(scalar(field, rng))
                else:
                    fill_message(repeated.add(), rng)
        elif field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            fill_message(inner, rng)
        else:
            setattr(message, field.name, scalar(field, rng))


def scalar(field: FieldDescriptor, rng: random.Random) -> Any:
    if field.enum_type is not None:
        return rng.choice(field.enum_type.values).number
    return rng.choice(NUMBERS[field.type])


def fill_message(message: Message, rng: random.Random) -> None:
    """Set a field or two, or a time; encoders take messages as bytes and never look into them."""
    if isinstance(message, Timestamp | Duration):
        message.FromMilliseconds(rng.choice((0, 1, 999, 1000, 1_750_000_000_123)))
    else:
        fields: Any = message.DESCRIPTOR.fields
        fill(message, [field for field in fields if field.message_type is None][:2], rng)


def payload(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)


def argument(field: FieldDescriptor, message: Message, rng: random.Random) -> Any:
    """What the encoder of *field* takes for its value in *message*."""
    value = getattr(message, field.name)
    if field.is_repeated:
        if field.message_type is not None:
            return [payload(one) for one in value]
        return packed(value) if field.type in gen_encoders.UNSIGNED else list(value)
    if field.has_presence and not message.HasField(field.name):
        is_unsigned = field.message_type is None and field.type in gen_encoders.UNSIGNED
        return rng.choice((None, -1)) if is_unsigned else None
    if isinstance(value, Timestamp | Duration):
        return value.ToMilliseconds()
    return payload(value) if isinstance(value, Message) else value


@pytest.mark.parametrize(
    ("stem", "encoder"), ENCODERS, ids=[f"{stem}-{encoder.name}" for stem, encoder in ENCODERS]
)
def test_an_encoder_writes_what_the_library_writes(
    stem: str, encoder: gen_encoders.Encoder
) -> None:
    function = generated(stem, encoder.name)
    rng = random.Random(encoder.name)
    kind = message_factory.GetMessageClass(encoder.message)
    for _ in range(60):
        message = kind()
        fill(message, encoder.fields, rng)
        values = {field.name: argument(field, message, rng) for field in encoder.fields}
        assert function(**values) == payload(message)
        assert function(*values.values()) == payload(message)


PLAIN = [
    (stem, encoder, field)
    for stem, encoder in ENCODERS
    for field in encoder.fields
    if field.type in gen_encoders.UNSIGNED and not (field.is_repeated or field.has_presence)
]


@pytest.mark.parametrize(
    ("stem", "encoder", "field"),
    PLAIN,
    ids=[f"{stem}-{encoder.name}-{field.name}" for stem, encoder, field in PLAIN],
)
@pytest.mark.parametrize("number", [-1, -4096, -(2**31)])
def test_a_number_below_zero_is_refused(
    stem: str, encoder: gen_encoders.Encoder, field: FieldDescriptor, number: int
) -> None:
    """The field has no sign, and is not optional, where it would mean that there is none."""
    message = message_factory.GetMessageClass(encoder.message)()
    values = {one.name: argument(one, message, random.Random(1)) for one in encoder.fields}
    with pytest.raises(ValueError, match=str(number)):
        generated(stem, encoder.name)(**values | {field.name: number})


@pytest.mark.parametrize(
    ("stem", "message"),
    [(module.stem, message) for module in MODULES for message in module.choices],
    ids=lambda value: value.name if isinstance(value, Descriptor) else value,
)
def test_tags_name_the_fields(stem: str, message: Descriptor) -> None:
    tags = generated(stem, snake(stem, message).upper())
    assert set(tags) == {field.name for field in message.fields}
    for name, tag in tags.items():
        choice = message_factory.GetMessageClass(message)()
        field = message.fields_by_name[name]
        if field.is_repeated:
            getattr(choice, name).add()
            assert tag + b"\0" == payload(choice)
        elif field.message_type is None:
            setattr(choice, name, 1)
            assert tag + b"\x01" == payload(choice)
        else:
            getattr(choice, name).SetInParent()
            assert tag + b"\0" == payload(choice)


@pytest.mark.parametrize(
    "wanted",
    [
        "[pokex]\nPokexNothing = {}",
        '[pokex.PokexCalled]\nhead = ["seat"]',
        '[pokex.PokexCalled]\ntail = ["tricks"]\nhead = ["seat"]',
    ],
    ids=["no message", "a field left out", "another order"],
)
def test_a_wrong_list_is_refused(wanted: str) -> None:
    with pytest.raises(SystemExit, match="gen_encoders"):
        read_list(wanted, POOL)
