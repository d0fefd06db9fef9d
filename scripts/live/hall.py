"""Many matches at once on one server, played by processes of SDK bots, each judged when it ends."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final

from croupier import Client
from croupier.client import NewTable
from scripts.live.judging import Span, Verdict, judge
from scripts.live.matches import GAMES, Wish, wish
from scripts.live.notes import Notes
from scripts.live.players import PATIENCE_S
from scripts.live.process import Server
from scripts.live.records import record_of
from scripts.live.tap import Tapped

TRANSPORTS: Final = ("session", "watch", "session")
"""One process of bots for each."""

_LINE_BYTES: Final = 1 << 20


class Hall:
    """Keeps so many matches going until it is told that it is enough.

    Args:
        server: where.
        client: of the host, whose channel is tapped.
        notes: of the host.
        rng: what is played.
        folder: where notes go.
        think_s: bots think for so long at most.
        judges: a pool of one process.

    Attributes:
        spans: when the server was down.
        verdicts: of the matches that have ended.
        live: matches under way.
    """

    def __init__(
        self,
        server: Server,
        client: Client,
        notes: Notes,
        rng: Random,
        folder: Path,
        think_s: float,
        judges: ProcessPoolExecutor,
    ) -> None:
        self._server = server
        self._client = client
        self._notes = notes
        self._rng = rng
        self._folder = folder
        self._think_s = think_s
        self._judges = judges
        self._processes: list[Process] = []
        self._readers: list[asyncio.Task[None]] = []
        self._waiting: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._players: dict[str, int] = {}
        self._is_enough = False
        self.spans: list[Span] = []
        self.verdicts: list[Verdict] = []
        self.live = 0

    async def open(self) -> None:
        """Start the processes of the bots."""
        for game in GAMES:
            self._players[game] = await self._client.players(game)
        for number, transport in enumerate(TRANSPORTS, 1):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "scripts.live.players", self._server.address, str(number)),
                *(str(self._folder), "--transport", transport),
                stdin=PIPE,
                stdout=PIPE,
                limit=_LINE_BYTES,
            )
            self._processes.append(process)
            assert process.stdout is not None
            assert json.loads(await process.stdout.readline()) == {"ready": True}
            self._readers.append(asyncio.create_task(self._read(process.stdout)))

    async def _read(self, said: asyncio.StreamReader) -> None:
        while line := await said.readline():
            report = json.loads(line)
            self._waiting[report["table"]].put_nowait(report)

    async def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            if process.returncode is None:
                process.terminate()
            await process.wait()
        for reader in self._readers:
            reader.cancel()

    def enough(self) -> None:
        """Begin no more matches."""
        self._is_enough = True

    async def keep(self, matches: int) -> None:
        """Keep so many matches going until it is enough and all have ended."""
        async with asyncio.TaskGroup() as group:
            for _ in range(matches):
                group.create_task(self._one_after_another())

    async def _one_after_another(self) -> None:
        await asyncio.sleep(self._rng.random() * 3)
        while not self._is_enough:
            self.live += 1
            try:
                self.verdicts.append(await self._match())
            finally:
                self.live -= 1

    # One match ------------------------------------------------------------------------------------

    async def _match(self) -> Verdict:
        """Have one match played and judged."""
        wanted = wish(self._rng, self._players, self._think_s)
        made = await self._client.create_table(wanted.game, **wanted.arguments)
        table_id = made.table_id
        reports = self._waiting[table_id] = asyncio.Queue()
        orders = self._orders(wanted, made)
        for number, order in orders.items():
            pipe = self._processes[number].stdin
            assert pipe is not None
            pipe.write(json.dumps(order).encode() + b"\n")
            await pipe.drain()
        found = [await reports.get() for _ in orders]
        del self._waiting[table_id]
        record = (await record_of(self._client, table_id)).SerializeToString()
        own = self._folder / f"{table_id}-host"
        self._notes.dump(table_id, own)
        paths = [own, *(Path(report["notes"]) for report in found)]
        loop = asyncio.get_running_loop()
        verdict = await loop.run_in_executor(
            self._judges, judge, table_id, wanted.game, paths, record, list(self.spans)
        )
        faults = [fault for report in found for fault in report["faults"]]
        ends = Counter(end for report in found for end in report["ends"])
        if set(ends) - {"FINISHED"}:
            faults.append(f"it ended with {dict(ends)}")
        if faults and not verdict.fault:
            verdict = verdict._replace(fault="; ".join(faults))
        if not verdict.fault:
            for path in paths:
                path.unlink()
        return verdict

    def _orders(self, wanted: Wish, made: NewTable) -> dict[int, dict[str, Any]]:
        """What each process is to do; each seat of a table may be with another one."""
        orders: dict[int, dict[str, Any]] = {}
        for seat, events in enumerate(wanted.seats):
            if events is None:
                continue
            order = self._order(orders, made.table_id)
            order["seats"].append(
                {
                    "seat": seat,
                    "invite": made.invites[seat],
                    "events": events,
                    "think_s": wanted.think_s,
                }
            )
        for _ in range(wanted.spectators):
            self._order(orders, made.table_id)["spectators"] += 1
        return orders

    def _order(self, orders: dict[int, dict[str, Any]], table_id: str) -> dict[str, Any]:
        number = self._rng.randrange(len(self._processes))
        return orders.setdefault(number, {"table": table_id, "seats": [], "spectators": 0})


@asynccontextmanager
async def hall(server: Server, seed: str, folder: Path, think_s: float) -> AsyncIterator[Hall]:
    """A hall whose bots are ready."""
    notes = Notes(0)
    rng = Random(f"hall {seed}")  # noqa: S311 - what is played
    client = Client(server.address, patience=PATIENCE_S, credentials=Tapped(notes))
    with ProcessPoolExecutor(1, get_context("spawn")) as judges:
        async with client:
            found = Hall(server, client, notes, rng, folder, think_s, judges)
            try:
                await found.open()
                yield found
            finally:
                await found.close()


def totals(verdicts: Sequence[Verdict]) -> Counter[str]:
    """What was compared in all matches."""
    found: Counter[str] = Counter()
    for verdict in verdicts:
        found.update(verdict.counts)
    return found
