"""A store in a PostgreSQL database: what its writer sends.

A batch of appends is one statement that commits by itself, and costs one round trip. A batch with
finished matches is one transaction. Each notes its number beside the fence that it goes by, so a
new session finds out whether a commit that got no answer was carried out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, TypeVar

import asyncpg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.util import await_only

from croupier_server.config import without_password
from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import (
    Durability,
    FinishedMatch,
    Store,
    StoreError,
    Superseded,
)
from croupier_server.storage.change import Change, Numbers
from croupier_server.storage.jobs import Append, Committed, Finish, Job, LoopCore, StoreTrouble
from croupier_server.storage.keys import KeyStore
from croupier_server.storage.log import StoredLog
from croupier_server.storage.migrating import WrongSchema, upgrade
from croupier_server.storage.packing import Piece
from croupier_server.storage.postgres_pool import PostgresPool, pooled
from croupier_server.storage.postgres_session import (
    EXCLUDE_OTHERS,
    LOST,
    Held,
    WriterSession,
    driver_error,
    plain,
    refused_as,
)
from croupier_server.storage.records import RecordStore

T = TypeVar("T")

_LAST_TABLE: Final = """
SELECT greatest((SELECT max(number) FROM live_tables),
                (SELECT max(table_number) FROM log_pieces), 0)
"""

_INSERT: Final = """
    INSERT INTO log_pieces (number, table_number, epoch, last_sequence, packed)
    SELECT $3::bigint + place - 1, table_number, epoch, last_sequence, packed FROM held,
      unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
      WITH ORDINALITY AS piece (table_number, epoch, last_sequence, packed, place)
"""

_PIECES: Final = f"""
WITH held AS (UPDATE writer SET last_batch = $1 WHERE fence = $2 RETURNING fence),
  pieces AS (
    {_INSERT})
SELECT fence FROM held
"""  # noqa: S608 - the parts are above

_ALL: Final = f"""
WITH held AS (UPDATE writer SET last_batch = $1 WHERE fence = $2 RETURNING fence),
  pieces AS (
    {_INSERT}),
  live AS (
    INSERT INTO live_tables (number, table_id, epoch, carried)
    SELECT live.* FROM held, unnest($8::bigint[], $9::text[], $10::bigint[], $11::bytea[]) AS live
    ON CONFLICT (number) DO UPDATE SET carried = excluded.carried),
  marks AS (
    INSERT INTO deals (table_number, sequence, results)
    SELECT mark.* FROM held, unnest($12::bigint[], $13::bigint[], $14::bytea[]) AS mark)
SELECT fence FROM held
"""  # noqa: S608 - the parts are above

_WHOLE: Final = """
SELECT coalesce(string_agg(packed, ''::bytea ORDER BY number), '') FROM log_pieces
WHERE table_number = $1
"""

_DELETE: Final = """
WITH deals_of_it AS (DELETE FROM deals WHERE table_number = $1),
  pieces AS (DELETE FROM log_pieces WHERE table_number = $1)
DELETE FROM live_tables WHERE number = $1
"""

_TAKEN_OVER: Final = "another server has taken the database over"


class Refused(Exception):
    """PostgreSQL will never accept this data; the text gives the class of the error alone, as
    PostgreSQL's own words may quote the data."""


class _Pending(NamedTuple):
    """A batch whose commit may have been carried out."""

    numbers: Numbers
    committed: Committed


