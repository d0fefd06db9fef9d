"""The house bot `greedy`: sensible play of every game from the view and the decision alone.

It does not search and draws no random numbers. What it knows of a table's house rules is what the
table tells everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from croupier.bot import Bot, Decision
from croupier.moves import Move
from croupier.results import Result
from croupier.v1 import game_pb2, table_pb2
from croupier.views import View

__all__ = ["GreedyBot"]

_UNKNOWN = game_pb2.GameOptions()
"""Options of a table that was not told of: nothing is set, which means the standard rules."""


class GreedyBot(Bot):
    """Plays sensibly, quickly, and always the same way in the same position."""

    inline = True
    name = "greedy"

    def __init__(self) -> None:
        self._options: dict[tuple[str, int], game_pb2.GameOptions] = {}

    def on_start(self, table: table_pb2.Table, seat: int) -> None:
        """Note the house rules."""
        self._options[table.table_id, seat] = table.spec.options

    def on_end(self, result: Result) -> None:
        """Forget the house rules."""
        self._options.pop((result.table_id, result.seat), None)

    def decide(self, view: View, decision: Decision) -> Move:
        """Choose by the rules of thumb of the game."""
        options = self._options.get((decision.table_id, decision.seat), _UNKNOWN)
        game = decision.message.kind.WhichOneof("game") or ""
        return _rules_of_thumb(game)(view, decision, getattr(options, game))


def _first(_view: Any, decision: Decision, _options: Any) -> Move:
    return decision.legal[0]


_Rules = Callable[[Any, Decision, Any], Move]


@cache
def _rules_of_thumb(game: str) -> _Rules:
    """What chooses in a game, from its view, the decision, and its options; where nobody has
    written that, the first legal move is played."""
    module = f"croupier.{game}.greedy"
    if find_spec(module) is None:
        return _first
    found: _Rules = import_module(module).decide
    return found
