"""What is read from PostgreSQL, and what changes more than the log, over a pool of sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import asyncpg
import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from croupier_server.errors import Reason, Unavailable
from croupier_server.storage.base import (
    LogRow,
    StoredDeal,
    StoredTable,
    Superseded,
)
from croupier_server.storage.packing import since_last_deals, unpack
from croupier_server.storage.postgres_session import (
    ANSWER_S,
    CONNECT_S,
    EXCLUDE_OTHERS,
    LOST,
    driver_error,
    plain,
)

T = TypeVar("T")

_SESSIONS: Final = 4
"""Sessions that are kept open; under load there may be as many more."""

_RETRY_MS: Final = 1_000

_LIVE: Final = """
SELECT number, epoch, carried,
  ARRAY(SELECT (sequence, results) FROM deals WHERE table_number = number ORDER BY sequence)
FROM live_tables WHERE table_id = $1
"""

_FIRST: Final = """
SELECT epoch, packed FROM log_pieces WHERE table_number = $1 AND last_sequence > 0
ORDER BY last_sequence LIMIT 1
"""

_ALL_PIECES: Final = """
SELECT log_pieces.epoch, packed
FROM log_pieces JOIN live_tables ON table_number = live_tables.number
WHERE table_id = $1 ORDER BY log_pieces.number
"""

_PIECES: Final = """
SELECT epoch, packed FROM log_pieces
WHERE table_number = $1 AND (last_sequence >= $2 OR last_sequence = 0) AND number + 0 >= coalesce(
  (SELECT number FROM log_pieces WHERE table_number = $1 AND last_sequence >= $2
    ORDER BY last_sequence LIMIT 1), 0)
ORDER BY number
"""
"""Those that hold events from a number on. The ``+ 0`` keeps it from going through the pieces of
all tables."""

_log = structlog.get_logger(__name__)


def pooled(url: str, answer_s: float | None = ANSWER_S) -> AsyncEngine:
    """Sessions of the database at *url*, opened when they are wanted.

    Args:
        url: of the database.
        answer_s: a statement may take so many seconds; None: any time.
    """
    name = {"application_name": "croupier"}

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(
            url, timeout=CONNECT_S, command_timeout=answer_s, server_settings=name
        )

    return create_async_engine(
        "postgresql+asyncpg://",
        hide_parameters=True,
        async_creator=connect,
        pool_size=_SESSIONS,
        max_overflow=_SESSIONS,
        pool_pre_ping=True,
    )


class PostgresPool:
    """A database over many sessions. Everything may fail with `Unavailable`.

    Args:
        engine: gives sessions; this pool lets go of it.
        fence: by which changes go; None: whoever serves, these do not disturb it.
    """

    def __init__(self, engine: AsyncEngine, fence: int | None) -> None:
        self._engine = engine
        self._fence = fence

    async def close(self) -> None:
        """Let go of all sessions."""
        await self._engine.dispose()

    # Queries -------------------------------------------------------------------------------------

    async def read(self, query: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        async with _reachable(), self._engine.connect() as connection:
            return await connection.run_sync(query)

    async def write(self, query: Callable[[Connection], T]) -> T:
        """See `Database.write`.

        Raises:
            Superseded: the database goes by another fence.
        """
        async with _reachable(), self._engine.begin() as connection:
            await connection.execute(text(EXCLUDE_OTHERS))
            if self._fence is not None:
                fence = (await connection.execute(text("SELECT fence FROM writer"))).scalar_one()
                if fence != self._fence:
                    raise Superseded("another server has taken the database over")
            return await connection.run_sync(query)

    # Live tables ---------------------------------------------------------------------------------

    async def tables(self) -> Sequence[str]:
        """See `TableLog.tables`."""
        async with self._raw() as raw:
            found = await raw.fetch("SELECT table_id FROM live_tables ORDER BY number")
        return [table_id for (table_id,) in found]

    async def load(self, table_id: str) -> StoredTable | None:
        """See `TableLog.load`."""
        async with self._raw() as raw:
            live = await raw.fetchrow(_LIVE, table_id)
            if live is None:
                return None
            number, epoch, carried, marks = live
            deals = tuple(StoredDeal(*mark) for mark in marks)
            first = await raw.fetch(_FIRST, number)
            found = await raw.fetch(_PIECES, number, deals[-2].sequence if len(deals) > 1 else 1)
        rows = list(_rows(table_id, found))
        made = next(_rows(table_id, first), None) or next(iter(rows), None)
        if made is None:
            return None  # finished meanwhile
        return StoredTable(
            table_id, epoch, made, deals, carried or b"", since_last_deals(rows, deals)
        )

    async def read_log(self, table_id: str) -> Sequence[LogRow]:
        """See `TableLog.read`."""
        async with self._raw() as raw:
            found = await raw.fetch(_ALL_PIECES, table_id)
        return list(_rows(table_id, found))

    @asynccontextmanager
    async def _raw(self) -> AsyncIterator[asyncpg.Connection]:
        """The driver's own connection, on which each statement is a transaction: reading tables is
        a great part of starting, and SQLAlchemy would be the greater part of that."""
        async with _reachable(), self._engine.connect() as connection:
            wrapped = await connection.get_raw_connection()
            yield wrapped.driver_connection


def _rows(table_id: str, found: Iterable[Any]) -> Iterator[LogRow]:
    for epoch, packed in found:
        yield from unpack(table_id, epoch, packed)


@asynccontextmanager
async def _reachable() -> AsyncIterator[None]:
    """What the database fails with is told to the log in full and to callers in general."""
    try:
        yield
    except (DBAPIError, *LOST) as error:
        _log.warning("store does not answer", error=plain(driver_error(error)))
        raise Unavailable(
            Reason.STORE_UNAVAILABLE, "the store does not answer; try again", retry_ms=_RETRY_MS
        ) from error
