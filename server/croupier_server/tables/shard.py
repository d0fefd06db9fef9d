"""The owner of a server's tables: one event loop, plain calls, persist then publish.

Must not be put here: rules, messages of the contract, gRPC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from croupier_server.games.base import Legal, Move, Seat
from croupier_server.games.registry import AnyGame
from croupier_server.storage.base import RecordStore, TableLog
from croupier_server.tables.caller import Caller
from croupier_server.tables.clock import Clock
from croupier_server.tables.deals import Dealer
from croupier_server.tables.feed import LobbyFeed, PublicFeed, SeatFeed
from croupier_server.tables.spec import CreateTable, JoinTable, Status, TableSpec
from croupier_server.tables.table import Decision, Table
from croupier_server.wire.base import GameWire


class Limits(NamedTuple):
    tables_max: int = 10_000
    ended_max: int = 1_000
    lag_max: int = 256
    heartbeat_ms: int = 10_000
    nonce_ms: int = 30_000
    channels_max: int = 4_096
    requests_max: int = 10_000


class GameEntry(NamedTuple):
    game: AnyGame
    wire: GameWire


class HouseSeat(NamedTuple):
    table_id: str
    seat: Seat
    invite_code: str
    bot: str
    seed: int


class Created(NamedTuple):
    table: Table
    host_ticket: str
    invite_codes: tuple[str, ...]


class Joined(NamedTuple):
    table: Table
    seat: Seat
    ticket: str
    epoch: int


class Accepted(NamedTuple):
    decision_id: str
    sequence: int


class Shard:
    """Signatures; the bodies follow."""

    def __init__(
        self,
        *,
        clock: Clock,
        secrets: Callable[[int], bytes],   # n random bytes
        ids: Callable[[], str],            # table ids
        log: TableLog,
        records: RecordStore,
        games: Mapping[int, GameEntry],    # by GameKind number
        limits: Limits = Limits(),
        house: Callable[[HouseSeat], None] | None = None,
        dealer: Callable[[TableSpec, bytes], Dealer] | None = None,  # (spec, root) -> Dealer
        endpoint: str = "",
    ) -> None: ...

    # Tables. All of these are plain calls; `await committed()` before answering a client.
    def create_table(self, caller: Caller, request: CreateTable) -> Created: ...
    def table(self, table_id: str) -> Table: ...      # NotFound
    def list_tables(self, *, kind: int = 0, status: Status | None = None,
                    before: int | None = None, limit: int = 100) -> list[Table]: ...
    # Table.number (int) is its place in the list: pass the last one's as `before`.
    # Table.resource() -> bytes: payload of croupier.v1.Table
    def join(self, caller: Caller, request: JoinTable) -> Joined: ...
    def leave(self, caller: Caller, table_id: str) -> None: ...
    def start(self, caller: Caller, table_id: str) -> Table: ...
    def abort(self, caller: Caller, table_id: str, detail: str) -> Table: ...
    def seat_of(self, caller: Caller, table: Table) -> Seat: ...

    # Play.
    def submit(self, table: Table, seat: Seat, decision_id: str, move: Move) -> Accepted: ...
    def check(self, table: Table, seat: Seat, decision_id: str, move: Move) -> None: ...
    def legal(self, table: Table, seat: Seat, decision_id: str) -> Legal: ...
    def open_nonce(self, table: Table, seat: Seat, nonce: bytes) -> None: ...
    def concede(self, table: Table, seat: Seat) -> bool: ...
    async def committed(self) -> None: ...

    # Feeds. feed: `async for payload in feed` gives payloads of TableUpdate (LobbyFeed: of
    # WatchLobbyResponse) until it ends; close() it in `finally`.
    def watch_seat(self, caller: Caller, table: Table, *, epoch: int, after: int, mode: int) -> SeatFeed: ...
    def spectate(self, table: Table, *, epoch: int, after: int) -> PublicFeed: ...
    def watch_lobby(self, *, kind: int = 0) -> LobbyFeed: ...

    # Time and end.
    def tick(self) -> None: ...      # clocks and windows that are due; the shard's own timer calls it
    def heartbeat(self) -> None: ...
    def run(self) -> None: ...       # start timers on the running loop
    def drain(self, retry_after_ms: int = 1000) -> None: ...  # StreamEnd SERVER_DRAINING to all
    @property
    def live(self) -> int: ...       # tables that have not ended
