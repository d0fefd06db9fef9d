"""A shard with tables of the toy game, on a clock that tests move and with bytes that they know."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from croupier.v1 import table_pb2
from croupier_server.games.base import Move, Seat
from croupier_server.storage.base import (
    BoardTable,
    Done,
    EndedRequest,
    FinishedMatch,
    LogRow,
    Player,
    RecordEntry,
    StoredTable,
)
from croupier_server.storage.memory import MemoryLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.clocks.decisions import Decision
from croupier_server.tables.feeds.feed import Feed, SeatFeed
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry, HouseSeat, Joined, Limits, Shard
from croupier_server.tables.spec import CreateTable, DealKind, DealSource, JoinTable, Status
from tests.tables.answering import submit
from tests.tables.toy_game import KIND, TOY_WIRE, Toy

START_MS = 1_700_000_000_000
FIXED = DealSource(DealKind.FIXED, seed=7)
ENTRY = GameEntry(Toy(), TOY_WIRE)

M = TypeVar("M", bound=Message)
T = TypeVar("T")


def now(answer: Coroutine[Any, Any, T]) -> T:
    """What a store in memory answers, which it does at once."""
    try:
        answer.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("it would have waited")


def known_secrets() -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run."""
    numbers = count()
    return lambda size: hashlib.shake_256(f"test {next(numbers)}".encode()).digest(size)


def known_ids() -> Callable[[], str]:
    """Ids table-1, table-2 ..."""
    numbers = count(1)
    return lambda: f"table-{next(numbers)}"


class World:
    """A shard and what it stands on."""

    games: Mapping[int, GameEntry] = MappingProxyType({KIND: ENTRY})

    def __init__(self, log: MemoryLog | SlowLog | None = None, **limits: Any) -> None:
        limits = {"unary_grace_ms": 0} | limits
        self.clock = ManualClock(START_MS)
        self.log = log or MemoryLog()
        self.records = self.log.records
        self.house: list[HouseSeat] = []
        self._limits = Limits(**limits)
        self._secrets, self._ids = known_secrets(), known_ids()
        self.shard = self.new_shard()

    def new_shard(self) -> Shard:
        """One that knows nothing of the tables in the store."""
        return Shard(
            clock=self.clock,
            secrets=self._secrets,
            ids=self._ids,
            log=self.log,
            games=self.games,
            limits=self._limits,
            house=self.house.append,
            records=self.records,
        )

    def restart(self) -> None:
        """Nothing is left of the server but what is stored; another one goes on with that."""
        self.house.clear()
        self.shard = self.new_shard()
        now(self.shard.begin())
        now(self.shard.recover())

    def find(self, table_id: str = "table-1") -> Table:
        """A table as it is now, after a restart another one."""
        return self.shard.table(table_id)

    def rows(self, table_id: str) -> list[LogRow]:
        """Stored rows of a table."""
        return now(self.log.read(table_id))

    def logged(self) -> tuple[str, ...]:
        """Tables with stored rows."""
        return now(self.log.tables())

    def record(self, table_id: str) -> RecordEntry | None:
        """The record of a match."""
        return now(self.records.get(table_id))

    def create(self, **changes: Any) -> Table:
        """A table of the toy; FIXED unless *changes* say otherwise."""
        return self.shard.create_table(Caller(), request(**changes)).table

    def join(self, table: Table, **changes: Any) -> Joined:
        """Sit down; a *player* that is given is a name."""
        if "player" in changes:
            changes["player"] = Player(changes["player"])
        return self.shard.join(Caller(), JoinTable(table.spec.table_id, **changes))

    def start(self, **changes: Any) -> tuple[Table, list[str]]:
        """A table with somebody on every seat, and their tickets."""
        table = self.create(**changes)
        joined = [self.join(table, player=f"player {seat}") for seat in range(len(table.seats))]
        return table, [one.ticket for one in joined]

    def play(self, table: Table, until: Callable[[], bool] = lambda: False) -> None:
        """Play first moves until the match or *until* says stop."""
        while table.status is Status.PLAYING and not until():
            self.step(table)

    def step(self, table: Table) -> Decision:
        """Answer one open decision with its first legal move."""
        decision = asked(table)[0]
        move = table.game.legal_moves(table.match.state, decision.seat).moves[0]
        self.clock.advance(1)
        submit(self.shard, table, decision.seat, decision.id, move)
        return decision

    def to_turns(self, table: Table) -> Decision:
        """Answer the sealed window; returns the first decision of the turns."""
        self.play(table, lambda: not asked(table)[0].sealed)
        return asked(table)[0]

    def watch(self, table: Table, ticket: str, **changes: int) -> SeatFeed:
        """The stream of a seat; all of it with its view, unless *changes* say otherwise."""
        values = {"epoch": 0, "after": 0, "mode": 1} | changes
        return self.shard.watch_seat(Caller(ticket=ticket), table, **values)

    def take(self, feed: Feed) -> list[table_pb2.TableUpdate]:
        """What a stream has now."""
        return updates(feed.take(self.clock.now))


