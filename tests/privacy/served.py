"""A story told to a real server, and every message, metadata and status that one seat gets of it.

A server runs in this process on a free port, with a clock, secrets and decks given from outside.
The other seats are played through the contract by a client of their own; the audience's client
writes down all that it receives, byte by byte, on one of the ways in which a seat can play. In
sealed windows the audience answers last: when others answered there is a matter of time, which the
promise does not cover.

Must not be put here: how the stories came about.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from enum import Enum
from itertools import count, islice, zip_longest
from typing import Final, NamedTuple

import grpc
from structlog.testing import capture_logs

from croupier.record.v1 import record_service_pb2
from croupier.v1 import (
    play_service_pb2,
    spectate_service_pb2,
    system_service_pb2,
    table_pb2,
    table_service_pb2,
)
from croupier_server.errors import CroupierError
from croupier_server.games.base import Move, Seat, Turn
from croupier_server.games.registry import AnyGame
from croupier_server.rpc import server as rpc_server
from croupier_server.storage.memory import MemoryLog, MemoryRecords
from croupier_server.tables.clock import ManualClock
from croupier_server.tables.deals import RootDealer
from croupier_server.tables.shard import GameEntry, Limits, Shard
from croupier_server.tables.table import Table
from croupier_server.wire.base import GameWire
from croupier_server.wire.registry import WIRES_BY_NAME
from tests.privacy.stories import Answers, Case, Story, Telling
from tests.privacy.subjects import SECRETS
from tests.privacy.tap import SessionStream, Stream, Tap, Watch
from tests.privacy.witness import Leak, Seen

TABLES: Final = "croupier.v1.TableService"
PLAY: Final = "croupier.v1.PlayService"
PROBES_MAX: Final = 20
"""So many moves are tried with each decision."""

START_MS: Final = 1_700_000_000_000

_A_CARD: Final = re.compile(r"\b([2-9TJQKA][SHDC]|BJ|RJ)\b")


class Times(NamedTuple):
    """Times of a table, in milliseconds.

    Attributes:
        window: how long a sealed window stays open; 0: until all have answered.
        base: of every seat's clock; 0: no clocks.
        sealed: what all who are asked together with the audience take in a window.
        move: what every move takes.
    """

    window: int = 0
    base: int = 0
    sealed: int = 0
    move: int = 0


class Way(Enum):
    """How the audience plays: transport and view mode."""

    WATCH_FULL = ("watch", table_pb2.VIEW_MODE_FULL)
    WATCH_EVENTS = ("watch", table_pb2.VIEW_MODE_EVENTS)
    SESSION_FULL = ("session", table_pb2.VIEW_MODE_FULL)
    SESSION_EVENTS = ("session", table_pb2.VIEW_MODE_EVENTS)


# The server --------------------------------------------------------------------------------------


class StoryDealer:
    """Decks and lots of a story, then those of an equal root in every world."""

    def __init__(self, story: Story) -> None:
        self._lots = iter(story.lots)
        self._decks = iter(story.decks)
        self._rest = RootDealer(bytes(32))

    def deck(self, deal: int, attempt: int, cards: Sequence[int]) -> list[int]:
        return next(self._decks, None) or self._rest.deck(deal, attempt, cards)

    def lot(self, deal: int, sides: int) -> int:
        found = next(self._lots, None)
        return self._rest.lot(deal, sides) if found is None else found


class Served(NamedTuple):
    """A running server and what drives it."""

    address: str
    shard: Shard
    clock: ManualClock


@asynccontextmanager
async def serve(story: Story, game: AnyGame, wire: GameWire) -> AsyncIterator[Served]:
    """A server whose only surprise is the story's cards."""
    clock = ManualClock(START_MS)
    numbers = count()

    def secrets(length: int) -> bytes:
        return hashlib.shake_256(f"secret {next(numbers)}".encode()).digest(length)

    log = MemoryLog(MemoryRecords(10))
    ids = count(1)
    shard = Shard(
        clock=clock,
        secrets=secrets,
        ids=lambda: f"table-{next(ids)}",
        log=log,
        games={wire.kind: GameEntry(game, wire)},
        limits=Limits(),
        dealer=lambda spec, root: StoryDealer(story),
    )
    limits = system_service_pb2.ServerLimits(
        tables_max=10,
        streams_max=100,
        session_tables_max=10,
        request_bytes_max=1 << 16,
        legal_list_max=64,
        page_size_max=1000,
    )
    listen = rpc_server.Listen("127.0.0.1", 0, limits, heartbeat_ms=10_000)
    backing = rpc_server.Backing(shard, log.records, clock.now_ms, secrets, frozenset())
    server = await rpc_server.start(listen, backing)
    try:
        yield Served(server.address, shard, clock)
    finally:
        shard.drain()
        await server.drain()
        await server.stop(0)


