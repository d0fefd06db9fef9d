"""Records of boards: tables that share their cards are revealed together.

Whoever read the record of the first table would know the cards of the others, so the records of a
board wait until its last table has ended. Must not be put here: where records are kept.
"""

from __future__ import annotations

from typing import Final

import structlog

from croupier_server.storage.base import FinishedMatch
from croupier_server.tables.spec import DealKind, DealSource

HELD_MAX: Final = 4096
"""Boards that may wait for their last table; beyond, the oldest one is never revealed."""

_log = structlog.get_logger(__name__)


class HeldRecords:
    """Finished matches that may not be shown yet."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[bytes, list[FinishedMatch]] = {}

    def add(self, deal: DealSource, finished: FinishedMatch) -> list[FinishedMatch]:
        """What may be shown now that *finished*, with its cards from *deal*, has ended."""
        if deal.kind is not DealKind.BOARD or deal.tables <= 1:
            return [finished]
        held = self._held.setdefault(deal.commitment, [])
        held.append(finished)
        if len(held) >= deal.tables:
            return self._held.pop(deal.commitment)
        if len(self._held) > HELD_MAX:
            oldest = next(iter(self._held))
            tables = [match.table_id for match in self._held.pop(oldest)]
            _log.warning("board given up", table_ids=tables)
        return []
