"""A small run of `make crash`: real matches on a server that is killed under them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from scripts.crash import Plan, crash


@pytest.mark.more
def test_durable_matches_survive_a_server_that_is_killed_again_and_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan("sqlite", kills=5, matches=5, think_s=0.05, seed="small")
    status = asyncio.run(crash(plan, f"sqlite:{tmp_path / 'croupier.db'}", tmp_path))
    printed = capsys.readouterr().out
    assert status == 0, printed
    figures = dict(line.rsplit(maxsplit=1) for line in printed.splitlines() if line[-1].isdigit())
    assert int(figures["kills"]) == 5
    assert int(figures["acknowledgements"]) > 100
    assert int(figures["distinct events"]) > 100
    assert int(figures["streams resumed"]) > 5
