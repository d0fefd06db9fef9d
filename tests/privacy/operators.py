"""What the operator's side of a server tells while a story is played: numbers and lists, no cards.

Two stories are compared that nobody without a seat can tell apart: another match behind the moment
that late spectators see, or another deal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc

from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.storage.audit import AuditLog
from croupier_server.storage.base import Store
from croupier_server.storage.keys import KeyStore
from croupier_server.tables.caller import Caller
from tests.privacy.serving import Manner, Served, serve
from tests.privacy.stories import Story
from tests.privacy.test_late import answer, seat_all

Ask = Callable[[Served, Store], Awaitable[list[str]]]


async def nothing_to_let_go() -> None:
    """The store is gone with the test."""


async def told(story: Story, manner: Manner, ask: Ask, window_ms: int = 0) -> list[list[str]]:
    """What *ask* finds after each answer of *story*."""
    found = []
    wire = WIRES_BY_NAME[story.game]
    async with (
        serve(story, story.rules, wire) as served,
        grpc.aio.insecure_channel(served.address) as channel,
    ):
        log = served.log
        keys, audit = KeyStore(log.records.database), AuditLog(log.records.database)
        store = Store(log, log.records, keys, audit, "memory", nothing_to_let_go)
        stage = await seat_all(served, story, manner, channel, window_ms)
        served.shard.start(Caller(host_ticket=stage.host), stage.table.spec.table_id)
        for number in range(len(story.answers)):
            await answer(stage, story, number)
            found.append(await ask(served, store))
    return found
