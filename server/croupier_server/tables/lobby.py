"""The lobby: tables as they come, change and end, for whoever watches them.

A stream of the lobby holds no queue: it goes through the tables that were there at its start by
their numbers, a slice at a time, and keeps the set of those that have changed since, so a table
that changes three times before it is read is sent once, as it is then. What is sent is encoded once
for all. Must not be put here: which tables are listed, who may watch them, streams of one table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from croupier_server.tables import updates
from croupier_server.tables.caller import LOCAL
from croupier_server.tables.encode import Shown
from croupier_server.tables.feed import Feed, Owner
from croupier_server.tables.spec import Status
from croupier_server.tables.table import Table
from croupier_server.tables.updates import StreamEnd
from croupier_server.wire.encode import field_bytes

READY: Final = field_bytes(2, b"")
"""``WatchLobbyResponse``: all present tables were sent."""

SLICE: Final = 64
"""So many tables are sent before those that changed meanwhile are looked at again."""

_SCANNED: Final = 512
"""So many tables are looked at before others get their turn."""

_ENCODED_MAX: Final = 1_024


class Encoded:
    """What the lobby shows of each table, as ``WatchLobbyResponse``."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], tuple[Shown, int, bytes]] = {}

    def of(self, table: Table, *, is_veiled: bool = False) -> bytes:
        """Of *table* as it is now; for *is_veiled* see `Table.seen_by`."""
        seen = table.seen
        sequence = table.journal.committed if table.delayed is None else table.delayed.sequence
        key = table.spec.table_id, is_veiled
        kept = self._kept.get(key)
        if kept is not None and kept[0] is seen and kept[1] == sequence:
            return kept[2]
        payload = field_bytes(1, table.resource(is_veiled=is_veiled))
        if len(self._kept) >= _ENCODED_MAX:
            self._kept.clear()
        self._kept[key] = seen, sequence, payload
        return payload


class LobbyFeed(Feed):
    """Tables as they come and change: payloads of ``WatchLobbyResponse``.

    Args:
        owner: whom it belongs to.
        behind: the next tables with numbers above a given one, so many at most.
        last: number of the newest table that is there.
        encoded: what is shown of each.
        veils: whether the match of a table is veiled from the reader, see `Boards.veils`.
        kind: of tables of this game alone; 0: of all.
        principal: who reads it.
    """

    __slots__ = (
        "_behind",
        "_encoded",
        "_ending",
        "_is_ready",
        "_last",
        "_pending",
        "_position",
        "_veils",
        "kind",
        "principal",
    )

    def __init__(
        self,
        owner: Owner,
        behind: Callable[[int, int], Sequence[Table]],
        last: int,
        encoded: Encoded,
        veils: Callable[[Table], bool] = lambda _: False,
        *,
        kind: int = 0,
        principal: str = LOCAL,
    ) -> None:
        super().__init__(owner)
        self.kind = kind
        self.principal = principal
        self._behind = behind
        self._position = 0
        """Number of the last table that was looked at, of those that were there at the start."""
        self._last = last
        self._encoded = encoded
        self._veils = veils
        self._pending: dict[str, Table] = {}
        self._is_ready = False
        self._ending = b""

    @property
    def has_more(self) -> bool:
        """See `Feed.has_more`."""
        return not self._is_ready

    def show(self, table: Table) -> None:
        """*table* came or changed. Of an end that is veiled not even its time shows."""
        is_to_come = self._position < table.number <= self._last
        if self._seen(table).status is not table.seen.status:
            return
        if self.kind in (0, table.spec.kind) and not is_to_come:
            self._pending[table.spec.table_id] = table
            self.wake()

    def finish(self, reason: StreamEnd, detail: str = "", retry_after_ms: int = 0) -> None:
        """End the stream with *reason*."""
        self._ending = field_bytes(3, updates.end_payload(reason, detail, retry_after_ms))
        self.wake()

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`. The first part of it, where there is much."""
        if self.is_done:
            return []
        out: list[bytes] = []
        if not self._is_ready:
            self._take_present(out)
        if self._is_ready:
            self._take_pending(out)
        if self._ending:
            out.append(self._ending)
            self.is_done = True
            self.owner.forget(self)
        return out

    def _take_present(self, out: list[bytes]) -> None:
        """Those that were there at the start and have not ended since."""
        tables = self._behind(self._position, _SCANNED)
        for table in tables:
            if table.number > self._last or len(out) == SLICE:
                break
            self._position = table.number
            is_live = self._seen(table).status is not Status.ENDED and table.is_listed
            if is_live and self.kind in (0, table.spec.kind):
                out.append(self._encode(table))
        if len(out) < SLICE and (not tables or tables[-1].number >= self._last):
            self._is_ready = True
            out.append(READY)

    def _take_pending(self, out: list[bytes]) -> None:
        for table_id in list(islice(self._pending, SLICE)):
            out.append(self._encode(self._pending.pop(table_id)))

    def _seen(self, table: Table) -> Shown:
        return table.seen_by(is_veiled=self._veils(table))

    def _encode(self, table: Table) -> bytes:
        return self._encoded.of(table, is_veiled=self._veils(table))
