"""What `search` has of each game: its reader and its guide, one line a game."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from croupier_server.bots import read_pokex, read_tongits, read_tractor
from croupier_server.bots.guide_pokex import PokexGuide
from croupier_server.bots.guide_tongits import TongitsGuide
from croupier_server.bots.guide_tractor import TractorGuide
from croupier_server.bots.reading import Reader
from croupier_server.bots.trials import Guide

READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {"tractor": read_tractor, "tongits": read_tongits, "pokex": read_pokex}
)
"""By game: messages as values of its rules, and back."""

GUIDES: Final[Mapping[str, Guide]] = MappingProxyType(
    {guide.game.name: guide for guide in (TractorGuide(), TongitsGuide(), PokexGuide())}
)
"""By game: what the search needs beside its rules."""
