"""Hold a real server at half of its full load for a long time: ``make soak MINUTES=30``.

A ``croupier serve`` on SQLite is played on by processes of bots at a steady rate, which is half of
what the same bots reached just before. Beside them some matches are watched: all that their clients
are told is noted and judged by every promise, event by event, against the record. The server's
memory is sampled; after the first third a line through the samples may hardly rise. Ended tables
have to be let go. It ends by itself, prints a table, and exits with 1 when a bar is missed. The
table and the samples stay in its folder, as ``table.txt`` and ``samples.csv``.

Short runs say little of memory: what wobbles is taken for a slope.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

from croupier import Client
from croupier.errors import NotFound
from croupier_server.bench.marks import Mark, Measured, resident_bytes
from croupier_server.config import Settings
from scripts.live.hall import Hall, hall, totals
from scripts.live.matches import GAMES
from scripts.live.process import Server, end_by_sigterm, faults_in
from scripts.soak_numbers import MB, Sample, numbers, percent_in_ten_minutes, write_samples

PLAYERS: Final = "scripts.soak_players"
WARM_UP_S: Final = 3.0
MEASURE_S: Final = 10.0
SAMPLE_S: Final = 3.0
THINK_S: Final = 0.2
END_S: Final = 120.0
REPORT_S: Final = 60.0
HALF: Final = 0.5
IGNORED: Final = 1 / 3
"""So much of the run the memory may do what it likes: ten of the thirty minutes of a whole one."""

SLOPE_MAX: Final = 1.0
"""Percent in ten minutes."""
UNFAIR: Final = "Fair "
"""How the fault of a match begins where time was charged otherwise than it was measured."""
LATE_MAX: Final = 0.005
"""So much of the time the loop may come late before times are not judged any more."""
HELD_MIN: Final = 0.9
"""So much of the rate that was wanted has to be reached: else it was no half load."""

LIVE: Final = "croupier_tables{"
ENDED: Final = "croupier_tables_ended_total{"
"""How the names of these numbers begin."""
LATE: Final = "croupier_loop_late_seconds_total"


class Plan(NamedTuple):
    """What a run is asked for.

    Attributes:
        minutes: how long the load is held.
        rate: decisions a second; 0: half of what is measured before.
        tables: of each game.
        watched: matches that are judged, at a time.
        seed: of the watched matches.
    """

    minutes: float
    rate: float
    tables: int
    watched: int
    seed: str


class Bar(NamedTuple):
    """A figure and whether it is good."""

    name: str
    text: str
    is_good: bool


class Soak:
    """A run.

    Args:
        plan: what is asked for.
        folder: for the store, the log and the notes.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._log = folder / "server.log"
        flags = ["--metrics-port", "0", "--log-level", "warning"]
        self._server = Server(f"sqlite:{folder / 'croupier.db'}", self._log, flags)
        self._samples: list[Sample] = []
        self._wanted = plan.rate
        self._held = 0.0
        self._left = 0  # tables whose bots were stopped while they sat down

    async def run(self) -> list[Bar]:
        """All of it; the bars."""
        server = self._server
        try:
            server.spawn()
            server.listen()
            if not self._wanted:
                self._wanted = HALF * await self._full_load()
            self._left = (await self._sample(0)).live
            async with hall(server, self._plan.seed, self._folder, THINK_S) as watched:
                await self._hold(watched)
            bars = [self._memory(), self._rate(), await self._eviction(watched)]
            bars += [_promises(watched), self._fair(watched), self._end(server.stop())]
        finally:
            server.close()
            write_samples(self._folder / "samples.csv", self._samples)
        (self._folder / "table.txt").write_text("".join(f"{line}\n" for line in lines(bars)))
        return bars

    async def _full_load(self) -> float:
        """Decisions a second of the same bots when nothing holds them."""
        async with players(self._server.address, self._plan.tables, 0) as crowd:
            await asyncio.sleep(WARM_UP_S)
            first = crowd.marks()
            await asyncio.sleep(MEASURE_S)
            found = rate(first, crowd.marks())
        print(f"full load: {found:,.0f} decisions a second", flush=True)
        return found

    async def _hold(self, watched: Hall) -> None:
        """Hold the load for the whole time, and take samples."""
        plan = self._plan
        async with players(self._server.address, plan.tables, self._wanted) as crowd:
            judging = asyncio.create_task(watched.keep(plan.watched))
            begun = time.monotonic()
            first, ends, told = crowd.marks(), begun + plan.minutes * 60, begun
            while (now := time.monotonic()) < ends:
                self._samples.append(await self._sample(now - begun))
                if now >= told + REPORT_S:
                    told = now
                    self._tell(watched)
                done, _ = await asyncio.wait([judging], timeout=min(SAMPLE_S, ends - now))
                for task in done:
                    task.result()
            self._held = rate(first, crowd.marks())
            watched.enough()
        async with asyncio.timeout(END_S):
            await judging

    async def _sample(self, second: float) -> Sample:
        resident = resident_bytes(self._server.told["pid"])
        found = await asyncio.to_thread(numbers, self._server.told["metrics"])
        live = sum(number for name, number in found.items() if name.startswith(LIVE))
        ended = sum(number for name, number in found.items() if name.startswith(ENDED))
        return Sample(second, resident, int(live), int(ended), found[LATE])

    def _tell(self, watched: Hall) -> None:
        last = self._samples[-1]
        print(
            f"{last.second / 60:6.1f} min  {last.resident / MB:8.1f} MB  {last.live:5} live  "
            f"{last.ended:7} ended  {len(watched.verdicts):5} watched to their end",
            flush=True,
        )

    # Bars -----------------------------------------------------------------------------------------

    def _memory(self) -> Bar:
        since = self._plan.minutes * 60 * IGNORED
        window = [sample for sample in self._samples if sample.second >= since]
        slope = percent_in_ten_minutes(window)
        sizes = [sample.resident / MB for sample in (self._samples[0], window[0], window[-1])]
        text = "{:.1f} MB at first, {:.1f} after a third, {:.1f} at the end".format(*sizes)
        text += f": {slope:+.2f}% in 10 minutes"
        return Bar(f"memory rises by {SLOPE_MAX:g}% at most", text, slope <= SLOPE_MAX)

    def _rate(self) -> Bar:
        text = f"{self._held:,.0f} of {self._wanted:,.0f} decisions a second"
        is_held = self._held >= HELD_MIN * self._wanted
        return Bar(f"{HELD_MIN:.0%} of the load is held", text, is_held)

    async def _eviction(self, watched: Hall) -> Bar:
        """The server answers no more for a table that has ended long ago, and has its record."""
        kept = Settings.model_fields["ended_max"].default
        most = max(sample.live for sample in self._samples)
        allowed = self._plan.tables * len(GAMES) + self._plan.watched + self._left
        ended = self._samples[-1].ended
        text = f"{ended} ended, at most {most} of {allowed} live"
        if ended <= kept or not watched.verdicts:
            text += f"; no more than the {kept} that are kept"
            return Bar("ended tables are let go", text, is_good=False)
        is_gone = False
        async with Client(self._server.address) as client:
            try:
                await client.get_table(watched.verdicts[0].table_id)
            except NotFound:
                is_gone = True
        text += ", the first one watched is " + ("gone" if is_gone else "still there")
        return Bar("ended tables are let go", text, is_gone and most <= allowed)

    def _fair(self, watched: Hall) -> Bar:
        """Seats are charged what their clients measured. Time by which the loop came late is given
        back, of which clients know nothing: where there was much of it nothing can be judged."""
        bad = [one.fault for one in watched.verdicts if one.fault.startswith(UNFAIR)]
        late = self._samples[-1].late_s - self._samples[0].late_s
        text = f"{len(bad)} matches otherwise, the loop came {late:.1f} s late in all"
        is_busy = late > LATE_MAX * self._samples[-1].second
        if bad and is_busy:
            text += ": not judged, the machine is too busy"
        return Bar("time is charged as measured", "; ".join([text, *bad[:3]]), not bad or is_busy)

    def _end(self, status: int) -> Bar:
        faults = faults_in(self._log)
        text = f"{len(faults)} faults in the log, status {status} at its end"
        return Bar("the server is well", "; ".join([text, *faults[:3]]), not faults and not status)


