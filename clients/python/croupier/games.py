"""The games that this client knows: one line each."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final, NamedTuple

from croupier import pokex, tongits, tractor
from croupier.errors import Error
from croupier.moves import Move
from croupier.v1 import game_pb2
from croupier.viewing import GameView

__all__ = ["GAMES", "GameWords", "decision_kind", "game_of", "move_of"]


class GameWords(NamedTuple):
    """The types with which a game's moves, views and decisions are told."""

    move: type[Move]
    view: type[GameView[Any]]
    move_kind: type[IntEnum]
    decision_kind: type[IntEnum]


GAMES: Final = {
    "tractor": GameWords(
        tractor.TractorMove, tractor.TractorView, tractor.MoveKind, tractor.DecisionKind
    ),
    "tongits": GameWords(
        tongits.TongitsMove, tongits.TongitsView, tongits.MoveKind, tongits.DecisionKind
    ),
    "pokex": GameWords(pokex.PokexMove, pokex.PokexView, pokex.MoveKind, pokex.DecisionKind),
}
"""Every game by its name, which is also that of its arm in the contract's messages."""


def game_of(message: game_pb2.Move | game_pb2.MoveKind | game_pb2.DecisionKind) -> GameWords:
    """The game whose arm is set in *message*.

    Raises:
        Error: this client does not know it.
    """
    name = message.WhichOneof("game")
    if name not in GAMES:
        raise Error("a message of a game that this client does not know; take a newer client")
    return GAMES[name]


def move_of(listed: game_pb2.LegalMove) -> Move:
    """A listed move as its game's `Move`."""
    return game_of(listed.move).move(listed.move, listed)


def decision_kind(message: game_pb2.DecisionKind) -> IntEnum:
    """What a decision asks, as its game's ``DecisionKind``."""
    name = message.WhichOneof("game")
    return game_of(message).decision_kind(getattr(message, name or ""))
