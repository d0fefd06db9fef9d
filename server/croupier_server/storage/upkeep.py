"""What has to be done with records from time to time: those that were kept long enough go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from croupier_server.storage.records import RecordStore

HOUR_S: Final = 3_600
DAY_MS: Final = 86_400_000

Clock = Callable[[], int]
"""Milliseconds since 1970."""

Sleep = Callable[[float], Awaitable[object]]

_log = structlog.get_logger(__name__)


async def purge_records(
    records: RecordStore, days: int, now_ms: Clock, sleep: Sleep = asyncio.sleep
) -> None:
    """Delete records of matches that ended more than so many days ago, once an hour, until
    cancelled. A store that cannot do it now is asked again the next time, and complained of
    once."""
    was_good = True
    while True:
        try:
            number = await records.purge(now_ms() - days * DAY_MS)
            if number:
                _log.info("records purged", number=number, days=days)
            was_good = True
        except Exception as error:  # any store, so any error: nothing here is worth stopping for
            if was_good:
                _log.warning("records not purged", error=str(error))
            was_good = False
        await sleep(HOUR_S)
