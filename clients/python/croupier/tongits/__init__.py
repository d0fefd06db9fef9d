"""Tong-its for bots: views, moves, and the kinds of moves and decisions."""

from __future__ import annotations

from typing import Final

from croupier.game import GameWords
from croupier.tongits.moves import (
    DecisionKind,
    MoveKind,
    TongitsMove,
    call_draw,
    card_points,
    challenge,
    discard,
    draw_stock,
    end_turn,
    fold,
    lay_off,
    meld,
    secret_four,
    take_and_lay_off,
    take_discard,
)
from croupier.tongits.view import (
    Answer,
    LayOff,
    Meld,
    Phase,
    TongitsView,
)

__all__ = [
    "WORDS",
    "Answer",
    "DecisionKind",
    "LayOff",
    "Meld",
    "MoveKind",
    "Phase",
    "TongitsMove",
    "TongitsView",
    "call_draw",
    "card_points",
    "challenge",
    "discard",
    "draw_stock",
    "end_turn",
    "fold",
    "lay_off",
    "meld",
    "secret_four",
    "take_and_lay_off",
    "take_discard",
]

_OPTION_TEXTS: Final = {"TONGITS_STREAK_AFTER_JACKPOT_KEEP_ONE": "keep_1"}

WORDS: Final = GameWords(TongitsMove, TongitsView, MoveKind, DecisionKind, _OPTION_TEXTS)
"""This game, for `croupier.games`."""
