"""The games that this client knows. A game is entered here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from croupier import pokex, tongits, tractor
from croupier.game import GameWords

__all__ = ["FIRST", "GAMES"]


GAMES: Final[Mapping[str, GameWords]] = MappingProxyType(
    {words.name: words for words in (tractor.WORDS, tongits.WORDS, pokex.WORDS)}
)
"""Every game by its name, which is also that of its arm in the contract's messages."""

FIRST: Final = next(iter(GAMES))
"""The game that is played where none is named."""