# One telling -------------------------------------------------------------------------------------


class Sitting:
    """A story at a table of a server, and the audience's streams."""

    def __init__(self, served: Served, game: str, audience: Seat, way: Way, times: Times) -> None:
        self.served = served
        self.secrets = SECRETS[game]
        self.wire = WIRES_BY_NAME[game]
        self.audience = audience
        self.way = way
        self.times = times
        self.table: Table | None = None
        self.host: tuple[tuple[str, str], ...] = ()
        self.seats: list[Tap] = []
        self.session: SessionStream | None = None
        self.streams: list[Stream] = []
        self.lobby: Watch | None = None

    @property
    def tap(self) -> Tap:
        """The audience's client."""
        return self.seats[self.audience]

    async def open(self, story: Story, own: grpc.aio.Channel, others: grpc.aio.Channel) -> None:
        """Make the table, sit everybody down, open the audience's streams, start the match."""
        host = Tap(others)
        request = table_service_pb2.CreateTableRequest(
            game=self.wire.kind,  # type: ignore[arg-type]  # a number of GameKind
            ruleset="standard",
            options=self.wire.options_message(story.options),
            shared_seats=True,
            manual_start=True,
        )
        request.deal_source.fixed.seed = 1
        request.clock.window_time.FromMilliseconds(self.times.window)
        request.clock.base.FromMilliseconds(self.times.base)
        made = table_service_pb2.CreateTableResponse.FromString(
            await host.call(f"{TABLES}/CreateTable", request)
        )
        table_id = made.table.table_id
        self.table = self.served.shard.table(table_id)
        host.metadata = (("croupier-host-ticket", made.host_ticket),)
        for seat in range(story.players):
            self.seats.append(Tap(own if seat == self.audience else others))
            joining = table_service_pb2.JoinTableRequest(table_id=table_id, seat=seat)
            joined = table_service_pb2.JoinTableResponse.FromString(
                await self.seats[seat].call(f"{TABLES}/JoinTable", joining)
            )
            self.seats[seat].metadata = (("croupier-ticket", joined.ticket),)
            if seat == self.audience:
                await self._open_streams(table_id, joined.ticket)
        if self.times.window:
            # Otherwise a message here tells how soon windows closed, which is time.
            watching = table_service_pb2.WatchLobbyRequest()
            self.lobby = Watch(self.tap, f"{TABLES}/WatchLobby", watching)
            # The table, then the mark that all are there, which has another field number.
            await self.lobby.take()
            await self.lobby.take()
        await host.call(
            f"{TABLES}/StartTable", table_service_pb2.StartTableRequest(table_id=table_id)
        )
        self.host = host.metadata

    async def _open_streams(self, table_id: str, ticket: str) -> None:
        transport, view_mode = self.way.value
        if transport == "session":
            self.session = SessionStream(self.tap, table_id, ticket, view_mode)
            await self.session.open()
            self.streams.append(self.session)
        else:
            watching = play_service_pb2.WatchTableRequest(table_id=table_id, view_mode=view_mode)
            self.streams.append(Watch(self.tap, f"{PLAY}/WatchTable", watching))
        spectating = spectate_service_pb2.SpectateTableRequest(table_id=table_id)
        method = "croupier.v1.SpectateService/SpectateTable"
        self.streams.append(Watch(self.tap, method, spectating))
        for stream in self.streams:
            await stream.until(lambda update: update.HasField("snapshot"))

    async def settle(self) -> None:
        """Read all that is due to the audience, up to a heartbeat."""
        self.served.shard.heartbeat()
        for stream in self.streams:
            await stream.until(lambda update: update.HasField("heartbeat"))

    # Play ------------------------------------------------------------------------------------

    async def play(self, story: Story) -> None:
        """Give every answer of the story, the audience's last."""
        telling = Telling(story)
        telling.put_chance()
        for answers in story.answers:
            self.tap.step += 1
            if not await self._answer(telling, answers):
                return
            telling.answer(answers)
            telling.put_chance()
            if story.rules.turn(telling.state) is Turn.OVER:
                return  # no heartbeats come any more, and the record tells everything
            if self.times.window or story.rules.turn(telling.state) is Turn.MOVE:
                await self.settle()
                await self._look_around(telling)

    async def _answer(self, telling: Telling, answers: Answers) -> bool:
        """The answers of one decision or window; False if the story cannot go on.

        The audience's answer was refused, or a clock has run out: in both worlds, or it shows.
        """
        is_asked = self.audience in answers
        is_window = telling.story.rules.turn(telling.state) is Turn.WINDOW
        if is_asked:
            await self._wait_for_decision()
        if not is_window:
            await self._pass_time(self.times.move)
        elif is_asked:
            await self._pass_time(self.times.sealed)
        assert self.table is not None
        if any(self.table.match.decisions[seat] is None for seat in answers):
            return False
        for seat in sorted(answers):
            if seat != self.audience:
                await self._submit(self.seats[seat], self._decision_id(seat), answers[seat])
        if is_window and (is_asked or self.times.window):
            await self.settle()
        if is_asked:
            decision_id = self._decision_id(self.audience)
            await self._probe(telling, decision_id)
            if not await self._submit_own(decision_id, answers[self.audience]):
                return False
            # Once more, and another one.
            await self._submit(self.tap, decision_id, answers[self.audience])
            await self._submit(self.tap, decision_id, self.secrets.other_move)
        if is_window:
            await self._pass_time(self.times.window)
        return True

    async def _pass_time(self, milliseconds: int) -> None:
        if milliseconds:
            self.served.clock.advance(milliseconds)
            self.served.shard.tick()
            await self.served.shard.committed()

    def _decision_id(self, seat: Seat) -> str:
        assert self.table is not None
        decision = self.table.match.decisions[seat]
        assert decision is not None
        return decision.id

    async def _wait_for_decision(self) -> None:
        decision_id = self._decision_id(self.audience)
        stream = self.streams[0]
        while decision_id not in stream.decisions:
            await stream.until(lambda update: update.HasField("decision"))

    async def _submit(self, tap: Tap, decision_id: str, move: Move) -> bool:
        assert self.table is not None
        request = play_service_pb2.SubmitMoveRequest(
            table_id=self.table.spec.table_id,
            decision_id=decision_id,
            move=self.wire.move_message(move),
        )
        return bool(await tap.call(f"{PLAY}/SubmitMove", request))

    async def _submit_own(self, decision_id: str, move: Move) -> bool:
        """The audience's answer, as it plays; whether it was accepted."""
        if self.session is None:
            return await self._submit(self.tap, decision_id, move)
        replies: list[bool] = []

        def is_reply(update: table_pb2.TableUpdate) -> bool:
            is_accepted = update.HasField("move_accepted")
            if is_accepted or update.HasField("move_refused"):
                replies.append(is_accepted)
                return True
            return False

        await self.session.submit(decision_id, self.wire.move_message(move))
        await self.session.until(is_reply)
        return replies[0]

    # Asking ----------------------------------------------------------------------------------

    async def _look_around(self, telling: Telling) -> None:
        """What anybody may ask at any time, now and then."""
        if self.tap.step % 5:
            return
        assert self.table is not None
        name = self.table.spec.table_id
        call = self.tap.call
        await call(f"{PLAY}/GetSeatView", play_service_pb2.GetSeatViewRequest(table_id=name))
        await call(f"{TABLES}/GetTable", table_service_pb2.GetTableRequest(table_id=name))
        await call(f"{TABLES}/ListTables", table_service_pb2.ListTablesRequest())
        records = "croupier.record.v1.RecordService"
        await call(f"{records}/GetRecord", record_service_pb2.GetRecordRequest(table_id=name))
        await call(f"{records}/ListRecords", record_service_pb2.ListRecordsRequest())
        if self.audience not in telling.story.rules.to_act(telling.state):
            for other in range(telling.story.players):
                sequence = self.table.journal.sequence
                await self._submit(self.tap, f"{sequence}-{other}", 1)

    async def _probe(self, telling: Telling, decision_id: str) -> None:
        """Moves of all sorts, and what is legal, for the open decision."""
        assert self.table is not None
        name = self.table.spec.table_id
        state, seat = telling.state, self.audience
        rng = random.Random(self.tap.step)
        moves = list(self.secrets.probes(state.hands[seat], rng))
        moves = rng.sample(moves, min(PROBES_MAX, len(moves)))
        for move in moves:
            request = play_service_pb2.CheckMoveRequest(
                table_id=name, decision_id=decision_id, move=self.wire.move_message(move)
            )
            await self.tap.call(f"{PLAY}/CheckMove", request)
        for move in islice((one for one in moves if is_illegal(telling, seat, one)), 3):
            await self._submit_own(decision_id, move)
        token = ""
        for _ in range(2):
            listing = play_service_pb2.ListLegalMovesRequest(
                table_id=name, decision_id=decision_id, page_size=30, page_token=token
            )
            answer = await self.tap.call(f"{PLAY}/ListLegalMoves", listing)
            token = play_service_pb2.ListLegalMovesResponse.FromString(answer).next_page_token
            if not token:
                break
        viewing = play_service_pb2.GetSeatViewRequest(table_id=name)
        await self.tap.call(f"{PLAY}/GetSeatView", viewing)

    # The end ---------------------------------------------------------------------------------

    async def close(self) -> None:
        """Stop the table, then the server; all streams end."""
        assert self.table is not None
        host = Tap(self.seats[self.audience - 1].channel)
        host.metadata = self.host
        request = table_service_pb2.AbortTableRequest(table_id=self.table.spec.table_id)
        await host.call(f"{TABLES}/AbortTable", request)
        for stream in self.streams:
            await stream.close()
        if self.lobby is not None:
            self.served.shard.drain()
            await self.lobby.close()


