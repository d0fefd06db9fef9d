"""The packaged texts of the rule clauses of every game.

Each game's folder holds them in ``clauses.toml``. Must not be put here: the texts themselves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def texts(package: str) -> Mapping[str, str]:
    """Text of every clause of the game in *package* by its id, such as ``T-6.4``, in the order of
    the rules."""
    source = resources.files(package).joinpath("clauses.toml").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for clause, text in tomllib.loads(source)["clauses"].items():
        assert isinstance(text, str)
        found[clause] = " ".join(text.split())
    return found
