"""Records in memory that may not be shown yet.

Whoever read the record of the first table of a board would know the cards of the others, so the
records of a board wait until its last table has ended.
"""

from __future__ import annotations

from typing import Final

import structlog

from croupier_server.storage.base import BoardTable, FinishedMatch, RecordEntry

HELD_MAX: Final = 4096
"""Boards that may wait for their last table; beyond, the oldest one is never revealed."""

_log = structlog.get_logger(__name__)


class _Board:
    """What is held of one board: its tables that have ended, by id, and their records, of which
    some may have been purged."""

    __slots__ = ("ended", "entries")

    def __init__(self) -> None:
        self.ended: dict[str, BoardTable] = {}
        self.entries: dict[str, RecordEntry] = {}


class HeldRecords:
    """Finished matches that may not be shown yet."""

    __slots__ = ("_boards",)

    def __init__(self) -> None:
        self._boards: dict[bytes, _Board] = {}

    def add(self, match: FinishedMatch, entry: RecordEntry) -> list[RecordEntry]:
        """Hold *entry*, the record of *match*, if it must be; returns what may be shown now, in the
        order in which it came."""
        if match.board_tables <= 1 or not match.board:
            return [entry]
        board = self._boards.setdefault(match.board, _Board())
        board.ended[match.table_id] = BoardTable(
            match.board,
            match.table_id,
            match.sat,
            match.watched,
            match.board_tables,
            match.board_rated,
            match.board_shared,
        )
        board.entries[match.table_id] = entry
        if len(board.ended) >= match.board_tables:
            del self._boards[match.board]
            return list(board.entries.values())
        if len(self._boards) > HELD_MAX:
            oldest = self._boards.pop(next(iter(self._boards)))
            _log.warning("board given up", table_ids=list(oldest.ended))
        return []

    def board_tables(self) -> list[BoardTable]:
        """Tables that have ended, of the boards that wait."""
        return [table for board in self._boards.values() for table in board.ended.values()]

    def void(self, table_id: str) -> bool:
        """Mark a held record as void; returns whether it is here."""
        for board in self._boards.values():
            entry = board.entries.get(table_id)
            if entry is not None:
                board.entries[table_id] = entry._replace(voided=True)
                return True
        return False

    def purge(self, before_ms: int) -> int:
        """Delete records of matches that ended before *before_ms*; returns how many.

        Their tables still count, so that what is left of a board comes out.
        """
        gone = 0
        for board in self._boards.values():
            left = {
                name: entry for name, entry in board.entries.items() if entry.ended_ms >= before_ms
            }
            gone += len(board.entries) - len(left)
            board.entries = left
        return gone
