"""Numbers that are left to games outside this tree, see ``game.proto``."""

from __future__ import annotations

from croupier.v1 import game_pb2

FIRST_OF_OTHERS = 1000


def test_our_games_leave_the_numbers_from_1000_on_to_others() -> None:
    found = list(game_pb2.GameKind.values())
    messages = game_pb2.DESCRIPTOR.message_types_by_name.values()
    arms = [
        field.number
        for message in messages
        for oneof in message.oneofs
        if oneof.name == "game"
        for field in oneof.fields
    ]
    assert len(arms) >= 3 * 8
    assert max(found + arms) < FIRST_OF_OTHERS
