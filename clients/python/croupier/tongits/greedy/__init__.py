"""How `greedy` plays Tong-its: it opens at once, lays off on others, throws high cards that go with
nothing, calls draw when it is likely to win, and goes out when it can.
"""

from __future__ import annotations

from croupier.bot import Decision
from croupier.moves import Move
from croupier.tongits import DecisionKind, TongitsView
from croupier.tongits.greedy import draw, turn
from croupier.tongits.greedy.table import Table
from croupier.v1 import tongits_pb2

__all__ = ["decide"]


def decide(view: TongitsView, decision: Decision, options: tongits_pb2.TongitsOptions) -> Move:
    """Choose by the rules of thumb for what is asked."""
    table = Table(view, options)
    match decision.kind:
        case DecisionKind.START_TURN:
            called = draw.call(table, decision)
            return turn.start(table, decision) if called is None else called
        case DecisionKind.ANSWER:
            return draw.answer(table, decision)
        case _:
            return turn.play(table, decision)
