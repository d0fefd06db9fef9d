"""When `greedy` calls draw, and when it challenges a call."""

from __future__ import annotations

from math import erf, sqrt
from typing import Final

from croupier.bot import Decision
from croupier.moves import Move
from croupier.tongits import MoveKind
from croupier.tongits.greedy.table import Table
from croupier.v1 import tongits_pb2

__all__ = ["answer", "beats", "call"]

_LEFT: Final = (21.0, 3.4, -4.8)
"""The points left over in the hand of an opened player: about the first, the second for each card
in it, and the third for each turn that the player has had; never fewer than `_LEFT_MIN`."""
_LEFT_MIN: Final = 3.0
_SPREAD: Final = (1.5, 0.35)
"""Their standard deviation: the first, and the second for each of these points."""
_CALLER: Final = 0.6
"""Who calls draw has about so much of what others would have."""
_WIN: Final = 1
_FOUGHT: Final = 3
"""G-6.3: the standard payments."""
_CALL_AT: Final = 0.38
_CHALLENGE_AT: Final = 0.3
"""Chance to win from which on draw is called, or a call challenged: who challenges and loses pays
more than who folds, and wins more than both."""


def beats(table: Table, seat: int, part: float = 1.0) -> float:
    """The chance that the own hand leaves fewer points than that of *seat*, of which *part* of the
    usual is expected."""
    public, (base, per_card, per_turn) = table.view.public, _LEFT
    usual = base + per_card * public.hand_sizes[seat] + per_turn * public.turns[seat]
    mean = part * max(usual, _LEFT_MIN)
    spread = _SPREAD[0] + _SPREAD[1] * mean
    return 0.5 * (1.0 + erf((mean - table.view.deadwood) / (spread * sqrt(2.0))))


def call(table: Table, decision: Decision) -> Move | None:
    """The draw call, if it is legal and likely to win."""
    moves = decision.legal.moves
    calls = next((move for move in moves if move.kind is MoveKind.CALL_DRAW), None)
    if calls is None:
        return None
    chance = 1.0
    for seat in table.rivals:
        if table.may_challenge(seat):
            chance *= beats(table, seat)
    return calls if chance >= _CALL_AT else None


def answer(table: Table, decision: Decision) -> Move:
    """Challenge, if that is likely enough to win or costs no more than to fold; otherwise fold."""
    moves = {move.kind: move for move in decision.legal.moves}
    fold, challenge = moves.get(MoveKind.FOLD), moves.get(MoveKind.CHALLENGE)
    if fold is None or challenge is None:
        return decision.legal[0]
    public = table.view.public
    if _is_folding_dear(table):
        return challenge
    chance = beats(table, public.caller, _CALLER)
    for given in public.answers:
        if given.challenged:
            chance *= beats(table, given.seat, _CALLER)
    return challenge if chance >= _CHALLENGE_AT else fold


def _is_folding_dear(table: Table) -> bool:
    """G-6.1, G-6.2: whether who folds pays no less than who challenges and loses."""
    options, answers = table.options, table.view.public.answers
    fought = options.pay_draw_fought if options.HasField("pay_draw_fought") else _FOUGHT
    folded = options.pay_win if options.HasField("pay_win") else _WIN
    scope = options.fought_scope
    is_fought = scope == tongits_pb2.TONGITS_FOUGHT_SCOPE_ALL_LOSERS and any(
        given.challenged for given in answers
    )
    if is_fought or scope == tongits_pb2.TONGITS_FOUGHT_SCOPE_ANY_DRAW:
        folded = fought
    return folded + options.fold_penalty >= fought
