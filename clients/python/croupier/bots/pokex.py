"""How `greedy` plays."""

from __future__ import annotations

from croupier.bot import Decision
from croupier.moves import Move
from croupier.pokex import PokexView

__all__ = ["decide"]


def decide(view: PokexView, decision: Decision) -> Move:
    """Choose by the rules of thumb for what is asked."""
    return decision.legal[0]
