"""What operators did, as a store keeps it."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from croupier_server.storage.base import AuditEntry
from croupier_server.storage.database import Database
from croupier_server.storage.schema import audit_entries


class AuditLog:
    """The audit log in a database; nothing is ever taken out of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entry: AuditEntry) -> None:
        """Return when *entry* is stored."""
        adding = insert(audit_entries).values(entry._asdict())
        await self._database.write(lambda connection: connection.execute(adding))

    async def newest(self, before: int | None, limit: int) -> list[tuple[int, AuditEntry]]:
        """At most *limit* entries with their positions, newest first; only those at positions
        smaller than *before*, where it is given."""
        number = audit_entries.c.number
        columns = (audit_entries.c[name] for name in AuditEntry._fields)
        chosen = select(number, *columns).order_by(number.desc()).limit(limit)
        if before is not None:
            chosen = chosen.where(number < before)

        def find(connection: Connection) -> list[tuple[int, AuditEntry]]:
            return [(found[0], AuditEntry(*found[1:])) for found in connection.execute(chosen)]

        return await self._database.read(find)
