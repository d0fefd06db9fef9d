"""Verifiable: a record is whole and unchanged, its cards follow from what was committed to, and the
rules lead to what it says.

Must not be put here: how a record is checked; ``croupier_server.verify`` does that, for everybody.
"""

from __future__ import annotations

from croupier.v1 import game_pb2
from croupier_server.sim.promises.base import Promise
from croupier_server.sim.promises.observed import Ended, Refused
from croupier_server.sim.promises.retold import Retold
from croupier_server.sim.promises.story import Story
from croupier_server.verify import verify


class Verifiable(Promise):
    """Every record verifies from its bytes alone, and no match is stopped by a fault."""

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        for check in verify(seen.record).checks:
            if not check.holds:
                self.fail(story, f"its record does not verify: {check.name}: {check.detail}")
        if told.record.result.reason == game_pb2.END_REASON_HALTED:
            self.fail(story, "a fault stopped it")

    def refused(self, story: Story, seen: Refused, reason: str) -> None:
        """See `Promise.refused`."""
        if reason in ("INTERNAL", "TABLE_HALTED"):
            self.fail(story, f"{seen.call} was answered with {reason}")
