"""Measure how fast the standings of a large contest are rebuilt from its log.

    python -m scripts.ladder_scale --entrants 50 --games 1000000

Writes the log of a round robin of Pokex with made-up scores, as a runner would have, and reads it
in a process of its own. The cold time is that from the log to a table of standings, without the
start of Python; the warm time is that of the table alone, as a runner or a server needs that has
the contest in memory. Nothing is cached between the two.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from croupier_server.cli.standings import standings_table
from croupier_server.contest.ladder.events import Event, Kind, board_body
from croupier_server.contest.ladder.log import open_log
from croupier_server.contest.ladder.opening import begin, load
from croupier_server.contest.ladder.spec import read_spec
from croupier_server.contest.ladder.standings import make_report
from croupier_server.contest.pairing import Match
from croupier_server.contest.results import MatchResult, Outcome

NAME: Final = "scale"
_EVENTS_AT_ONCE: Final = 2_000


def result(match: Match, strengths: list[float], chance: random.Random) -> MatchResult:
    """A made-up result of *match*."""
    own, other = match.players[0], match.players[1]
    score = round(chance.gauss(strengths[own] - strengths[other], 12))
    scores = tuple(float(score if team == 0 else -score) for team in match.teams)
    fault = (own,) if chance.random() < 0.002 else ()
    outcome = Outcome.CRASHED if fault else Outcome.PLAYED
    return MatchResult(match, "", scores, outcome, fault, "FINISHED")


async def write(path: Path, entrants: int, games: int) -> None:
    """Write the log at *path*, as if its contest were under way."""
    pairs = entrants * (entrants - 1) // 2
    boards = -(-games // (2 * pairs))
    names = "\n".join(
        f'[[entrant]]\nname = "e{number}"\nbot = "random"' for number in range(entrants)
    )
    spec = read_spec(f'name = "{NAME}"\ngame = "pokex"\nboards = {boards}\nseed = 1\n{names}')
    chance = random.Random(1)  # noqa: S311 - made-up scores
    strengths = [chance.gauss(0, 3) for _ in range(entrants)]
    async with open_log(f"sqlite:{path}", NAME, create=True) as log:
        contest = await begin(spec, log, path.parent)
        while not contest.is_over:
            waiting: list[Event] = []

            def tell(kind: Kind, body: dict[str, object], waiting: list[Event] = waiting) -> None:
                event = Event(contest.last + 1, kind, body)
                waiting.append(event)
                contest.apply(event)

            while len(waiting) < _EVENTS_AT_ONCE:
                while contest.is_due:
                    batch = [[list(group) for group in groups] for groups in contest.next_batch()]
                    tell(Kind.BATCH, {"boards": batch})
                board = next(contest.to_play(), None)
                if board is None:
                    break
                results = [result(one, strengths, chance) for one in contest.tables(board)]
                tell(Kind.BOARD, board_body(board, results))
            await log.append(waiting)


async def read(path: Path) -> None:
    """Print how long the standings of the log at *path* take."""
    async with open_log(f"sqlite:{path}", NAME) as log:
        start = time.perf_counter()
        contest = await load(log)
        loaded = time.perf_counter()
        standings_table(make_report(contest, is_brief=True))
        cold = time.perf_counter()
        standings_table(make_report(contest, is_brief=True))
        warm = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "matches": contest.matches,
                "load": round(loaded - start, 2),
                "cpu": round(time.process_time(), 2),
                "cold": round(cold - start, 2),
                "warm": round(warm - cold, 2),
                "megabytes": round(memory),
            }
        )
    )


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--entrants", type=int, default=50)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        asyncio.run(read(given.read))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contest.sqlite"
        asyncio.run(write(path, given.entrants, given.games))
        print(f"log: {path.stat().st_size / 1e6:.0f} MB", flush=True)
        for _ in range(given.runs):
            words = [sys.executable, "-m", "scripts.ladder_scale", "--read", str(path)]
            subprocess.run(words, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
