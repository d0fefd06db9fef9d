"""Sessions: frames, acknowledgements, channels; what breaks one and what does not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from croupier.v1 import errors_pb2, table_pb2
from croupier.v1 import session_service_pb2 as pb
from croupier_server.identity.quota import UNLIMITED, Quota
from croupier_server.rpc.errors import to_refusal
from croupier_server.tables.caller import Caller
from croupier_server.tables.match.table import Table
from croupier_server.tables.sessions.session import Session
from croupier_server.tables.spec import ClockSpec, DealSource, Status
from tests.tables.test_lifecycle import NONCES, hashed
from tests.tables.toy_game import CARD, ToyWire
from tests.tables.world import World, asked, exactly

END = table_pb2.StreamEnd


class Client:
    """The other end of a session."""

    def __init__(self, world: World, quota: Quota = UNLIMITED) -> None:
        caller = Caller(quota=quota)
        self.session = Session(
            world.shard, caller, lambda error: to_refusal(error).SerializeToString()
        )
        self.last = 0

    def say(self, **fields: object) -> None:
        """Send a frame."""
        self.session.receive(pb.SessionRequest(**fields).SerializeToString())  # type: ignore[arg-type]

    def hear(self) -> pb.SessionResponse | None:
        """The next frame of the server."""
        data = self.session.next_frame()
        if data is None:
            return None
        frame = exactly(pb.SessionResponse, data)
        assert frame.frame == self.last + 1
        self.last += 1
        return frame

    def talk(self, **fields: object) -> list[tuple[int, str]]:
        """Send a frame that acknowledges all, and name the items that come back."""
        self.say(acknowledged=self.last, **fields)
        frame = self.hear()
        return [] if frame is None else named(frame)


def named(frame: pb.SessionResponse) -> list[tuple[int, str]]:
    return [
        (item.channel, item.update.WhichOneof("update") or reason(item)) for item in frame.items
    ]


def reason(item: pb.ChannelItem) -> str:
    return _word(item.refusal)


def refusal(item: pb.ChannelItem) -> str:
    return _word(item.update.move_refused.refusal)


def _word(refused: errors_pb2.Refusal) -> str:
    return errors_pb2.ErrorReason.Name(refused.reason).removeprefix("ERROR_REASON_")


class Sitting(NamedTuple):
    """A table whose seats 0, 1, 2 are the channels 1, 2, 3 of a client that was welcomed."""

    world: World
    table: Table
    client: Client
    tickets: list[str]


def sit(mode: int = 1, world: World | None = None, **changes: object) -> Sitting:
    world = world or World()
    table, tickets = world.start(**changes)
    client = Client(world)
    client.say(hello={"client": "test"}, opens=openings(table, tickets, mode))
    return Sitting(world, table, client, tickets)


def openings(table: Table, tickets: list[str], mode: int = 1) -> list[pb.ChannelOpen]:
    return [
        pb.ChannelOpen(
            channel=seat + 1,
            table_id=table.spec.table_id,
            ticket=ticket,
            view_mode=table_pb2.ViewMode.ValueType(mode),
        )
        for seat, ticket in enumerate(tickets)
    ]


def answer(table: Table, place: int = 0) -> pb.ChannelMove:
    """The answer to an open decision by its first legal move."""
    decision = asked(table)[place]
    move = table.legal(decision.seat, decision.id).moves[0]
    return pb.ChannelMove(
        channel=decision.seat + 1, decision_id=decision.id, move=ToyWire().move_message(move)
    )


# Frames -----------------------------------------------------------------------------------------


def test_hello_is_answered_with_a_welcome_and_all_that_is_due() -> None:
    world = World(channels_max=9)
    table, tickets = world.start()
    client = Client(world)
    assert client.hear() is None
    client.say(hello=pb.SessionHello.FromString(b"\x0a\x04test\x12\x02\x78\x01\x78\x01"))
    frame = client.hear()
    assert frame is not None
    assert (frame.frame, frame.welcome.channels_max) == (1, 9)
    items = client.talk(opens=openings(table, tickets))
    seats = {decision.seat for decision in asked(table)}
    assert [item for item in items if item[1] == "snapshot"] == [(n, "snapshot") for n in (1, 2, 3)]
    assert {channel - 1 for channel, kind in items if kind == "decision"} == seats


def test_a_whole_match_on_one_session() -> None:
    sitting = sit()
    found: list[tuple[int, str]] = []
    frame = sitting.client.hear()
    while frame is not None:
        found += named(frame)
        moves = [
            pb.ChannelMove(
                channel=item.channel,
                decision_id=item.update.decision.decision_id,
                move=item.update.decision.legal.moves[0].move,
            )
            for item in frame.items
            if item.update.HasField("decision")
        ]
        sitting.client.say(acknowledged=frame.frame, moves=moves)
        frame = sitting.client.hear()
    assert sitting.table.status is Status.ENDED
    for channel in (1, 2, 3):
        own = [kind for number, kind in found if number == channel]
        assert own[0] == "snapshot"
        assert own[-2:] == ["result", "end"]
        assert own.count("move_accepted") == own.count("decision")
        assert set(own[1:-2]) == {"decision", "move_accepted"}
    assert sitting.client.session._channels == {}


def test_all_that_is_due_goes_out_in_one_frame() -> None:
    world = World()
    tables = [world.start() for _ in range(20)]
    client = Client(world)
    opens = []
    for number, (table, tickets) in enumerate(tables):
        for seat, ticket in enumerate(tickets):
            opening = openings(table, [ticket])[0]
            opening.channel = 3 * number + seat + 1
            opens.append(opening)
    client.say(hello={}, opens=opens)
    frame = client.hear()
    assert frame is not None
    assert sum(item.update.HasField("snapshot") for item in frame.items) == 60
    assert client.hear() is None


def test_with_two_frames_unacknowledged_nothing_is_sent() -> None:
    sitting = sit()
    client, table = sitting.client, sitting.table
    assert client.hear() is not None
    client.say(moves=[answer(table)])
    assert client.hear() is not None
    client.say(moves=[answer(table)])
    client.say(moves=[answer(table)])
    assert client.hear() is None
    client.say(acknowledged=1)
    frame = client.hear()
    assert frame is not None
    assert [kind for _, kind in named(frame)].count("move_accepted") == 2
    assert client.hear() is None
    client.say(acknowledged=1, moves=[answer(table)])
    assert client.hear() is None
    client.say(acknowledged=3)
    assert client.hear() is not None


def test_only_a_decision_that_is_still_open_is_sent() -> None:
    """What is due is made when its frame is: what was answered meanwhile is not asked again."""
    sitting = sit()
    client, table = sitting.client, sitting.table
    client.hear()
    client.say(moves=[answer(table)])
    client.hear()
    for _ in range(4):
        client.say(moves=[answer(table)])
    open_now = asked(table)
    client.say(acknowledged=2)
    frame = client.hear()
    assert frame is not None
    decisions = [item.update.decision for item in frame.items if item.update.HasField("decision")]
    assert [one.decision_id for one in decisions] == [one.id for one in open_now]


def test_a_frame_has_a_bounded_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_server.tables.sessions.session.FRAME_BYTES", 300)
    sitting = sit()
    first, second = sitting.client.hear(), sitting.client.hear()
    assert first is not None
    assert second is not None
    assert 1 <= len(first.items) < 4
    sitting.client.say(acknowledged=2)
    rest = sitting.client.hear()
    channels = {channel for frame in (first, second) for channel, _ in named(frame)}
    channels |= {channel for channel, _ in named(rest)} if rest is not None else set()
    assert channels == {1, 2, 3}


def test_a_session_ends_before_the_numbers_of_its_frames_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("croupier_server.tables.sessions.session.FRAMES_MAX", 2)
    sitting = sit()
    client = sitting.client
    client.hear()
    assert client.talk(moves=[answer(sitting.table)])
    sitting.world.shard.heartbeat()
    client.say(acknowledged=2)
    last = client.hear()
    assert last is not None
    assert last.frame == 3
    assert last.end.reason == table_pb2.STREAM_END_REASON_FRAMES_USED_UP
    assert client.session.is_done


def test_events_come_in_order_on_each_channel() -> None:
    sitting = sit(mode=2)
    client, table = sitting.client, sitting.table
    seen: dict[int, list[int]] = {1: [], 2: [], 3: []}
    frame = client.hear()
    while frame is not None:
        for item in frame.items:
            if item.update.HasField("event"):
                seen[item.channel].append(item.update.event.sequence)
        moves = [answer(table)] if table.status is Status.PLAYING else []
        client.say(acknowledged=frame.frame, moves=moves)
        frame = client.hear()
    last = table.journal.sequence
    for numbers in seen.values():
        assert numbers == list(range(numbers[0], last + 1))


def test_heartbeats_of_session_and_channels() -> None:
    sitting = sit()
    sitting.client.hear()
    sitting.world.shard.heartbeat()
    sitting.client.say(acknowledged=1)
    frame = sitting.client.hear()
    assert frame is not None
    assert frame.heartbeat.heartbeat_id == 1
    assert frame.heartbeat.server_time.ToMilliseconds() == sitting.world.clock.now
    assert named(frame) == [(1, "heartbeat"), (2, "heartbeat"), (3, "heartbeat")]
    sitting.client.say(acknowledged=2, heartbeat_echo=1)
    assert sitting.client.hear() is None


def test_a_clock_starts_with_its_frame_and_withheld_acknowledgements_stop_none() -> None:
    sitting = sit(clock=ClockSpec(base_ms=1_000))
    client, table, world = sitting.client, sitting.table, sitting.world
    client.hear()
    client.say(moves=[answer(table)])
    client.hear()
    while asked(table)[0].sealed or asked(table)[0].asked_ms is not None:
        client.say(moves=[answer(table)])
    decision = asked(table)[0]
    assert client.hear() is None
    world.clock.advance(150)
    client.say(acknowledged=2)
    assert client.hear() is not None
    assert decision.used_ms(world.clock.now) == 100
    assert decision.clock_from_ms == decision.due_ms + 50


# Items that are refused -------------------------------------------------------------------------


def test_a_refused_move_does_not_harm_the_others() -> None:
    sitting = sit()
    client, table = sitting.client, sitting.table
    client.hear()
    world = sitting.world
    world.to_turns(table)
    good = answer(table)
    illegal = pb.ChannelMove(
        channel=good.channel,
        decision_id=good.decision_id,
        move=ToyWire().move_message(CARD + 99),
    )
    unreadable = pb.ChannelMove(channel=good.channel, decision_id=good.decision_id)
    unknown = pb.ChannelMove(channel=good.channel, decision_id="7-x", move=good.move)
    nowhere = pb.ChannelMove(channel=99, decision_id=good.decision_id, move=good.move)
    client.say(acknowledged=1, moves=[illegal, unreadable, unknown, nowhere, good])
    frame = client.hear()
    assert frame is not None
    refused = [item for item in frame.items if item.update.HasField("move_refused")]
    assert [refusal(item) for item in refused] == [
        "ILLEGAL_MOVE",
        "MALFORMED_MOVE",
        "UNKNOWN_DECISION",
    ]
    assert refused[0].update.move_refused.decision_id == good.decision_id
    assert (99, "NOT_FOUND") in named(frame)
    assert (good.channel, "move_accepted") in named(frame)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"table_id": "nowhere"}, "TICKET_INVALID"),
        ({"ticket": ""}, "TICKET_INVALID"),
        ({"ticket": "x" * 43}, "TICKET_INVALID"),
        ({"channel": 0}, "MALFORMED_REQUEST"),
        ({"channel": 1}, "MALFORMED_REQUEST"),
        ({"view_mode": 7}, "MALFORMED_REQUEST"),
        ({"table_epoch": 1, "after_sequence": 999}, "SEQUENCE_AHEAD"),
    ],
)
def test_a_channel_that_cannot_be_opened(changes: dict[str, object], reason: str) -> None:
    sitting = sit()
    client = sitting.client
    client.hear()
    values = {
        "channel": 9,
        "table_id": "table-1",
        "ticket": sitting.tickets[0],
        "view_mode": 1,
    } | changes
    found = client.talk(opens=[pb.ChannelOpen(**values)])  # type: ignore[arg-type]
    assert found == [(values["channel"], reason)]
    assert not sitting.client.session.is_done
    moved = client.talk(moves=[answer(sitting.table)])
    assert "move_accepted" in [kind for _, kind in moved]


def test_a_session_holds_so_many_channels() -> None:
    sitting = sit(world=World(channels_max=2))
    frame = sitting.client.hear()
    assert frame is not None
    assert (3, "TOO_MANY_STREAMS") in named(frame)


def test_the_newest_channel_of_a_seat_replaces_the_older() -> None:
    sitting = sit()
    sitting.client.hear()
    again = openings(sitting.table, sitting.tickets[:1])[0]
    again.channel = 8
    found = sitting.client.talk(opens=[again])
    assert found[:2] == [(1, "end"), (8, "snapshot")]
    found = sitting.client.talk(moves=[pb.ChannelMove(channel=1, decision_id="1-0")])
    assert found == [(1, "NOT_FOUND")]


def test_a_channel_is_closed_and_its_number_is_free() -> None:
    sitting = sit()
    sitting.client.hear()
    assert sitting.client.talk(closes=[{"channel": 2}, {"channel": 77}]) == [(2, "end")]
    again = openings(sitting.table, sitting.tickets)[1]
    found = sitting.client.talk(opens=[again])
    assert (2, "snapshot") in found


def test_nonces_are_opened_on_the_session() -> None:
    world = World()
    table = world.create(deal=DealSource())
    tickets = [world.join(table, nonce_hash=hashed(NONCES[seat])).ticket for seat in range(3)]
    client = Client(world)
    client.say(hello={}, opens=openings(table, tickets))
    frame = client.hear()
    assert frame is not None
    assert named(frame) == [
        (channel, kind) for channel in (1, 2, 3) for kind in ("snapshot", "nonce_wanted")
    ]
    found = client.talk(nonces=[{"channel": 1, "nonce": NONCES[1]}, {"channel": 9, "nonce": b""}])
    assert sorted(found) == [(1, "NONCE_MISMATCH"), (9, "NOT_FOUND")]
    found = client.talk(
        nonces=[{"channel": seat + 1, "nonce": nonce} for seat, nonce in enumerate(NONCES)]
    )
    assert table.status is Status.PLAYING
    assert "decision" in [kind for _, kind in found]
