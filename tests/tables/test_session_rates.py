"""What costs on a session: all that is no accepted answer to an open decision."""

from __future__ import annotations

from itertools import count

import pytest

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from croupier_server.identity.quota import READ_FREE_MAX, Quota
from croupier_server.tables.match.table import Table
from croupier_server.tables.sessions.session import ITEMS_MAX, STEP_ITEMS
from croupier_server.tables.spec import Status
from tests.tables.test_session import Client, answer, named, openings, refusal
from tests.tables.world import World, asked

BURST = 10


class Limited:
    """A table whose seats one client plays that has a burst of tokens and gets no more of them but
    by waiting, a second for each."""

    def __init__(self) -> None:
        self.world = World()
        self.now = 0
        self.table, tickets = self.world.start()
        self.client = Client(self.world, Quota(1, BURST, lambda: self.now))
        self.client.say(hello={"client": "test"}, opens=openings(self.table, tickets))
        self.left = BURST - len(tickets)
        self.client.hear()

    def spend_all(self) -> None:
        """Ask for nonsense until no token is left."""
        nonsense = [pb.ChannelMove(channel=9) for _ in range(self.left)]
        found = self.client.talk(moves=nonsense)
        assert [word for _, word in found] == ["NOT_FOUND"] * self.left
        assert not self.is_over()

    def is_over(self) -> bool:
        return self.client.session._ending is not None or self.client.session.is_done


def status(table: Table) -> Status:
    return table.status


def test_a_whole_match_costs_nothing() -> None:
    limited = Limited()
    limited.spend_all()
    while status(limited.table) is not Status.ENDED:
        found = limited.client.talk(moves=[answer(limited.table)])
        assert "move_refused" not in [word for _, word in found]
    assert not limited.is_over()


def test_what_nobody_asked_for_is_refused_when_there_is_no_token() -> None:
    limited = Limited()
    move = answer(limited.table)
    limited.client.talk(moves=[move])
    limited.spend_all()
    for repeated in (move, pb.ChannelMove(channel=move.channel, decision_id="77-0")):
        limited.client.say(acknowledged=limited.client.last, moves=[repeated])
        frame = limited.client.hear()
        assert frame is not None
        words = [refusal(item) for item in frame.items if item.update.HasField("move_refused")]
        assert words == ["RATE_LIMITED"]
    assert limited.client.talk(opens=[pb.ChannelOpen(channel=7)]) == [(7, "RATE_LIMITED")]
    assert limited.client.talk(nonces=[pb.ChannelNonce(channel=9)]) == [(9, "RATE_LIMITED")]


def test_a_refused_answer_to_an_open_decision_is_judged_and_costs() -> None:
    limited = Limited()
    limited.spend_all()
    good = answer(limited.table)
    bad = pb.ChannelMove(channel=good.channel, decision_id=good.decision_id)
    for _ in range(BURST):
        limited.client.say(acknowledged=limited.client.last, moves=[bad])
        frame = limited.client.hear()
        assert frame is not None
        words = [refusal(item) for item in frame.items if item.update.HasField("move_refused")]
        assert words == ["MOVE_NOT_EXPECTED"] or words == ["MALFORMED_MOVE"]
    assert limited.is_over()


def test_frames_that_say_nothing_new_cost() -> None:
    limited = Limited()
    limited.spend_all()
    for _ in range(BURST - 1):
        limited.client.say(acknowledged=limited.client.last, heartbeat_echo=1)
    limited.client.say(acknowledged=limited.client.last, heartbeat_echo=1)
    assert not limited.is_over(), "the first echo was news"
    limited.client.say()
    assert limited.is_over()
    frame = limited.client.hear()
    assert frame is not None
    assert frame.end.reason == table_pb2.STREAM_END_REASON_RATE_LIMITED
    assert frame.end.retry_after.ToSeconds() >= BURST


