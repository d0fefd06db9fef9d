"""The Protobuf wire format: varints, lengths, tags.

What is sent for every move is joined from bytes, because message objects cost twenty times as much.
The encoders in `wire.generated` use these functions, and so does the code of colder messages. Each
writes exactly what the official library writes for the same field, so that fields joined in the
order of their numbers are the deterministic form of the message.

Must not be put here: any message of the contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

VARINT: Final = 0
"""Wire type of numbers, booleans and enums."""

LENGTH: Final = 2
"""Wire type of messages, strings, bytes and packed numbers."""

SHORT: Final = 4096
"""How many numbers `VARINTS` has."""

_WORD: Final = (1 << 64) - 1
_MILLI: Final = 1000
_NANOS_PER_MILLI: Final = 1_000_000


def _long_varint(number: int) -> bytes:
    """Any number from -2**63 to 2**64 - 1; negative ones as ten bytes, like int32 and enums."""
    number &= _WORD
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


VARINTS: Final[tuple[bytes, ...]] = tuple(_long_varint(number) for number in range(SHORT))
"""The varints of small numbers, for code that has no time to call `varint`."""


def varint(number: int) -> bytes:
    """*number* as a varint.

    >>> varint(300).hex()
    'ac02'
    """
    return VARINTS[number] if 0 <= number < SHORT else _long_varint(number)


def unsigned(number: int) -> bytes:
    """*number* as a varint.

    Raises:
        ValueError: it is negative, and what it is for has no sign.
    """
    if number < 0:
        raise ValueError(f"{number} is negative")
    return varint(number)


# The functions below look into the table themselves: they are called a dozen times a decision.


def zigzag(number: int) -> int:
    """The unsigned number that stands for *number* in ``sint32`` and ``sint64``.

    >>> [zigzag(number) for number in (0, -1, 1, -2)]
    [0, 1, 2, 3]
    """
    return number << 1 if number >= 0 else (-number << 1) - 1


def tag(field: int, wire_type: int) -> bytes:
    """What stands before every value of field number *field*."""
    return varint(field << 3 | wire_type)


TAGS: Final[tuple[bytes, ...]] = tuple(tag(field, LENGTH) for field in range(64))
"""By field number: the tag of a value with a length."""

_NUMBER_TAGS: Final[tuple[bytes, ...]] = tuple(tag(field, VARINT) for field in range(64))


def field_varint(field: int, number: int) -> bytes:
    """A number in a field that tells zero from not set (``optional``, or an arm of a oneof)."""
    return _NUMBER_TAGS[field] + (VARINTS[number] if 0 <= number < SHORT else _long_varint(number))


def field_number(field: int, number: int) -> bytes:
    """A number, boolean or enum in a plain field: nothing at all when it is zero."""
    if not number:
        return b""
    return _NUMBER_TAGS[field] + (VARINTS[number] if 0 < number < SHORT else _long_varint(number))


def field_bytes(field: int, payload: bytes) -> bytes:
    """A message that is set, empty or not; or an element of a repeated field."""
    size = len(payload)
    return TAGS[field] + (VARINTS[size] if size < SHORT else _long_varint(size)) + payload


def packed(numbers: bytes | Iterable[int]) -> bytes:
    """What a packed repeated field holds.

    Args:
        numbers: the elements; as `bytes` when all are below 128, which costs least.
    """
    return numbers if isinstance(numbers, bytes) else b"".join(map(varint, numbers))


def packed_signed(numbers: Iterable[int]) -> bytes:
    """What a packed repeated field of ``sint32`` or ``sint64`` holds."""
    return b"".join([varint(zigzag(number)) for number in numbers])


def framed(tag: bytes, payload: bytes) -> bytes:
    """*payload* with its length behind *tag*: a message in a field, or an arm of a oneof."""
    size = len(payload)
    return tag + (VARINTS[size] if size < SHORT else _long_varint(size)) + payload


def field_packed(field: int, numbers: bytes | Iterable[int]) -> bytes:
    """A packed repeated field: nothing at all when it has no elements. See `packed`."""
    payload = packed(numbers)
    return field_bytes(field, payload) if payload else b""


def field_text(field: int, text: str) -> bytes:
    """A string in a plain field: nothing at all when it is empty."""
    return field_bytes(field, text.encode()) if text else b""


def field_blob(field: int, blob: bytes) -> bytes:
    """Bytes in a plain field: nothing at all when there are none."""
    return field_bytes(field, blob) if blob else b""


_NANOS: Final = tuple(field_number(2, rest * _NANOS_PER_MILLI) for rest in range(_MILLI))
"""By milliseconds below a second: the nanoseconds of a timestamp or a duration."""


def timestamp(milliseconds: int) -> bytes:
    """Payload of a ``google.protobuf.Timestamp``: milliseconds since the epoch of Unix."""
    seconds, rest = divmod(milliseconds, _MILLI)
    return field_number(1, seconds) + _NANOS[rest]


@lru_cache(maxsize=64)
def framed_time(tag: bytes, milliseconds: int) -> bytes:
    """A `timestamp` with its length behind *tag*. Kept, as all that happens to the moves of one
    frame has the same times."""
    return framed(tag, timestamp(milliseconds))


def duration(milliseconds: int) -> bytes:
    """Payload of a ``google.protobuf.Duration``; both its parts have the sign of the whole."""
    if milliseconds < 0:
        seconds, rest = divmod(-milliseconds, _MILLI)
        return field_number(1, -seconds) + field_number(2, -rest * _NANOS_PER_MILLI)
    return timestamp(milliseconds)
