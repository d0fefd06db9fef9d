"""The memory stores: bounded where the others are not."""

from __future__ import annotations

from croupier_server.storage.memory import MemoryRecords
from tests.conformance.test_every_store import match


def test_only_the_newest_records_are_kept() -> None:
    records = MemoryRecords(3)
    for number in range(1, 6):
        records.put(match(f"t{number}"))
    assert [one.table_id for one in records.newest(before=None, limit=9)] == ["t5", "t4", "t3"]
    assert records.get("t2") is None
    assert records.head() == 5
    assert [one.position for one in records.since(0, 9)] == [3, 4, 5]


def test_the_newest_records_are_kept_that_find_room() -> None:
    one = len(MemoryRecords().put(match("t1")).record)
    records = MemoryRecords(10, bytes_max=2 * one)
    for number in range(1, 6):
        records.put(match(f"t{number}"))
    assert [entry.table_id for entry in records.since(0, 9)] == ["t4", "t5"]
    records = MemoryRecords(10, bytes_max=1)
    for number in range(1, 3):
        records.put(match(f"t{number}"))
    assert [entry.table_id for entry in records.since(0, 9)] == ["t2"]


def test_a_record_put_again_takes_the_newest_place() -> None:
    records = MemoryRecords(3)
    for name in ("a", "b", "a"):
        records.put(match(name))
    assert [one.table_id for one in records.newest(before=None, limit=9)] == ["a", "b"]
    assert records.head() == 3
