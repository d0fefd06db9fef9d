"""Reads requests: bytes to a message that keeps to the bounds of the contract (`rules.py`).

What is wrong with a move is left to ``wire``, which says it in the words of its game, and what is
wrong with the opening of a channel to the session: both say the same on every transport.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.rpc.rules import Bounds, bounds_of
from croupier_server.wire.unknown import drop_unknown, unknown_field, unknown_path

if TYPE_CHECKING:
    # The runtime's two implementations; the types of the stubs name both.
    from google._upb._message import Descriptor as FastDescriptor
    from google._upb._message import EnumDescriptor as FastEnumDescriptor
    from google._upb._message import FieldDescriptor as FastFieldDescriptor

    _Message: TypeAlias = Descriptor | FastDescriptor
    _Enum: TypeAlias = EnumDescriptor | FastEnumDescriptor
    _Field: TypeAlias = FieldDescriptor | FastFieldDescriptor

R = TypeVar("R", bound=Message)

Fault: TypeAlias = tuple[str, str]
"""The path of a field, such as ``seats[2].house_bot``, and what is wrong with it."""

_Check: TypeAlias = Callable[[Any, str], Iterator[Fault]]
"""Finds the faults of a value at a path."""

ELSEWHERE: Final = {"croupier.v1.Move", "croupier.v1.ChannelOpen"}
"""Messages that are not judged here."""

_DURATION: Final = "google.protobuf.Duration"
_NANOS: Final = 1_000_000_000
_UNITS: Final = {FieldDescriptor.TYPE_STRING: "characters", FieldDescriptor.TYPE_BYTES: "bytes"}

_INTRODUCTION: Final = "croupier.v1.GetServerInfoRequest"
"""What a client asks before it knows the server's version: unknown fields of it are passed over."""


class Form(Protocol):
    """A request that is not in the wire format, and how its replies are written."""

    @property
    def size(self) -> int:
        """Bytes of the request in this form."""
        ...

    def read(self, bytes_max: int) -> bytes:
        """The request in the wire format.

        Args:
            bytes_max: how long it may be there. This form may have four times as many bytes.

        Raises:
            InvalidRequest: MALFORMED_REQUEST.
        """
        ...

    def write(self, reply: bytes) -> bytes:
        """*reply*, which is in the wire format, in this form."""
        ...


REQUEST_BYTES_MAX: Final = 1 << 16
"""Longest request of most calls. It bounds the time for which the loop reads one."""


def image_bytes() -> bytes:
    """The descriptors of the contract, as a serialised ``FileDescriptorSet``."""
    return files("croupier_server.rpc").joinpath("descriptors.binpb").read_bytes()


class Requests:
    """Makes readers of requests; one for a server is enough.

    Args:
        bytes_max: longest request that is read.
    """

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max

    def reader(
        self, request: type[R], bytes_max: int | None = REQUEST_BYTES_MAX
    ) -> Callable[[bytes | Form], R]:
        """A function from bytes, or another form, to a checked message of the class *request*.

        It raises InvalidRequest: UNKNOWN_FIELD with the path of a field that the contract does not
        have, at any depth, or MALFORMED_REQUEST with the path of every field at fault.

        Args:
            request: the class.
            bytes_max: longest request of this class; None: as long as any may be.
        """
        name: str = request.DESCRIPTOR.full_name
        check = _message(request.DESCRIPTOR)
        most = self.bytes_max if bytes_max is None else min(bytes_max, self.bytes_max)

        def read(data: bytes | Form) -> R:
            if not isinstance(data, bytes):
                data = data.read(most)
            if len(data) > most:
                raise too_long(len(data), most)
            try:
                message = request.FromString(data)
            except DecodeError:
                raise InvalidRequest(
                    Reason.MALFORMED_REQUEST, f"the bytes are not a valid {request.DESCRIPTOR.name}"
                ) from None
            if drop_unknown(message, data) and name != _INTRODUCTION:
                raise unknown_field(unknown_path(request.FromString(data)))
            faults = list(check(message, ""))
            if faults:
                raise malformed(faults)
            return message

        return read


