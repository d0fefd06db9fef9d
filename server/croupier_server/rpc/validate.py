"""Reads requests: bytes to a message that obeys the rules written on the contract's fields.

The rules are annotations that the shipped stubs do not carry. So each request is parsed twice: into
a class made from the annotated image, in a descriptor pool of its own, which protovalidate judges;
and into the stub's class, which the handler gets. Both parses together cost under a microsecond,
judging a move 6 to 8.

What is wrong with a move is left to ``wire``, which says it in the words of its game and says the
same on a session; a test proves that both judge alike.

Must not be put here: rules. They are written in ``protos/``, or by the service where they depend on
more than the message.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, TypeVar

import protovalidate
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from croupier_server.errors import InvalidRequest, Reason

if TYPE_CHECKING:
    from protovalidate import Violation

R = TypeVar("R", bound=Message)

# A request of this size can break few rules at once. Beyond it only the first fault is looked for:
# a quarter of a million wrong cards would keep the loop busy for five seconds.
_ALL_FAULTS_MAX = 4096

_MOVE = "croupier.v1.Move"


class Form(Protocol):
    """A request that is not in the wire format, and how its replies are written."""

    def read(self) -> bytes:
        """The request in the wire format.

        Raises:
            InvalidRequest: MALFORMED_REQUEST.
        """
        ...

    def write(self, reply: bytes) -> bytes:
        """*reply*, which is in the wire format, in this form."""
        ...


def image_bytes() -> bytes:
    """The annotated descriptors of the contract, as a serialised ``FileDescriptorSet``."""
    return files("croupier_server.rpc").joinpath("descriptors.binpb").read_bytes()


class Requests:
    """Makes readers of requests; one for a server is enough.

    Args:
        bytes_max: longest request that is read.
    """

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self._validator = protovalidate.Validator()
        self._pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(image_bytes()).file:
            self._pool.AddSerializedFile(file.SerializeToString())

    def reader(self, request: type[R]) -> Callable[[bytes | Form], R]:
        """A function from bytes, or another form, to a checked message of the class *request*.

        It raises InvalidRequest with MALFORMED_REQUEST and the path of every field at fault, but
        for faults of a move.
        """
        name: str = request.DESCRIPTOR.full_name
        annotated = message_factory.GetMessageClass(self._pool.FindMessageTypeByName(name))
        validator, bytes_max = self._validator, self.bytes_max
        moves = tuple(
            field.name
            for field in request.DESCRIPTOR.fields
            if field.message_type is not None and field.message_type.full_name == _MOVE
        )

        def read(data: bytes | Form) -> R:
            if not isinstance(data, bytes):
                data = data.read()
            if len(data) > bytes_max:
                raise too_long(len(data), bytes_max)
            try:
                judged = annotated.FromString(data)
                message = request.FromString(data)
            except DecodeError:
                raise InvalidRequest(
                    Reason.MALFORMED_REQUEST, f"the bytes are no {request.DESCRIPTOR.name}"
                ) from None
            faults = validator.collect_violations(judged, fail_fast=True)
            if faults:
                if len(data) <= _ALL_FAULTS_MAX:
                    faults = validator.collect_violations(judged)
                told = [(path_of(fault), fault.proto.message) for fault in faults]
                told = [(path, why) for path, why in told if path.partition(".")[0] not in moves]
                if told:
                    raise malformed(told)
            return message

        return read


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


def path_of(fault: Violation) -> str:
    """The path of the field at fault, such as ``seats[2].house_bot``."""
    path = fault.proto.field
    names = []
    for element in path.elements if path is not None else ():
        at = element.subscript
        index = f"[{at.value}]" if at is not None and at.field == "index" else ""
        names.append(f"{element.field_name}{index}")
    return ".".join(names)
