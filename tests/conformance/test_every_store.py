"""What every store must do, written once and run on each of them.

A new store adds a line to `LOGS` or `RECORDS`. A store may answer later: `settle` waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from croupier_server.storage.base import (
    NO_PRIVATE,
    FinishedMatch,
    LogRow,
    RecordStore,
    Reveal,
    TableLog,
)
from croupier_server.storage.codec import read_record
from croupier_server.storage.memory import MemoryLog, MemoryRecords

LOGS: dict[str, Callable[[], TableLog]] = {"memory": MemoryLog}
RECORDS: dict[str, Callable[[], RecordStore]] = {"memory": MemoryRecords}


@pytest.fixture(params=LOGS)
def log(request: pytest.FixtureRequest) -> TableLog:
    return LOGS[request.param]()


@pytest.fixture(params=RECORDS)
def records(request: pytest.FixtureRequest) -> RecordStore:
    return RECORDS[request.param]()


def row(table_id: str, sequence: int, private: int = 0, cause: bytes = b"") -> LogRow:
    parts = {seat: b"private %d" % seat for seat in range(private)} or NO_PRIVATE
    public = b"public %d" % sequence if sequence else b""
    return LogRow(table_id, 1, sequence, public, parts, cause)


async def store(log: TableLog, *batches: Sequence[LogRow]) -> list[int]:
    """Append *batches*; the order in which they were done."""
    done: list[int] = []
    finished = asyncio.get_running_loop().create_future()

    def is_done(number: int, error: Exception | None) -> None:
        assert error is None
        done.append(number)
        if len(done) == len(batches):
            finished.set_result(None)

    for number, batch in enumerate(batches):
        log.append(batch, lambda error, number=number: is_done(number, error))  # type: ignore[misc]
    async with asyncio.timeout(5):
        await finished
    return done


# Logs -------------------------------------------------------------------------------------------


async def test_rows_come_back_as_they_went_in(log: TableLog) -> None:
    rows = [row("a", 1), row("a", 2, 3, b"input"), row("a", 0, 0, b"sealed"), row("a", 3, 1)]
    await store(log, rows)
    assert list(log.read("a")) == rows
    assert dict(next(log.read("a", 1)).private) == {
        0: b"private 0",
        1: b"private 1",
        2: b"private 2",
    }


async def test_a_long_log_comes_back_as_it_went_in(log: TableLog) -> None:
    rows = [row("a", number, number % 5, b"input" * (number % 3)) for number in range(1, 1000)]
    rows[500:500] = [row("a", 0, 0, b"sealed"), row("a", 0, 0, b"sealed too")]
    await store(log, rows[:700], [row("b", 1)], rows[700:])
    found = list(log.read("a"))
    assert found == rows
    assert [dict(one.private) for one in found] == [dict(one.private) for one in rows]
    assert list(log.read("a", 500)) == rows[500:]
    assert list(log.read("a", 998)) == rows[-1:]


async def test_batches_are_done_in_their_order(log: TableLog) -> None:
    batches = [[row("a", number)] for number in range(1, 30)]
    assert await store(log, *batches) == list(range(29))
    assert [one.sequence for one in log.read("a")] == list(range(1, 30))


async def test_an_empty_batch_is_done_in_its_turn(log: TableLog) -> None:
    assert await store(log, [row("a", 1)], [], [row("a", 2)]) == [0, 1, 2]
    assert len(list(log.read("a"))) == 2


async def test_tables_do_not_mix(log: TableLog) -> None:
    await store(log, [row("b", 1), row("a", 1), row("b", 2)], [row("a", 2)])
    assert [one.sequence for one in log.read("a")] == [1, 2]
    assert {one.table_id for one in log.read("b")} == {"b"}
    assert log.tables() == ("b", "a")
    assert list(log.read("c")) == []


async def test_reading_goes_on_after_an_event(log: TableLog) -> None:
    rows = [row("a", 1), row("a", 0, 0, b"s"), row("a", 2), row("a", 0, 0, b"t"), row("a", 3)]
    await store(log, rows)
    assert list(log.read("a", 1)) == rows[1:]
    assert list(log.read("a", 2)) == rows[3:]
    assert list(log.read("a", 3)) == []
    assert list(log.read("a", 9)) == []


async def test_a_reader_is_not_disturbed_by_appends(log: TableLog) -> None:
    await store(log, [row("a", 1), row("a", 2)])
    reading = log.read("a")
    assert next(reading).sequence == 1
    await store(log, [row("a", 3)])
    assert next(reading).sequence == 2


async def test_what_is_forgotten_is_gone(log: TableLog) -> None:
    await store(log, [row("a", 1), row("b", 1)])
    log.forget("a")
    log.forget("never there")
    assert log.tables() == ("b",)
    assert list(log.read("a")) == []


# Records ----------------------------------------------------------------------------------------


def match(table_id: str, kind: int = 1) -> FinishedMatch:
    return FinishedMatch(
        table_id=table_id,
        kind=kind,
        table=b"\x0a" + bytes([len(table_id)]) + table_id.encode() + b"\x10\x01",
        option_text={"b": "2", "a": "1"},
        reveal=Reveal(secret=b"s" * 32, nonces=(b"n" * 32, b""), root=b"r" * 32),
        rows=[row(table_id, 1)._replace(public=b"\x08\x01")],
        result=b"\x08\x01",
        players=("Ann", "Bob"),
        ended_ms=1_700_000_000_000,
    )


def test_a_record_comes_back(records: RecordStore) -> None:
    put = records.put(match("a"))
    found = records.get("a")
    assert found == put
    assert (put.position, put.table_id, put.kind, put.players) == (1, "a", 1, ("Ann", "Bob"))
    assert (put.result, put.ended_ms) == (b"\x08\x01", 1_700_000_000_000)
    assert read_record(put.record).reveal == match("a").reveal
    assert records.get("b") is None


def test_the_newest_come_first(records: RecordStore) -> None:
    for number in range(1, 8):
        records.put(match(f"t{number}", kind=1 + number % 2))
    assert records.head() == 7
    first = records.newest(before=None, limit=3)
    assert [one.table_id for one in first] == ["t7", "t6", "t5"]
    rest = records.newest(before=first[-1].position, limit=9)
    assert [one.table_id for one in rest] == ["t4", "t3", "t2", "t1"]
    assert [one.table_id for one in records.newest(before=None, limit=2, kind=2)] == ["t7", "t5"]
    assert records.newest(before=1, limit=9) == []


def test_a_follower_reads_on_from_its_place(records: RecordStore) -> None:
    woken: list[int] = []
    assert records.head() == 0
    end = records.subscribe(lambda: woken.append(records.head()))
    for number in range(1, 6):
        records.put(match(f"t{number}"))
    assert woken == [1, 2, 3, 4, 5]
    assert [one.position for one in records.since(0, 2)] == [1, 2]
    assert [one.position for one in records.since(2, 9)] == [3, 4, 5]
    assert records.since(5, 9) == []
    end()
    end()
    records.put(match("t6"))
    assert len(woken) == 5
    assert records.head() == 6
