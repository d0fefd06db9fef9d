"""Validators named after the promises: they watch what clients see, and judge it by the record.

They know nothing of how a run is made: a simulation, a harness that kills a server and a soak run
tell them what happened as `observed` values.
"""

from __future__ import annotations

from tests.sim.promises.judge import Judge
from tests.sim.promises.observed import Broken

__all__ = ["Broken", "Judge"]
