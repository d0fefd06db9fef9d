"""Views of any game: the wrapper that fits a view message."""

from __future__ import annotations

from typing import Any, TypeAlias

from croupier.arms import game_of
from croupier.v1 import game_pb2
from croupier.viewing import GameView

__all__ = ["Memory", "View", "view_of"]

View: TypeAlias = GameView[Any]
"""The view of any game."""

Memory: TypeAlias = dict[str, Any]
"""What views of one seat at one table leave for later ones, by game; at first nothing."""


def view_of(message: game_pb2.SeatView, memory: Memory | None = None) -> View:
    """The readable view of *message*.

    Args:
        message: a seat's view.
        memory: what earlier views of the same seat at the same table left.

    Raises:
        Error: this client does not know the game.
    """
    game = game_of(message)
    kept = None
    if memory is not None and game.view.memory is not None:
        kept = memory.get(game.name)
        if kept is None:
            kept = memory[game.name] = game.view.memory()
    return game.view(getattr(message, game.name), kept)
