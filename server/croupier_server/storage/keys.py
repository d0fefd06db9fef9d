"""The API keys of a store."""

from __future__ import annotations

import json

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from croupier_server.storage.base import KeyExists, StoredKey
from croupier_server.storage.database import Database, count, counter
from croupier_server.storage.schema import api_keys


class KeyStore:
    """The API keys in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, key: StoredKey) -> None:
        """Keep a new key.

        Raises:
            KeyExists: there is one of this id.
        """

        def add(connection: Connection) -> None:
            values = key._asdict() | {"scopes": json.dumps(sorted(key.scopes))}
            try:
                connection.execute(insert(api_keys).values(values))
            except IntegrityError:
                raise KeyExists(key.key_id) from None
            count(connection, "keys")

        await self._database.write(add)

    async def all(self) -> list[StoredKey]:
        """All keys, oldest first, revoked and expired ones too."""

        def find(connection: Connection) -> list[StoredKey]:
            columns = (api_keys.c[name] for name in StoredKey._fields)
            chosen = select(*columns).order_by(api_keys.c.number)
            found = (StoredKey(*one) for one in connection.execute(chosen))
            return [key._replace(scopes=frozenset(json.loads(str(key.scopes)))) for key in found]

        return await self._database.read(find)

    async def revoke(self, key_id: str, now_ms: int) -> bool:
        """Revoke a key; returns whether there was one that had not been revoked."""
        chosen = update(api_keys).where(
            api_keys.c.key_id == key_id, api_keys.c.revoked_ms.is_(None)
        )

        def revoke(connection: Connection) -> bool:
            if not connection.execute(chosen.values(revoked_ms=now_ms)).rowcount:
                return False
            count(connection, "keys")
            return True

        return await self._database.write(revoke)

    async def version(self) -> int:
        """A number that rises with every change, also one that another process made."""
        return await self._database.read(lambda connection: counter(connection, "keys"))
