"""The one session that writes to a PostgreSQL database.

Whoever serves holds an advisory lock of its schema for as long as the session lives, so there are
no two. A session can be lost and the lock with it, and another server may come in between; so each
that begins to serve takes a number besides, the fence, and every batch that is stored says the
fence that it goes by and its own number. Whoever comes back reads from them whether it has been
followed by another, and whether the batch whose commit got no answer was stored.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from typing import Final

import asyncpg
import structlog
from sqlalchemy.exc import DBAPIError

from croupier_server.config import without_password
from croupier_server.storage.base import Durability, Superseded
from croupier_server.storage.schema import LINEAGE_BITS

CONNECT_S: Final = 10
"""Time to connect and to find out whether we may write."""

ANSWER_S: Final = 10
"""A session whose server has not answered for so long counts as lost."""

HELD_S: Final = 3.0
"""Time that a session of a server that has just been killed has to end, before we take it for that
of a live one."""

_LOOK_AGAIN_S: Final = 0.05

LOCK: Final = 7421
"""First half of the lock's key; the schema is the other."""

TRY_LOCK: Final = "SELECT pg_try_advisory_lock($1, current_schema()::regnamespace::oid::int)"

_HOLDER: Final = """
SELECT pid, application_name, coalesce(host(client_addr), 'this machine') AS host
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = $1
  AND objid = current_schema()::regnamespace::oid
  AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

_COMMIT: Final = {
    # A server that is set to wait for its replicas too goes on doing so.
    "power": "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'",
    "process": "SET synchronous_commit = off",
}

_LINEAGE: Final = """
SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
FROM pg_control_system()
"""
"""The cluster, and its timeline, which is a new one after the promotion of a standby and after a
recovery to a point in time. ``pg_control_checkpoint`` tells the timeline too late: a promoted
standby serves before its next checkpoint. Any role may ask, unless that was revoked."""

_TAKE_FENCE: Final = "UPDATE writer SET fence = fence + 1, last_batch = 0 RETURNING fence, lineage"

_BEGIN_LIVES: Final = """
UPDATE live_tables SET epoch = greatest(epoch + 1, extract(epoch FROM now())::bigint)
"""
"""As `restoring.restore` does: events that clients have seen may be lost."""

_RENEW_LINEAGE: Final = "UPDATE counters SET value = $1 WHERE name = 'lineage'"
"""Records that they have seen may be lost too; see `RecordStore.lineage`."""

EXCLUDE_OTHERS: Final = "SELECT value FROM counters WHERE name = 'records' FOR UPDATE"
"""First statement of whatever changes more than the log: such transactions are rare, and one after
the other they need no thought about what they would do to each other."""

LOST: Final = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the driver, when the server ends a session between two messages
)
"""What a session may fail with."""


_REFUSALS: Final = frozenset({"22", "23", "54", "P0"})
"""Classes of SQLSTATE that are about what was sent: no such data, a constraint, a limit, a trigger
that raised. All others are about the database or the session."""

_log = structlog.get_logger(__name__)


class Held(Exception):
    """Another server holds the database; the text says which."""


def driver_error(error: BaseException) -> BaseException:
    """The driver's own error, where SQLAlchemy has wrapped it."""
    if not isinstance(error, DBAPIError) or error.orig is None:
        return error
    # SQLAlchemy's error holds its own form of the driver's, which holds the driver's.
    return error.orig.__cause__ or error.orig


def refused_as(error: BaseException) -> str:
    """What PostgreSQL or its driver has against the very data that it was sent, which it never will
    take; empty for anything else, which may pass. No words of theirs: they may name the data."""
    state = error.sqlstate or "" if isinstance(error, asyncpg.PostgresError) else ""
    return f"{type(error).__name__} ({state})" if state[:2] in _REFUSALS else ""


def plain(error: BaseException) -> str:
    """What went wrong, on one line and without what the driver knows of passwords."""
    if type(error) is TimeoutError and not error.args:
        return f"PostgreSQL has not answered for {ANSWER_S} s"
    # What PostgreSQL says in detail may be the row itself, which nobody may see.
    words = error.args[0] if isinstance(error, asyncpg.PostgresError) and error.args else error
    text = refused_as(error) or " ".join(str(words).split()) or type(error).__name__
    return f"PostgreSQL: {without_password(text)}"


