"""What is read from PostgreSQL, and what changes more than the log, over a pool of sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import asyncpg
import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from croupier_server.errors import Reason, Unavailable
from croupier_server.storage.base import Superseded
from croupier_server.storage.postgres_session import (
    ANSWER_S,
    CONNECT_S,
    EXCLUDE_OTHERS,
    LOST,
    driver_error,
    plain,
)
from croupier_server.storage.reading import POSTGRESQL

T = TypeVar("T")

_SESSIONS: Final = 4
"""Sessions that are kept open; under load there may be as many more."""

_RETRY_MS: Final = 1_000

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
    """A `LogDatabase` over many sessions. Everything may fail with `Unavailable`.

    Args:
        engine: gives sessions; this pool lets go of it.
        fence: by which changes go; None: whoever serves, these do not disturb it.
    """

    statements = POSTGRESQL

    def __init__(self, engine: AsyncEngine, fence: int | None) -> None:
        self._engine = engine
        self._fence = fence

    async def close(self) -> None:
        """Let go of all sessions."""
        await self._engine.dispose()

    async def read(self, query: Callable[[Connection], T]) -> T:
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
                    raise Superseded("another server has taken over the database")
            return await connection.run_sync(query)

    async def ask(self, statement: str, *values: str) -> list[Any]:
        """See `LogDatabase.ask`; by the driver's own connection, as reading tables is a great part
        of starting, and SQLAlchemy would be the greater part of that."""
        async with _reachable(), self._engine.connect() as connection:
            wrapped = await connection.get_raw_connection()
            raw: asyncpg.Connection = wrapped.driver_connection
            return list(await raw.fetch(statement, *values))


@asynccontextmanager
async def _reachable() -> AsyncIterator[None]:
    """What the database fails with is told to the log in full and to callers in general."""
    try:
        yield
    except (DBAPIError, *LOST) as error:
        _log.warning("store does not answer", error=plain(driver_error(error)))
        raise Unavailable(
            Reason.STORE_UNAVAILABLE, "the store does not respond; retry", retry_ms=_RETRY_MS
        ) from error
