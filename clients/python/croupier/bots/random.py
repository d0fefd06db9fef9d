"""The house bot `random`: any legal move.

Where all legal moves are listed each is equally likely; otherwise `LegalMoves.sample` says how a
move is drawn.
"""

from __future__ import annotations

from croupier.bot import Bot, Decision
from croupier.moves import Move
from croupier.views import View

__all__ = ["RandomBot"]


class RandomBot(Bot):
    """Plays any legal move, by chance."""

    inline = True
    name = "random"

    def decide(self, view: View, decision: Decision) -> Move:
        """Draw one of the legal moves."""
        return decision.legal.sample(decision.random)
