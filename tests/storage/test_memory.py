"""The memory store: bounded where the others are not."""

from __future__ import annotations

import pytest

from croupier_server.storage import memory
from croupier_server.storage.base import FinishedMatch
from croupier_server.storage.codec import record_bytes
from croupier_server.storage.memory import MemoryRecords
from tests.conformance.test_every_store import finish, match, row


def put(records: MemoryRecords, finished: FinishedMatch) -> int:
    """Keep a match of one row; returns the size of its record."""
    record = record_bytes(finished, [row(finished.table_id, 1)])
    records.keep(finished, record)
    return len(record)


async def test_only_the_newest_records_are_kept() -> None:
    records = MemoryRecords(3)
    for number in range(1, 6):
        put(records, match(f"t{number}"))
    found = await records.newest(before=None, limit=9)
    assert [one.table_id for one in found] == ["t5", "t4", "t3"]
    assert await records.get("t2") is None
    assert await records.head() == 5
    assert [one.position for one in await records.since(0, 9)] == [3, 4, 5]


async def test_of_calls_that_made_tables_the_newest_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("croupier_server.storage.records.ENDED_REQUESTS_MAX", 2)
    store = memory.memory_store()
    for number in range(4):
        await finish(store, match(f"t{number}")._replace(request_key=b"%d" % number))
    assert [one.table_id for one in await store.log.ended_requests()] == ["t2", "t3"]


async def test_the_newest_records_are_kept_that_find_room() -> None:
    one = put(MemoryRecords(), match("t1"))
    records = MemoryRecords(10, bytes_max=2 * one)
    for number in range(1, 6):
        put(records, match(f"t{number}"))
    assert [entry.table_id for entry in await records.since(0, 9)] == ["t4", "t5"]
    records = MemoryRecords(10, bytes_max=1)
    for number in range(1, 3):
        put(records, match(f"t{number}"))
    assert [entry.table_id for entry in await records.since(0, 9)] == ["t2"]


async def test_a_record_kept_again_takes_the_newest_place() -> None:
    records = MemoryRecords(3)
    for name in ("a", "b", "a"):
        put(records, match(name))
    assert [one.table_id for one in await records.newest(before=None, limit=9)] == ["a", "b"]
    assert await records.head() == 3
