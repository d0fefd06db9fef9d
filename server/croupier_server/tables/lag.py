"""Notices when the event loop is late, so that nobody pays for the time of the server.

Must not be put here: what time it is, and who is given the time back.
"""

from __future__ import annotations

from typing import Final

from croupier_server.tables.clock import FOREVER

PERIOD_MS: Final = 20
"""Time between two signs of life of a loop that is not late."""

TOLERANCE_MS: Final = 10
"""A loop that is no later than this is not called late."""


class Lag:
    """How late the loop is: it is to call `alive` every `PERIOD_MS`.

    Attributes:
        noticed_from: when the loop is late, unless it calls before.
    """

    __slots__ = ("noticed_from",)

    def __init__(self) -> None:
        self.noticed_from = FOREVER

    def alive(self, now: int) -> None:
        """The loop has come round."""
        self.noticed_from = now + PERIOD_MS + TOLERANCE_MS

    def take(self, now: int) -> int:
        """Since when the loop has been late; what comes from now on counts anew."""
        since = self.noticed_from - TOLERANCE_MS
        self.noticed_from = now + TOLERANCE_MS
        return since
