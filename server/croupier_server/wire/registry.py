"""Every game's messages, by the number of its kind and by its name.

Must not be put here: anything but the list.
"""

from __future__ import annotations

from typing import Final

from croupier_server.wire.base import GameWire
from croupier_server.wire.pokex import PokexWire
from croupier_server.wire.tongits import TongitsWire
from croupier_server.wire.tractor import TractorWire

_ALL: Final[tuple[GameWire, ...]] = (TractorWire(), TongitsWire(), PokexWire())

WIRES: Final[dict[int, GameWire]] = {wire.kind: wire for wire in _ALL}
"""By number of ``GameKind``."""

WIRES_BY_NAME: Final[dict[str, GameWire]] = {wire.name: wire for wire in WIRES.values()}
"""By name in the games registry."""
