"""Records in memory that may not be shown yet.

Whoever read the record of the first table of a board would know the cards of the others, so the
records of a board wait until its last table has ended; and a record tells what late spectators have
still to see, so it waits for them. Must not be put here: records that are shown.
"""

from __future__ import annotations

from typing import Final

import structlog

from croupier_server.storage.base import FinishedMatch, RecordEntry

HELD_MAX: Final = 4096
"""Boards that may wait for their last table; beyond, the oldest one is never revealed."""

_log = structlog.get_logger(__name__)


class _Group:
    """Records that are shown together."""

    __slots__ = ("entries", "missing", "shown_from_ms")

    def __init__(self, tables: int) -> None:
        self.entries: list[RecordEntry] = []
        self.missing = tables
        self.shown_from_ms = 0


class HeldRecords:
    """Finished matches that may not be shown yet."""

    __slots__ = ("_boards", "_ready")

    def __init__(self) -> None:
        self._boards: dict[bytes, _Group] = {}
        self._ready: list[_Group] = []
        """Those that wait for nothing but their time."""

    def add(self, match: FinishedMatch, entry: RecordEntry) -> None:
        """Hold *entry*, the record of *match*."""
        if match.board and match.board_tables > 1:
            group = self._boards.get(match.board)
            if group is None:
                group = self._boards[match.board] = _Group(match.board_tables)
        else:
            group = _Group(1)
        group.entries.append(entry)
        group.missing -= 1
        group.shown_from_ms = max(group.shown_from_ms, match.shown_from_ms)
        if not group.missing:
            self._boards.pop(match.board, None)
            self._ready.append(group)
        elif len(self._boards) > HELD_MAX:
            oldest = self._boards.pop(next(iter(self._boards)))
            _log.warning("board given up", table_ids=[one.table_id for one in oldest.entries])

    def take(self, now_ms: int) -> list[RecordEntry]:
        """What may be shown now, in the order in which it came to wait for its time alone."""
        ready = [group for group in self._ready if group.shown_from_ms <= now_ms]
        if not ready:
            return []
        self._ready = [group for group in self._ready if group.shown_from_ms > now_ms]
        return [entry for group in ready for entry in group.entries]

    def void(self, table_id: str) -> bool:
        """Mark a held record as void; returns whether it is here."""
        for group in (*self._boards.values(), *self._ready):
            for place, entry in enumerate(group.entries):
                if entry.table_id == table_id:
                    group.entries[place] = entry._replace(voided=True)
                    return True
        return False

    def purge(self, before_ms: int) -> int:
        """Delete records of matches that ended before *before_ms*; returns how many.

        A board keeps count of them, so that what is left of it still comes out.
        """
        gone = 0
        for group in (*self._boards.values(), *self._ready):
            left = [entry for entry in group.entries if entry.ended_ms >= before_ms]
            gone += len(group.entries) - len(left)
            group.entries = left
        self._ready = [group for group in self._ready if group.entries]
        return gone
