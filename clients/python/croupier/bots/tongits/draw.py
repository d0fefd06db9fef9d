"""When `greedy` calls draw, and when it challenges a call.

Must not be put here: melds and discards.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Final

from croupier.bot import Decision
from croupier.bots.tongits.table import Table
from croupier.moves import Move
from croupier.tongits import MoveKind

__all__ = ["answer", "beats", "call"]

_PER_CARD: Final = 3.0
_OFFSET: Final = -4.0
_SPREAD: Final = 9.0
"""The points left over in a hand of n cards that was not shown: about ``_PER_CARD * n + _OFFSET``,
give or take a standard deviation of ``_SPREAD``."""
_CALLER: Final = 0.6
"""Who calls draw has about so much of what the others have."""
_CALL_AT: Final = 0.5
_CHALLENGE_AT: Final = 0.3
"""Chance to win from which on draw is called, or a call challenged: who challenges and loses pays
more than who folds, and wins more than both."""


def beats(points: int, cards: int, part: float = 1.0) -> float:
    """The chance that *points* are fewer than what is left over in an unseen hand of so many cards,
    of which *part* of the usual is expected."""
    mean = part * max(_PER_CARD * cards + _OFFSET, 1.0)
    return 0.5 * (1.0 + erf((mean - points) / (part * _SPREAD * sqrt(2.0))))


def call(table: Table, decision: Decision) -> Move | None:
    """The draw call, if it is legal and likely to win."""
    moves = decision.legal.moves
    calls = next((move for move in moves if move.kind is MoveKind.CALL_DRAW), None)
    if calls is None:
        return None
    chance = 1.0
    for seat in table.rivals:
        if table.may_challenge(seat):
            chance *= beats(table.view.deadwood, table.view.public.hand_sizes[seat])
    return calls if chance >= _CALL_AT else None


def answer(table: Table, decision: Decision) -> Move:
    """Challenge, if that is likely enough to win; otherwise fold."""
    moves = {move.kind: move for move in decision.legal.moves}
    fold, challenge = moves.get(MoveKind.FOLD), moves.get(MoveKind.CHALLENGE)
    if fold is None or challenge is None:
        return decision.legal[0]
    view = table.view
    sizes, points = view.public.hand_sizes, view.deadwood
    caller = view.public.caller
    chance = beats(points, sizes[caller], _CALLER)
    for given in view.public.answers:
        if given.is_challenge:
            chance *= beats(points, sizes[given.seat], _CALLER)
    return challenge if chance >= _CHALLENGE_AT else fold