def _message(kind: _Message) -> _Check:
    """The check of a message, at any depth."""
    fields = []
    for field in kind.fields:
        check = _field(kind, field)
        if check is not None:
            fields.append((field.name, field.has_presence, check))
    required = [
        one.name for one in (*kind.oneofs, *kind.fields) if _is_required(kind.full_name, one)
    ]
    oneofs = {one.name for one in kind.oneofs}

    def check_all(value: Any, path: str) -> Iterator[Fault]:
        for name in required:
            is_set = value.WhichOneof(name) if name in oneofs else value.HasField(name)
            if not is_set:
                yield path + name, "not set"
        for name, has_presence, check in fields:
            if not has_presence or value.HasField(name):
                yield from check(getattr(value, name), path + name)

    return check_all


def _is_required(kind: str, one: Any) -> bool:
    """Whether a oneof, or a field of a message type, must be set."""
    if isinstance(one, FieldDescriptor) and (
        one.message_type is None or one.is_repeated or one.message_type.full_name == _DURATION
    ):
        return False
    return bounds_of(kind, one.name) is not None


def _field(kind: _Message, field: _Field) -> _Check | None:
    """The check of a field that is set, or None if it can hold anything."""
    bounds = bounds_of(kind.full_name, field.name)
    if field.is_repeated:
        return _list(_value(field, None, in_list=True), bounds)
    return _value(field, bounds, in_list=False)


def _value(field: _Field, bounds: Bounds | None, *, in_list: bool) -> _Check | None:
    if field.enum_type is not None:
        return _enum(field.enum_type, is_required=in_list or bounds is not None)
    if field.message_type is not None:
        name = field.message_type.full_name
        if name == _DURATION:
            return None if bounds is None else _duration(bounds)
        return None if name in ELSEWHERE else _inner(field.message_type)
    if bounds is None:
        return None
    unit = _UNITS.get(field.type)
    return _number(bounds) if unit is None else _length(bounds, unit)


def _inner(kind: _Message) -> _Check:
    check = _message(kind)
    return lambda value, path: check(value, f"{path}.")


def _enum(enum: _Enum, *, is_required: bool) -> _Check:
    known = frozenset(enum.values_by_number)

    def check(value: int, path: str) -> Iterator[Fault]:
        if value not in known:
            yield path, f"{value} is no value of {enum.name}"
        elif is_required and not value:
            yield path, "not set"

    return check


def _number(bounds: Bounds) -> _Check:
    least, most, _ = bounds

    def check(value: int, path: str) -> Iterator[Fault]:
        if not least <= value <= most:
            yield path, f"must be {least} to {most}, not {value}"

    return check


def _duration(bounds: Bounds) -> _Check:
    least, most, _ = bounds

    def check(value: Any, path: str) -> Iterator[Fault]:
        nanos = value.seconds * _NANOS + value.nanos
        if not least * _NANOS <= nanos <= most * _NANOS:
            yield path, f"must be {least} to {most} seconds, not {nanos / _NANOS:g}"

    return check


def _length(bounds: Bounds, unit: str) -> _Check:
    least, most, or_empty = bounds

    def check(value: str | bytes, path: str) -> Iterator[Fault]:
        if not value and or_empty:
            return
        if not value and least:
            yield path, "not set"
        elif not least <= len(value) <= most:
            yield path, f"has {len(value)} {unit}; {_allowed(bounds)}"

    return check


def _list(item: _Check | None, bounds: Bounds | None) -> _Check:
    def check(values: Any, path: str) -> Iterator[Fault]:
        if bounds is not None and not bounds.least <= len(values) <= bounds.most:
            yield path, f"has {len(values)} items; {_allowed(bounds)}"
        elif item is not None:
            for place, value in enumerate(values):
                yield from item(value, f"{path}[{place}]")

    return check


def _allowed(bounds: Bounds) -> str:
    """What a number of items may be, for an error."""
    least, most, _ = bounds
    if least == most:
        return f"exactly {most} needed"
    return f"{least} to {most} allowed" if least else f"at most {most} allowed"


def too_long(size: int, bytes_max: int) -> InvalidRequest:
    """The refusal of a message of *size* bytes."""
    return InvalidRequest(
        Reason.MALFORMED_REQUEST, f"the message has {size} bytes; at most {bytes_max} are read"
    )


def malformed(violations: list[tuple[str, str]]) -> InvalidRequest:
    """The refusal of a request for *violations*: pairs of a field's path and what is wrong."""
    path, why = violations[0]
    return InvalidRequest(
        Reason.MALFORMED_REQUEST,
        f"{path}: {why}" if path else why,
        field=path,
        violations=tuple(violations),
    )
