"""What has to be done with records from time to time: show those that were held back for a while,
delete those that were kept long enough.

Must not be put here: how a store does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from croupier_server.storage.base import RecordStore

SECOND_S: Final = 1
HOUR_S: Final = 3_600
DAY_MS: Final = 86_400_000

Clock = Callable[[], int]
"""Milliseconds since 1970."""

Sleep = Callable[[float], Awaitable[object]]

_log = structlog.get_logger(__name__)


async def reveal_records(records: RecordStore, now_ms: Clock, sleep: Sleep = asyncio.sleep) -> None:
    """Show records within a second of their time, until cancelled."""
    await _repeat("reveal", SECOND_S, lambda: records.reveal(now_ms()), sleep)


async def purge_records(
    records: RecordStore, days: int, now_ms: Clock, sleep: Sleep = asyncio.sleep
) -> None:
    """Delete records of matches that ended more than so many days ago, once an hour, until
    cancelled."""

    async def purge() -> None:
        number = await records.purge(now_ms() - days * DAY_MS)
        if number:
            _log.info("records purged", number=number, days=days)

    await _repeat("purge", HOUR_S, purge, sleep)


async def _repeat(
    name: str, every_s: float, work: Callable[[], Awaitable[None]], sleep: Sleep
) -> None:
    """Do *work* again and again. A store that cannot do it now is asked again the next time, and
    complained of once."""
    was_good = True
    while True:
        try:
            await work()
            was_good = True
        except Exception as error:  # any store, so any error: nothing here is worth stopping for
            if was_good:
                _log.warning("upkeep of records failed", work=name, error=str(error))
            was_good = False
        await sleep(every_s)
