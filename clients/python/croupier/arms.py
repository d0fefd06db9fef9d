"""Which game a message of the contract is of: the one whose arm it has set."""

from __future__ import annotations

from enum import IntEnum

from croupier.errors import Error
from croupier.game import GameWords
from croupier.games import GAMES
from croupier.moves import Move
from croupier.v1 import game_pb2

__all__ = ["decision_kind", "game_of", "move_of"]


def game_of(
    message: game_pb2.Move | game_pb2.MoveKind | game_pb2.DecisionKind | game_pb2.SeatView,
) -> GameWords:
    """The game whose arm is set in *message*.

    Raises:
        Error: this client does not know it.
    """
    name = message.WhichOneof("game")
    if name is None or name not in GAMES:
        raise Error(
            "the server sent a message of a game that this SDK does not know; upgrade the SDK"
        )
    return GAMES[name]


def move_of(listed: game_pb2.LegalMove) -> Move:
    """A listed move as its game's `Move`."""
    return game_of(listed.move).move(listed.move, listed)


def decision_kind(message: game_pb2.DecisionKind) -> IntEnum:
    """What a decision asks, as its game's ``DecisionKind``."""
    name = message.WhichOneof("game")
    return game_of(message).decision_kind(getattr(message, name or ""))
