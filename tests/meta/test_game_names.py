"""A game lives in its folders: no code outside names it, and it names no other game.

What a shared module has to know of a game is said by its `GameModule`, its `GameWords` or its
messages. Beside its folders a game has a proto file, arms in ``game.proto``, and tests.
"""

from __future__ import annotations

import ast
import re

from croupier_server.games import NAMES
from tests.meta.sources import modules

FOLDERS = tuple(
    f"{place}/{name}"
    for place in ("server/croupier_server/games", "clients/python/croupier")
    for name in NAMES
)
LISTS = {
    "server/croupier_server/games/__init__.py",
    "clients/python/croupier/__init__.py",
    "clients/python/croupier/games.py",
}
"""Where a game is entered, and what the SDK exports at its top."""


def named(text: str) -> set[str]:
    """Games that the code of a module names; docstrings and comments may, as examples."""
    tree = ast.parse(text)
    docs = {
        id(node.value)
        for parent in ast.walk(tree)
        for node in ast.iter_child_nodes(parent)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    words = (
        str(value)
        for node in ast.walk(tree)
        if id(node) not in docs
        for _, value in ast.iter_fields(node)
        if isinstance(value, str)
    )
    return set(re.findall("|".join(NAMES), " ".join(words).lower()))


def test_nothing_outside_its_folders_names_a_game() -> None:
    found = {
        path.as_posix(): named(text)
        for path, text in modules("server", "clients/python/croupier")
        if path.as_posix() not in LISTS
        and not any(path.is_relative_to(folder) for folder in FOLDERS)
        and named(text)
    }
    assert found == {}


def test_no_game_names_another() -> None:
    found = {}
    for name in NAMES:
        others = "|".join(other for other in NAMES if other != name)
        own = [folder for folder in FOLDERS if folder.endswith(f"/{name}")]
        for path, text in modules(*own):
            if words := re.findall(others, text, re.IGNORECASE):
                found[path.as_posix()] = words
    assert found == {}
