"""Verifiable: a record is whole and unchanged, its cards follow from what was committed to, and the
rules lead to what it says.
"""

from __future__ import annotations

from croupier_server.verify import verify
from tests.sim.promises.base import Promise
from tests.sim.promises.observed import Ended
from tests.sim.promises.retold import Retold
from tests.sim.promises.story import Story


class Verifiable(Promise):
    """Every record verifies from its bytes alone."""

    def recorded(self, story: Story, seen: Ended, told: Retold) -> None:
        """See `Promise.recorded`."""
        for check in verify(seen.record).checks:
            if not check.holds:
                self.fail(story, f"its record does not verify: {check.name}: {check.detail}")
