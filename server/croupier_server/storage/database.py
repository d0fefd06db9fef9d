"""Databases, as the stores use them; a query is a function of a connection in a transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from sqlalchemy import Connection, bindparam, select, update

from croupier_server.storage.schema import counters

T = TypeVar("T")


class Database(Protocol):
    """Where queries are run."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """What *query* finds, in a transaction of its own."""
        ...

    async def write(self, query: Callable[[Connection], T]) -> T:
        """The same for one that changes something; it is stored on return, or not at all."""
        ...


_RAISE: Final = (
    update(counters)
    .where(counters.c.name == bindparam("counter"))
    .values(value=counters.c.value + bindparam("by"))
    .returning(counters.c.value)
)


def count(connection: Connection, name: str, by: int = 1) -> int:
    """Raise a counter; its value then. Whoever else does so waits for our transaction."""
    return int(connection.execute(_RAISE, {"counter": name, "by": by}).scalar_one())


def counter(connection: Connection, name: str) -> int:
    """The value of a counter."""
    chosen = select(counters.c.value).where(counters.c.name == name)
    return int(connection.execute(chosen).scalar_one())
