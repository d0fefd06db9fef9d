"""Play matches in simulated worlds, and judge every promise: ``make sim SEED=1 N=100``.

Each seed is a run of its own: some tables, clients of all tempers, and whatever goes wrong. A
failure prints the seed, the commit, and the command that shows it again.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice
from typing import NamedTuple

import structlog

from scripts.commit import commit
from tests.sim.plan import make_plan
from tests.sim.world import Report, Run

_CHUNK = 8


class Outcome(NamedTuple):
    """What became of a seed: a report, or the words of its failure."""

    seed: int
    report: Report | None
    failure: str = ""
    trace: str = ""


def simulate(seed: int) -> Outcome:
    """Run one seed."""
    try:
        return Outcome(seed, Run(make_plan(seed)).play())
    except Exception as error:
        return Outcome(seed, None, f"{type(error).__name__}: {error}", traceback.format_exc())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run seeds; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--matches", type=int, default=100, help="go on until so many were played")
    parser.add_argument("--minutes", type=float, help="go on for so long instead")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--plan", action="store_true", help="print the plan of the seed, and stop")
    wanted = parser.parse_args(arguments)
    if wanted.plan:
        print(make_plan(wanted.seed))
        return 0
    # What a server logs under faults is thousands of lines; what counts here is what clients see.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    begun = time.monotonic()
    until = begun + wanted.minutes * 60 if wanted.minutes is not None else None
    matches = events = runs = failed = 0
    for outcome in _outcomes(wanted.seed, wanted.jobs):
        runs += 1
        if outcome.report is None:
            failed += 1
            _tell(outcome)
        else:
            matches += outcome.report.matches
            events += outcome.report.events
        is_over = matches >= wanted.matches if until is None else time.monotonic() > until
        if is_over or (failed and runs >= wanted.matches):
            break
    seconds = time.monotonic() - begun
    print(
        f"{runs} runs, {matches} matches, {events} events told, {failed} failed; "
        f"{seconds:.0f} s, {matches / max(seconds, 0.001):.1f} matches a second"
    )
    return 1 if failed else 0


def _outcomes(seed: int, jobs: int) -> Iterator[Outcome]:
    """What becomes of *seed* and those that follow it, for as long as somebody asks."""
    if jobs == 1:
        yield from map(simulate, count(seed))
    with ProcessPoolExecutor(jobs) as pool:
        seeds = count(seed)
        while True:
            yield from pool.map(simulate, islice(seeds, jobs * _CHUNK))


def _tell(outcome: Outcome) -> None:
    print(outcome.trace.rstrip())
    print(f"seed {outcome.seed} at commit {commit()}: {outcome.failure}")
    print(f"again: make sim SEED={outcome.seed} N=1", flush=True)


if __name__ == "__main__":
    sys.exit(main())
