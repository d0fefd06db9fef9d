"""The costliest calls that one key is allowed, from a process of their own, beside a bystander.

``python -m scripts.attack.legal ADDRESS LOAD SECONDS`` is the attacker: it prints a line when it
is ready, begins at the first line of its standard input, and prints how its calls ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import grpc

from croupier.bot import Bot, Decision
from croupier.client import Client
from croupier.credentials import Credentials
from croupier.errors import SeatLost, from_rpc_error
from croupier.moves import Move
from croupier.seat import Ticket
from croupier.tractor import DecisionKind
from croupier.v1 import (
    play_service_pb2,
    play_service_pb2_grpc,
    session_service_pb2,
    session_service_pb2_grpc,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
)
from croupier.views import View
from croupier_server.bench.loop import run
from croupier_server.bench.marks import say
from scripts.attack.stage import Bystander, Finding, Sample, bystander, good_keys, judge, running
from scripts.live.process import clean_environment

CONNECTIONS: Final = 3
AT_ONCE: Final = 300
"""Calls of each connection that are under way at any time."""
TABLES: Final = 64
WATCHERS: Final = 900
"""Spectators of a table; a caller may be 1,000."""
_SIX_PACKS: Final = {"players": "4", "packs": "6", "kitty_size": "56"}
_PAGE: Final = 1_000
_ITEMS: Final = 4_096
_SETTLE_S: Final = 1.0
_NICE: Final = 19
"""The attacker leaves the processor to the bystander, as if it ran on another machine."""
_OPENING_S: Final = 1.0
"""gRPC takes up the calls that open an attack, 900 at once, before any limit applies. Moves of this
time are also reported by themselves."""
_PHASE_MIN_S: Final = 30.0
"""In a shorter phase the opening alone would decide the p99."""


async def attack(folder: Path, seconds: float) -> list[Finding]:
    """Lists of legal moves, judged moves, lists of tables, refused items, short streams."""
    findings: list[Finding] = []
    seconds = max(seconds, _PHASE_MIN_S)
    # Calls of Tractor beyond loopback: keys and the limits that come with them by default.
    with running(folder, "--auth", "keys") as server:
        # Each load has a principal of its own, whose allowance is whole when it begins.
        names = ("ann", *(f"eve-{load}" for load in LOADS))
        keys = await good_keys(folder, *names)
        async with bystander(server.address, keys[0]) as player:
            control = await _sample(player, seconds)
            for load, key in zip(LOADS, keys[1:], strict=True):
                opening, later, outcome = await _attack(server.address, key, load, player, seconds)
                findings.append(Finding(f"{load}: {outcome}", is_good=True))
                findings += judge(control, opening + later)
                findings.append(Finding(f"of these the opening second: {opening}", is_good=True))
            again = await _sample(player, seconds)
            findings.append(Finding(f"control afterwards: {again}", not again.failures))
    return findings


async def _sample(player: Bystander, seconds: float) -> Sample:
    await asyncio.sleep(_SETTLE_S)
    await player.sample()
    await asyncio.sleep(seconds)
    return await player.sample()


async def _attack(
    address: str, key: str, load: str, player: Bystander, seconds: float
) -> tuple[Sample, Sample, str]:
    """What the bystander's moves took in the opening second of *load* and later, and how the
    attacker's calls ended."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.attack.legal", address, load, str(seconds)),
        stdin=PIPE,
        stdout=PIPE,
        env=clean_environment() | {"CROUPIER_KEY": key},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        await process.stdout.readline()
        await player.sample()
        process.stdin.write(b"\n")
        await asyncio.sleep(_OPENING_S)
        opening = await player.sample()
        outcome: dict[str, int] = json.loads(await process.stdout.readline())
        later = await player.sample()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return opening, later, ", ".join(f"{number} {word}" for word, number in sorted(outcome.items()))


