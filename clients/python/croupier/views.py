"""Views of any game: the wrapper that fits a view message."""

from __future__ import annotations

from typing import Any, TypeAlias

from croupier.arms import game_of
from croupier.v1 import game_pb2, table_pb2
from croupier.viewing import GameView

__all__ = ["Memory", "View", "WholeViews", "view_of"]

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


class WholeViews:
    """Makes the views of one stream whole again that the server has sent in the mode DELTA."""

    def __init__(self) -> None:
        self._kept = b""

    def restore(self, decision: table_pb2.Decision) -> None:
        """Make *decision*, the next one of the stream, what it would be in the mode FULL."""
        if decision.HasField("view_base"):
            self._kept = decision.view_base.SerializeToString()
            decision.ClearField("view_base")
        if decision.HasField("view_added"):
            self._kept += decision.view_added.SerializeToString()
            decision.ClearField("view_added")
        if self._kept:
            decision.view.MergeFromString(self._kept)
