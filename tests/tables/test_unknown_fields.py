"""A session with fields that this server does not know: the item that has one is refused, alone."""

from __future__ import annotations

import pytest

from croupier.v1 import errors_pb2
from croupier.v1 import session_service_pb2 as pb
from croupier_server.wire.encode import field_bytes, field_number
from tests.tables.test_session import Client, answer, named, openings
from tests.tables.world import World, asked

NEW = b"\x98\x06\x01"
"""A field that no message of the contract has."""

UNKNOWN = errors_pb2.ERROR_REASON_UNKNOWN_FIELD


def sitting() -> tuple[World, Client]:
    """Three seats of a table on a session."""
    world = World()
    table, tickets = world.start()
    client = Client(world)
    client.say(hello={"client": "test"}, opens=openings(table, tickets))
    client.hear()
    return world, client


def say(client: Client, frame: bytes) -> pb.SessionResponse | None:
    """Send *frame* behind the acknowledgement of all that came."""
    client.session.receive(field_number(2, client.last) + frame)
    return client.hear()


@pytest.mark.parametrize(
    ("depth", "path"),
    [(0, "99"), (1, "move.99"), (2, "move.tractor.99"), (3, "move.tractor.call.99")],
)
def test_a_move_with_an_unknown_field_is_refused_and_the_next_one_is_not(
    depth: int, path: str
) -> None:
    world, client = sitting()
    good = answer(world.find())
    odd = pb.ChannelMove.FromString(good.SerializeToString())
    holders = (odd, odd.move, odd.move.tractor, odd.move.tractor.call)
    holders[depth].MergeFromString(NEW)
    moves = (odd.SerializeToString(), good.SerializeToString())
    frame = say(client, b"".join(field_bytes(4, one) for one in moves))
    assert frame is not None
    assert [kind for channel, kind in named(frame) if channel == good.channel][:2] == [
        "move_refused",
        "move_accepted",
    ]
    told = frame.items[0].update.move_refused
    assert (told.decision_id, told.refusal.reason) == (good.decision_id, UNKNOWN)
    assert told.refusal.field == path


def test_an_arm_of_a_newer_contract_is_no_empty_move() -> None:
    world, client = sitting()
    odd = pb.ChannelMove.FromString(answer(world.find()).SerializeToString())
    odd.move.Clear()
    odd.move.tractor.MergeFromString(b"\xea\x04\x00")
    frame = say(client, field_bytes(4, odd.SerializeToString()))
    assert frame is not None
    assert frame.items[0].update.move_refused.refusal.field == "move.tractor.77"


def test_other_items_of_the_frame_are_carried_out() -> None:
    world, client = sitting()
    opened = openings(world.find(), ["x"])[0]
    opened.channel = 9
    closed = pb.ChannelClose(channel=1).SerializeToString()
    nonce = pb.ChannelNonce(channel=2).SerializeToString()
    frame = say(
        client,
        field_bytes(3, opened.SerializeToString() + NEW)
        + field_bytes(5, nonce + NEW)
        + field_bytes(6, closed + NEW)
        + field_bytes(4, answer(world.find()).SerializeToString()),
    )
    assert frame is not None
    refused = {item.channel: item.refusal for item in frame.items if item.HasField("refusal")}
    assert {channel: (one.reason, one.field) for channel, one in refused.items()} == dict.fromkeys(
        (9, 2, 1), (UNKNOWN, "99")
    )
    assert "move_accepted" in [kind for _, kind in named(frame)]


def test_an_item_of_a_new_kind_is_refused_on_no_channel() -> None:
    world, client = sitting()
    good = field_bytes(4, answer(world.find()).SerializeToString())
    frame = say(client, b"\xc2\x05\x00" + good)
    assert frame is not None
    assert (frame.items[0].channel, frame.items[0].refusal.field) == (0, "88")
    assert "move_accepted" in [kind for _, kind in named(frame)]
    assert asked(world.find())


def test_unknown_fields_of_hello_are_passed_over() -> None:
    client = Client(World())
    hello = pb.SessionHello(client="new")
    client.session.receive(field_bytes(1, hello.SerializeToString() + NEW))
    frame = client.hear()
    assert frame is not None
    assert not frame.items
    assert not frame.HasField("end")
