"""The games that exist, by the name that the contract and the command line use.

A game is added here and nowhere else on this side of the wire. Must not be put here: anything
about one game.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from croupier_server.errors import NotFound, Reason
from croupier_server.games.base import Game
from croupier_server.games.pokex.rules import Pokex
from croupier_server.games.tongits.rules import Tongits
from croupier_server.games.tractor.rules import Tractor

AnyGame = Game[Any, Any, Any]
"""A game whose options, states and views are passed back to it and not looked into."""

GAMES: Final[Mapping[str, AnyGame]] = MappingProxyType(
    {game.name: game for game in (Tractor(), Tongits(), Pokex())}
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
