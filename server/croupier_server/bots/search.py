"""The bot `search`: one player for all games, by information-set Monte Carlo.

It takes its view and its decision from the contract like any bot, rebuilds from them what its seat
knows, and tries moves in worlds that fit (`croupier_server.bots.trials`). What `greedy` would play
is the move to beat. One search runs at a time, whatever number of tables is played, so that each
has the whole of its time; the principals that made the tables take turns.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import perf_counter
from typing import Any, Final

from croupier.bot import Bot, Decision
from croupier.bots import GreedyBot
from croupier.games import GAMES
from croupier.moves import Move
from croupier.results import Result
from croupier.v1 import table_pb2
from croupier.views import View
from croupier_server.bots.spec import MS_DEFAULT, NAME
from croupier_server.bots.trials import Budget, best_move
from croupier_server.bots.turns import Turns
from croupier_server.games.module import GameModule
from croupier_server.games.modules import MODULES

__all__ = ["SearchBot"]

_CLOCK_PART: Final = 0.25
"""The part of the time left on the clock that one decision and all that wait may take."""
_INSTANT: Final = 1e-6
"""Seconds to spend where the clock has run out: enough for one world."""

_TURNS: Final = Turns()


class SearchBot(Bot):
    """Searches for so many milliseconds a decision, or with so many playouts.

    With *iterations*, and where no clock cuts it short, the same seed makes the same moves.

    Args:
        ms: milliseconds for a decision.
        iterations: playouts for a decision; 0: *ms* counts.
    """

    name = NAME
    owner = ""
    """Principal at whose table it plays; bots of different owners search in turns."""

    def __init__(self, ms: int = MS_DEFAULT, iterations: int = 0) -> None:
        self._ms = ms
        self._iterations = iterations
        self._greedy = GreedyBot()
        self._options: dict[tuple[str, int], tuple[GameModule, Any]] = {}

    def on_start(self, table: table_pb2.Table, seat: int) -> None:
        """Note the house rules."""
        self._greedy.on_start(table, seat)
        game = MODULES[table.spec.options.WhichOneof("game") or ""]
        texts = game.wire.options_overrides(table.spec.options)
        options = game.rules.options(game.rules.rulesets()[0], texts)
        self._options[table.table_id, seat] = game, options

    def on_end(self, result: Result) -> None:
        """Forget the house rules."""
        self._greedy.on_end(result)
        self._options.pop((result.table_id, result.seat), None)

    def decide(self, view: View, decision: Decision) -> Move:
        """Choose by trials; a forced move is played at once."""
        asked_at = perf_counter()
        if decision.legal.only is not None:
            return decision.legal.only
        with _TURNS.turn(self.owner) as waiting:
            return self._search(view, decision, asked_at, waiting)

    def _search(self, view: View, decision: Decision, asked_at: float, waiting: int) -> Move:
        """The best move that can be found within the budget, while *waiting* others wait."""
        game, options = self._options[decision.table_id, decision.seat]
        if game.guide is None:
            return self._greedy.decide(view, decision)
        known = game.wire.read_view(view.message, options)
        # A table may leave legal moves out of its questions, and then greedy cannot choose.
        expected = self._greedy.decide(view, decision) if decision.legal else None
        found = best_move(
            game.guide,
            known,
            decision.seat,
            None if expected is None else game.wire.move_code(expected.message),
            self._budget(decision, asked_at, waiting),
            _words(decision),
        )
        return GAMES[game.name].move(game.wire.move_message(found))

    def _budget(self, decision: Decision, asked_at: float, waiting: int) -> Budget:
        """What may be spent on *decision*, which came at *asked_at*; decisions that are waiting get
        as much time each."""
        seconds = 0.0 if self._iterations else self._ms / 1000
        left = decision.time_left
        if left is not None:
            most = max(_INSTANT, left - (perf_counter() - asked_at)) * _CLOCK_PART / (1 + waiting)
            seconds = min(seconds, most) if seconds else most
        return Budget(self._iterations, seconds)


def _words(decision: Decision) -> Iterator[int]:
    """Chance for a search, from that of the decision."""
    chance = random.Random(decision.random.randrange(1 << 64))  # noqa: S311 - for playing
    while True:
        yield chance.getrandbits(64)
