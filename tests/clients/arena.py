"""Deals played by SDK bots without a server, each question of which a test can look at.

For tests of bots, views and legal moves on real positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from croupier.bot import Bot, Decision
from croupier.moves import Move
from croupier.views import View
from croupier_server.games.registry import GAMES
from croupier_server.local import Match

Watcher = Callable[[Any, int, View, Decision], None]
"""Sees each question: the state of the game, the seat, and what its bot gets."""

SHORT = {
    name: next(spec.name for spec in game.option_specs() if spec.name.startswith("max_"))
    for name, game in GAMES.items()
}
"""The option that bounds a match, by game."""


class Arena(Match):
    """One match, of one deal unless *options* say otherwise; `run` plays it."""

    def __init__(
        self,
        bots: Sequence[Bot],
        seed: int,
        ruleset: str = "standard",
        watcher: Watcher | None = None,
        *,
        game: str = "tractor",
        **options: str,
    ) -> None:
        overrides = {SHORT[game]: "1", **options}
        if game == "tractor":
            overrides["players"] = str(len(bots))
        super().__init__(game, bots, ruleset=ruleset, options=overrides, seed=seed)
        self.watcher = watcher
        self.begin()

    def _ask(self, bot: Bot, seat: int) -> tuple[Move, int]:
        if self.watcher is not None:
            self.watcher(self._state, seat, self.view(seat), self.decision(seat))
        return super()._ask(bot, seat)
