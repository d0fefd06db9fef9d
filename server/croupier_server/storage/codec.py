"""Finished matches as records, and records as finished matches again.

A record is one ``croupier.record.v1.Record``. Its rows are chained, so that nothing can be changed,
dropped or put in between without a trace::

    hash 0   = SHA-256("croupier/record/v1" | table)
    hash n   = SHA-256(hash n-1 | body n)

``table`` is ``Record.table`` as stored, ``body n`` the serialised row *n* without its field
``hash``, which comes last and takes 34 bytes; ``|`` joins bytes. Every row's ``hash`` is hash *n*.
The record's own ``hash`` comes last and is the SHA-256 of all bytes before it. There is one way to
write a record, so that not a bit of it can be changed; ``docs/fairness.md`` has every byte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from google.protobuf.message import DecodeError

from croupier.record.v1 import record_pb2
from croupier.v1 import table_pb2
from croupier_server.storage.base import (
    NO_PRIVATE,
    RECORD_FORMAT,
    AbandonedSecret,
    FinishedMatch,
    LogRow,
    Player,
    Reveal,
)
from croupier_server.wire.encode import (
    VARINTS,
    field_blob,
    field_bytes,
    field_number,
    field_varint,
    varint,
)

_HASH_FIELD_BYTES: Final = 34
_ROWS: Final = 5
"""Number of the field ``Record.rows``."""

_HEAD_BYTES_MAX: Final = 1 << 20
"""Bytes of a record beside its rows. Real ones have a few thousand."""

_SHORT: Final = len(VARINTS)
_TAG: Final = b"croupier/record/v1"
_RECORD_HASH: Final = b"\x3a\x20"
"""Tag and length of ``Record.hash``."""


def record_bytes(match: FinishedMatch, rows: Iterable[LogRow]) -> bytes:
    """Serialised ``Record`` of a finished match and its whole log, of which notes are left out."""
    return record_of_bodies(match, [row_body(row) for row in rows if row.sequence or row.input])


def record_of_bodies(match: FinishedMatch, bodies: Iterable[bytes]) -> bytes:
    """Serialised ``Record`` of a finished match and its whole log, of which *bodies* are the rows
    as `row_body` has made them."""
    options = [
        field_bytes(3, field_bytes(1, name.encode()) + field_bytes(2, text.encode()))
        for name, text in sorted(match.option_text.items())
    ]
    content = b"".join(
        (
            field_number(1, RECORD_FORMAT),
            field_bytes(2, match.table),
            *options,
            field_bytes(4, _reveal(match.reveal)),
            *_rows(match.table, bodies),
            field_bytes(6, match.result),
        )
    )
    return content + _RECORD_HASH + hashlib.sha256(content).digest()


def _rows(table: bytes, bodies: Iterable[bytes]) -> Iterator[bytes]:
    """Field ``rows``, element by element; notes, which have no body, are left out."""
    sha256 = hashlib.sha256
    hash_ = sha256(_TAG + table).digest()
    for body in filter(None, bodies):
        hash_ = sha256(hash_ + body).digest()
        size = len(body) + _HASH_FIELD_BYTES
        yield b"".join(
            (b"\x2a", VARINTS[size] if size < _SHORT else varint(size), body, b"\x2a\x20", hash_)
        )


def row_body(row: LogRow) -> bytes:
    """Serialised ``Row`` without its hash; empty for a note.

    Written out, as a match has a row or two a move.
    """
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
            *(field_bytes(5, _abandoned(one)) for one in reveal.abandoned),
            *(field_bytes(6, field_bytes(1, deck)) for deck in reveal.decks),
        )
    )


def _deck(deck: table_pb2.Deck) -> bytes:
    if not all(0 < card < 256 for card in deck.cards):
        raise RecordError("a deck with what is no card")
    return bytes(deck.cards)


def _abandoned(one: AbandonedSecret) -> bytes:
    return field_blob(1, one.secret) + b"".join(field_bytes(2, nonce) for nonce in one.nonces)


class RecordError(Exception):
    """Bytes that are no record of ours, or a record that was changed.

    Attributes:
        check: what they failed at: ``file`` or ``chain``.
    """

    def __init__(self, message: str, check: str = "file") -> None:
        super().__init__(message)
        self.check = check


def read_record(data: bytes) -> tuple[FinishedMatch, tuple[LogRow, ...]]:
    """The finished match of a record and its log, every hash checked.

    Reading is strict: there is one way to write a record, and other bytes are refused even if they
    mean the same. What lists say of a match besides (`players`, `ended_ms`) comes from its events.

    Raises:
        RecordError: not a record, of a later format, or changed.
    """
    record = _parse(data)
    table = record.table.SerializeToString(deterministic=True)
    hash_ = hashlib.sha256(_TAG + table).digest()
    rows = []
    for number, message in enumerate(record.rows):
        row = LogRow(
            record.table.table_id,
            record.table.table_epoch,
            message.sequence,
            message.public_part,
            {one.seat: one.part for one in message.private_parts} or NO_PRIVATE,
            message.input.SerializeToString(deterministic=True),
        )
        hash_ = hashlib.sha256(hash_ + row_body(row)).digest()
        if hash_ != message.hash:
            raise RecordError(f"row {number} or one before it was changed", "chain")
        rows.append(row)
    reveal = record.reveal
    try:
        players, ended_ms = _players(rows, len(record.table.seats)), _ended_ms(rows)
    except (DecodeError, IndexError, ValueError) as error:  # no event, no such seat, no such time
        raise RecordError("a row holds no event of a table") from error
    match = FinishedMatch(
        table_id=record.table.table_id,
        kind=record.table.spec.game,
        table=table,
        option_text={option.name: option.value for option in record.options},
        reveal=Reveal(
            reveal.secret,
            tuple(reveal.nonces),
            reveal.root,
            reveal.seed if reveal.HasField("seed") else None,
            tuple(AbandonedSecret(one.secret, tuple(one.nonces)) for one in reveal.abandoned),
            tuple(_deck(one) for one in reveal.decks),
        ),
        result=record.result.SerializeToString(deterministic=True),
        players=players,
        ended_ms=ended_ms,
    )
    if record_bytes(match, rows) != data:
        raise RecordError("not written in canonical form, or with fields that are unknown here")
    return match, tuple(rows)


def _parse(data: bytes) -> record_pb2.MatchRecord:
    """The message in *data*, the hash at its end checked; what is unknown is left out."""
    _check_shape(data)
    try:
        record = record_pb2.MatchRecord.FromString(data)
    except DecodeError as error:
        raise RecordError("not a record") from error
    if record.format != RECORD_FORMAT:
        raise RecordError(
            f"a record of format {record.format}; this version reads format {RECORD_FORMAT}"
        )
    end = len(data) - _HASH_FIELD_BYTES
    if data[end : end + 2] != _RECORD_HASH:
        raise RecordError("the record does not end with its hash")
    if hashlib.sha256(data[:end]).digest() != data[end + 2 :]:
        raise RecordError("the hash at the end is not that of the bytes before it")
    record.DiscardUnknownFields()
    return record


def _check_shape(data: bytes) -> None:
    """Refuse, before anything is made of it, a file of millions of rows or seats that are empty."""
    at = head = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind not in (0, 2):
            raise RecordError("not a record")
        size, at = _varint(data, at)
        if kind == 0:
            continue
        if tag >> 3 != _ROWS:
            head += at - start + size
        elif size < _HASH_FIELD_BYTES:
            raise RecordError(f"a row of {size} bytes; its hash alone has {_HASH_FIELD_BYTES}")
        if head > _HEAD_BYTES_MAX:
            raise RecordError(f"more than {_HEAD_BYTES_MAX} bytes outside the rows")
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at *at*, and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    raise RecordError("not a record")


def _players(rows: Iterable[LogRow], seats: int) -> tuple[Player, ...]:
    """Who sat last on each seat."""
    found = [Player()] * seats
    for row in rows:
        if row.public:
            event = table_pb2.TableEvent.FromString(row.public)
            if event.HasField("seat_joined"):
                joined = event.seat_joined.seat
                who = joined.player
                found[joined.seat] = Player(who.display_name, who.player_id, who.kind, who.version)
            elif event.HasField("seat_left"):
                found[event.seat_left.seat] = Player()
    return tuple(found)


def _ended_ms(rows: list[LogRow]) -> int:
    """Time of the last event."""
    public = next((row.public for row in reversed(rows) if row.public), b"")
    return table_pb2.TableEvent.FromString(public).time.ToMilliseconds()
