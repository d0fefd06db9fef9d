"""`search` at real tables: a server, processes and streams, as `croupier play` has them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.more
@pytest.mark.parametrize(
    ("game", "short"),
    [("tractor", "max_deals=1"), ("tongits", "max_hands=1"), ("pokex", "max_deals=1")],
)
def test_a_contest_with_search_is_played_to_its_end(game: str, short: str, tmp_path: Path) -> None:
    bots = "search:iterations=3,random"
    arguments = ["--bots", bots, "--boards", "1", "--option", short, "--seed", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "croupier_server", "play", game, *arguments, "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    matches = json.loads(done.stdout)["matches"]
    assert matches
    assert {match["reason"] for match in matches} == {"FINISHED"}
    assert {name for match in matches for name in match["seats"]} == {"search@3", "random"}
