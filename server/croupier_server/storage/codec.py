"""Finished matches as records, and records as finished matches again.

A record is one ``croupier.record.v1.Record``. Its rows are chained, so that nothing can be changed,
dropped or put in between without a trace::

    hash 0   = SHA-256("croupier/record/v1" | table)
    hash n   = SHA-256(hash n-1 | body n)

``table`` is ``Record.table`` as stored, ``body n`` the serialised row *n* without its field
``hash``, which comes last and takes 34 bytes; ``|`` joins bytes. Every row's ``hash`` is hash *n*.

Must not be put here: how a match is replayed; where records are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from google.protobuf.message import DecodeError

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.storage.base import NO_PRIVATE, FinishedMatch, LogRow, Reveal
from croupier_server.wire.encode import (
    VARINTS,
    field_blob,
    field_bytes,
    field_number,
    field_varint,
    varint,
)

FORMAT: Final = 1
"""Version of the layout."""

_HASH_FIELD_BYTES: Final = 34
_SHORT: Final = len(VARINTS)
_TAG: Final = b"croupier/record/v1"


def record_bytes(match: FinishedMatch) -> bytes:
    """Serialised ``Record`` of a finished match."""
    options = [
        field_bytes(3, field_bytes(1, name.encode()) + field_bytes(2, text.encode()))
        for name, text in sorted(match.option_text.items())
    ]
    return b"".join(
        (
            field_number(1, FORMAT),
            field_bytes(2, match.table),
            *options,
            field_bytes(4, _reveal(match.reveal)),
            *_rows(match.table, match.rows),
            field_bytes(6, match.result),
        )
    )


def _rows(table: bytes, rows: Iterable[LogRow]) -> Iterator[bytes]:
    """Field ``rows``, element by element."""
    sha256 = hashlib.sha256
    hash_ = sha256(_TAG + table).digest()
    for row in rows:
        body = row_body(row)
        hash_ = sha256(hash_ + body).digest()
        size = len(body) + _HASH_FIELD_BYTES
        yield b"".join(
            (b"\x2a", VARINTS[size] if size < _SHORT else varint(size), body, b"\x2a\x20", hash_)
        )


def row_body(row: LogRow) -> bytes:
    """Serialised ``Row`` without its hash. Written out, as a match has a row or two a move."""
    sequence, public, cause = row.sequence, row.public, row.input
    parts: list[bytes] = []
    if sequence:
        size = len(public)
        parts += (
            b"\x08",
            VARINTS[sequence] if sequence < _SHORT else varint(sequence),
            b"\x12",
            VARINTS[size] if size < _SHORT else varint(size),
            public,
        )
    if row.private:
        for seat, part in sorted(row.private.items()):
            parts.append(field_bytes(3, field_number(1, seat) + field_bytes(2, part)))
    if cause:
        size = len(cause)
        parts += (b"\x22", VARINTS[size] if size < _SHORT else varint(size), cause)
    return b"".join(parts)


def _reveal(reveal: Reveal) -> bytes:
    return b"".join(
        (
            field_blob(1, reveal.secret),
            *(field_bytes(2, nonce) for nonce in reveal.nonces),
            field_blob(3, reveal.root),
            field_varint(4, reveal.seed) if reveal.seed is not None else b"",
        )
    )


class RecordError(Exception):
    """Bytes that are no record of ours, or a record that was changed."""


def read_record(data: bytes) -> FinishedMatch:
    """The finished match of a record, its chain of hashes checked.

    What lists say of it besides (`players`, `ended_ms`) comes from the last event.

    Raises:
        RecordError: not a record, of a later format, or changed.
    """
    record = record_pb2.Record()
    try:
        record.ParseFromString(data)
    except DecodeError as error:
        raise RecordError("not a record") from error
    if record.format != FORMAT:
        raise RecordError(f"a record of format {record.format}; this program reads {FORMAT}")
    table = record.table.SerializeToString(deterministic=True)
    hash_ = hashlib.sha256(_TAG + table).digest()
    rows = []
    for number, message in enumerate(record.rows):
        row = LogRow(
            record.table.table_id,
            record.table.epoch,
            message.sequence,
            message.public,
            {one.seat: one.part for one in message.private} or NO_PRIVATE,
            message.input.SerializeToString(deterministic=True),
        )
        hash_ = hashlib.sha256(hash_ + row_body(row)).digest()
        if hash_ != message.hash:
            raise RecordError(f"row {number} or one before it was changed")
        rows.append(row)
    reveal = record.reveal
    return FinishedMatch(
        table_id=record.table.table_id,
        kind=record.table.game,
        table=table,
        option_text=dict(record.options),
        reveal=Reveal(
            reveal.secret,
            tuple(reveal.nonces),
            reveal.root,
            reveal.seed if reveal.HasField("seed") else None,
        ),
        rows=rows,
        result=record.result.SerializeToString(deterministic=True),
        players=_players(rows, len(record.table.seats)),
        ended_ms=_ended_ms(rows),
    )


def _players(rows: Iterable[LogRow], seats: int) -> tuple[str, ...]:
    """Names of who sat last on each seat."""
    names = [""] * seats
    for row in rows:
        if row.public:
            event = table_pb2.TableEvent.FromString(row.public)
            if event.HasField("seat_joined"):
                names[event.seat_joined.seat.seat] = event.seat_joined.seat.player
            elif event.HasField("seat_left"):
                names[event.seat_left.seat] = ""
    return tuple(names)


def _ended_ms(rows: list[LogRow]) -> int:
    """Time of the last event."""
    public = next((row.public for row in reversed(rows) if row.public), b"")
    return table_pb2.TableEvent.FromString(public).time.ToMilliseconds()
