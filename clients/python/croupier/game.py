"""`GameWords`: what the client has of one game, in one value that the game's folder gives."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from croupier.moves import Move
from croupier.viewing import GameView

__all__ = ["GameWords"]


class GameWords(NamedTuple):
    """The types with which a game's moves, views and decisions are told.

    Attributes:
        move, view, move_kind, decision_kind: these types.
        option_texts: texts of values of options that do not follow from their names, by the name
            of the enum value.
    """

    move: type[Move]
    view: type[GameView[Any]]
    move_kind: type[IntEnum]
    decision_kind: type[IntEnum]
    option_texts: Mapping[str, str] = MappingProxyType({})

    @property
    def name(self) -> str:
        """Name of the game, which is also that of its arm in the contract's messages."""
        return self.move.game
