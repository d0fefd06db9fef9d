"""Records: one file a match, written in one way, with a chain over its rows and a hash over all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from croupier.record.v1 import record_pb2
from croupier_server.storage.base import FinishedMatch, LogRow, Player
from croupier_server.storage.codec import (
    RecordError,
    read_record,
    record_bytes,
    record_of_bodies,
    row_body,
)
from tests.tables.world import World


def finished() -> tuple[FinishedMatch, Sequence[LogRow], bytes]:
    """A finished match of the toy, its log, and its record."""
    world = World()
    table, _ = world.start()
    world.play(table)
    entry = world.record("table-1")
    assert entry is not None
    return *read_record(entry.record), entry.record


def sealed(record: record_pb2.MatchRecord) -> bytes:
    """*record* written anew as somebody would who has changed it: with a hash that is right."""
    record.ClearField("hash")
    content = record.SerializeToString()
    return content + b"\x3a\x20" + hashlib.sha256(content).digest()


def test_a_record_holds_all_of_a_match() -> None:
    match, rows, data = finished()
    assert record_bytes(match, rows) == data
    assert record_of_bodies(match, [row_body(row) for row in rows]) == data
    record = record_pb2.MatchRecord.FromString(data)
    assert record.SerializeToString() == data
    assert record.format == 3
    assert record.table.table_id == match.table_id == "table-1"
    options = {option.name: option.value for option in record.options}
    assert options == dict(match.option_text)
    lines = "".join(f"{name}={text}\n" for name, text in sorted(options.items()))
    assert record.table.ruleset_hash == hashlib.sha256(lines.encode()).digest()
    assert record.reveal.HasField("seed")
    assert len(record.reveal.root) == 32
    assert [row.sequence for row in record.rows if row.sequence] == list(
        range(1, max(row.sequence for row in record.rows) + 1)
    )
    assert match.players == tuple(Player(f"player {seat}") for seat in range(3))
    assert match.ended_ms > record.table.create_time.ToMilliseconds()


def test_the_chain_and_the_hash_are_as_documented() -> None:
    _, _, data = finished()
    record = record_pb2.MatchRecord.FromString(data)
    table = record.table.SerializeToString(deterministic=True)
    expected = hashlib.sha256(b"croupier/record/v1" + table).digest()
    for row in record.rows:
        kept = row.hash
        row.ClearField("hash")
        body = row.SerializeToString(deterministic=True)
        expected = hashlib.sha256(expected + body).digest()
        assert kept == expected
    assert record.hash == hashlib.sha256(data[:-34]).digest()


@pytest.mark.parametrize("how", ["public", "private", "input", "dropped", "swapped", "table"])
def test_a_record_that_was_changed_is_refused_by_its_chain(how: str) -> None:
    _, _, data = finished()
    record = record_pb2.MatchRecord.FromString(data)
    row = next(row for row in record.rows if row.private_parts)
    if how == "public":
        row.public_part += b"\x18\x01"
    elif how == "private":
        row.private_parts[0].part = row.private_parts[1].part
    elif how == "input":
        moved = next(row for row in record.rows if row.input.HasField("move"))
        moved.input.move.seat += 1
    elif how == "dropped":
        del record.rows[5]
    elif how == "swapped":
        rows = list(record.rows)
        rows[5], rows[6] = rows[6], rows[5]
        del record.rows[:]
        record.rows.extend(rows)
    else:
        record.table.spec.title = "other"
    with pytest.raises(RecordError, match="hash at the end") as refused:
        read_record(record.SerializeToString())
    assert refused.value.check == "file"
    with pytest.raises(RecordError, match="was changed") as refused:
        read_record(sealed(record))
    assert refused.value.check == "chain"


@pytest.mark.parametrize(
    "data", [b"\xff", b"", record_pb2.MatchRecord(format=2).SerializeToString()]
)
def test_what_is_no_record_of_ours_is_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        read_record(data)


@pytest.mark.more
def test_every_byte_counts() -> None:
    _, _, data = finished()
    for place in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            changed = bytearray(data)
            changed[place] ^= change
            with pytest.raises(RecordError):
                read_record(bytes(changed))
    for wrong in (data[:-1], data + b"\x00", data[:-34], data[1:]):
        with pytest.raises(RecordError):
            read_record(wrong)


def _longer_number(data: bytes) -> bytes:
    """The format, 3, written with a byte too many."""
    assert data.startswith(b"\x08\x03")
    return b"\x08\x83\x00" + data[2:]


def _moved_field(data: bytes) -> bytes:
    """The format behind everything else."""
    return data[2:] + data[:2]


def _unknown_field(data: bytes) -> bytes:
    return data + b"\x78\x01"


@pytest.mark.parametrize("change", [_longer_number, _moved_field, _unknown_field])
def test_there_is_one_way_to_write_a_record(change: object) -> None:
    _, _, data = finished()
    assert callable(change)
    content = change(data[:-34])
    assert record_pb2.MatchRecord.FromString(content).format == 3
    with pytest.raises(RecordError, match="canonical"):
        read_record(content + b"\x3a\x20" + hashlib.sha256(content).digest())


def test_rows_that_hold_no_events_are_refused() -> None:
    match, rows, _ = finished()
    changed = [rows[0]._replace(public=b"\xff"), *rows[1:]]
    with pytest.raises(RecordError, match="no event"):
        read_record(record_bytes(match, changed))


def test_the_order_of_options_is_ours() -> None:
    """The library puts a name behind the names that begin with it."""
    match, rows, _ = finished()
    options = {"ante": "1", "ante_timing": "x", "Ante": "2"}
    data = record_bytes(match._replace(option_text=options), rows)
    assert read_record(data)[0].option_text == options
    assert data.index(b"Ante") < data.index(b"ante") < data.index(b"ante_timing")
    assert record_pb2.MatchRecord.FromString(data).SerializeToString() == data


def test_private_parts_stand_in_seat_order() -> None:
    match, _, _ = finished()
    rows = [LogRow("table-1", 1, 1, b"\x08\x02", {2: b"b", 0: b"a"}, b"")]
    record = record_pb2.MatchRecord.FromString(record_bytes(match, rows))
    assert [(one.seat, one.part) for one in record.rows[0].private_parts] == [(0, b"a"), (2, b"b")]