class PostgresCore(LoopCore):
    """Writes to one database; see `LoopCore`.

    Args:
        url: of the database.
        durability: see `WriterSession`.
    """

    def __init__(self, url: str, durability: Durability) -> None:
        self._session = WriterSession(url, durability)
        self._numbers = Numbers({}, 1, 1)
        self._batch = 0
        """Number of the last batch that is known to be stored."""
        self._pending: _Pending | None = None
        self._answer: Committed | None = None
        """Result of the batch that turned out to be stored after its answer was lost."""
        self._engine = create_async_engine(
            "postgresql+asyncpg://",
            hide_parameters=True,
            async_creator=self._connection,
            pool_size=1,
        )

    @property
    def fence(self) -> int:
        """See `WriterSession.fence`."""
        return self._session.fence

    async def lock(self) -> None:
        """Connect and take the lock; see `WriterSession.open`."""
        await self._session.open()

    async def claim(self) -> None:
        """Take a fence, and read what is stored; see `WriterSession.claim`."""
        await self._session.claim()
        connection = self._session.connection
        live = await connection.fetch("SELECT table_id, number FROM live_tables")
        last_table = await connection.fetchval(_LAST_TABLE)
        last_piece = await connection.fetchval("SELECT coalesce(max(number), 0) FROM log_pieces")
        self._numbers = Numbers(dict(map(tuple, live)), last_table + 1, last_piece + 1)

    async def close(self) -> None:
        """End the session, and with it the lock."""
        await self._engine.dispose(close=False)
        await self._session.close()

    async def commit(self, jobs: Sequence[Job]) -> Committed:
        """See `Core.commit`.

        Raises:
            Refused: nothing was done, and one of the jobs is to blame.
        """
        return await self._guarded(self._commit(jobs))

    async def check(self) -> None:
        """See `Core.check`."""
        await self._guarded(self._check())

    async def sweep(self) -> bool:
        """See `Core.sweep`: nothing is left behind here."""
        return False

    async def _guarded(self, work: Awaitable[T]) -> T:
        """What *work* returns; its errors are those of `Core`."""
        try:
            return await work
        except (Held, DBAPIError, *LOST) as error:
            cause = driver_error(error)
            refusal = refused_as(cause)
            if refusal:
                self._pending = None
                raise Refused(refusal) from None
            self._drop()
            raise StoreTrouble(plain(cause)) from error
        except BaseException:
            # If it was stored nevertheless, the next session notices.
            self._pending = None
            self._drop()
            raise

    async def _commit(self, jobs: Sequence[Job]) -> Committed:
        await self._reopen()
        answer, self._answer = self._answer, None
        if answer is not None:
            return answer
        if any(isinstance(job, Finish) for job in jobs):
            async with self._engine.begin() as connection:
                await connection.run_sync(self._change, jobs)
        else:
            await self._append(jobs)
        return self._accept()

    async def _append(self, jobs: Sequence[Job]) -> None:
        pieces = [piece for job in jobs if isinstance(job, Append) for piece in job.pieces]
        known = self._numbers.tables
        is_new = not all(piece.table_id in known for piece in pieces)
        numbers = Numbers(
            known.copy() if is_new else known, self._numbers.next_table, self._numbers.next_piece
        )
        statement, arguments = _statement(self.fence, self._batch + 1, numbers, pieces)
        self._pending = _Pending(numbers, Committed([None] * len(jobs)))
        if await self._session.connection.fetchval(statement, *arguments) is None:
            raise Superseded(_TAKEN_OVER)

    def _change(self, connection: Connection, jobs: Sequence[Job]) -> None:
        """Do *jobs*, of which some finish matches, in a transaction that the caller commits."""
        connection.execute(text(EXCLUDE_OTHERS))
        change = _Change(connection, self._numbers, self.fence, self._batch + 1)
        committed = change.do(jobs)
        self._pending = _Pending(change.numbers, committed)

    def _accept(self) -> Committed:
        """The pending batch is stored."""
        assert self._pending is not None
        self._numbers, committed = self._pending
        self._pending = None
        self._batch += 1
        return committed

    async def _check(self) -> None:
        await self._reopen()
        await self._session.last_batch()

    async def _reopen(self) -> None:
        """Have a session; find out what became of the batch whose answer the last one has not
        brought.

        Raises:
            Superseded: another server serves, or the database has lost what it confirmed.
        """
        if self._session.is_open:
            return
        self._drop()
        await self._session.open()
        stored = await self._session.last_batch()
        if self._pending is not None and stored == self._batch + 1:
            self._answer = self._accept()
        elif stored != self._batch:
            raise Superseded(f"PostgreSQL has lost what it had stored after batch {stored}")
        self._pending = None
        await self._session.note_lineage()

    def _drop(self) -> None:
        """Let go of the session at once."""
        self._session.drop()
        self._engine.sync_engine.dispose(close=False)

    async def _connection(self) -> asyncpg.Connection:
        """For SQLAlchemy: the one session."""
        return self._session.connection


