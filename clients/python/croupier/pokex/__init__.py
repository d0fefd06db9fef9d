"""Pokex for bots: views, moves, and the kinds of moves and decisions."""

from __future__ import annotations

from typing import Final

from croupier.game import GameWords
from croupier.pokex.moves import (
    DecisionKind,
    MoveKind,
    PokexMove,
    bid,
    decline,
    name_rank,
    play,
)
from croupier.pokex.view import Category, Phase, Play, PokerHand, PokexView, Trick

__all__ = [
    "WORDS",
    "Category",
    "DecisionKind",
    "MoveKind",
    "Phase",
    "Play",
    "PokerHand",
    "PokexMove",
    "PokexView",
    "Trick",
    "bid",
    "decline",
    "name_rank",
    "play",
]

WORDS: Final = GameWords(PokexMove, PokexView, MoveKind, DecisionKind)
"""This game, for `croupier.games`."""
