"""The PostgreSQL server of the tests: it is there or says why not, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.postgres import SECONDS, Cluster, Missing, program, skipped_where_missing

ONE_THAT_IS_KILLED = """
import os, signal
from tests.storage.postgres import running
with running() as server:
    print(server.url("postgres").partition("host=")[2], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.more
async def test_databases_are_empty_and_apart(cluster: Cluster) -> None:
    one, two = await cluster.create(), await cluster.create()
    assert one != two
    connection = await cluster.connect(one)
    try:
        assert await connection.fetchval("SELECT count(*) FROM pg_stat_user_tables") == 0
    finally:
        await connection.close()


@pytest.mark.more
def test_nothing_is_left_of_a_run_that_was_killed(cluster: Cluster, root: Path) -> None:
    assert cluster.log, "the fixture itself is there, so the programs are"
    run = subprocess.run(
        [sys.executable, "-c", ONE_THAT_IS_KILLED],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        timeout=SECONDS,
        check=False,
    )
    folder = Path(run.stdout.strip())
    # The guard holds the output open until it has cleaned up, so we are here after that.
    assert folder.name.startswith("croupier-pg-")
    assert not folder.exists()


def test_without_the_programs_tests_are_skipped_but_not_under_ci(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("tests.storage.postgres._DEBIAN", Path("/nowhere"))
    for is_ci, outcome in (("true", pytest.fail.Exception), ("", pytest.skip.Exception)):
        monkeypatch.setenv("CI", is_ci)
        words = "initdb is neither on the path nor below /nowhere"
        with pytest.raises(outcome, match=words), skipped_where_missing():
            program("initdb")
    with pytest.raises(Missing):
        program("pg_ctl")
