"""A store in a PostgreSQL database.

Must not be put here: what it does once it is open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import DBAPIError

from croupier_server.config import without_password
from croupier_server.storage.base import Durability, Store, StoreError
from croupier_server.storage.migrating import WrongSchema, upgrade
from croupier_server.storage.postgres import PostgresLog
from croupier_server.storage.postgres_batches import Batches
from croupier_server.storage.postgres_pool import PostgresPool, pooled
from croupier_server.storage.postgres_session import LOST, Held, WriterSession, plain
from croupier_server.storage.sql import SqlAudit, SqlKeys, SqlRecords

_LAST_TABLE = """
SELECT greatest((SELECT max(number) FROM live_tables),
                (SELECT max(table_number) FROM log_pieces), 0)
"""


async def open_postgres(url: str, durability: Durability) -> Store:
    """The store in the database at *url*, for as long as nobody else serves from it.

    Raises:
        StoreError: another server does; it is not there, not ours or of a later version.
    """
    session = WriterSession(url, durability)
    async with opening(url):
        await session.open()
        try:
            return await _open(url, session)
        except BaseException:
            session.drop()
            raise


async def _open(url: str, session: WriterSession) -> Store:
    engine = pooled(url)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(upgrade)
        await session.claim()
        live = await session.connection.fetch("SELECT table_id, number FROM live_tables")
        last_table = await session.connection.fetchval(_LAST_TABLE)
        last_piece = await session.connection.fetchval(
            "SELECT coalesce(max(number), 0) FROM log_pieces"
        )
    except BaseException:
        await engine.dispose()
        raise
    pool = PostgresPool(engine, session.fence)
    records = SqlRecords(pool)
    batches = Batches(session.fence, dict(map(tuple, live)), last_table, last_piece)
    log = PostgresLog(session, batches, pool, records.shown)
    return Store(log, records, SqlKeys(pool), SqlAudit(pool), "postgresql", pool.close)


@asynccontextmanager
async def opening(url: str) -> AsyncIterator[None]:
    """What goes wrong, as a `StoreError` that names the store."""
    try:
        yield
    except Held as error:
        raise StoreError(f"store: {without_password(url)}: {error}") from None
    except WrongSchema as error:
        raise StoreError(f"store: {without_password(url)} {error}") from None
    except DBAPIError as error:
        cause = error.orig or error
        text = plain(cause.__cause__ or cause)
        raise StoreError(f"store: {without_password(url)}: {text}") from None
    except (ValueError, *LOST) as error:  # the former: the URL cannot be read
        raise StoreError(f"store: {without_password(url)}: {plain(error)}") from None