class Attacker(Bot):
    """Plays until it is asked to bury the kitty, and then calls as fast as it can.

    Attributes:
        outcome: how many calls ended how.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.outcome: Counter[str] = Counter()
        self.tables: list[str] = []
        self.secret = ""
        self.decision: Decision | None = None
        self._secrets: dict[int, str] = {}
        self._is_asked = asyncio.Event()
        self._watched = ""
        self._watchers = 0
        self._watching = asyncio.Lock()

    async def decide(self, view: View, decision: Decision) -> Move:
        """See `Bot.decide`."""
        del view
        if decision.kind == DecisionKind.BURY:
            self.decision = decision
            self._is_asked.set()
            await asyncio.Event().wait()
        return decision.legal.sample(decision.random)

    async def _play(self, ticket: Ticket) -> None:
        with suppress(SeatLost):  # to a stream of the attack
            await self.client.play(self, ticket)

    async def sit(self, tasks: asyncio.TaskGroup) -> None:
        """Sit at a table of six packs until the kitty is to be buried, and open a few others."""
        for number in range(TABLES):
            deal = table_pb2.DealSource(fixed=table_pb2.FixedDeal(seed=number))
            made = await self.client.create_table(
                "tractor", options=_SIX_PACKS, deal=deal, shared_seats=True
            )
            self.tables.append(made.table_id)
            if not number:
                for seat in range(len(made.table.seats)):
                    ticket = await self.client.join(made.table_id, seat=seat)
                    self._secrets[seat] = ticket.secret
                    tasks.create_task(self._play(ticket))
        await self._is_asked.wait()
        assert self.decision is not None
        self.secret = self._secrets[self.decision.seat]

    @property
    def ticket(self) -> tuple[tuple[str, str], ...]:
        """Metadata of the seat that is asked."""
        return (("croupier-ticket", self.secret),)

    async def busy_table(self) -> str:
        """A table at which house bots play, another one for every `WATCHERS` that ask."""
        async with self._watching:
            if not self._watchers % WATCHERS:
                options = {"max_hands": "1000"}
                made = await self.client.create_table(
                    "tongits", seats=["random"] * 3, options=options
                )
                self._watched = made.table_id
            self._watchers += 1
        return self._watched

    async def call(self, calling: Awaitable[object]) -> None:
        """Await *calling* and count how it ended."""
        try:
            await calling
        except grpc.aio.AioRpcError as error:
            self.outcome[from_rpc_error(error).reason] += 1
        else:
            self.outcome["answered"] += 1


async def lists_legal_moves(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """A page of what may be buried."""
    stub: Any = play_service_pb2_grpc.PlayServiceStub(channel)
    assert attacker.decision is not None
    request = play_service_pb2.ListLegalMovesRequest(
        table_id=attacker.decision.table_id, decision_id=attacker.decision.id, page_size=_PAGE
    )
    await attacker.call(stub.ListLegalMoves(request, metadata=attacker.ticket))


async def judges_moves(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """A move of all the cards that may be buried."""
    stub: Any = play_service_pb2_grpc.PlayServiceStub(channel)
    assert attacker.decision is not None
    request = play_service_pb2.CheckMoveRequest(
        table_id=attacker.decision.table_id,
        decision_id=attacker.decision.id,
        move=attacker.decision.legal.sample(attacker.decision.random).message,
    )
    await attacker.call(stub.CheckMove(request, metadata=attacker.ticket))


async def lists_tables(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """All tables, and one of them."""
    stub: Any = table_service_pb2_grpc.TableServiceStub(channel)
    await attacker.call(stub.ListTables(table_service_pb2.ListTablesRequest(page_size=_PAGE)))
    await attacker.call(
        stub.GetTable(table_service_pb2.GetTableRequest(table_id=attacker.tables[0]))
    )


async def asks_for_views(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """The seat's view."""
    stub: Any = play_service_pb2_grpc.PlayServiceStub(channel)
    request = play_service_pb2.GetSeatViewRequest(table_id=attacker.tables[0])
    await attacker.call(stub.GetSeatView(request, metadata=attacker.ticket))


async def opens_streams(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """A stream of the seat, closed after its first message."""
    stub: Any = play_service_pb2_grpc.PlayServiceStub(channel)
    request = play_service_pb2.WatchTableRequest(table_id=attacker.tables[0])
    stream = stub.WatchTable(request, metadata=attacker.ticket)
    await attacker.call(stream.read())
    stream.cancel()


async def spectates(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """A stream of a table at which house bots play, to its end."""
    stub: Any = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    request = spectate_service_pb2.SpectateTableRequest(table_id=await attacker.busy_table())
    stream = stub.SpectateTable(request)
    try:
        async for _ in stream:
            attacker.outcome["messages"] += 1
    except grpc.aio.AioRpcError as error:
        attacker.outcome[from_rpc_error(error).reason] += 1


async def sends_refused_items(attacker: Attacker, channel: grpc.aio.Channel) -> None:
    """A session whose frames are as long as they may be and hold nothing that is accepted."""
    stub: Any = session_service_pb2_grpc.SessionServiceStub(channel)
    stream = stub.Session()
    moves = [session_service_pb2.ChannelMove(channel=number) for number in range(_ITEMS)]
    hello = session_service_pb2.SessionHello(client="eve")
    # What fails on a stream that has ended tells nothing; its status does.
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        await stream.write(session_service_pb2.SessionRequest(hello=hello, moves=moves))
        for _ in range(4):
            await stream.write(session_service_pb2.SessionRequest(moves=moves))
        while await stream.read() is not grpc.aio.EOF:
            pass
    attacker.outcome[f"ended {(await stream.code()).name}"] += 1


LOADS: Final[dict[str, Callable[[Attacker, grpc.aio.Channel], Awaitable[None]]]] = {
    "ListLegalMoves": lists_legal_moves,
    "CheckMove": judges_moves,
    "ListTables": lists_tables,
    "GetSeatView": asks_for_views,
    "WatchTable": opens_streams,
    "SpectateTable": spectates,
    "Session": sends_refused_items,
}


async def main(address: str, load: str, seconds: float) -> None:
    """Attack *address* with *load*."""
    os.nice(_NICE)
    one = LOADS[load]
    at_once = {"Session": 1, "SpectateTable": 4 * AT_ONCE}.get(load, AT_ONCE)
    async with Client(address) as client, asyncio.TaskGroup() as tasks:
        attacker = Attacker(client)
        await attacker.sit(tasks)
        channels = [Credentials.from_environment().channel(address) for _ in range(CONNECTIONS)]
        say({})
        await asyncio.to_thread(sys.stdin.readline)
        end = time.monotonic() + seconds

        async def repeat(channel: grpc.aio.Channel) -> None:
            while time.monotonic() < end:
                await one(attacker, channel)

        waiting = [
            asyncio.create_task(repeat(channel)) for channel in channels for _ in range(at_once)
        ]
        _, left = await asyncio.wait(waiting, timeout=seconds)
        attacker.outcome["left unanswered"] = len(left)
        say(attacker.outcome)
        await asyncio.Event().wait()  # whoever started us ends us


if __name__ == "__main__":
    run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
