"""Tractor for bots: views, the order of the cards, moves, and the kinds of moves and decisions."""

from __future__ import annotations

from croupier.tractor.moves import (
    DecisionKind,
    MoveKind,
    Suit,
    TractorMove,
    bury,
    call,
    declare,
    decline,
    name_trumps,
    play,
    show,
)
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
    "TractorMove",
    "TractorView",
    "Trick",
    "Trumps",
    "ViewMemory",
    "bury",
    "call",
    "declare",
    "decline",
    "name_trumps",
    "play",
    "show",
]
