"""Bots that know nothing of our SDK finish a match against house bots, as in other languages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from croupier_server.games.registry import GAMES
from tests.e2e.serving import served

SECONDS = 300


def run(script: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run *script* from a folder with nothing in it; its first argument is the server's address."""
    return subprocess.run(
        [sys.executable, script, *arguments],
        cwd="/",
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.more
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_with_nothing_but_the_stubs(game: str, root: Path, tmp_path: Path) -> None:
    # A package `croupier` that holds the stubs alone stands before the SDK, so nothing else of it
    # can be imported.
    package = tmp_path / "croupier"
    shutil.copytree(root / "clients/python/croupier/v1", package / "v1")
    (package / "__init__.py").write_text("import sys\n\nsys.stderr.write(__file__)\n")
    with served("--log-level", "error") as server:
        done = run(
            root / "clients/python/examples/stubs_only.py",
            server.address,
            f"--game={game}",
            PYTHONPATH=str(tmp_path),
        )
    assert done.stderr == str(package / "__init__.py")
    assert done.returncode == 0
    assert "reason: END_REASON_FINISHED" in done.stdout


@pytest.mark.more
def test_a_bot_that_calls_buf_curl(root: Path) -> None:
    with served("--log-level", "error") as server:
        done = run(root / "tests/e2e/curl_bot.py", server.address)
    assert done.stderr == ""
    assert done.returncode == 0
    moves, brace, result = done.stdout.partition("\n{")
    assert json.loads(brace + result)["reason"] == "END_REASON_FINISHED"
    kinds = {line.partition(" ")[0].rpartition("_")[2] for line in moves.splitlines()}
    assert kinds >= {"BURY", "LEAD", "FOLLOW"}


def by_hand(root: Path) -> list[str]:
    """The blocks of shell in docs/protocol.md."""
    page = (root / "docs/protocol.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.mark.more
def test_a_hand_at_the_shell(root: Path) -> None:
    create, join, view, submit = by_hand(root)
    define = create.splitlines()[0]
    values = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def typed(block: str) -> dict[str, Any]:
        """The answer to what is typed, with the definition of the first block."""
        done = subprocess.run(
            ["bash", "-c", f"{define}\n{block}".replace("127.0.0.1:7421", server.address)],
            env=os.environ | values,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    with served("--log-level", "error") as server:
        values["TABLE"] = typed(create)["table"]["tableId"]
        values["TICKET"] = typed(join)["ticket"]
        while "decision" not in (seen := typed(view)):
            assert "result" not in seen["snapshot"]["table"]
        values["DECISION"] = seen["decision"]["decisionId"]
        values["MOVE"] = json.dumps(seen["decision"]["fallback"])
        assert typed(submit)["accepted"]["decisionId"] == values["DECISION"]
