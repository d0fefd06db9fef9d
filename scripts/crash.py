"""Kill a real server again and again in the middle of matches: ``make crash STORE=sqlite``.

A ``croupier serve`` is killed with SIGKILL at random moments, also while it starts and while it
takes its tables up, and started again on the same store and port. Bots of the SDK, in processes of
their own, play on. Every match has to end, and is compared event by event with what its clients
were told: nothing lost, nothing doubled, no gap, nobody charged for an outage.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Final, NamedTuple

from scripts.commit import commit
from scripts.live.hall import Hall, hall, totals
from scripts.live.judging import Span
from scripts.live.process import Server, end_by_sigterm, faults_in
from tests.storage import postgres

PHASES: Final = ("playing", "playing", "playing", "recovering", "starting")
WAITS: Final = {"playing": (0.3, 3.0), "recovering": (0.0, 0.2), "starting": (0.1, 1.2)}
"""Seconds after which it is killed: since it listens, or, when starting, since it was started."""

END_S: Final = 600.0
"""When the killing is over all matches must end so soon."""


class Plan(NamedTuple):
    """What a run is asked for.

    Attributes:
        store: ``sqlite`` or ``postgresql``.
        kills: so often the server is killed.
        matches: so many are kept going.
        think_s: bots think for so long at most.
        seed: of everything that is chosen here; bots think as long as they like.
        pythons: interpreters that run the server, by turns.
    """

    store: str
    kills: int
    matches: int
    think_s: float
    seed: str
    pythons: Sequence[str] = (sys.executable,)


class Killer:
    """Kills the server and starts it again.

    Attributes:
        kills: how often, by what the server was doing.
    """

    def __init__(self, server: Server, found: Hall, rng: Random) -> None:
        self._server = server
        self._hall = found
        self._rng = rng
        self.kills: Counter[str] = Counter()

    async def kill(self, times: int) -> None:
        """Kill it so often."""
        dead_since = 0
        while (done := self.kills.total()) < times:
            phase = self._rng.choice(PHASES)
            if self._server.is_running and phase == "starting":
                phase = "playing"
            if not self._server.is_running:
                self._server.spawn()
                if phase != "starting":
                    await self._back(dead_since)
                    dead_since = 0
            await asyncio.sleep(self._rng.uniform(*WAITS[phase]))
            dead_since = dead_since or _now_ms()
            await asyncio.to_thread(self._server.kill)
            self.kills[phase] += 1
            if done % 10 == 9:
                self._tell()
        self._server.spawn()
        await self._back(dead_since)

    async def _back(self, dead_since: int) -> None:
        """Wait until it listens, and write the outage down."""
        await asyncio.to_thread(self._server.listen)
        self._hall.spans.append(Span(dead_since, _now_ms()))

    def _tell(self) -> None:
        found = self._hall
        bad = sum(bool(verdict.fault) for verdict in found.verdicts)
        print(
            f"{time.strftime('%H:%M:%S')} {self.kills.total()} kills, {found.live} matches under "
            f"way, {len(found.verdicts)} ended and judged, {bad} of them bad",
            flush=True,
        )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


async def crash(plan: Plan, store: str, folder: Path) -> int:
    """Carry *plan* out on the store of that URL; returns the exit code."""
    rng = Random(plan.seed)  # noqa: S311 - when to kill
    log = folder / "server.log"
    server = Server(store, log, ["--log-level", "info"], plan.pythons)
    began = time.monotonic()
    try:
        server.spawn()
        server.listen()
        async with hall(server, plan.seed, folder, plan.think_s) as found:
            killer = Killer(server, found, rng)
            await _play(found, killer, plan)
            status = server.stop()
    finally:
        server.close()
    faults = [f"{verdict.table_id}: {verdict.fault}" for verdict in found.verdicts if verdict.fault]
    faults += faults_in(log)
    if status:
        faults.append(f"the server ended with status {status}")
    _print(plan, found, killer, time.monotonic() - began)
    for fault in faults:
        print(f"bad: {fault}")
    print(f"seed {plan.seed}; {'bad' if faults else 'good'}", flush=True)
    return 1 if faults else 0


async def _play(found: Hall, killer: Killer, plan: Plan) -> None:
    """Kill the server in the middle of matches, and have all of them end."""
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(found.keep(plan.matches))
        await group.create_task(killer.kill(plan.kills))
        found.enough()
        async with asyncio.timeout(END_S):
            await asyncio.shield(playing)


def _print(plan: Plan, found: Hall, killer: Killer, seconds: float) -> None:
    """Tell what the run came to."""
    down = sum(span.until_ms - span.since_ms for span in found.spans) / 1000
    games = Counter(verdict.game for verdict in found.verdicts)
    rows: list[tuple[str, object]] = [
        ("store", plan.store),
        ("kills", killer.kills.total()),
        *((f"  while {phase}", number) for phase, number in sorted(killer.kills.items())),
        ("seconds", f"{seconds:.0f}, down for {down:.0f} of them"),
        ("matches ended and judged", len(found.verdicts)),
        *((f"  {game}", number) for game, number in sorted(games.items())),
        *sorted(totals(found.verdicts).items()),
        ("charged for those", f"{sum(v.charged_ms for v in found.verdicts) / 1000:.1f} s"),
        ("clients measured", f"{sum(v.measured_ms for v in found.verdicts) / 1000:.1f} s"),
        ("most over what was measured", f"{max(v.over_ms for v in found.verdicts)} ms"),
        ("matches with a fault", sum(bool(verdict.fault) for verdict in found.verdicts)),
    ]
    for name, value in rows:
        print(f"{name:32} {value}")


@contextlib.contextmanager
def empty_store(kind: str, folder: Path) -> Iterator[str]:
    """URL of an empty store."""
    if kind == "sqlite":
        yield f"sqlite:{folder / 'croupier.db'}"
        return
    with postgres.running(fsync=True) as cluster:
        yield asyncio.run(cluster.create())


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--matches", type=int, default=50, help="kept going at once")
    parser.add_argument("--think", type=float, default=0.6, help="seconds, at most")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument(
        "--or-with", metavar="PYTHON", help="interpreter that runs every second start of the server"
    )
    given = parser.parse_args(arguments)
    end_by_sigterm()
    pythons = [sys.executable, *([given.or_with] if given.or_with else [])]
    plan = Plan(given.store, given.kills, given.matches, given.think, given.seed, pythons)
    folder = Path(mkdtemp(prefix="croupier-crash-"))
    print(f"seed {plan.seed} at commit {commit()}, notes and log in {folder}", flush=True)
    with empty_store(plan.store, folder) as store:
        return asyncio.run(crash(plan, store, folder))


if __name__ == "__main__":
    sys.exit(main())
