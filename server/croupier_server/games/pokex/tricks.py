"""In what order a trick is played and who takes it (P-4)."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from croupier_server.games.base import Seat

ORDERS: Final[dict[str, tuple[tuple[Seat, ...], ...]]] = {
    name: tuple(tuple((leader + step) % 4 for step in steps) for leader in range(4))
    for name, steps in (("pair_first", (0, 2, 1, 3)), ("clockwise", (0, 1, 2, 3)))
}
"""Who plays in turn, by `play_order` and leader (P-4.2)."""


class Award(NamedTuple):
    """Who takes a trick: the side or None, the tricks that it counts for the winner, and the tied
    tricks that stay for the next trick won."""

    winner: int | None
    counted: int
    carried: int


@cache  # of the few answers that there are
def award(better: int | None, leader_side: int, carried: int, tied_trick: str) -> Award:
    """Give a trick to the side *better*, which is None for level hands (P-4.3)."""
    if better is not None:
        return Award(better, 1 + carried, 0)
    if tied_trick == "leader":
        return Award(leader_side, 1, 0)
    if tied_trick == "other":
        return Award(1 - leader_side, 1, 0)
    return Award(None, 0, carried + 1 if tied_trick == "carry" else 0)


def next_leader(leader: Seat) -> Seat:
    """Who leads after *leader*: the next seat clockwise, whoever won (P-4.4)."""
    return (leader + 1) % 4
