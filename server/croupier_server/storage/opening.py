"""From a URL to the store it names.

Must not be put here: what a store does.
"""

from __future__ import annotations

from croupier_server.storage.base import Store
from croupier_server.storage.memory import memory_store


class StoreError(Exception):
    """A store that cannot be opened; the text is one line that says why."""


async def open_store(
    url: str, *, records_max: int = 1_000, records_bytes_max: int = 1 << 30
) -> Store:
    """The store that *url* names: ``memory:``.

    Args:
        url: which store, and where.
        records_max: so many records a store in memory keeps, the newest.
        records_bytes_max: together they are no longer than this.

    Raises:
        StoreError: there is no such store, or it cannot be opened.
    """
    if url == "memory:":
        return memory_store(records_max, records_bytes_max)
    raise StoreError(f"store: no such store: {url}")
