"""Tables at which nothing happens any more: their players are gone and nobody has a clock.

Must not be put here: what becomes of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from croupier_server.tables.spec import Status
from croupier_server.tables.table import Table


class Idle:
    """Finds tables at which nothing has happened for *idle_ms*, looking now and then."""

    __slots__ = ("_given_ms", "_idle_ms", "_seen")

    def __init__(self, idle_ms: int) -> None:
        self._idle_ms = idle_ms
        self._given_ms = 0
        self._seen: dict[int | None, dict[int, tuple[int, int]]] = {}

    def give_back(self, ms: int) -> None:
        """For so long nothing could happen, so that it makes no table idle."""
        self._given_ms += ms

    def found(self, part: int | None, tables: Iterable[Table], now: int) -> list[Table]:
        """The idle ones among *tables*, which are all of *part* of a server's tables. One at which
        an operator has stopped play is not idle."""
        now -= self._given_ms
        before = self._seen.get(part, {})
        seen: dict[int, tuple[int, int]] = {}
        idle = []
        for table in tables:
            if table.status is Status.ENDED:
                continue
            sequence, since = before.get(table.number, (0, now))
            if sequence != table.journal.sequence or table.match.quarantined_ms is not None:
                sequence, since = table.journal.sequence, now
            seen[table.number] = sequence, since
            if now - since >= self._idle_ms:
                idle.append(table)
        self._seen[part] = seen
        return idle
