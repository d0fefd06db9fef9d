"""Bots in other languages that wait for hosts, or play the seats that a contest invites them to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "clients"
TSX = CLIENTS / "typescript" / "node_modules" / ".bin" / "tsx"

needs_programs = pytest.mark.skipif(
    not (shutil.which("go") and TSX.exists()) and not os.environ.get("CI"),
    reason="needs Go, and the TypeScript client built by `make test-clients`",
)


def programs(folder: Path) -> tuple[list[str], list[str]]:
    """The commands of the bots in Go, which is built in *folder*, and in TypeScript."""
    go = folder / "go" / "standby"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for command in (
        ["buf", "generate", "../../protos"],
        ["go", "build", "-o", str(go), "./standby"],
    ):
        subprocess.run(command, cwd=CLIENTS / "go", env={**os.environ, "PATH": path}, check=True)
    return [str(go)], [str(TSX), str(CLIENTS / "typescript" / "standby.ts")]