def request(**changes: Any) -> CreateTable:
    """A request for a table of the toy; ``options`` are its options."""
    options = {name: str(value) for name, value in changes.pop("options", {}).items()}
    values: dict[str, Any] = {"kind": KIND, "deal": FIXED, "overrides": options}
    return CreateTable(**(values | changes))


def asked(table: Table) -> list[Decision]:
    """Open decisions that have not been answered."""
    return [one for one in table.match.decisions if one is not None and one.answer is None]


def move_of(table: Table, decision: Decision, place: int = 0) -> Move:
    """A legal answer."""
    return table.legal(decision.seat, decision.id).moves[place]


def updates(payloads: Sequence[bytes]) -> list[table_pb2.TableUpdate]:
    """The updates as messages; what was written by hand is what the library writes."""
    return [exactly(table_pb2.TableUpdate, payload) for payload in payloads]


def exactly(message: type[M], data: bytes) -> M:
    """*data* as a message, which serialises to the same bytes again."""
    found = message.FromString(data)
    assert found.SerializeToString(deterministic=True) == data
    return found


def kinds(found: Sequence[table_pb2.TableUpdate]) -> list[str]:
    """What each update is."""
    return [update.WhichOneof("update") or "" for update in found]


def events(world: World, table: Table, seat: Seat | None = None) -> list[table_pb2.TableEvent]:
    """Stored events as *seat*, or everybody, sees them."""
    found = []
    for row in world.rows(table.spec.table_id):
        if row.sequence:
            private = row.private.get(seat, b"") if seat is not None else b""
            found.append(exactly(table_pb2.TableEvent, row.public + private))
    return found


class SlowLog:
    """A log that stores when it is told to, or fails, or is in trouble for a while."""

    gone: Final = None

    def __init__(self) -> None:
        self.trouble = ""
        self._changed: Callable[[], None] = lambda: None
        self.stored = MemoryLog()
        self.records = self.stored.records
        self.waiting: list[tuple[Sequence[LogRow], Done]] = []

    def append(self, rows: Sequence[LogRow], done: Done) -> None:
        self.waiting.append((rows, done))

    def store(self, number: int | None = None) -> None:
        """Store the oldest *number* of batches, or all."""
        ready = self.waiting[:number]
        del self.waiting[: len(ready)]
        for rows, done in ready:
            self.stored.append(rows, done)

    def fail(self) -> None:
        """Fail everything that waits."""
        ready, self.waiting = self.waiting, []
        for _, done in ready:
            done(OSError("no space left"))

    def watch(self, changed: Callable[[], None]) -> None:
        self._changed = changed

    def break_down(self) -> None:
        """Store nothing until `mend`."""
        self.trouble = "the disk is full"
        self._changed()

    def mend(self) -> None:
        """Be well again, and store what has waited."""
        self.trouble = ""
        self._changed()
        self.store()

    def finish(self, match: FinishedMatch, done: Done) -> None:
        self.stored.finish(match, done)

    async def tables(self) -> tuple[str, ...]:
        return await self.stored.tables()

    async def board_tables(self) -> list[BoardTable]:
        return await self.stored.board_tables()

    async def ended_requests(self) -> list[EndedRequest]:
        return await self.stored.ended_requests()

    async def load(self, table_id: str) -> StoredTable | None:
        return await self.stored.load(table_id)

    async def read(self, table_id: str) -> list[LogRow]:
        return await self.stored.read(table_id)

    async def close(self) -> None:
        await self.stored.close()
