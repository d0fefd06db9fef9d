"""Hostile sessions: frames that are none, out of order, for channels and decisions that are not.

A client that breaks the rules of the stream loses its session; an item that is wrong is refused by
itself, and the session goes on. No table is any different after either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
import pytest
import pytest_asyncio

from croupier.v1 import session_service_pb2 as pb
from croupier.v1 import table_pb2
from tests.rpc import hostile_moves
from tests.rpc.calls import SECONDS, Refusal, build, on_stream, refusal
from tests.rpc.hostile import SESSION, World, world

pytestmark = pytest.mark.asyncio(loop_scope="module")

HELLO = "hello <> "
FOLLOW = "opens < channel: 1 table_id: '{follow}' ticket: '{follow_me}' > "
ANSWER = "moves < channel: 1 decision_id: '{follow_id}' move < {follow_legal} > >"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live() -> AsyncIterator[World]:
    """Live tables, which no call of this module changes."""
    async with world() as found:
        yield found


class Talk:
    """A session in which every frame is acknowledged on receipt."""

    def __init__(self, live: World) -> None:
        call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = live.call.channel.stream_stream(
            f"/{SESSION}"
        )
        self.call = call(timeout=SECONDS)
        self._live = live
        self._items: deque[pb.ChannelItem] = deque()
        # A frame that is written when the server has ended the session fails in the client, and
        # takes the server's last words with it; so those who wait for them write nothing.
        self.is_acknowledging = True
        self.frames = 0

    async def send(self, frame: str | bytes) -> None:
        """Send a frame: bytes as they are, or text with the names of the world."""
        if isinstance(frame, str):
            text = frame.format_map(self._live.names)
            frame = build(pb.SessionRequest, text).SerializeToString()
        await self.call.write(frame)

    async def frame(self) -> pb.SessionResponse:
        """The next frame."""
        data = await self.call.read()
        assert isinstance(data, bytes), "the stream has ended"
        frame = pb.SessionResponse.FromString(data)
        self.frames += 1
        assert frame.frame == self.frames
        if self.is_acknowledging and not frame.HasField("end"):
            await self.send(f"acknowledged: {frame.frame}")
        self._items.extend(frame.items)
        return frame

    async def item(self, wanted: Callable[[pb.ChannelItem], bool]) -> pb.ChannelItem:
        """The next item that is *wanted*; the others are passed over."""
        while True:
            while self._items:
                item = self._items.popleft()
                if wanted(item):
                    return item
            frame = await self.frame()
            assert not frame.HasField("end"), frame.end

    async def end(self) -> table_pb2.StreamEnd:
        """How the session ended; it has no more frames then."""
        self.is_acknowledging = False
        while True:
            frame = await self.frame()
            if frame.HasField("end"):
                assert await self.call.read() is grpc.aio.EOF
                assert await self.call.code() is grpc.StatusCode.OK
                return frame.end

    async def is_alive(self) -> None:
        """Assert that the session still opens channels and judges moves."""
        await self.send("opens < channel: 99 table_id: '{bury}' ticket: '{bury_me}' >")
        item = await self.item(lambda item: item.channel == 99)
        assert item.update.snapshot.table.table_id == self._live.names["bury"]


@asynccontextmanager
async def talk(live: World) -> AsyncIterator[Talk]:
    """A session, cancelled at the end."""
    found = Talk(live)
    try:
        yield found
    finally:
        found.call.cancel()


# What breaks a session ----------------------------------------------------------------------------

BREAKING: list[list[str | bytes]] = [
    [b"\xff"],
    [b"\x0a\x7fx"],
    [b"\x0b" * 200],
    [b""],
    ["acknowledged: 1"],
    ["opens < channel: 1 table_id: '{follow}' ticket: '{follow_me}' >"],
    ["moves < channel: 1 decision_id: '{follow_id}' move < {follow_legal} > >"],
    ["heartbeat_echo: 1"],
    [HELLO, HELLO],
    [HELLO, HELLO + FOLLOW],
    [HELLO, b"\xff"],
    [HELLO, b"\x1a\x05\x12\x03\xff\xfe\xfd"],
    [HELLO, b"\x22\x7f"],
    [HELLO + "acknowledged: 1"],
    [HELLO, "acknowledged: 77"],
    [HELLO, "acknowledged: 4294967295"],
    [HELLO + FOLLOW, b"\x0c"],
    [HELLO + FOLLOW, "acknowledged: 3"],
]


@pytest.mark.parametrize("frames", BREAKING)
async def test_a_client_that_breaks_the_rules_loses_its_session(
    live: World, frames: list[str | bytes]
) -> None:
    before = live.dump()
    async with talk(live) as session:
        for frame in frames:
            await session.send(frame)
        end = await session.end()
    assert end.reason == table_pb2.STREAM_END_REASON_PROTOCOL_ERROR
    assert end.detail
    assert live.dump() == before


async def test_a_frame_that_is_too_long_ends_the_stream(live: World) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(HELLO)
        await session.frame()
        await session.send(b"\xfa\x3e\xfe\xff\x03" + b"x" * 65_534)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await session.end()
    refused = refusal(caught.value)
    assert (refused.code.name, refused.reason) == ("INVALID_ARGUMENT", "MALFORMED_REQUEST")
    assert live.dump() == before


@pytest.mark.parametrize(
    "metadata",
    [
        (("authorization", "Bearer x"),),
        (("croupier-ticket", "a"), ("croupier-ticket", "b")),
    ],
)
async def test_metadata_that_cannot_be(live: World, metadata: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await live.call.session(SESSION, [], pb.SessionResponse, metadata)
    assert refusal(caught.value).reason in ("UNAUTHENTICATED", "MALFORMED_REQUEST")


# Channels that cannot be opened -------------------------------------------------------------------

TICKET = "ticket: '{follow_me}' "
TABLE = "table_id: '{follow}' "
OPENS: list[tuple[str, int, str, str]] = [
    ("channel: 0 " + TABLE + TICKET, 0, "INVALID_ARGUMENT", "MALFORMED_REQUEST"),
    ("channel: 5 table_id: '{none}' " + TICKET, 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 table_id: '' " + TICKET, 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 table_id: '\\000' " + TICKET, 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    (f"channel: 5 table_id: '{'x' * 5000}' " + TICKET, 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 4294967295 table_id: 'x' " + TICKET, 2**32 - 1, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 " + TABLE, 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 " + TABLE + "ticket: 'x'", 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 " + TABLE + "ticket: '\\u2603'", 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    (f"channel: 5 {TABLE} ticket: '{'x' * 9000}'", 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 " + TABLE + "ticket: '{lead_me}'", 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    ("channel: 5 " + TABLE + "ticket: '{follow_host}'", 5, "UNAUTHENTICATED", "TICKET_INVALID"),
    (
        "channel: 5 " + TABLE + TICKET + "after_sequence: 36",
        5,
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
    ),
    (
        "channel: 5 " + TABLE + TICKET + "table_epoch: 1 after_sequence: 4294967295",
        5,
        "OUT_OF_RANGE",
        "SEQUENCE_AHEAD",
    ),
    ("channel: 5 view_mode: 9 " + TABLE + TICKET, 5, "INVALID_ARGUMENT", "MALFORMED_REQUEST"),
    ("channel: 5 view_mode: -1 " + TABLE + TICKET, 5, "INVALID_ARGUMENT", "MALFORMED_REQUEST"),
    ("channel: 1 " + TABLE + TICKET, 1, "INVALID_ARGUMENT", "MALFORMED_REQUEST"),
    ("channel: 1 table_id: '{lead}' ticket: 'x'", 1, "INVALID_ARGUMENT", "MALFORMED_REQUEST"),
]


def told(item: pb.ChannelItem) -> Refusal:
    return on_stream(item.refusal)


@pytest.mark.parametrize(("text", "channel", "code", "reason"), OPENS)
async def test_a_channel_that_cannot_be_opened(
    live: World, text: str, channel: int, code: str, reason: str
) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(HELLO + FOLLOW)
        await session.send(f"opens < {text} >")
        item = await session.item(lambda item: item.HasField("refusal"))
        assert item.channel == channel
        assert (told(item).code.name, told(item).reason) == (code, reason)
        await session.is_alive()
    assert live.dump() == before


# Items that are wrong -----------------------------------------------------------------------------

NONCE = "x" * 32
ITEMS: list[tuple[str, int, str, str]] = [
    (
        "moves < channel: 7 decision_id: '{follow_id}' move < {follow_legal} > >",
        7,
        "NOT_FOUND",
        "NOT_FOUND",
    ),
    ("moves < decision_id: '{follow_id}' move < {follow_legal} > >", 0, "NOT_FOUND", "NOT_FOUND"),
    (f"nonces < channel: 7 nonce: '{NONCE}' >", 7, "NOT_FOUND", "NOT_FOUND"),
    (
        f"nonces < channel: 1 nonce: '{NONCE}' >",
        1,
        "FAILED_PRECONDITION",
        "NONCE_NOT_EXPECTED",
    ),
    ("nonces < channel: 1 >", 1, "FAILED_PRECONDITION", "NONCE_NOT_EXPECTED"),
    (f"nonces < channel: 2 nonce: '{NONCE}' >", 2, "INVALID_ARGUMENT", "NONCE_MISMATCH"),
    ("nonces < channel: 2 nonce: '' >", 2, "INVALID_ARGUMENT", "NONCE_MISMATCH"),
    (f"nonces < channel: 2 nonce: '{NONCE * 99}' >", 2, "INVALID_ARGUMENT", "NONCE_MISMATCH"),
    (f"nonces < channel: 3 nonce: '{NONCE}' >", 3, "FAILED_PRECONDITION", "NONCE_NOT_EXPECTED"),
]
OPENINGS = (
    FOLLOW
    + "opens < channel: 2 table_id: '{opening}' ticket: '{opening_0}' > "
    + "opens < channel: 3 table_id: '{opening}' ticket: '{opening_3}' > "
)


@pytest.mark.parametrize(("text", "channel", "code", "reason"), ITEMS)
async def test_an_item_that_cannot_be_carried_out(
    live: World, text: str, channel: int, code: str, reason: str
) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(HELLO + OPENINGS)
        await session.send(text)
        item = await session.item(lambda item: item.HasField("refusal"))
        assert item.channel == channel
        assert (told(item).code.name, told(item).reason) == (code, reason)
        await session.is_alive()
    assert live.dump() == before


BAD_MOVE = "INVALID_ARGUMENT", "MALFORMED_MOVE"
MOVES: list[tuple[str, str, str, str]] = [
    ("{follow_id}", "", *BAD_MOVE),
    ("{follow_id}", "move <>", *BAD_MOVE),
    ("{follow_id}", "move < tractor <> >", *BAD_MOVE),
    ("{follow_id}", "move < tractor < play <> > >", *BAD_MOVE),
    ("{follow_id}", "move < tractor < play < cards: 0 > > >", *BAD_MOVE),
    (
        "{follow_id}",
        "move < tractor < play < cards: 99 > > >",
        *BAD_MOVE,
    ),
    (
        "{follow_id}",
        f"move < tractor < play < cards: [{', '.join(['1'] * 300)}] > > >",
        *BAD_MOVE,
    ),
    (
        "{follow_id}",
        "move < tractor < play < cards: {follow_absent} > > >",
        "FAILED_PRECONDITION",
        "CARDS_NOT_IN_HAND",
    ),
    (
        "{follow_id}",
        "move < tractor < play < cards: {follow_wrong} > > >",
        "FAILED_PRECONDITION",
        "MUST_FOLLOW_SUIT",
    ),
    (
        "{follow_id}",
        "move < tractor < play < cards: [{follow_legal_card}, {follow_wrong}] > > >",
        "FAILED_PRECONDITION",
        "WRONG_CARD_COUNT",
    ),
    (
        "{follow_id}",
        "move < tractor < decline <> > >",
        "FAILED_PRECONDITION",
        "MOVE_NOT_EXPECTED",
    ),
    ("{follow_next_id}", "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
    ("{follow_old_id}", "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
    ("{lead_id}", "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
    ("", "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
    ("x" * 5000, "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
    ("\\000", "move < {follow_legal} >", "INVALID_ARGUMENT", "UNKNOWN_DECISION"),
]


@pytest.mark.parametrize(("decision", "move", "code", "reason"), MOVES)
async def test_a_move_that_may_not_be(
    live: World, decision: str, move: str, code: str, reason: str
) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(HELLO + FOLLOW)
        await session.send(f"moves < channel: 1 decision_id: '{decision}' {move} >")
        item = await session.item(lambda item: item.update.HasField("move_refused"))
        refused = on_stream(item.update.move_refused.refusal)
        assert item.channel == 1
        assert (refused.code.name, refused.word) == (code, reason)
        await session.is_alive()
    assert live.dump() == before


OTHER_GAMES = ("stock", "turn", "answer", "bid", "rank", "pair", "reply", "pick")


@pytest.mark.parametrize(
    ("table", "ticket", "decision", "move", "expected"),
    [row for row in hostile_moves.MOVES if row[0] in OTHER_GAMES],
)
async def test_a_move_of_another_game_is_refused_as_by_a_call(
    live: World, table: str, ticket: str, decision: str, move: str, expected: tuple[str, str]
) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(
            HELLO + f"opens < channel: 1 table_id: '{{{table}}}' ticket: '{{{ticket}}}' >"
        )
        await session.send(f"moves < channel: 1 decision_id: '{{{decision}}}' move < {move} > >")
        item = await session.item(lambda item: item.update.HasField("move_refused"))
        refused = on_stream(item.update.move_refused.refusal)
        assert (refused.code.name, refused.word) == expected
        await session.is_alive()
    assert live.dump() == before


async def test_a_move_out_of_turn(live: World) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(
            HELLO + "opens < channel: 1 table_id: '{follow}' ticket: '{follow_next}' >"
        )
        await session.send(
            "moves < channel: 1 decision_id: '{follow_id}' move < {follow_legal} > >"
        )
        item = await session.item(lambda item: item.update.HasField("move_refused"))
        assert on_stream(item.update.move_refused.refusal).reason == "NOT_YOUR_TURN"
        await session.is_alive()
    assert live.dump() == before


async def test_a_closed_channel_takes_no_moves(live: World) -> None:
    before = live.dump()
    async with talk(live) as session:
        await session.send(HELLO + FOLLOW)
        await session.send("closes < channel: 1 > closes < channel: 1 > closes < channel: 8 >")
        item = await session.item(lambda item: item.update.HasField("end"))
        assert item.update.end.reason == table_pb2.STREAM_END_REASON_CLIENT_CLOSED
        await session.send(
            "moves < channel: 1 decision_id: '{follow_id}' move < {follow_legal} > >"
        )
        item = await session.item(lambda item: item.HasField("refusal"))
        assert told(item).reason == "NOT_FOUND"
        await session.send(FOLLOW)
        await session.item(lambda item: item.update.HasField("snapshot"))
        await session.is_alive()
    assert live.dump() == before


async def test_a_client_that_acknowledges_nothing_holds_up_nobody_else(live: World) -> None:
    before = live.dump()
    async with talk(live) as silent, talk(live) as session:
        silent.is_acknowledging = False
        await silent.send(HELLO + FOLLOW)
        for _ in range(50):
            await silent.send("moves < channel: 1 decision_id: 'x' move < {follow_legal} > >")
        await session.send(HELLO)
        await session.is_alive()
    assert live.dump() == before


async def test_a_thousand_wrong_items_in_one_frame(live: World) -> None:
    before = live.dump()
    wrong = "moves < channel: 1 decision_id: 'x' move < {follow_legal} > > "
    async with talk(live) as session:
        await session.send(HELLO + FOLLOW)
        await session.send(wrong * 1_000)
        for _ in range(1_000):
            await session.item(lambda item: item.update.HasField("move_refused"))
        await session.is_alive()
    assert live.dump() == before


@pytest.mark.more
async def test_after_all_of_it_every_table_plays_to_its_end() -> None:
    async with world() as live:
        before = live.dump()
        for frames in BREAKING:
            async with talk(live) as session:
                for frame in frames:
                    await session.send(frame)
                await session.end()
        async with talk(live) as session:
            await session.send(HELLO + OPENINGS)
            for text, *_ in OPENS:
                await session.send(f"opens < {text} >")
            for text, *_ in ITEMS:
                await session.send(text)
            for decision, move, *_ in MOVES:
                await session.send(f"moves < channel: 1 decision_id: '{decision}' {move} >")
            await session.is_alive()
        assert live.dump() == before
        await live.finish()
