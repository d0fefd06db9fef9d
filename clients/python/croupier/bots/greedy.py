"""The house bot `greedy`: sensible Tractor from the view and the decision alone.

It declares on length, buries short suits, leads winners and tractors, feeds points to a partner
who wins, ducks where it cannot, ruffs tricks that are worth it and keeps its trumps otherwise. It
does not search and draws no random numbers. Must not be put here: the judgement itself
(`croupier.bots.making`, `croupier.bots.play`).
"""

from __future__ import annotations

from croupier.bot import Bot, Decision
from croupier.bots import making, play
from croupier.moves import Move
from croupier.tractor import DecisionKind
from croupier.views import View

__all__ = ["GreedyBot"]


class GreedyBot(Bot):
    """Plays sensibly, quickly, and always the same way in the same position."""

    inline = True
    name = "greedy"

    def decide(self, view: View, decision: Decision) -> Move:
        """Choose by the rules of thumb for what is asked."""
        order = view.order
        match decision.kind:
            case DecisionKind.DECLARE:
                return making.declare(view, decision)
            case DecisionKind.CALL:
                return making.call(view, decision)
            case DecisionKind.SHOW:
                return making.show(view, decision)
            case DecisionKind.NAME_TRUMPS:
                return making.name_trumps(view, decision)
            case DecisionKind.BURY:
                return making.bury(view, decision)
            case DecisionKind.LEAD if order is not None:
                return play.lead(view, decision, order)
            case DecisionKind.FOLLOW if order is not None:
                return play.follow(view, decision, order)
            case _:
                return decision.legal[0]
