"""Records are deleted when they were kept long enough, whatever happens to the store."""

from __future__ import annotations

import asyncio

import pytest

from croupier_server.storage.memory import MemoryRecords
from croupier_server.storage.upkeep import DAY_MS, HOUR_S, purge_records
from tests.conformance.test_every_store import match

NOW_MS = 1_800_000_000_000


class Hours:
    """A clock that moves when somebody sleeps, and what records were there each time.

    Args:
        records: that are looked at.
    """

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records
        self._now_ms = NOW_MS
        self.seen: list[list[str]] = []

    def now_ms(self) -> int:
        return self._now_ms

    async def sleep(self, seconds: float) -> None:
        assert seconds == HOUR_S
        self._now_ms += HOUR_S * 1_000
        self.seen.append([one.table_id for one in await self._records.since(0, 9)])
        if len(self.seen) == 3:
            raise asyncio.CancelledError


class Failing(MemoryRecords):
    """Cannot be reached the first time."""

    is_up = False

    async def purge(self, before_ms: int) -> int:
        if not self.is_up:
            self.is_up = True
            raise OSError("no connection")
        return await super().purge(before_ms)


@pytest.mark.parametrize("failures", [0, 1])
async def test_old_records_go_once_an_hour(failures: int) -> None:
    records = Failing() if failures else MemoryRecords()
    half_an_hour = HOUR_S * 500
    for name, age_ms in (("old", 3 * DAY_MS), ("due", 2 * DAY_MS - half_an_hour), ("new", 0)):
        records.keep(match(name, ended_ms=NOW_MS - age_ms), b"record")
    hours = Hours(records)
    with pytest.raises(asyncio.CancelledError):
        await purge_records(records, 2, hours.now_ms, hours.sleep)
    first = ["old", "due", "new"] if failures else ["due", "new"]
    assert hours.seen == [first, ["new"], ["new"]]
