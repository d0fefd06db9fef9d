"""Seats that change hands: who held one before does nothing there any more, and hears of it once
that is stored."""

from __future__ import annotations

import pytest

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from croupier_server.tables.caller import Caller
from croupier_server.tables.sessions.session import UNACKNOWLEDGED_MAX
from croupier_server.tables.spec import DealSource, JoinTable, StartMode
from tests.tables.test_feeds import end_of
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.test_session import Client, answer, named, openings, sit
from tests.tables.toy_game import ToyWire
from tests.tables.world import SlowLog, World, asked, kinds, move_of


def test_a_channel_whose_ticket_was_superseded_plays_no_more() -> None:
    """Also while its client puts off hearing of it by not acknowledging anything."""
    world, table, client, tickets = sit()
    client.hear()
    other = Client(world)
    for _ in range(UNACKNOWLEDGED_MAX - 1):
        client.session.beat()
        client.hear()
    world.to_turns(table)
    (decision,) = asked(table)
    move = answer(table)
    ticket = tickets[decision.seat]
    joined = world.shard.join(Caller(ticket=ticket), JoinTable("table-1", seat=decision.seat))
    client.say(moves=[move])
    assert asked(table) == [decision]
    assert client.hear() is None
    other.say(hello={}, opens=openings(table, [joined.ticket]))
    frame = other.hear()
    assert frame is not None
    assert (1, "decision") in named(frame)
    reply = pb.ChannelMove(
        channel=1,
        decision_id=decision.id,
        move=ToyWire().move_message(move_of(table, decision)),
    )
    assert (1, "move_accepted") in other.talk(moves=[reply])
    client.say(acknowledged=client.last)
    frame = client.hear()
    assert frame is not None
    ends = {item.channel: item.update.end.reason for item in frame.items}
    assert ends[decision.seat + 1] == table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED


def test_a_nonce_of_a_superseded_channel_is_not_taken() -> None:
    world = World()
    table = world.create(deal=DealSource())
    tickets = [world.join(table, nonce_hash=hashed(NONCES[seat])).ticket for seat in range(3)]
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    world.shard.join(Caller(ticket=tickets[0]), JoinTable("table-1", seat=0))
    client.say(nonces=[{"channel": 1, "nonce": NONCES[0]}])
    assert not table.seats[0].nonce


@pytest.mark.parametrize("how", ["joined again", "left", "no show"])
def test_durable_a_stream_ends_once_it_is_stored_that_it_must(how: str) -> None:
    log = SlowLog()
    world = World(log)
    table = world.create(deal=DealSource(), start_mode=StartMode.MANUAL)
    tickets = [world.join(table, nonce_hash=hashed(NONCES[seat])).ticket for seat in range(3)]
    log.store()
    feeds = [world.watch(table, ticket, mode=2) for ticket in tickets]
    for feed in feeds:
        world.take(feed)
    expected = table_pb2.STREAM_END_REASON_TICKET_SUPERSEDED
    if how == "joined again":
        world.shard.join(Caller(ticket=tickets[0]), JoinTable("table-1"))
    elif how == "left":
        world.shard.leave(Caller(ticket=tickets[0]), "table-1")
        expected = table_pb2.STREAM_END_REASON_CLIENT_CLOSED
    else:
        expected = table_pb2.STREAM_END_REASON_NONCE_WITHHELD
        table.start(world.clock.now, 10_000)
        world.shard.done(table)
        for seat in (1, 2):
            world.shard.open_nonce(table, seat, NONCES[seat])
        log.store()
        world.clock.advance(10_000)
        world.shard.tick()
    assert "end" not in kinds(world.take(feeds[0]))
    log.store()
    assert end_of(world.take(feeds[0])) == expected
    assert "end" not in kinds(world.take(feeds[1]))


def test_durable_a_nonce_that_cannot_be_stored_is_asked_for_on_a_new_channel() -> None:
    log = SlowLog()
    world = World(log)
    table = world.create(deal=DealSource())
    tickets = [world.join(table, nonce_hash=hashed(NONCES[seat])).ticket for seat in range(3)]
    log.store()
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    frame = client.hear()
    assert frame is not None
    assert [kind for _, kind in named(frame)].count("nonce_wanted") == 3
    log.break_down()
    client.say(acknowledged=1, nonces=[{"channel": 1, "nonce": NONCES[0]}])
    frame = client.hear()
    assert frame is not None
    assert named(frame) == [(1, "end")]
    end = frame.items[0].update.end
    assert end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    assert end.retry_after.ToMilliseconds() > 0
    log.mend()
    (again, *_) = openings(table, tickets)
    assert (1, "nonce_wanted") in client.talk(opens=[again])
    client.say(acknowledged=client.last, nonces=[{"channel": 1, "nonce": NONCES[0]}])
    assert table.seats[0].nonce == NONCES[0]
