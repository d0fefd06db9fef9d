"""The packaged texts of the rule clauses and the refusals of every game.

Each game's folder holds them in ``clauses.toml``.
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
    return _section(package, "clauses")


@cache
def refusals(package: str) -> Mapping[str, str]:
    """Meaning of every word by which the game in *package* refuses a move."""
    return _section(package, "refusals")


def _section(package: str, name: str) -> Mapping[str, str]:
    source = resources.files(package).joinpath("clauses.toml").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for key, text in tomllib.loads(source)[name].items():
        assert isinstance(text, str)
        found[key] = " ".join(text.split())
    return found