def _promises(watched: Hall) -> Bar:
    """Every promise was kept at the watched tables; for time see `Soak._fair`."""
    bad = [one for one in watched.verdicts if one.fault and not one.fault.startswith(UNFAIR)]
    counts = totals(watched.verdicts)
    text = f"{len(watched.verdicts)} matches, {counts['events told']:,} events told, {len(bad)} bad"
    text = "; ".join([text, *(f"{one.table_id}: {one.fault}" for one in bad[:3])])
    is_good = bool(watched.verdicts) and not bad
    return Bar("no event is lost or repeated", text, is_good)


class Crowd:
    """Processes of bots."""

    def __init__(self, processes: Sequence[Measured]) -> None:
        self._processes = processes

    def marks(self) -> list[Mark]:
        """What each has done."""
        return [process.mark() for process in self._processes]


def rate(first: Sequence[Mark], last: Sequence[Mark]) -> float:
    """Decisions a second between marks, of all processes together."""
    since = [later.since(earlier) for earlier, later in zip(first, last, strict=True)]
    return sum(mark.done / mark.time_s for mark in since)


@asynccontextmanager
async def players(address: str, tables: int, wanted: float) -> AsyncIterator[Crowd]:
    """A process of bots for each game, which share the rate that is wanted."""
    with ExitStack() as stack:
        processes = []
        for game in GAMES:
            arguments = (address, game, str(tables), str(wanted / len(GAMES)))
            started = Measured(PLAYERS, *arguments)
            processes.append(await asyncio.to_thread(stack.enter_context, started))
        yield Crowd(processes)


def lines(bars: Sequence[Bar]) -> list[str]:
    """The table."""
    return [f"{'good' if bar.is_good else 'BAD':5} {bar.name:32} {bar.text}" for bar in bars]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=0.0, help="decisions a second; 0: half")
    parser.add_argument("--tables", type=int, default=32, help="of each game")
    parser.add_argument("--watched", type=int, default=4, help="matches judged at a time")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    given = parser.parse_args(arguments)
    end_by_sigterm()
    plan = Plan(given.minutes, given.rate, given.tables, given.watched, given.seed)
    folder = Path(mkdtemp(prefix="croupier-soak-"))
    print(f"seed {plan.seed}, store, log, notes and samples in {folder}", flush=True)
    bars = asyncio.run(Soak(plan, folder).run())
    print(*lines(bars), f"samples: {folder / 'samples.csv'}", sep="\n")
    return 0 if all(bar.is_good for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
