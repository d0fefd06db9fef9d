"""The server with bots in another process, beside the bare echo of the same run.

Every round visits every cell once; each cell has a client process of its own, which warms up and
is then measured for some seconds. Server CPU is the kernel's account of the server's process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Final, NamedTuple

from croupier_server.bench.in_process import deal_decisions
from croupier_server.bench.marks import (
    Mark,
    Measured,
    MeasureFailed,
    cpu_seconds,
    machine_busy_seconds,
)
from croupier_server.games import NAMES
from croupier_server.games.registry import GAMES

ECHO: Final = "croupier_server.bench.echo"
PLAYER: Final = "croupier_server.bench.player"
MEMORY: Final = "memory:"
"""The store that everything is measured on."""

WARM_UP_S: Final = 1.0
STOP_S: Final = 10.0
DEALS: Final = 2
"""Tables start together and a deal costs more at its start than at its end, so a cell is measured
over so many deals of each of its tables at least."""

PATIENCE: Final = 20
"""A cell that takes so many times its seconds is measured as far as it has come."""

WATCH_TABLES: Final = 64
"""Tables of the cell with unary calls: as many as the unary echo has callers."""


MOST: Final = 256
"""Tables of one session, where there are most."""


class Cell(NamedTuple):
    """What one client does.

    Attributes:
        name: for people.
        module: the client; it is given ``before``, the address, and ``after``.
        tables: at which it plays; 0 where it calls the echo.
        game: that it plays there.
        store: URL of the server's store.
    """

    name: str
    module: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    tables: int = 0
    game: str = ""
    store: str = MEMORY


def _player(game: str, tables: int, transport: str, store: str = MEMORY) -> Cell:
    name = "unary + watch" if transport == "watch" else transport
    plural = "s" if tables > 1 else ""
    name = f"{game}, {name}, {tables} table{plural}"
    if store != MEMORY:
        name += f", {store.partition(':')[0]}"
    return Cell(name, PLAYER, (), (game, str(tables), transport), tables, game, store)


ECHOES: Final = (
    Cell("unary echo, 64 callers", ECHO, ("unary",), ("64",)),
    Cell("batched echo, 256 items", ECHO, ("batched",), ("256",)),
)
FLOOR: Final = ECHOES[0].name
"""The cell that ratios are taken to."""

FULL: Final = NAMES[0]
"""The game that is measured in every way; of the others, sessions with many tables tell enough,
because what the ways differ in does not depend on the game."""


def cells(games: Sequence[str], store: str = MEMORY) -> tuple[Cell, ...]:
    """What is measured for these games: the echoes, and the tables of each. A game that is asked
    for alone is measured in every way. With a *store* to be compared with memory, only the most
    tables are, on both."""
    found = list(ECHOES)
    if store != MEMORY:
        found += (_player(game, MOST, "session", on) for game in games for on in (MEMORY, store))
        return tuple(found)
    for game in games:
        in_full = game == FULL or len(games) == 1
        if in_full:
            found.append(_player(game, WATCH_TABLES, "watch"))
        for tables in (1, 16, 64, MOST) if in_full else (64, MOST):
            found.append(_player(game, tables, "session"))
    return tuple(found)


class Sample(NamedTuple):
    """One cell in one round; everything is per decision, call or item, but for the rate.

    Attributes:
        rate: decisions, calls or items a second.
        server_us, client_us: CPU time of the server's and the client's process.
        sent, received: bytes that the client sent and received over TCP.
        other_cores: cores that all other processes of the machine used meanwhile.
    """

    rate: float
    server_us: float
    client_us: float
    sent: float
    received: float
    other_cores: float


@contextmanager
def server(store: str = MEMORY) -> Iterator[tuple[str, int]]:
    """A server of our own on *store*: its address and process id."""
    readable, writable = os.pipe()
    arguments = ["serve", "--port", "0", "--announce-fd", str(writable), "--log-level", "warning"]
    arguments += ["--store", store]
    process = subprocess.Popen(  # noqa: S603 - our own server
        [sys.executable, "-m", "croupier_server", *arguments],
        pass_fds=(writable,),
        stdin=subprocess.DEVNULL,
    )
    os.close(writable)
    try:
        with os.fdopen(readable, encoding="utf-8") as announced:
            line = announced.readline()
        if not line:
            raise MeasureFailed(f"the server ended with status {process.wait()}")
        yield json.loads(line)["address"], process.pid
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def measure(
    games: Sequence[str],
    rounds: int,
    seconds: float,
    report: Callable[[str], None],
    store: str = MEMORY,
) -> dict[str, list[Sample]]:
    """Measure every cell of *games* in every round; *report* hears what is being measured.

    Args:
        games: which.
        rounds: so many times.
        seconds: a cell is measured for at least so long.
        report: hears what is being measured.
        store: URL of another store, to be compared with memory.
    """
    wanted = cells(games, store)
    deals = {game: DEALS * deal_decisions(GAMES[game], GAMES[game].rulesets()[0]) for game in games}
    samples: dict[str, list[Sample]] = {cell.name: [] for cell in wanted}
    with ExitStack() as stack:
        servers = {url: stack.enter_context(server(url)) for url in {MEMORY, store}}
        echo = stack.enter_context(Measured(ECHO, "serve"))
        echo_address = f"127.0.0.1:{echo.hello['port']}"
        for number in range(rounds):
            for cell in wanted:
                report(f"round {number + 1} of {rounds}: {cell.name}")
                place = servers[cell.store] if cell.tables else (echo_address, echo.pid)
                least = cell.tables * deals.get(cell.game, 0)
                samples[cell.name].append(_sample(cell, *place, seconds, least))
    return samples


def _sample(cell: Cell, address: str, server_pid: int, seconds: float, least: float) -> Sample:
    """Measure *cell* for so many seconds and over at least *least* decisions."""
    with Measured(cell.module, *cell.before, address, *cell.after) as client:
        time.sleep(WARM_UP_S)
        busy, server_cpu, first = machine_busy_seconds(), cpu_seconds(server_pid), client.mark()
        last = _wait(client, first, seconds, least)
        server_cpu = cpu_seconds(server_pid) - server_cpu
        busy = machine_busy_seconds() - busy
    done = last.since(first)
    if not done.done:
        raise MeasureFailed(f"{cell.name}: nothing was done in {seconds} s")
    return Sample(
        rate=done.done / done.time_s,
        server_us=server_cpu / done.done * 1e6,
        client_us=done.cpu_s / done.done * 1e6,
        sent=done.sent / done.done,
        received=done.received / done.done,
        other_cores=max(0.0, busy - server_cpu - done.cpu_s) / done.time_s,
    )


def _wait(client: Measured, first: Mark, seconds: float, wanted: float) -> Mark:
    """Let *client* go on for so many seconds, and until it has done so much."""
    time.sleep(seconds)
    while True:
        last = client.mark()
        done = last.since(first)
        if done.done >= wanted or done.time_s > PATIENCE * seconds:
            return last
        time.sleep(seconds / 20)


def ratios(samples: dict[str, list[Sample]], cell: str) -> list[float]:
    """Rate of *cell* to that of the unary echo, round by round."""
    pairs = zip(samples[cell], samples[FLOOR], strict=True)
    return [sample.rate / floor.rate for sample, floor in pairs]


def store_ratios(samples: dict[str, list[Sample]], cell: str) -> list[float]:
    """Rate of *cell* to that of the same cell on memory, round by round; none for memory."""
    on_memory, _, store = cell.rpartition(", ")
    if on_memory not in samples or not store.isalpha():
        return []
    pairs = zip(samples[cell], samples[on_memory], strict=True)
    return [sample.rate / other.rate for sample, other in pairs]


def middle(samples: list[Sample]) -> Sample:
    """The median of every figure."""
    return Sample(*(median(values) for values in zip(*samples, strict=True)))
