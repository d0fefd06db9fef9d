"""What a client that keeps to nothing says, beside its real answers."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from croupier.v1 import game_pb2, session_service_pb2

if TYPE_CHECKING:
    from tests.sim.chair import Chair


def a_move(rng: Random, game: str) -> game_pb2.Move:
    """Any move of the game, with any cards and numbers, or no move at all."""
    move = game_pb2.Move()
    body: Any = getattr(move, game)
    body.SetInParent()
    arms = body.DESCRIPTOR.oneofs_by_name["move"].fields
    if rng.random() < 0.05:
        return move
    said: Any = getattr(body, rng.choice(arms).name)
    said.SetInParent()
    for field in said.DESCRIPTOR.fields:
        if field.is_repeated:
            number = rng.choice((1, 1, 2, 2, 3, 5))
            getattr(said, field.name).extend(rng.randint(1, 54) for _ in range(number))
        elif field.enum_type is not None:
            setattr(said, field.name, rng.choice(field.enum_type.values).number)
        elif field.message_type is None:
            setattr(said, field.name, rng.randrange(9))
    return move


def a_decision(rng: Random, decision_id: str) -> str:
    """The decision that is open, or one of another seat, of another time, or none."""
    number, _, seat = decision_id.partition("-")
    return rng.choice(
        (
            decision_id,
            decision_id,
            f"{number}-{rng.randrange(6)}",
            f"{max(int(number) - rng.randrange(8), 0)}-{seat}",
            f"{int(number) + rng.randrange(1, 5)}-{seat}",
            "",
            "x" * rng.randrange(80),
        )
    )


def spoil(
    rng: Random, frame: session_service_pb2.SessionRequest, chair: Chair, channel: int, last: int
) -> bytes | None:
    """Put something into *frame* that should not be there; returns what to send in its place."""
    match rng.randrange(9):
        case 0:
            frame.opens.add(channel=channel, table_id=chair.table_id, ticket=chair.ticket)
        case 1:
            frame.opens.add(channel=90_000, table_id=chair.table_id, ticket="wrong", view_mode=2)
        case 2:
            frame.opens.add(
                channel=90_001, table_id=chair.table_id, ticket=chair.ticket[::-1], table_epoch=9
            )
        case 3:
            frame.nonces.add(channel=channel, nonce=rng.randbytes(rng.randrange(40)))
        case 4:
            frame.closes.add(channel=80_000)
        case 5:
            frame.heartbeat_echo = rng.randrange(1 << 32)
        case 6:
            frame.moves.add(channel=70_000, decision_id="1-0")
        case 7 if rng.random() < 0.2:
            frame.acknowledged = last + 10
        case 8 if rng.random() < 0.2:
            return rng.randbytes(30)
    return None
