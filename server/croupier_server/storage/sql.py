"""Records, keys and audit of a durable store, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, TypeVar

from sqlalchemy import Connection

from croupier_server.storage import queries
from croupier_server.storage.base import AuditEntry, RecordEntry, StoredKey

T = TypeVar("T")

_PURGED_AT_ONCE: Final = 64
"""Records that are deleted in one transaction, so that what is played does not wait for long."""


class Database(Protocol):
    """Where queries are run."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """What *query* finds, in a transaction of its own."""
        ...

    async def write(self, query: Callable[[Connection], T]) -> T:
        """The same for one that changes something; it is stored on return, or not at all."""
        ...


class SqlRecords:
    """A `RecordStore` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._wakes: dict[object, Callable[[], None]] = {}

    def shown(self) -> None:
        """Records have come to be shown or voided: wake those who follow."""
        for wake in tuple(self._wakes.values()):
            wake()

    async def get(self, table_id: str) -> RecordEntry | None:
        """See `RecordStore.get`."""
        return await self._database.read(partial(queries.record_of, table_id=table_id))

    async def newest(
        self, *, before: int | None, limit: int, kind: int = 0, is_public: bool = False
    ) -> list[RecordEntry]:
        """See `RecordStore.newest`."""
        return await self._database.read(
            partial(
                queries.newest_records, before=before, limit=limit, kind=kind, is_public=is_public
            )
        )

    async def since(self, position: int, limit: int) -> list[RecordEntry]:
        """See `RecordStore.since`."""
        return await self._database.read(
            partial(queries.records_since, position=position, limit=limit)
        )

    async def head(self) -> int:
        """See `RecordStore.head`."""
        return await self._database.read(queries.records_head)

    async def lineage(self) -> bytes:
        """See `RecordStore.lineage`."""
        return await self._database.read(queries.records_lineage)

    def subscribe(self, wake: Callable[[], None]) -> Callable[[], None]:
        """See `RecordStore.subscribe`."""
        key = object()
        self._wakes[key] = wake
        return lambda: self._wakes.pop(key, None) and None

    async def void(self, table_id: str) -> bool:
        """See `RecordStore.void`."""
        found = await self._database.write(partial(queries.void_record, table_id=table_id))
        self.shown()
        return found

    async def purge(self, before_ms: int) -> int:
        """See `RecordStore.purge`."""
        query = partial(queries.purge_records, before_ms=before_ms, limit=_PURGED_AT_ONCE)
        count = 0
        while purged := await self._database.write(query):
            count += purged
        return count


class SqlKeys:
    """A `KeyStore` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: StoredKey) -> None:
        """See `KeyStore.add`."""
        await self._database.write(partial(queries.add_key, key=key))

    async def all(self) -> list[StoredKey]:
        """See `KeyStore.all`."""
        return await self._database.read(queries.all_keys)

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        """See `KeyStore.revoke`."""
        return await self._database.write(partial(queries.revoke_key, key_id=key_id, now_ms=now_ms))

    async def version(self) -> int:
        """See `KeyStore.version`."""
        return await self._database.read(queries.keys_version)


class SqlAudit:
    """An `AuditLog` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entry: AuditEntry) -> None:
        """See `AuditLog.add`."""
        await self._database.write(partial(queries.add_audit, entry=entry))

    async def newest(self, before: int | None, limit: int) -> list[tuple[int, AuditEntry]]:
        """See `AuditLog.newest`."""
        return await self._database.read(partial(queries.newest_audit, before=before, limit=limit))
