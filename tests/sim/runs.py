"""Runs of the simulation for tests: blocks of seeds, and the seeds that once found something."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

from tests.sim.plan import Plan, make_plan
from tests.sim.world import Report, Run

BLOCK = 10
"""Seeds of a block."""

FOUND: dict[str, int] = {
    name: entry["seed"]
    for name, entry in tomllib.loads(
        (Path(__file__).parent / "found.toml").read_text(encoding="utf-8")
    ).items()
}
"""Seeds by the name of what they found."""


def run(seed: int) -> Report:
    """The run of *seed*; its failure says how to see it again."""
    try:
        return Run(make_plan(seed)).play()
    except Exception as error:
        error.add_note(f"again: make sim SEED={seed} N=1")
        raise


def run_block(number: int) -> int:
    """Run a block of seeds; returns how many matches were played."""
    return sum(run(seed).matches for seed in range(number * BLOCK, (number + 1) * BLOCK))


def plans(is_wanted: Callable[[Plan], bool], number: int) -> list[Plan]:
    """The plans of the first so many seeds that are wanted, in which nothing goes wrong yet."""
    found = (make_plan(seed, with_trouble=False) for seed in count())
    return list(islice(filter(is_wanted, found), number))


def play(plan: Plan) -> Report:
    """Carry a plan out that has been changed by hand."""
    return Run(plan).play()