class _Change(Change):
    """One transaction with finished matches."""

    def __init__(self, connection: Connection, numbers: Numbers, fence: int, batch: int) -> None:
        super().__init__(connection, numbers)
        self._fence = fence
        self._batch = batch
        self._insert(())  # notes the batch, and makes sure of the fence

    def _insert(self, pieces: Sequence[Piece]) -> None:
        statement, arguments = _statement(self._fence, self._batch, self.numbers, pieces)
        if self._connection.exec_driver_sql(statement, arguments).scalar() is None:
            raise Superseded(_TAKEN_OVER)

    def _packed(self, number: int) -> bytes:
        return bytes(self._connection.exec_driver_sql(_WHOLE, (number,)).scalar_one())

    def _record(self, match: FinishedMatch, packed: bytes) -> bytes:
        """In a thread, as a long record would hold up the loop."""
        make = super()._record
        return await_only(asyncio.to_thread(make, match, packed))

    def _delete(self, number: int) -> None:
        self._connection.exec_driver_sql(_DELETE, (number,))


def _statement(
    fence: int, batch: int, numbers: Numbers, pieces: Sequence[Piece]
) -> tuple[str, tuple[object, ...]]:
    """What stores *pieces*, and its arguments. It returns the fence, or no row under another one.
    Raises *numbers*."""
    live = numbers.live_tables(pieces)
    deals = numbers.deals(pieces)
    pieces = _joined(pieces)
    first = numbers.next_piece
    numbers.next_piece += len(pieces)
    arguments: tuple[object, ...] = (
        batch,
        fence,
        first,
        [numbers.tables[piece.table_id] for piece in pieces],
        [piece.epoch for piece in pieces],
        [piece.last_sequence for piece in pieces],
        [piece.packed for piece in pieces],
    )
    if not live:
        return _PIECES, arguments
    return _ALL, (*arguments, *_columns(live, 4), *_columns(deals, 3))


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """One piece for each table and epoch, as pieces of one batch cost less together."""
    found: dict[tuple[str, int], list[Piece]] = {}
    for piece in pieces:
        found.setdefault((piece.table_id, piece.epoch), []).append(piece)
    return [_join(own) if len(own) > 1 else own[0] for own in found.values()]


def _join(pieces: list[Piece]) -> Piece:
    last_sequence = max(piece.last_sequence for piece in pieces)
    packed = b"".join(piece.packed for piece in pieces)
    return pieces[0]._replace(last_sequence=last_sequence, packed=packed)


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    """*rows* turned on their side."""
    return [[row[place] for row in rows] for place in range(width)]


# Opening ----------------------------------------------------------------------------------------


async def open_postgres(url: str, durability: Durability) -> Store:
    """The store in the database at *url*, for as long as nobody else serves from it.

    Raises:
        StoreError: another server does; it is not there, not ours or of a later version.
    """
    core = PostgresCore(url, durability)
    engine = None
    async with opening(url):
        try:
            await core.lock()
            engine = pooled(url)
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
            await core.claim()
        except BaseException:
            if engine is not None:
                await engine.dispose()
            await core.close()
            raise
    pool = PostgresPool(engine, core.fence)

    async def shut() -> None:
        await pool.close()
        await core.close()

    records = RecordStore(pool)
    log = StoredLog(core, pool, records.shown)
    return Store(log, records, KeyStore(pool), AuditLog(pool), "postgresql", shut)


@asynccontextmanager
async def opening(url: str) -> AsyncIterator[None]:
    """What goes wrong, as a `StoreError` that names the store."""
    try:
        yield
    except Held as error:
        raise StoreError(f"store: {without_password(url)}: {error}") from None
    except WrongSchema as error:
        raise StoreError(f"store: {without_password(url)} {error}") from None
    except (ValueError, DBAPIError, *LOST) as error:  # the first: the URL cannot be read
        raise StoreError(f"store: {without_password(url)}: {plain(driver_error(error))}") from None