def test_acknowledging_is_free() -> None:
    limited = Limited()
    limited.spend_all()
    for _ in range(5 * BURST):
        limited.world.shard.heartbeat()
        assert limited.client.hear() is not None
        limited.client.say(acknowledged=limited.client.last)
    assert not limited.is_over()


@pytest.mark.attack
@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (bytes(READ_FREE_MAX + 1), "cannot be read"),
        (b"\x12\x00" * READ_FREE_MAX, "hello"),
    ],
)
def test_a_long_frame_that_breaks_the_session_off_pays_for_its_reading(
    frame: bytes, why: str
) -> None:
    ticks = count()
    quota = Quota(1, BURST, lambda: 0, lambda: 3 * BURST * next(ticks) / 1_000)
    client = Client(World(), quota)
    client.session.receive(frame)
    ended = client.hear()
    assert ended is not None
    assert why in ended.end.detail
    assert quota.is_overdrawn, "a millisecond costs a token"


@pytest.mark.attack
def test_a_long_frame_gives_way_to_others_between_its_items() -> None:
    limited = Limited()
    moves = [pb.ChannelMove(channel=9) for _ in range(ITEMS_MAX)]
    session = limited.client.session
    steps = session.steps(pb.SessionRequest(acknowledged=1, moves=moves).SerializeToString())
    counts = []
    for _ in steps:
        counts.append(len(session._items))
    assert counts == list(range(STEP_ITEMS, ITEMS_MAX + 1, STEP_ITEMS))


def test_nothing_is_done_on_a_session_that_ended_between_two_steps() -> None:
    world = World()
    table, tickets = world.start()
    client = Client(world)
    more = [pb.ChannelOpen(channel=number) for number in range(100, 100 + STEP_ITEMS)]
    opens = [*more, *openings(table, tickets)]
    frame = pb.SessionRequest(hello=pb.SessionHello(client="test"), opens=opens)
    steps = client.session.steps(frame.SerializeToString())
    next(steps)
    client.session.close()
    assert list(steps) == []
    assert table.seat_watchers == [None] * 3


def test_a_frame_that_is_full_leaves_channels_for_the_next_one() -> None:
    world = World()
    tables = [world.start() for _ in range(STEP_ITEMS)]
    client = Client(world)
    opens = [
        pb.ChannelOpen(channel=3 * number + seat + 1, table_id=table.spec.table_id, ticket=ticket)
        for number, (table, tickets) in enumerate(tables)
        for seat, ticket in enumerate(tickets)
    ]
    client.say(hello={"client": "test"}, opens=opens)
    heard = []
    for number in range(3):
        client.say(acknowledged=number)
        data = client.session.next_frame(lambda: True)
        assert data is not None
        heard.append({item.channel for item in pb.SessionResponse.FromString(data).items})
    assert [len(channels) for channels in heard] == [STEP_ITEMS] * 3
    assert set.union(*heard) == set(range(1, 3 * STEP_ITEMS + 1))


def test_who_waits_is_heard_again() -> None:
    limited = Limited()
    limited.spend_all()
    assert limited.client.talk(moves=[pb.ChannelMove(channel=9)]) == [(9, "RATE_LIMITED")]
    limited.now += 2_000
    assert limited.client.talk(moves=[pb.ChannelMove(channel=9)]) == [(9, "NOT_FOUND")]


def test_nobody_who_waits_for_an_answer_is_named() -> None:
    """The refusal is the same whether the decision was, is or never will be somebody else's."""
    limited = Limited()
    limited.spend_all()
    seat = asked(limited.table)[0].seat
    other = (seat + 1) % 3 + 1
    found = []
    for decision_id in (asked(limited.table)[0].id, "77-0", ""):
        move = pb.ChannelMove(channel=other, decision_id=decision_id)
        limited.client.say(acknowledged=limited.client.last, moves=[move])
        frame = limited.client.hear()
        assert frame is not None
        found += [refusal(item) for item in frame.items if item.update.HasField("move_refused")]
        assert (other, "move_refused") in named(frame)
    assert found == ["RATE_LIMITED"] * 3
