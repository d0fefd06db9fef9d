"""The house bot `greedy`: sensible play of every game from the view and the decision alone.

It does not search and draws no random numbers. Must not be put here: the judgement itself; each
game has a module for that (`croupier.bots.tractor`, `croupier.bots.tongits`,
`croupier.bots.pokex`).
"""

from __future__ import annotations

from croupier.bot import Bot, Decision
from croupier.bots import pokex, tongits, tractor
from croupier.moves import Move
from croupier.views import PokexView, TongitsView, TractorView, View

__all__ = ["GreedyBot"]


class GreedyBot(Bot):
    """Plays sensibly, quickly, and always the same way in the same position."""

    inline = True
    name = "greedy"

    def decide(self, view: View, decision: Decision) -> Move:
        """Choose by the rules of thumb of the game."""
        match view:
            case TractorView():
                return tractor.decide(view, decision)
            case TongitsView():
                return tongits.decide(view, decision)
            case PokexView():
                return pokex.decide(view, decision)