class WriterSession:
    """The session that writes, while there is one.

    Args:
        url: of the database.
        durability: ``power``: what is stored survives a power cut; ``process``: only the end of
            this process.

    Attributes:
        fence: our number; 0 before `claim`.
    """

    def __init__(self, url: str, durability: Durability) -> None:
        self._url = url
        self._durability = durability
        # pg_stat_activity shows 63 bytes of it. The last part tells our own sessions from others.
        name = f"croupier {socket.gethostname()[:24]}:{os.getpid()} "
        self._name = name + secrets.token_hex(8)
        self._connection: asyncpg.Connection | None = None
        self.fence = 0

    @property
    def connection(self) -> asyncpg.Connection:
        """The driver's connection; there must be one."""
        assert self._connection is not None
        return self._connection

    @property
    def is_open(self) -> bool:
        """Whether there is a session that has not been seen to end."""
        return self._connection is not None and not self._connection.is_closed()

    async def open(self) -> None:
        """Connect and take the lock.

        Raises:
            Held: another server has the lock.
            Superseded: and it goes by a fence of its own.
            OSError, asyncpg.PostgresError: no session; and the others of `LOST`.
        """
        async with asyncio.timeout(CONNECT_S):
            connection = await asyncpg.connect(
                self._url,
                timeout=CONNECT_S,
                command_timeout=ANSWER_S,
                server_settings={"application_name": self._name},
            )
            try:
                await connection.execute(_COMMIT[self._durability])
                await self._lock(connection)
            except BaseException:
                connection.terminate()
                raise
        self._connection = connection

    async def _lock(self, connection: asyncpg.Connection) -> None:
        """Take the lock, if need be from an earlier session of ours that the server has not missed
        yet."""
        loop = asyncio.get_running_loop()
        until = loop.time() + HELD_S
        while not (is_ours := await connection.fetchval(TRY_LOCK, LOCK)):
            if is_ours is None:
                raise OSError("search_path does not name a schema of this database")
            holder = await connection.fetchrow(_HOLDER, LOCK)
            if holder is None:
                continue  # gone meanwhile
            if holder["application_name"] != self._name:
                if self.fence:
                    await self._check_fence(connection)
                elif loop.time() < until:
                    await asyncio.sleep(_LOOK_AGAIN_S)
                    continue
                name = holder["application_name"].rpartition(" ")[0]
                raise Held(
                    f"another server holds this database: {name}, connected from "
                    f"{holder['host']} (process {holder['pid']} of PostgreSQL)"
                )
            await connection.execute("SELECT pg_terminate_backend($1)", holder["pid"])
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def claim(self) -> None:
        """Take a fence: from now on whoever served before cannot store any more. If the database is
        another copy than the one last written to, its tables begin new lives."""
        connection = self.connection
        lineage = await self._lineage()
        async with connection.transaction():
            await connection.execute(EXCLUDE_OTHERS)
            self.fence, before = await connection.fetchrow(_TAKE_FENCE)
            if before and lineage and before != lineage:
                tables = await connection.execute(_BEGIN_LIVES)
                await connection.execute(_RENEW_LINEAGE, secrets.randbits(LINEAGE_BITS))
                _log.warning(
                    "another copy of the database",
                    was=before,
                    now=lineage,
                    tables=int(tables.rpartition(" ")[2]),
                )
            await self.note_lineage(lineage)

    async def note_lineage(self, lineage: str | None = None) -> None:
        """Note which copy of the database holds all that was stored under our fence."""
        lineage = await self._lineage() if lineage is None else lineage
        if lineage:
            await self.connection.execute(
                "UPDATE writer SET lineage = $1 WHERE fence = $2 AND lineage IS DISTINCT FROM $1",
                lineage,
                self.fence,
            )

    async def _lineage(self) -> str:
        """Which copy of the database this is; empty where the role may not ask."""
        try:
            return str(await self.connection.fetchval(_LINEAGE))
        except (asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedFunctionError) as error:
            _log.warning("copy of the database unknown", why=plain(error))
            return ""

    async def last_batch(self) -> int:
        """Number of the batch that was stored last under our fence.

        Raises:
            Superseded: the database goes by another fence.
        """
        return await self._check_fence(self.connection)

    async def _check_fence(self, connection: asyncpg.Connection) -> int:
        row = await connection.fetchrow("SELECT fence, last_batch FROM writer")
        if row is None or row["fence"] != self.fence:
            raise Superseded("another server has taken over the database")
        return int(row["last_batch"])

    def drop(self) -> None:
        """Let go of the session at once; the server finds out by itself."""
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def close(self) -> None:
        """End the session, and with it the lock."""
        connection, self._connection = self._connection, None
        if connection is not None and not connection.is_closed():
            try:
                await connection.close(timeout=CONNECT_S)
            except LOST:
                connection.terminate()
