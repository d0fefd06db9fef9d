"""How `greedy` plays Tractor: sensibly, from the view and the decision alone.

It declares on length, buries short suits, leads winners and tractors, feeds points to a partner
who wins, ducks where it cannot, ruffs tricks that are worth it and keeps its trumps otherwise.
"""

from __future__ import annotations

from croupier.bot import Decision
from croupier.moves import Move
from croupier.tractor import DecisionKind, TractorView
from croupier.tractor.greedy import making, play
from croupier.v1 import tractor_pb2

__all__ = ["decide"]


def decide(view: TractorView, decision: Decision, _: tractor_pb2.TractorOptions) -> Move:
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
