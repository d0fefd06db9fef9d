"""A game lives in its folders, and knows no other game."""

from __future__ import annotations

import re

from croupier_server.games import NAMES
from tests.meta.sources import modules

FOLDERS = tuple(
    f"{place}/{name}"
    for place in ("server/croupier_server/games", "clients/python/croupier")
    for name in NAMES
)


def test_no_game_names_another() -> None:
    found = {}
    for name in NAMES:
        others = "|".join(other for other in NAMES if other != name)
        own = [folder for folder in FOLDERS if folder.endswith(f"/{name}")]
        for path, text in modules(*own):
            if words := re.findall(others, text, re.IGNORECASE):
                found[path.as_posix()] = words
    assert found == {}
