"""Runs scripts in Node, which CI has; where it is missing otherwise, what needs it is left out."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")

needs_node = pytest.mark.skipif(
    NODE is None and "CI" not in os.environ, reason="node is not installed; CI has it"
)


def node(script: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """What a script prints."""
    assert NODE is not None, "CI needs node (20 or newer) for the second verifier"
    return subprocess.run([NODE, script, *arguments], capture_output=True, text=True, check=False)
