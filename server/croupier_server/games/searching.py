"""What the bot `search` asks of a game beside its rules."""

from __future__ import annotations

from typing import Any

from croupier_server.games.base import AnyGame, Move, Seat


class Guide:
    """What the search has to know of a game beside its rules; one subclass a game.

    States are those of the game, so their type is left open here.

    Attributes:
        game: the rules.
    """

    game: AnyGame

    def worth_trying(self, state: Any, seat: Seat) -> list[Move]:
        """Legal moves of *seat* among which to look for the best; none where trials tell too
        little. They follow from what the seat knows, whatever the world."""
        raise NotImplementedError

    def quick_move(self, state: Any, seat: Seat) -> Move:
        """A sensible legal move, found at once and without chance."""
        raise NotImplementedError

    def value(self, state: Any, seat: Seat) -> float:
        """What the position where a playout stopped is worth to *seat*."""
        raise NotImplementedError

    def goal(self, state: Any) -> int:
        """Where a playout that begins in *state* stops, for `is_reached`."""
        return 0

    def is_reached(self, state: Any, goal: int) -> bool:
        """Whether a playout stops here; the end of the deal stops it in any case."""
        return False

    def touch_up(self, world: Any, seat: Seat) -> None:
        """Make a world that fits what *seat* knows a likelier one, where that is cheap."""
