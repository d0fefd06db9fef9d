"""Messages of moves for tests, put together by field names.

Must not be put here: what becomes of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from croupier.v1 import game_pb2
from croupier_server.errors import CroupierError, IllegalMove, MalformedMove
from croupier_server.games.modules import WIRES_BY_NAME


def move_of(game: str, arm: str, **fields: Any) -> game_pb2.Move:
    """The move *arm* of *game* with *fields*; the arm is set even without any."""
    message = game_pb2.Move()
    inner = getattr(getattr(message, game), arm)
    inner.SetInParent()
    for name, value in fields.items():
        if isinstance(value, list):
            getattr(inner, name).extend(value)
        else:
            setattr(inner, name, value)
    return message


def refusal(game: str, arm: str, **fields: Any) -> CroupierError:
    """What is said against that move."""
    with pytest.raises((MalformedMove, IllegalMove)) as caught:
        WIRES_BY_NAME[game].move_code(move_of(game, arm, **fields))
    return caught.value


def check_comes_back(game: str, message: game_pb2.Move, code: int) -> None:
    """*message* is the move *code*, there and back."""
    wire = WIRES_BY_NAME[game]
    assert wire.move_message(code) == message
    assert wire.move_bytes(code) == message.SerializeToString(deterministic=True)
    assert wire.move_code(message) == code
