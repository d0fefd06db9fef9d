"""How `greedy` plays."""

from __future__ import annotations

from croupier.bot import Decision
from croupier.moves import Move
from croupier.tongits import TongitsView

__all__ = ["decide"]


def decide(view: TongitsView, decision: Decision) -> Move:
    """Choose by the rules of thumb for what is asked."""
    return decision.legal[0]
