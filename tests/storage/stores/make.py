"""Makes a store as the version of Croupier that is checked out writes it, for later ones to open.

``python -m tests.storage.stores.make NAME`` writes ``NAME.db.gz`` and ``NAME.json`` beside this
file: live tables of every game in the middle of a deal, one of them shown late, and what is
to be found in them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import sqlite3
import sys
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.storage.base import Player, Store
from croupier_server.storage.opening import open_store
from croupier_server.tables.caller import Caller
from croupier_server.tables.clocks.clock import ManualClock
from croupier_server.tables.feeds.snapshots import seat_results
from croupier_server.tables.match.table import Table
from croupier_server.tables.shard.shard import GameEntry, Shard
from croupier_server.tables.spec import (
    ClockSpec,
    CreateTable,
    DealKind,
    DealSource,
    JoinTable,
    SpectatorDelay,
    Status,
)
from tests.tables.answering import submit

START_MS = 1_700_000_000_000
DEALS = 3
HERE = Path(__file__).parent


def new_shard(store: Store, clock: ManualClock) -> Shard:
    """A shard on *store*."""
    numbers, secrets = count(1), random.Random("secrets")
    return Shard(
        clock=clock,
        secrets=secrets.randbytes,
        ids=lambda: f"table-{next(numbers)}",
        log=store.log,
        games={kind: GameEntry(GAMES[wire.name], wire) for kind, wire in WIRES.items()},
        records=store.records,
    )


def begin(shard: Shard, kind: int, delay: SpectatorDelay | None) -> Table:
    """A table with somebody on every seat."""
    limits = [
        spec.name
        for spec in GAMES[WIRES[kind].name].option_specs()
        if spec.name.startswith(("max_deals", "max_hands"))
    ]
    request = CreateTable(
        kind=kind,
        deal=DealSource(DealKind.FIXED, seed=7),
        overrides=dict.fromkeys(limits, str(DEALS + 1)),
        clock=ClockSpec(base_ms=600_000),
        delay=delay,
    )
    table = shard.create_table(Caller(), request).table
    for seat in range(len(table.seats)):
        shard.join(Caller(), JoinTable(table.spec.table_id, player=Player(f"player {seat}")))
    return table


Given = tuple[int, str, str, int]
"""An answer: its seat, its decision, the move in decimal digits, the number of its event."""


async def play(shard: Shard, table: Table, clock: ManualClock, rng: random.Random) -> Given:
    """Answer a decision."""
    clock.now += 20
    waiting = [one for one in table.match.decisions if one is not None and one.answer is None]
    decision = rng.choice(waiting)
    legal = table.legal(decision.seat, decision.id)
    move = table.game.sample(legal, iter(lambda: rng.getrandbits(64), None))
    accepted = submit(shard, table, decision.seat, decision.id, move)
    await shard.committed()
    return decision.seat, decision.id, str(move), accepted


def seen(table: Table) -> dict[str, object]:
    """Where *table* stands."""
    state = table.match.state
    waiting = [one for one in table.match.decisions if one is not None]
    return {
        "sequence": table.journal.sequence,
        "kept_from": table.journal.kept_from,
        "decisions": [one.id for one in waiting],
        "moves": [len(table.game.legal_moves(state, one.seat).moves) for one in waiting],
        "results": len(seat_results(table)),
        "standing": list(table.game.standing(state)),
        "left": [list(one) for one in table.match.rest()],
    }


async def fill(path: Path, seed: str) -> dict[str, object]:
    """Make the store; returns what is to be found in it, by table."""
    store = await open_store(f"sqlite:{path}")
    clock = ManualClock(START_MS)
    shard = new_shard(store, clock)
    rng = random.Random(seed)
    tables = [begin(shard, kind, None) for kind in WIRES]
    tables.append(begin(shard, min(WIRES), SpectatorDelay(decisions=5)))
    await shard.committed()
    told: dict[str, object] = {}
    for table in tables:
        given: list[Given] = []
        while len(seat_results(table)) < DEALS - 1:
            given.append(await play(shard, table, clock, rng))
        given = given[-3:]
        given += [await play(shard, table, clock, rng) for _ in range(9)]
        assert table.status is Status.PLAYING
        told[table.spec.table_id] = seen(table) | {"given": given}
    shard.drain()
    await store.close()
    return told


def main(name: str) -> None:
    """Write the files."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "croupier.db")
        told = asyncio.run(fill(path, name))
        with closing(sqlite3.connect(path, isolation_level=None)) as raw:
            raw.execute("PRAGMA journal_mode=DELETE")
            raw.execute("VACUUM")
        (HERE / f"{name}.db.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    (HERE / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
