"""Rows of one table in one blob, and back.

A row is its record's ``Row`` without the hash (`codec.row_body`) and what is kept of it, each with
its length before it, so that a record is made of stored rows without encoding them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from croupier_server.storage.base import NO_PRIVATE, LogRow, StoredDeal
from croupier_server.storage.codec import row_body
from croupier_server.wire.encode import VARINTS, varint

_SHORT: Final = len(VARINTS)
_SEQUENCE: Final = 0x08
_PUBLIC: Final = 0x12
_PRIVATE: Final = 0x1A
_INPUT: Final = 0x22
"""Tags of the fields of ``Row``."""


class Piece(NamedTuple):
    """Rows of one table that were appended together.

    Attributes:
        table_id: the table.
        epoch: that all of them have.
        last_sequence: number of the last event among them; 0: there is none.
        packed: the rows.
        deals: those that begin in it.
        carried: `Deal.carried` of the last of them, or empty.
    """

    table_id: str
    epoch: int
    last_sequence: int
    packed: bytes
    deals: tuple[StoredDeal, ...] = ()
    carried: bytes = b""


def pieces(rows: Sequence[LogRow]) -> list[Piece]:
    """*rows* of any tables, a piece for each table and epoch, in the order of their first rows."""
    if not rows:
        return []
    first = rows[0]
    if all(row.table_id == first.table_id and row.epoch == first.epoch for row in rows):
        return [_piece(rows)]
    found: dict[tuple[str, int], list[LogRow]] = {}
    for row in rows:
        found.setdefault((row.table_id, row.epoch), []).append(row)
    return [_piece(own) for own in found.values()]


def _piece(rows: Sequence[LogRow]) -> Piece:
    last = 0
    parts: list[bytes] = []
    deals: tuple[StoredDeal, ...] = ()
    carried = b""
    for row in rows:
        if row.deal is not None:
            deals += (StoredDeal(row.sequence, row.deal.results),)
            carried = row.deal.carried
        body = row_body(row)
        kept = row.kept
        size, kept_size = len(body), len(kept)
        parts += (
            VARINTS[size] if size < _SHORT else varint(size),
            body,
            VARINTS[kept_size] if kept_size < _SHORT else varint(kept_size),
            kept,
        )
        last = row.sequence or last
    return Piece(rows[0].table_id, rows[0].epoch, last, b"".join(parts), deals, carried)


def bodies(packed: bytes) -> Iterator[bytes]:
    """The rows of a blob as a record wants them; a note is empty. Blobs may be joined."""
    place, end = 0, len(packed)
    while place < end:
        size, place = _varint(packed, place)
        yield packed[place : place + size]
        size, place = _varint(packed, place + size)
        place += size


def unpack(table_id: str, epoch: int, packed: bytes) -> Iterator[LogRow]:
    """The rows of a blob."""
    place, end = 0, len(packed)
    while place < end:
        size, place = _varint(packed, place)
        body = packed[place : place + size]
        size, place = _varint(packed, place + size)
        yield _row(table_id, epoch, body, packed[place : place + size])
        place += size


def since_last_deals(rows: Iterable[LogRow], deals: Sequence[StoredDeal]) -> list[LogRow]:
    """`StoredTable.rows`, of *rows* that hold them and maybe others before."""
    found = list(rows)
    if len(deals) < 2:
        return found
    begins = deals[-2].sequence
    return found[next(place for place, row in enumerate(found) if row.sequence == begins) :]


def _row(table_id: str, epoch: int, body: bytes, kept: bytes) -> LogRow:
    sequence, public, cause = 0, b"", b""
    private: dict[int, bytes] = {}
    place, end = 0, len(body)
    while place < end:
        tag = body[place]
        number, place = _varint(body, place + 1)
        if tag == _SEQUENCE:
            sequence = number
            continue
        part = body[place : place + number]
        place += number
        if tag == _PUBLIC:
            public = part
        elif tag == _PRIVATE:
            seat, own = _private(part)
            private[seat] = own
        elif tag == _INPUT:
            cause = part
        else:
            raise ValueError(f"a stored row with tag {tag}")
    return LogRow(table_id, epoch, sequence, public, private or NO_PRIVATE, cause, kept)


def _private(part: bytes) -> tuple[int, bytes]:
    """Seat and bytes of a ``PrivatePart``; seat 0 and no bytes are not written."""
    seat, place = 0, 0
    if part[:1] == b"\x08":
        seat, place = _varint(part, 1)
    if place == len(part):
        return seat, b""
    size, place = _varint(part, place + 1)
    return seat, part[place : place + size]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """The number at *place*, and the place behind it."""
    byte = data[place]
    if byte < 0x80:
        return byte, place + 1
    number, shift = byte & 0x7F, 7
    while True:
        place += 1
        byte = data[place]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place + 1
        shift += 7
