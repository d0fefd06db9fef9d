"""The lobby: tables as they come, change and end, for whoever watches them.

A stream of the lobby holds no queue: it goes through the tables that were there at its start by
their numbers, a slice at a time, and keeps the set of those that have changed since, in the order
of their last changes, so a table that changes three times before it is read is sent once, as it is
then. What is sent is encoded once for all. Changes are numbered (`Table.change`), so a place in
both orders says how far a reader has come, and another stream goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from croupier_server.tables.caller import LOCAL
from croupier_server.tables.feeds.feed import Feed, Owner
from croupier_server.tables.match import updates
from croupier_server.tables.match.encode import Shown
from croupier_server.tables.match.table import Table
from croupier_server.tables.match.updates import ResetReason
from croupier_server.tables.spec import Status
from croupier_server.wire.encode import field_blob, field_bytes, field_text

_CAUGHT_UP: Final = field_bytes(3, b"")
_RESUMED: Final = field_bytes(4, b"")

SLICE: Final = 64
"""So many tables are sent before those that changed meanwhile are looked at again."""

_SCANNED: Final = 512
"""So many tables are looked at before others get their turn."""

_ENCODED_MAX: Final = 1_024

ALL: Final = 2**63 - 1
"""Number of no table: all that were there at the start were looked at."""


class Place(NamedTuple):
    """How far a reader has come.

    Attributes:
        change: number of the last change that it knows.
        number: number of the last table that it was shown of those that were there.
    """

    change: int
    number: int = ALL


Seal = Callable[[Place], bytes]
"""Makes the cursor of a place."""


class Opening(NamedTuple):
    """Where a stream of the lobby begins.

    Attributes:
        place: what the reader knows already.
        until: number of the last change so far.
        missed: tables that changed since *place*, in the order of their changes.
        is_resumed: the reader goes on from an earlier stream.
        reset: why it cannot go on; None: it did not want to, or it can.
    """

    place: Place
    until: int
    missed: Sequence[Table] = ()
    is_resumed: bool = False
    reset: ResetReason | None = None


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
        opening: where it begins.
        seal: makes its cursors.
        follow: whether it goes on after it has caught up.
        kind: of tables of this game alone; 0: of all.
        principal: who reads it.
    """

    __slots__ = (
        "_behind",
        "_encoded",
        "_first",
        "_follow",
        "_is_caught_up",
        "_last",
        "_pending",
        "_place",
        "_seal",
        "_until",
        "_veils",
        "kind",
        "principal",
    )
    _END = 7

    def __init__(
        self,
        owner: Owner,
        behind: Callable[[int, int], Sequence[Table]],
        last: int,
        encoded: Encoded,
        veils: Callable[[Table], bool] = lambda _: False,
        *,
        opening: Opening,
        seal: Seal,
        follow: bool = True,
        kind: int = 0,
        principal: str = LOCAL,
    ) -> None:
        super().__init__(owner)
        self.kind = kind
        self.principal = principal
        self._behind = behind
        self._last = last
        self._encoded = encoded
        self._veils = veils
        self._place = opening.place
        self._until = opening.until
        self._seal = seal
        self._follow = follow
        self._pending: dict[str, Table] = {}
        self._is_caught_up = False
        self._first = b""
        if opening.is_resumed:
            self._first = self._mark(_RESUMED)
        elif opening.reset is not None:
            self._first = field_bytes(5, updates.reset_payload(opening.reset))
        for table in opening.missed:
            self.show(table)

    @property
    def has_more(self) -> bool:
        """See `Feed.has_more`."""
        return not self._is_caught_up

    def show(self, table: Table) -> None:
        """*table* came or changed. Of an end that is veiled not even its time shows."""
        if self._seen(table).status is table.seen.status:
            self._expect(table)

    def void(self, table: Table) -> None:
        """*table* was lost."""
        self._expect(table)

    def _expect(self, table: Table) -> None:
        """Send *table*, behind all that changed before it, unless it is still to be looked at."""
        is_to_come = self._place.number < table.number <= self._last
        if self.kind in (0, table.spec.kind) and not is_to_come:
            self._pending.pop(table.spec.table_id, None)
            self._pending[table.spec.table_id] = table
            self.wake()

    def take(self, now: int) -> list[bytes]:
        """See `Feed.take`. The first part of it, where there is much."""
        if self.is_done:
            return []
        out: list[bytes] = []
        if self._first:
            out.append(self._first)
            self._first = b""
        if self._place.number != ALL:
            self._take_present(out)
        if self._place.number == ALL:
            self._take_changed(out)
        if self._is_beating:
            self._is_beating = False
            out.append(self._mark(field_bytes(6, updates.time_heartbeat(now))))
        if self._ending or (self._is_caught_up and not self._follow):
            self._end(out, self._ending)
        return out

    def _take_present(self, out: list[bytes]) -> None:
        """Those that were there at the start and have not ended since."""
        tables = self._behind(self._place.number, _SCANNED)
        sent = 0
        for table in tables:
            if table.number > self._last or sent == SLICE:
                break
            self._place = self._place._replace(number=table.number)
            is_live = self._seen(table).status is not Status.ENDED and table.is_listed
            if is_live and self.kind in (0, table.spec.kind):
                out.append(self._mark(self._encode(table)))
                sent += 1
        if sent < SLICE and (not tables or tables[-1].number >= self._last):
            self._place = Place(self._place.change)

    def _take_changed(self, out: list[bytes]) -> None:
        """Those that changed: first what the reader has missed, until it has caught up."""
        for table in list(islice(self._pending.values(), SLICE)):
            if table.change > self._until:
                self._catch_up(out)
                if not self._follow:
                    return
            del self._pending[table.spec.table_id]
            self._place = Place(table.change)
            out.append(self._mark(self._encode(table)))
        if not self._pending:
            self._catch_up(out)

    def _catch_up(self, out: list[bytes]) -> None:
        if not self._is_caught_up:
            self._is_caught_up = True
            self._place = Place(self._until)
            out.append(self._mark(_CAUGHT_UP))

    def _mark(self, item: bytes) -> bytes:
        """*item* with the cursor of where the reader is then."""
        return item + field_blob(15, self._seal(self._place))

    def _seen(self, table: Table) -> Shown:
        return table.seen_by(is_veiled=self._veils(table))

    def _encode(self, table: Table) -> bytes:
        if table.is_lost:
            return field_bytes(2, field_text(1, table.spec.table_id))
        return self._encoded.of(table, is_veiled=self._veils(table))
