"""Bots that know nothing of our SDK finish a match against house bots, as in other languages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.e2e.serving import served

SECONDS = 50


def run(script: Path, address: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run *script* with the server's address as its argument, from a folder with nothing in it."""
    return subprocess.run(
        [sys.executable, script, address],
        cwd="/",
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_a_bot_with_nothing_but_the_stubs(root: Path, tmp_path: Path) -> None:
    # A package `croupier` that holds the stubs alone stands before the SDK, so nothing else of it
    # can be imported.
    package = tmp_path / "croupier"
    shutil.copytree(root / "clients/python/croupier/v1", package / "v1")
    (package / "__init__.py").write_text("import sys\n\nsys.stderr.write(__file__)\n")
    with served("--log-level", "error") as server:
        done = run(
            root / "clients/python/examples/stubs_only.py",
            server.address,
            PYTHONPATH=str(tmp_path),
        )
    assert done.stderr == str(package / "__init__.py")
    assert done.returncode == 0
    assert "reason: END_REASON_FINISHED" in done.stdout


def test_a_bot_that_calls_buf_curl(root: Path) -> None:
    with served("--log-level", "error") as server:
        done = run(root / "tests/e2e/curl_bot.py", server.address)
    assert done.stderr == ""
    assert done.returncode == 0
    moves, brace, result = done.stdout.partition("\n{")
    assert json.loads(brace + result)["reason"] == "END_REASON_FINISHED"
    kinds = [line.partition(" ")[0] for line in moves.splitlines()]
    assert kinds[:2] == ["TRACTOR_DECISION_KIND_BURY", "TRACTOR_DECISION_KIND_LEAD"]
    assert "TRACTOR_DECISION_KIND_FOLLOW" in kinds
