"""A real server for the telling of a story: clock, secrets and decks are given from outside."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from enum import Enum
from itertools import count
from typing import Final, NamedTuple

from croupier.v1 import table_pb2
from croupier_server.config import Settings
from croupier_server.games.base import AnyGame
from croupier_server.logging import Throttle
from croupier_server.rpc import server as rpc_server
from croupier_server.storage.memory import MemoryLog, MemoryRecords
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.directory.tickets import new_ticket
from croupier_server.tables.match.deals import RootDealer
from croupier_server.tables.shard.shard import GameEntry, Limits, Shard
from croupier_server.wire.encode import varint
from croupier_server.wire.game import GameWire
from tests.privacy.stories import Story

START_MS: Final = 1_700_000_000_000
SEED: Final = 0x1E_3779_B97F_4A7C
"""Of every FIXED table."""

_SECRET_BYTES: Final = 16
"""Shorter ones are ids, which everybody may know."""


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
    SESSION_DELTA = ("session", table_pb2.VIEW_MODE_DELTA)
    SEATS_EVENTS = ("seats", table_pb2.VIEW_MODE_EVENTS)


class Manner(NamedTuple):
    """How a story is told, beside its way and its times.

    Attributes:
        is_match: the table's cards come from its secret and the seats' nonces, as far as anybody
            can see; otherwise it is FIXED.
        is_rough: streams are cut and taken up again, the seat is joined again, the server drains.
        delay: decisions that spectators stay behind.
        delay_ms: time that they do.
    """

    is_match: bool = False
    is_rough: bool = False
    delay: int = 0
    delay_ms: int = 0


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


LINES_MAX: Final = 1_000_000
"""Lines of the log a second: more than any story causes, as what is left out depends on the time
that passes."""


class SecretBytes:
    """Bytes that are the same in every world, all of which are remembered."""

    def __init__(self) -> None:
        self.given: list[bytes] = []

    def __call__(self, length: int) -> bytes:
        found = hashlib.shake_256(f"secret {len(self.given)}".encode()).digest(length)
        self.given.append(found)
        return found

    def forms(self, nonces: Sequence[bytes]) -> Iterator[bytes]:
        """All ways in which a secret of the server, or a nonce, could be written in a message."""
        for secret in (*self.given, *nonces):
            if len(secret) >= _SECRET_BYTES:
                yield secret
                yield secret.hex().encode()
                yield new_ticket(lambda _, secret=secret: secret).encode()  # type: ignore[misc]
        yield varint(SEED)
        yield str(SEED).encode()
        yield SEED.to_bytes(8, "big")
        yield SEED.to_bytes(8, "little")


class Served(NamedTuple):
    """A running server and what drives it."""

    address: str
    shard: Shard
    clock: ManualClock
    secrets: SecretBytes
    log: MemoryLog


@asynccontextmanager
async def serve(story: Story, game: AnyGame, wire: GameWire) -> AsyncIterator[Served]:
    """A server whose only surprise is the story's cards."""
    clock = ManualClock(START_MS)
    secrets = SecretBytes()
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
    settings = Settings.model_validate({"port": 0, "record_bytes_max": 1 << 16})
    backing = rpc_server.Backing(
        shard,
        log.records,
        clock.now_ms,
        secrets,
        frozenset(),
        throttle=Throttle(of_each=LINES_MAX, of_all=LINES_MAX),
    )
    server = await rpc_server.start(settings, backing)
    try:
        yield Served(server.address, shard, clock, secrets, log)
    finally:
        shard.drain()
        await server.drain()
        await server.stop(0)
