"""Contests for the tests of `croupier play`, with bots in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from croupier_server.cli import run

ONE_DEAL = ["--option", "max_deals=1"]


def play(folder: Path, *arguments: str, game: str = "tractor") -> tuple[int, dict[str, Any]]:
    """Play a contest into *folder*; its status and what its results file says."""
    status = run(["play", game, "--out", str(folder), *arguments])
    return status, json.loads((folder / "results.json").read_text())


def scores(data: dict[str, Any]) -> list[tuple[int, list[str], int]]:
    return [(match["board"], match["seats"], match["score"]) for match in data["matches"]]
