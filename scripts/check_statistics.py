"""Check the statistics of contests on real results: error rates, coverage, and what boards save.

    python -m scripts.check_statistics --boards 400 --runs 2000

Plays boards of every game in this process, with bots that fail now and then, and resamples them:

- The sequential test with alpha = beta = 0.05 between 0 and 20 normalised Elo, on boards that were
  moved to an effect of exactly 0 and exactly 20.
- Running intervals at 95%, looked at after every board: how many runs miss the mean at any time.
- How many times as many independent deals give the same standard error as duplicate boards do.

All rates are printed with 95% Clopper-Pearson intervals. The status is 1 if a rate of errors is
above what was promised, by a one-sided test at 0.1%.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Awaitable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binomtest

import croupier
from croupier.bots import load_bot
from croupier_server.contest.results import margin
from croupier_server.contest.statistics.intervals import (
    ASYMPTOTIC_MIN,
    asymptotic_interval,
    betting_interval,
)
from croupier_server.contest.statistics.sprt import (
    ELO_PER_DEVIATION,
    Decision,
    Hypotheses,
    Sprt,
)
from croupier_server.games import NAMES
from croupier_server.local.match import BotLike
from croupier_server.local.simulation import simulate

ALPHA: Final = 0.05
BETA: Final = 0.05
ELO: Final = 20.0
BOARDS_MAX: Final = 20_000
"""So that hardly any run of a test ends without a decision."""

CONFIDENCE: Final = 0.95
ACCEPTED_AT: Final = 0.001
"""A rate fails if one as high comes by chance less often than this."""

RESAMPLES: Final = 2_000
_PARTS: Final = 40


class NearlyGreedy(croupier.Bot):
    """Plays any legal move at one decision of 20, and as `greedy` does at all others."""

    def __init__(self) -> None:
        self._greedy = load_bot("greedy")()

    def decide(
        self, view: croupier.View, decision: croupier.Decision
    ) -> croupier.Move | Awaitable[croupier.Move]:
        """The move of `greedy`, or any."""
        if decision.random.random() < 0.05:
            return decision.legal.sample(decision.random)
        return self._greedy.decide(view, decision)


class Failing(NearlyGreedy):
    """`NearlyGreedy`, but fails at one decision of 300, which loses the match."""

    def decide(
        self, view: croupier.View, decision: croupier.Decision
    ) -> croupier.Move | Awaitable[croupier.Move]:
        """The move of `greedy`, any, or none."""
        if decision.random.random() < 1 / 300:
            raise RuntimeError("this bot fails now and then")
        return super().decide(view, decision)


class Pool(NamedTuple):
    """Results of boards that were played.

    Attributes:
        margins: a row a board, a column a seating: what the first bot was ahead.
        shares: the same for its share of a win: 0, 0.5 or 1.
        faults: matches that a fault decided.
    """

    margins: NDArray[np.float64]
    shares: NDArray[np.float64]
    faults: int


def play(game: str, first: BotLike, second: BotLike, boards: int, seed: int) -> Pool:
    """Play *boards* duplicate boards of one deal."""
    found = simulate(first, second, game=game, boards=boards, seed=seed)
    rows: dict[int, list[float]] = {}
    shares: dict[int, list[float]] = {}
    for result in found.results:
        assert result.scores is not None
        ahead = margin(result.match, result.scores, 0, 1)
        share = float(0 not in result.at_fault) if result.at_fault else 0.5 + 0.5 * np.sign(ahead)
        rows.setdefault(result.match.board, []).append(ahead)
        shares.setdefault(result.match.board, []).append(share)
    faults = sum(bool(result.at_fault) for result in found.results)
    return Pool(np.array(list(rows.values())), np.array(list(shares.values())), faults)


class Rate(NamedTuple):
    """How often something that should be rare happened in *runs*."""

    errors: int
    runs: int

    def __str__(self) -> str:
        low = float(beta.ppf(0.025, self.errors, self.runs - self.errors + 1))
        high = float(beta.ppf(0.975, self.errors + 1, self.runs - self.errors))
        low = 0.0 if math.isnan(low) else low
        return f"{self.errors / self.runs:.2%} ({low:.2%} to {high:.2%})"

    def is_within(self, promised: float) -> bool:
        """Whether the rate may be *promised* or less."""
        test = binomtest(self.errors, self.runs, promised, alternative="greater")
        return bool(test.pvalue > ACCEPTED_AT)


# The sequential test ------------------------------------------------------------------------------


class Tested(NamedTuple):
    """What runs of the sequential test came to: how many by decision, and the boards of each."""

    decisions: dict[Decision, int]
    boards: list[int]


def test_once(values: NDArray[np.float64], matches: int, stream: np.random.Generator) -> Sprt:
    """One run of the sequential test on boards drawn from *values*."""
    sprt = Sprt(Hypotheses(0.0, ELO, ALPHA, BETA, BOARDS_MAX), matches)
    while True:
        for value in stream.choice(values, 256).tolist():
            if sprt.add(value).decision is not Decision.RUNNING:
                return sprt


def run_tests(values: NDArray[np.float64], matches: int, runs: int, seed: int) -> Tested:
    """*runs* runs of the sequential test on boards drawn from *values*."""
    stream = np.random.default_rng(seed)
    states = [test_once(values, matches, stream).state for _ in range(runs)]
    decisions = {kind: sum(one.decision is kind for one in states) for kind in Decision}
    return Tested(decisions, [one.boards for one in states])


def with_effect(pool: Pool, elo: float) -> NDArray[np.float64]:
    """The margins of boards, moved so that the first bot is ahead by exactly *elo*."""
    values = pool.margins.mean(axis=1)
    matches = pool.margins.shape[1]
    moved: NDArray[np.float64] = (
        values - values.mean() + elo / ELO_PER_DEVIATION * values.std() * math.sqrt(matches)
    )
    return moved


# Running intervals --------------------------------------------------------------------------------


class Missed(NamedTuple):
    """How many runs missed the mean at any time: win rates, scores."""

    betting: int
    asymptotic: int


def watch_runs(pool: Pool, looks: int, runs: int, seed: int) -> Missed:
    """Look at the running intervals of *runs* runs after each of *looks* boards."""
    shares, margins = pool.shares.mean(axis=1), pool.margins.mean(axis=1)
    means = shares.mean(), margins.mean()
    stream = np.random.default_rng(seed)
    betting = asymptotic = 0
    for _ in range(runs):
        drawn = stream.integers(len(shares), size=looks)
        own = shares[drawn]
        betting += any(
            found is not None and not _holds(found.low, means[0], found.high)
            for found in (betting_interval(own[:n], CONFIDENCE) for n in range(1, looks + 1))
        )
        own = margins[drawn]
        asymptotic += any(
            found is not None and not _holds(found.low, means[1], found.high)
            for found in (
                asymptotic_interval(own[:n], CONFIDENCE) for n in range(ASYMPTOTIC_MIN, looks + 1)
            )
        )
    return Missed(betting, asymptotic)


def _holds(low: float | None, mean: float, high: float | None) -> bool:
    return low is None or high is None or low - 1e-9 <= mean <= high + 1e-9


# What boards save ---------------------------------------------------------------------------------


class Saving(NamedTuple):
    """Independent deals that are worth one match of a duplicate board, with a 95% interval."""

    factor: float
    low: float
    high: float


def saving(margins: NDArray[np.float64], seed: int) -> Saving | None:
    """What boards with the matches *margins* save; None if no board makes a difference.

    The variance of a match between the same bots with cards and seats by chance, over that of a
    match's part in the mean of a board: of the same number of matches, each. The interval is a
    bootstrap over boards.
    """

    def factor(rows: NDArray[np.float64]) -> float:
        count = rows.size
        single = rows.var() * count / (count - 1)
        of_board = float(rows.mean(axis=1).var(ddof=1)) * rows.shape[1]
        return float(single) / of_board if of_board else math.inf

    if not margins.mean(axis=1).var():
        return None
    stream = np.random.default_rng(seed)
    drawn = [
        factor(margins[stream.integers(len(margins), size=len(margins))]) for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
    return Saving(factor(margins), float(low), float(high))


# The command --------------------------------------------------------------------------------------


def _split(runs: int) -> list[int]:
    return [runs // _PARTS + (part < runs % _PARTS) for part in range(_PARTS)]


def check(game: str, pool: Pool, runs: int, looks: int, jobs: int, seed: int) -> bool:
    """Print error rates and coverage for one game; returns whether all are as promised."""
    good = True
    matches = pool.margins.shape[1]
    print(
        f"{game}: {len(pool.margins)} boards of {matches} matches, "
        f"{pool.faults} of the matches decided by a fault"
    )
    parts = _split(runs)
    seeds = [seed + part for part in range(_PARTS)]
    with ProcessPoolExecutor(jobs) as workers:
        for elo, wrong, promised in ((0.0, Decision.H1, ALPHA), (ELO, Decision.H0, BETA)):
            tests = list(
                workers.map(partial(run_tests, with_effect(pool, elo), matches), parts, seeds)
            )
            rate = Rate(sum(one.decisions[wrong] for one in tests), runs)
            undecided = sum(one.decisions[Decision.INCONCLUSIVE] for one in tests)
            used = [boards for one in tests for boards in one.boards]
            good &= rate.is_within(promised)
            print(
                f"  SPRT at {elo:g} Elo: {wrong.value} in {rate}, promised {promised:.0%}; "
                f"{undecided} inconclusive; boards: mean {np.mean(used):.0f}, "
                f"median {np.median(used):.0f}, 95% below {np.quantile(used, 0.95):.0f}",
                flush=True,
            )
        watched = list(workers.map(partial(watch_runs, pool, looks), parts, seeds))
    for name, count in (
        ("win rate, betting", sum(one.betting for one in watched)),
        ("score, asymptotic", sum(one.asymptotic for one in watched)),
    ):
        rate = Rate(count, runs)
        good &= rate.is_within(1 - CONFIDENCE)
        print(
            f"  {name}: the mean was outside at any of {looks} looks in {rate}, "
            f"promised {1 - CONFIDENCE:.0%}",
            flush=True,
        )
    return good


def print_savings(games: Iterable[str], pairs: Sequence[tuple[str, BotLike, BotLike, int]]) -> None:
    """Print what duplicate boards save, for each game and each of *pairs*."""
    for game in games:
        for name, first, second, boards in pairs:
            pool = play(game, first, second, boards, seed=11)
            found = saving(pool.margins, seed=12)
            shown = "no board makes a difference"
            if found is not None:
                shown = f"{found.factor:.2f} ({found.low:.2f} to {found.high:.2f})"
            print(f"  {game}, {name}: {shown}, {boards} boards", flush=True)


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", choices=NAMES, action="append")
    parser.add_argument("--boards", type=int, default=400, help="boards to play for each pool")
    parser.add_argument("--search-boards", type=int, default=60)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--looks", type=int, default=200, help="boards of a run that is watched")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    games = given.game or NAMES
    good = True
    for game in games:
        pool = play(game, NearlyGreedy, Failing, given.boards, given.seed)
        good &= check(game, pool, given.runs, given.looks, given.jobs, given.seed)
    print("matches with independent deals that one match of a duplicate board is worth:")
    print_savings(
        games,
        [
            ("near-equal", "greedy", NearlyGreedy, given.boards),
            ("search-greedy", "search:iterations=20", "greedy", given.search_boards),
            ("greedy-random", "greedy", "random", given.boards),
        ],
    )
    print("good" if good else "bad: an error rate is above what was promised")
    return not good


if __name__ == "__main__":
    sys.exit(main())
