"""The rules of every game by its name, read from the folders that `NAMES` lists. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from croupier_server.errors import NotFound, Reason
from croupier_server.games import NAMES
from croupier_server.games.base import AnyGame

GAMES: Final[Mapping[str, AnyGame]] = MappingProxyType(
    {name: import_module(f"{__package__}.{name}.rules").RULES for name in NAMES}
)
"""Every game by name."""


def find(name: str) -> AnyGame:
    """The game called *name*.

    Raises:
        NotFound: UNKNOWN_GAME.
    """
    game = GAMES.get(name)
    if game is None:
        raise NotFound(Reason.UNKNOWN_GAME, f"there is no game {name!r}", field="game")
    return game
