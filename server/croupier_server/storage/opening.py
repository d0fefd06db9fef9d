"""From a URL to the store it names."""

from __future__ import annotations

from typing import Literal

from croupier_server.config import without_password
from croupier_server.storage.base import Durability, Store, StoreError
from croupier_server.storage.memory import memory_store

Kind = Literal["memory", "sqlite", "postgresql"]


async def open_store(
    url: str,
    *,
    durability: Durability = "power",
    records_max: int = 1_000,
    records_bytes_max: int = 1 << 30,
) -> Store:
    """The store that *url* names: ``memory:``, ``sqlite:PATH`` or ``postgresql://...``.

    Args:
        url: which store, and where.
        durability: what stored things survive.
        records_max: so many records a store in memory keeps, the newest.
        records_bytes_max: together they are no longer than this.

    Raises:
        StoreError: there is no such store, or it cannot be opened.
    """
    kind, place = split_url(url)
    if kind == "sqlite":
        from croupier_server.storage.sqlite import open_sqlite

        return await open_sqlite(place, durability)
    if kind == "postgresql":
        from croupier_server.storage.postgres import open_postgres

        return await open_postgres(url, durability)
    return memory_store(records_max, records_bytes_max)


def split_url(url: str) -> tuple[Kind, str]:
    """What kind of store *url* names, and where it is.

    Raises:
        StoreError: none of ours, or one whose driver is not installed.
    """
    kind, colon, place = url.partition(":")
    if kind == "memory" and colon and not place:
        return "memory", ""
    if kind == "sqlite" and place:
        return "sqlite", place
    if kind in ("postgresql", "postgres") and place.startswith("//"):
        _expect_driver()
        return "postgresql", place
    url = without_password(url)
    raise StoreError(f"store: {url!r} must be memory:, sqlite:PATH or postgresql://...")


def _expect_driver() -> None:
    try:
        import asyncpg  # noqa: F401 - to see whether it is there
    except ImportError:
        raise StoreError(
            "store: PostgreSQL needs the extra `postgres`: pip install 'croupier-server[postgres]'"
        ) from None
