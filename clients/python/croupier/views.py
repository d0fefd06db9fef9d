"""Views of any game: the wrapper that fits a view message."""

from __future__ import annotations

from typing import TypeAlias

from croupier.errors import Error
from croupier.pokex.view import PokexView
from croupier.tongits.view import TongitsView
from croupier.tractor.view import TractorView, ViewMemory
from croupier.v1 import game_pb2

__all__ = ["PokexView", "TongitsView", "TractorView", "View", "ViewMemory", "view_of"]

View: TypeAlias = TractorView | TongitsView | PokexView
"""The view of any game."""


def view_of(message: game_pb2.SeatView, memory: ViewMemory | None = None) -> View:
    """The readable view of *message*.

    Args:
        message: a seat's view.
        memory: what earlier views of the same seat at the same table left; the views of Tractor
            alone are long enough to need it.

    Raises:
        Error: this client does not know the game.
    """
    match message.WhichOneof("game"):
        case "tractor":
            return TractorView(message.tractor, memory)
        case "tongits":
            return TongitsView(message.tongits)
        case "pokex":
            return PokexView(message.pokex)
        case _:
            raise Error("a view of a game that this client does not know; take a newer client")
