"""Tractor for bots: views, the order of the cards, moves, and the kinds of moves and decisions."""

from __future__ import annotations

from typing import Final

from croupier.game import GameWords
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
    "WORDS",
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

_OPTION_TEXTS: Final = {
    "TRACTOR_KITTY_MULTIPLIER_TWICE": "2x_flat",
    "TRACTOR_KITTY_MULTIPLIER_TWICE_LARGEST_COMPONENT": "2x_largest_component",
    "TRACTOR_KITTY_MULTIPLIER_TWICE_TRICK_SIZE": "2x_trick_size",
    "TRACTOR_KITTY_MULTIPLIER_TWO_POW_LARGEST_COMPONENT": "2_pow_largest_component",
    "TRACTOR_KITTY_MULTIPLIER_TWO_POW_PAIRS_PLUS_ONE": "2_pow_pairs_plus_1",
    "TRACTOR_LEVEL_CAP_FOUR": "4",
    "TRACTOR_LEVEL_CAP_THREE": "3",
}

WORDS: Final = GameWords(TractorMove, TractorView, MoveKind, DecisionKind, _OPTION_TEXTS)
"""This game, for `croupier.games`."""
