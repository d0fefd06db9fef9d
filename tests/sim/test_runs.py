"""Whole runs: matches of all games under faults of every kind, judged by every promise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.more import first_of
from tests.sim.runs import FOUND, run, run_block


@pytest.mark.more
@pytest.mark.parametrize("block", range(10))
def test_every_promise_is_kept(block: int) -> None:
    assert run_block(block) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100, 200))
def test_every_promise_is_kept_at_length(block: int) -> None:
    assert run_block(block) >= 10


@pytest.mark.parametrize("name", first_of(FOUND))
def test_what_was_found_once_is_mended(name: str) -> None:
    assert run(FOUND[name]).matches


@pytest.mark.more
def test_equal_seeds_make_equal_runs() -> None:
    """Also in a process in which sets have another order."""
    code = "from tests.sim.runs import run; print([run(seed).trace for seed in (3, 4, 5)])"
    traces = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()[-1]
        for hash_seed in ("1", "2")
    ]
    assert traces[0] == traces[1] == str([run(seed).trace for seed in (3, 4, 5)])
