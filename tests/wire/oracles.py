"""The readable version of every game's messages, by the name of the game.

Must not be put here: anything but the list.
"""

from __future__ import annotations

from tests.wire.oracle import Oracle
from tests.wire.oracle_pokex import PokexOracle
from tests.wire.oracle_tongits import TongitsOracle
from tests.wire.oracle_tractor import TractorOracle

ORACLES: dict[str, Oracle] = {
    oracle.name: oracle for oracle in (TractorOracle(), TongitsOracle(), PokexOracle())
}
