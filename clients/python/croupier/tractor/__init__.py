"""Tractor for bots: views, the order of the cards, and the kinds of moves and decisions."""

from __future__ import annotations

from croupier.tractor.moves import DecisionKind, MoveKind, Suit
from croupier.tractor.order import Order
from croupier.tractor.view import Declaration, Phase, Play, TractorView, Trick, Trumps, ViewMemory

__all__ = [
    "DecisionKind",
    "Declaration",
    "MoveKind",
    "Order",
    "Phase",
    "Play",
    "Suit",
    "TractorView",
    "Trick",
    "Trumps",
    "ViewMemory",
]
