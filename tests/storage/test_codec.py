"""Records: one file a match, whose rows are chained."""

from __future__ import annotations

import hashlib

import pytest

from croupier.record.v1 import record_pb2
from croupier_server.storage.base import FinishedMatch, LogRow
from croupier_server.storage.codec import RecordError, read_record, record_bytes
from tests.tables.world import World, exactly


def finished() -> tuple[FinishedMatch, bytes]:
    """A finished match of the toy as a record, and what the record says."""
    world = World()
    table, _ = world.start()
    world.play(table)
    entry = world.records.get("table-1")
    assert entry is not None
    return read_record(entry.record), entry.record


def test_a_record_holds_all_of_a_match() -> None:
    match, data = finished()
    assert record_bytes(match) == data
    record = exactly(record_pb2.Record, data)
    assert record.format == 1
    assert record.table.table_id == match.table_id == "table-1"
    assert dict(record.options) == dict(match.option_text)
    lines = "".join(f"{name}={text}\n" for name, text in sorted(record.options.items()))
    assert record.table.ruleset_hash == hashlib.sha256(lines.encode()).digest()
    assert record.reveal.HasField("seed")
    assert len(record.reveal.root) == 32
    assert [row.sequence for row in record.rows if row.sequence] == list(
        range(1, max(row.sequence for row in record.rows) + 1)
    )
    assert match.players == ("player 0", "player 1", "player 2")
    assert match.ended_ms > record.table.create_time.ToMilliseconds()


def test_the_chain_is_as_documented() -> None:
    _, data = finished()
    record = record_pb2.Record.FromString(data)
    table = record.table.SerializeToString(deterministic=True)
    expected = hashlib.sha256(b"croupier/record/v1" + table).digest()
    for row in record.rows:
        kept = row.hash
        row.ClearField("hash")
        body = row.SerializeToString(deterministic=True)
        expected = hashlib.sha256(expected + body).digest()
        assert kept == expected


@pytest.mark.parametrize("how", ["public", "private", "input", "dropped", "swapped", "table"])
def test_a_record_that_was_changed_is_refused(how: str) -> None:
    _, data = finished()
    record = record_pb2.Record.FromString(data)
    row = next(row for row in record.rows if row.private)
    if how == "public":
        row.public += b"\x18\x01"
    elif how == "private":
        row.private[0].part = row.private[1].part
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
        record.table.title = "other"
    with pytest.raises(RecordError):
        read_record(record.SerializeToString())


@pytest.mark.parametrize("data", [b"\xff", b"", record_pb2.Record(format=2).SerializeToString()])
def test_what_is_no_record_of_ours_is_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        read_record(data)


def test_private_parts_stand_in_seat_order() -> None:
    match, _ = finished()
    rows = [LogRow("table-1", 1, 1, b"\x08\x01", {2: b"b", 0: b"a"}, b"")]
    record = record_pb2.Record.FromString(record_bytes(match._replace(rows=rows)))
    assert [(one.seat, one.part) for one in record.rows[0].private] == [(0, b"a"), (2, b"b")]
