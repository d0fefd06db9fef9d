"""Views of any game: the wrapper that fits a view message.

Must not be put here: anything about one game; each game has a folder for that.
"""

from __future__ import annotations

from typing import TypeAlias

from croupier.errors import Error
from croupier.tractor.view import TractorView, ViewMemory
from croupier.v1 import game_pb2

__all__ = ["View", "view_of"]

View: TypeAlias = TractorView
"""The view of any game; so far there is one."""


def view_of(message: game_pb2.SeatView, memory: ViewMemory | None = None) -> View:
    """The readable view of *message*.

    Args:
        message: a seat's view.
        memory: what earlier views of the same seat at the same table left, see `ViewMemory`.

    Raises:
        Error: this client does not know the game.
    """
    if not message.HasField("tractor"):
        raise Error("a view of a game that this client does not know; take a newer client")
    return TractorView(message.tractor, memory)
