"""Sessions: what breaks one, how one ends, and what waits for the store."""

from __future__ import annotations

import json

import pytest

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from croupier_server.errors import Unavailable
from croupier_server.tables.spec import DealSource, Status
from tests.log_lines import logged
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.test_session import Client, answer, named, openings, sit
from tests.tables.world import SlowLog, World, exactly

# What breaks a session --------------------------------------------------------------------------


def test_a_client_that_breaks_the_rules_of_the_stream_loses_it() -> None:
    good = pb.SessionRequest(hello=pb.SessionHello()).SerializeToString()
    cases: list[list[bytes]] = [
        [b""],
        [b"\xff\xff\xff"],
        [pb.SessionRequest(acknowledged=1).SerializeToString()],
        [good, good],
        [good, pb.SessionRequest(acknowledged=5).SerializeToString()],
        [good, b"\x00"],
    ]
    for frames in cases:
        world = World()
        table, _ = world.start()
        client = Client(world)
        for data in frames:
            client.session.receive(data)
        data_out = client.session.next_frame()
        assert data_out is not None
        frame = exactly(pb.SessionResponse, data_out)
        assert frame.end.reason == table_pb2.STREAM_END_REASON_PROTOCOL_ERROR
        assert frame.end.detail
        assert client.session.is_done
        assert client.session.next_frame() is None
        world.play(table)


def test_a_client_that_never_acknowledges_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.tables.sessions.session.WAITING_MAX", 50)
    sitting = sit()
    client = sitting.client
    client.hear()
    bad = pb.ChannelMove(channel=1, decision_id="x")
    for _ in range(60):
        client.say(moves=[bad])
    frames = [client.hear(), client.hear()]
    ends = [frame.end.reason for frame in frames if frame is not None and frame.HasField("end")]
    assert ends == [table_pb2.STREAM_END_REASON_SLOW_CONSUMER]
    assert sitting.table.status is Status.PLAYING


def test_the_log_names_a_client_that_never_acknowledges() -> None:
    with logged() as log:
        sitting = sit()
        client = sitting.client
        client.hear()
        sitting.world.shard.heartbeat()
        client.hear()
        assert "acknowledge" not in log.getvalue()  # a frame may be on its way
        for _ in range(4):
            sitting.world.shard.heartbeat()
        (line,) = (json.loads(line) for line in log.getvalue().splitlines() if "acknowl" in line)
    assert line["level"] == "warning"
    assert line["frame"] == 2
    assert client.hear() is None


def test_draining_ends_a_session_whatever_is_unacknowledged() -> None:
    sitting = sit()
    client = sitting.client
    client.hear()
    client.say(moves=[answer(sitting.table)])
    client.hear()
    sitting.world.shard.drain(700)
    frame = client.hear()
    assert frame is not None
    assert frame.end.reason == table_pb2.STREAM_END_REASON_SERVER_DRAINING
    assert frame.end.retry_after.ToMilliseconds() == 700
    assert sitting.table.seat_watchers == [None] * 3
    with pytest.raises(Unavailable):
        Client(sitting.world)


def test_a_client_that_hangs_up_gets_what_is_due_and_the_end() -> None:
    sitting = sit()
    client = sitting.client
    client.hear()
    client.say(moves=[answer(sitting.table)])
    client.hear()
    client.say(moves=[answer(sitting.table)])
    client.session.hang_up()
    frame = client.hear()
    assert frame is not None
    assert "move_accepted" in [kind for _, kind in named(frame)]
    assert frame.end.reason == table_pb2.STREAM_END_REASON_CLIENT_CLOSED
    assert client.session.is_done
    assert sitting.table.seat_watchers == [None] * 3


def test_a_session_that_is_gone_leaves_its_seats_alone() -> None:
    sitting = sit()
    sitting.client.hear()
    sitting.client.session.close()
    assert sitting.table.seat_watchers == [None] * 3
    client = Client(sitting.world)
    client.say(hello={}, opens=openings(sitting.table, sitting.tickets))
    frame = client.hear()
    assert frame is not None
    assert "decision" in [kind for _, kind in named(frame)]
    sitting.client.session.receive(b"late")
    assert sitting.client.session.next_frame() is None


def test_replies_wait_for_the_commit() -> None:
    """Promise 3: an acknowledged move is never lost."""
    log = SlowLog()
    world = World(log)
    table, tickets = world.start()
    log.store()
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    client.hear()
    client.say(acknowledged=1, moves=[answer(table)])
    assert client.hear() is None
    log.store()
    frame = client.hear()
    assert frame is not None
    assert "move_accepted" in [kind for _, kind in named(frame)]


def test_the_moves_of_one_frame_are_one_batch() -> None:
    log = SlowLog()
    world = World(log)
    client = Client(world)
    tables = [world.start() for _ in range(5)]
    log.store()
    opens = []
    for number, (table, tickets) in enumerate(tables):
        for opening in openings(table, tickets):
            opening.channel += 10 * number
            opens.append(opening)
    client.say(hello={}, opens=opens)
    client.hear()
    moves = []
    for number, (table, _) in enumerate(tables):
        move = answer(table)
        move.channel += 10 * number
        moves.append(move)
    client.say(acknowledged=1, moves=moves)
    assert len(log.waiting) == 1


def test_isolated_a_snapshot_that_waits_for_the_store_comes_with_what_is_stored() -> None:
    """And not with the next heartbeat: the nonce that it is followed by is waited for."""
    log = SlowLog()
    world = World(log)
    table = world.create(deal=DealSource())
    tickets = [world.join(table, nonce_hash=hashed(NONCES[seat])).ticket for seat in range(3)]
    log.store()
    world.shard.open_nonce(table, 1, NONCES[1])
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets[:1]))
    frame = client.hear()
    assert frame is not None
    assert named(frame) == []
    log.store()
    frame = client.hear()
    assert frame is not None
    assert named(frame) == [(1, "snapshot"), (1, "nonce_wanted")]
