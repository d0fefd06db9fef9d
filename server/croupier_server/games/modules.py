"""Every `GameModule`, read from the folders that `NAMES` lists. `registry` has the rules alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from croupier_server.games import NAMES
from croupier_server.games.module import GameModule
from croupier_server.wire.game import GameWire

MODULES: Final[Mapping[str, GameModule]] = MappingProxyType(
    {name: import_module(f"{__package__}.{name}.module").MODULE for name in NAMES}
)
"""By name of the game."""

WIRES: Final[Mapping[int, GameWire]] = MappingProxyType(
    {module.wire.kind: module.wire for module in MODULES.values()}
)
"""The messages of every game by number of ``GameKind``."""

WIRES_BY_NAME: Final[Mapping[str, GameWire]] = MappingProxyType(
    {name: module.wire for name, module in MODULES.items()}
)
"""The messages of every game by its name."""
