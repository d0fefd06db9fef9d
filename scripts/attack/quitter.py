"""A bot that fails whenever it is behind, so that only its good matches would count."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

from scripts.attack.stage import Finding

BOARDS: Final = 200
_BOTS: Final = Path(__file__).with_name("quitters.py")
_LENGTHS: Final = {"tractor": "max_deals=3", "tongits": "max_hands=3", "pokex": "max_deals=3"}


async def attack(folder: Path, _seconds: float) -> list[Finding]:
    """Whether a bot that raises an exception whenever it is behind beats its honest twin.

    Plays `BOARDS` boards of each game, however long that takes.
    """
    return [await _play(folder / game, game) for game in _LENGTHS]


async def _play(folder: Path, game: str) -> Finding:
    bots = ("--bots", f"{_BOTS}:Quitter,{_BOTS}:Honest", "--boards", str(BOARDS), "--seed", "1")
    command = ("-m", "croupier_server", "play", game, *bots, "--option", _LENGTHS[game])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(*command, "--out", str(folder)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await process.wait()
    data: dict[str, Any] = json.loads((folder / "results.json").read_text("utf-8"))
    twin = data["entrants"][1]
    low, high = twin["interval"]
    text = (
        f"{game}, {twin['boards']} boards: the honest twin scores {twin['score']:+.2f} "
        f"({low:+.2f} to {high:+.2f}), {twin['won']} won, {twin['lost']} lost, "
        f"{twin['failed']} of {len(data['matches'])} matches not counted"
    )
    return Finding(text, is_good=low > 0 and twin["boards"] == BOARDS)
