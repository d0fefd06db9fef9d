"""A ladder over a Ray cluster of several nodes on this machine, one of which is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_ladder import exported, ladder, spec
from tests.e2e.serving import COMMAND, clean_environment

NODE_CORES = 2
BOARDS = 60


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without cores and two nodes, each with room for one host."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    utils = pytest.importorskip("ray.cluster_utils")
    size = {"object_store_memory": 80 << 20}
    head = size | {"num_cpus": 0, "include_dashboard": False}
    made = utils.Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(2):
            made.add_node(num_cpus=NODE_CORES, **size)
        yield made
    finally:
        made.shutdown()


def descendants(pid: int) -> list[int]:
    """The processes that *pid* has started, and those that they have started."""
    found = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            found += [child, *descendants(child)]
    return found


def servers_of(raylet: int) -> list[int]:
    """The servers of contests that run on a node."""
    found = []
    for pid in descendants(raylet):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"serve" in words:
            found.append(pid)
    return found


def wait_for(condition: Callable[[], Any]) -> Any:
    """What *condition* finds, once it is true."""
    while not (found := condition()):
        time.sleep(0.05)
    return found


@pytest.mark.slow
def test_a_node_dies_and_nothing_is_lost_or_counted_twice(cluster: Any, tmp_path: Path) -> None:
    quiet, folder = tmp_path / "quiet" / "cup", tmp_path / "ray" / "cup"
    bots = [{"name": bot, "bot": bot} for bot in ("greedy", "random")]
    bots.append({"name": "own", "bot": "bots.py:Greedy"})
    for one in (quiet, folder):
        spec(one, boards=BOARDS, entrant=bots)
    assert ladder("run", quiet, "--quiet") == 0

    command = [*COMMAND[:-1], "ladder", "run", folder, "--quiet", "--executor", "ray"]
    runner = subprocess.Popen(
        [*map(str, command), "--ray-address", cluster.address], env=clean_environment()
    )
    records = folder / "records"
    nodes = list(cluster.worker_nodes)
    raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
    wait_for(lambda: runner.poll() is not None or all(map(servers_of, raylets)))
    wait_for(lambda: runner.poll() is not None or len(list(records.rglob("*.croupier"))) > BOARDS)
    assert runner.poll() is None
    bots_of_node = descendants(raylets[0])
    for pid in (raylets[0], *bots_of_node):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    killed_at = len(list(records.rglob("*.croupier")))
    assert runner.wait() == 0
    assert killed_at < BOARDS * 3 * 2

    found = exported(folder)
    counted = Counter(row["board"] for row in found["matches"])
    assert counted == Counter(dict.fromkeys(range(1, 3 * BOARDS + 1), 2))
    assert (folder / "out.json").read_bytes() == (exported(quiet), quiet / "out.json")[
        1
    ].read_bytes()
    print(f"killed after {killed_at} of {BOARDS * 6} matches")
