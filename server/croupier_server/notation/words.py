"""What a notation needs of a game: its moves read back, and a few words on its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from croupier_server.games.base import Event, Move
from croupier_server.notation.pokex import PokexWords
from croupier_server.notation.tongits import TongitsWords
from croupier_server.notation.tractor import TractorWords


class Words(Protocol):
    """How the matches of one game are written."""

    def parse_move(self, text: str) -> Move:
        """The move that `Game.move_text` writes as *text*.

        Raises:
            ValueError: it writes none so.
        """
        ...

    # Any: each game has its own types of events and options, which nobody else looks into.
    def dealt(self, started: Any, deck: Sequence[int], options: Any) -> list[str]:
        """Lines on who is dealt what when *deck* is put in, which begins with *started*."""
        ...

    def remark(self, event: Event) -> str:
        """A few words behind the move; empty where the move says it all."""
        ...

    def ends_line(self, public: Any) -> bool:
        """Whether the next move begins a line: after a trick, a turn, an auction."""
        ...

    def scored(self, public: Any) -> list[str]:
        """Lines on the end of a deal; none for other events."""
        ...


WORDS: Final[Mapping[str, Words]] = {
    "tractor": TractorWords(),
    "tongits": TongitsWords(),
    "pokex": PokexWords(),
}
"""By name of the game."""
