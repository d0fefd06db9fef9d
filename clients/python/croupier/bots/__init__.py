"""The house bots, and how a bot is named in text.

They play through the contract like anybody's bot: a view, a decision, an answer. Must not be put
here: bots that need rules code; those are no part of the SDK.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from croupier.bot import Bot
from croupier.bots.greedy import GreedyBot
from croupier.bots.random import RandomBot
from croupier.errors import UsageError

__all__ = ["HOUSE_BOTS", "GreedyBot", "RandomBot", "load_bot"]

HOUSE_BOTS: Final[dict[str, type[Bot]]] = {"greedy": GreedyBot, "random": RandomBot}
"""The house bots by name."""


def load_bot(spec: str) -> Callable[[], Bot]:
    """What makes the bot that *spec* names: a house bot, or ``path/to/bot.py:Class``.

    Raises:
        UsageError: there is no such bot.
    """
    if spec in HOUSE_BOTS:
        return HOUSE_BOTS[spec]
    path, colon, name = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        known = ", ".join(HOUSE_BOTS)
        raise UsageError(f"there is no bot {spec!r}; use {known} or path/to/bot.py:Class")
    found = getattr(_module(Path(path)), name, None)
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise UsageError(f"{path} has no class {name} that is a croupier.Bot")
    return found


def _module(path: Path) -> object:
    """The module in the file at *path*, with its folder on the search path as for a script.

    Raises:
        UsageError: it cannot be read or run.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    # Not the file's own name: a bot may well be called random.py.
    spec = importlib.util.spec_from_file_location(f"croupier_bot_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.append(str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return module