def is_illegal(telling: Telling, seat: Seat, move: Move) -> bool:
    """Whether the rules refuse *move*."""
    try:
        telling.story.rules.check(telling.state, seat, move)
    except CroupierError:
        return True
    return False


async def observe(
    story: Story,
    audience: Seat,
    way: Way,
    times: Times,
    game: AnyGame | None = None,
    wire: GameWire | None = None,
) -> dict[str, list[Seen]]:
    """All that *audience* receives of *story*, by stream and call."""
    with capture_logs() as logs:
        async with (
            serve(story, game or story.rules, wire or WIRES_BY_NAME[story.game]) as served,
            grpc.aio.insecure_channel(served.address) as own,
            grpc.aio.insecure_channel(served.address) as others,
        ):
            sitting = Sitting(served, story.game, audience, way, times)
            await sitting.open(story, own, others)
            await sitting.play(story)
            await sitting.close()
    for entry in logs:
        if _A_CARD.search(repr(entry)):
            raise Leak(Seen(0, "log", entry), None)
    return sitting.tap.seen


async def compare(
    case: Case,
    way: Way,
    times: Times,
    game: AnyGame | None = None,
    wire: GameWire | None = None,
) -> int:
    """Raise `Leak` where the audience receives something else in the second story; return how
    much was compared.

    A window without a time of its own closes when all have answered: a documented leak of time.
    So a story must not be broken off where it may be closed in one world and open in the other.
    """
    assert times.window or not case.ends_in_a_window
    first = await observe(case.first, case.audience, way, times, game, wire)
    second = await observe(case.second, case.audience, way, times, game, wire)
    number = 0
    for stream in sorted(first.keys() | second.keys()):
        for one, two in zip_longest(first.get(stream, []), second.get(stream, [])):
            # The step is when it was read, which is time.
            if one is None or two is None or one[1:] != two[1:]:
                raise Leak(one, two)
            number += 1
    return number
