"""Make the server's encoders of the messages that are sent for every move.

Run by ``gen_protos.py``, so by ``make proto`` and ``make proto-check``. Building message objects
costs twenty times as much as joining bytes; these functions join bytes, with the field numbers of
the descriptors. `LISTS` name the messages. Each proto file in them gets one module in `FOLDER`:

- a function for each message, which takes the fields as plain values and returns the payload;
- several functions for a message that has runs: each encodes some consecutive fields, so that a
  caller can cache those bytes that rarely change; joined in order they are the payload;
- for a message that is a oneof and nothing else, or for which the list says ``"tags"``: the tags of
  its fields, by name.

Parameters are fields in the order of their numbers, none of them optional, so that a new field
fails the type check of every caller. `parameter_type` says how a value is given.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor

LISTS = ("scripts/encoders.toml", "server/croupier_server/games/*/encoders.toml")
FOLDER = Path("server/croupier_server/wire/generated")
PACKAGES = ("croupier.v1", "croupier.record.v1")

_LENGTH = 2
_BYTE = 128
_TIMES = {
    "google.protobuf.Timestamp": "framed_time({tag}, {name})",
    "google.protobuf.Duration": "framed({tag}, duration({name}))",
}
UNSIGNED = (
    FieldDescriptor.TYPE_UINT32,
    FieldDescriptor.TYPE_UINT64,
    FieldDescriptor.TYPE_ENUM,
)
_ZIGZAG = (FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SINT64)
_TWOS_COMPLEMENT = (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64)
_OWN_NAMES = {"one", "part", "size"}
_SUM_MAX = 2
_HELPERS = "SHORT VARINTS duration framed framed_time packed_signed unsigned varint zigzag"
_IMPORTS = {
    "collections.abc": ["Iterable"],
    "typing": ["Final"],
    "croupier_server.wire.encode": _HELPERS.split(),
}


class Encoder(NamedTuple):
    """One generated function.

    Attributes:
        name: of the function.
        message: what it encodes.
        fields: those of the message that it encodes, by number.
    """

    name: str
    message: Descriptor
    fields: list[FieldDescriptor]

    @property
    def is_whole(self) -> bool:
        """Whether it encodes every field of its message."""
        return len(self.fields) == len(self.message.fields)


class Module(NamedTuple):
    """One generated module: the file that it is made from, its encoders, and the messages of which
    it has the tags."""

    stem: str
    file: str
    encoders: list[Encoder]
    choices: list[Descriptor]


def snake(stem: str, message: Descriptor) -> str:
    """The name of *message* in Python, without the prefix that all messages of a file have."""
    name = message.name.removeprefix(stem.title()) or message.name
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def is_choice(message: Descriptor) -> bool:
    """Whether *message* is one oneof and nothing else."""
    if len(message.oneofs) != 1 or message.oneofs[0].name.startswith("_"):
        return False  # the latter is how an ``optional`` field is described
    return len(message.oneofs[0].fields) == len(message.fields)


def read_list(text: str, pool: descriptor_pool.DescriptorPool) -> list[Module]:
    """The modules that *text*, as from `LISTS`, asks for.

    Raises:
        SystemExit: it names something that does not exist, or runs that leave out a field.
    """
    modules = []
    for stem, messages in tomllib.loads(text).items():
        encoders: list[Encoder] = []
        choices = []
        file = ""
        for name, runs in messages.items():
            message = _message(stem, name, pool)
            file = message.file.name
            if runs == "tags" or is_choice(message):
                choices.append(message)
            else:
                encoders += _encoders(stem, message, runs)
        modules.append(Module(stem, file, encoders, choices))
    return modules


def _message(stem: str, name: str, pool: descriptor_pool.DescriptorPool) -> Descriptor:
    for package in PACKAGES:
        try:
            message = pool.FindMessageTypeByName(f"{package}.{name}")
        except KeyError:
            continue
        if Path(message.file.name).stem == stem:
            return message
    raise SystemExit(f"gen_encoders: {stem}.proto has no message {name}")


def _encoders(stem: str, message: Descriptor, runs: dict[str, list[str]]) -> Iterator[Encoder]:
    name, fields = snake(stem, message), sorted(message.fields, key=lambda field: field.number)
    if not runs:
        yield Encoder(name, message, fields)
        return
    names = [field.name for field in fields]
    if [one for run in runs.values() for one in run] != names:
        raise SystemExit(f"gen_encoders: {message.name} has the fields {' '.join(names)}")
    for run, members in runs.items():
        yield Encoder(f"{name}_{run}", message, [message.fields_by_name[one] for one in members])


# Python ------------------------------------------------------------------------------------------


def tag(field: FieldDescriptor) -> str:
    """What stands before each value of *field*, as a literal."""
    is_number = field.type in (*UNSIGNED, *_ZIGZAG, *_TWOS_COMPLEMENT, FieldDescriptor.TYPE_BOOL)
    rest = field.number << 3 | (0 if is_number and not field.is_repeated else _LENGTH)
    found = bytearray()
    while rest >= _BYTE:
        found.append(rest & 127 | _BYTE)
        rest >>= 7
    found.append(rest)
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in found) + '"'


def parameter_type(field: FieldDescriptor) -> str:
    """How a value of *field* is given.

    Messages are given as payload, times as milliseconds. Repeated unsigned numbers are given as
    payload too: ``bytes(numbers)`` where each is below 128, else ``packed(numbers)``. None means
    not set; so does a negative number where the field is unsigned, because -1 is how states write
    that there is none. Where a field is not optional a negative number raises ValueError.
    """
    if field.message_type is not None:
        if field.message_type.full_name in _TIMES:
            return "int | None"
        return "Iterable[bytes]" if field.is_repeated else "bytes | None"
    if field.type == FieldDescriptor.TYPE_BYTES:
        plain = "bytes"
    elif field.type == FieldDescriptor.TYPE_STRING:
        plain = "str"
    else:
        plain = "bool" if field.type == FieldDescriptor.TYPE_BOOL else "int"
        if field.is_repeated and field.type in UNSIGNED:
            return "bytes"
    if field.is_repeated:
        return f"Iterable[{plain}]"
    return f"{plain} | None" if field.has_presence else plain


def _sized(field: FieldDescriptor, made: str, is_set: str, part: str) -> list[str]:
    """If *is_set*, the tag and the size of what *made* gives; then *part*, which is that or
    empty."""
    size = f"VARINTS[size] if (size := len({made})) < SHORT else varint(size)"
    return [f'({tag(field)} + ({size}) if {is_set} else b"")', part]


def _repeated(field: FieldDescriptor) -> list[str]:
    name, before = field.name, tag(field)
    if field.message_type is not None or field.type == FieldDescriptor.TYPE_BYTES:
        return [f"*[framed({before}, one) for one in {name}]"]
    if field.type == FieldDescriptor.TYPE_STRING:
        return [f"*[framed({before}, one.encode()) for one in {name}]"]
    if field.type in UNSIGNED:
        return _sized(field, name, name, name)
    if field.type not in _ZIGZAG:
        raise SystemExit(f"gen_encoders: cannot encode the type of {field.full_name}")
    return [f'(framed({before}, part) if (part := packed_signed({name})) else b"")']


def expressions(field: FieldDescriptor) -> list[str]:
    """Python for the bytes of *field*, to be joined.

    Raises:
        SystemExit: its type is one that no listed message had before.
    """
    name, before = field.name, tag(field)
    if name in _OWN_NAMES:
        raise SystemExit(f"gen_encoders: {field.full_name} has a name of the generator's own")
    if field.is_repeated:
        return _repeated(field)
    is_set = f"{name} is not None" if field.has_presence else name
    kind = field.message_type
    if kind is not None and kind.full_name in _TIMES:
        value = _TIMES[kind.full_name].format(tag=before, name=name)
        return [f'({value} if {is_set} else b"")']
    if kind is not None:
        return _sized(field, name, is_set, f'({name} or b"")')
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _sized(field, name, is_set, name)
    if field.type == FieldDescriptor.TYPE_STRING:
        return _sized(field, f"part := {name}.encode()", name, f'(part if {name} else b"")')
    if field.type == FieldDescriptor.TYPE_BOOL:
        value = f'(b"\\x01" if {name} else b"\\x00")' if field.has_presence else 'b"\\x01"'
    elif field.type in UNSIGNED:
        value = f"(VARINTS[{name}] if 0 < {name} < SHORT else unsigned({name}))"
        if field.has_presence:
            is_set += f" and {name} >= 0"
            value = f"(VARINTS[{name}] if {name} < SHORT else varint({name}))"
    elif field.type in _ZIGZAG:
        value = f"varint(zigzag({name}))"
    elif field.type in _TWOS_COMPLEMENT:
        value = f"varint({name})"
    else:
        raise SystemExit(f"gen_encoders: cannot encode the type of {field.full_name}")
    return [f'({before} + {value} if {is_set} else b"")']


def _function(encoder: Encoder) -> list[str]:
    message, fields = encoder.message, encoder.fields
    what = f"Payload of ``{message.name}``."
    if not encoder.is_whole:
        rest = f" to ``{fields[-1].name}``" if len(fields) > 1 else ""
        what = f"``{message.name}``: ``{fields[0].name}``{rest}."
    parts = [part for field in fields for part in expressions(field)]
    result = [f"    return {' + '.join(parts)}"]
    if len(parts) > _SUM_MAX or any(part.startswith("*") for part in parts):
        inner = [f"            {part}," for part in parts]
        result = ['    return b"".join(', "        (", *inner, "        )", "    )"]
    return [
        "",
        "",
        f"def {encoder.name}(",
        *(f"    {field.name}: {parameter_type(field)}," for field in fields),
        ") -> bytes:",
        f'    """{what}"""',
        *result,
    ]


def source(module: Module) -> str:
    """The text of *module*."""
    body: list[str] = []
    for choice in module.choices:
        body += ["", f"{snake(module.stem, choice).upper()}: Final = {{"]
        body += [f'    "{field.name}": {tag(field)},' for field in choice.fields]
        body += ["}", f'"""Tags of the fields of ``{choice.name}``."""']
    for encoder in module.encoders:
        body += _function(encoder)
    text = "\n".join(body)
    lines = [
        f'"""Generated from ``{module.file}`` by ``make proto``. Do not edit."""',
        "",
        "from __future__ import annotations",
        "",
    ]
    for origin, names in _IMPORTS.items():
        used = [name for name in names if re.search(rf"\b{name}\b", text)]
        lines += [f"from {origin} import {', '.join(used)}"] if used else []
    return "\n".join([*lines, *body, ""])


def descriptors(image: descriptor_pb2.FileDescriptorSet) -> descriptor_pool.DescriptorPool:
    """The messages of *image* by name."""
    pool = descriptor_pool.DescriptorPool()
    for file in image.file:
        pool.Add(file)
    return pool


def write_encoders(image: descriptor_pb2.FileDescriptorSet, text: str, out: Path) -> Sequence[Path]:
    """Generate what *text*, as from `LISTS`, asks for, into the folder *out*."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "__init__.py").write_text('"""Encoders generated from ``protos/``."""\n')
    for module in read_list(text, descriptors(image)):
        (out / f"{module.stem}.py").write_text(source(module))
    return sorted(out.iterdir())
