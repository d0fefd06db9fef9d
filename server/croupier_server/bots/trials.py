"""The search itself, for any game: try moves in worlds that fit a view, and see what comes of them.

Worlds come from `Game.worlds`. In each of them every candidate that is still in question is played,
and a playout carries on from there by the guide's quick play; so candidates are compared on the
same cards. The worse half of them drops out again and again (sequential halving). The move that
was expected to be best stays in to the end, and gives way only to one that did better by more than
chance would explain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log2, sqrt
from time import perf_counter
from typing import Any, Final

from croupier_server.games.base import Move, Seat, Turn
from croupier_server.games.searching import Guide

_SWEEPS_MIN: Final = 4
"""No candidate drops out, or is preferred, before it was tried in so many worlds."""

_DOUBT: Final = 1.5
"""The expected move gives way to one that did better by so many standard errors."""


class Budget:
    """How long to search for one move: so many playouts, or so many seconds; whichever of both is
    used up first. Zero stands for no bound; one of them is given."""

    __slots__ = ("_playouts", "_seconds", "_start")

    def __init__(self, playouts: int = 0, seconds: float = 0.0) -> None:
        self._playouts = playouts
        self._seconds = seconds
        self._start = perf_counter() if seconds else 0.0

    def used(self, played: int) -> float:
        """The share of it that is used after *played* playouts; from 1 on nothing is left."""
        by_number = played / self._playouts if self._playouts else 0.0
        return max(by_number, self.time_used())

    def time_used(self) -> float:
        """The share of the seconds that has passed; 0 where they are not bound."""
        return (perf_counter() - self._start) / self._seconds if self._seconds else 0.0


def best_move(
    guide: Guide,
    view: Any,
    seat: Seat,
    expected: Move | None,
    budget: Budget,
    words: Iterator[int],
) -> Move:
    """The move of *seat* that does best in trials.

    Args:
        guide: the game.
        view: what *seat* knows.
        seat: whose move it is.
        expected: the move that seems best without trials; None: what quick
            play makes.
        budget: how long to search.
        words: chance, as 64-bit words.
    """
    world = _world(guide, view, seat, words)
    candidates = guide.worth_trying(world, seat)
    if expected is None:
        expected = guide.quick_move(world, seat)
    moves = [expected, *(move for move in candidates if move != expected)]
    if len(moves) == 1:
        return expected
    trials = _Trials(guide, seat, moves)
    rounds = max(1, ceil(log2(len(moves))))
    done = 0
    while True:
        trials.sweep(world, budget)
        used = budget.used(trials.played)
        if used >= 1.0:
            return moves[trials.choice()]
        if used * rounds >= done + 1:
            done += trials.drop_the_worse()
        world = _world(guide, view, seat, words)


def _world(guide: Guide, view: Any, seat: Seat, words: Iterator[int]) -> Any:
    """Another world that fits *view*."""
    world = guide.game.worlds(view, words)
    guide.touch_up(world, seat)
    return world


def play_out(guide: Guide, state: Any, seat: Seat, move: Move) -> float:
    """What comes of it for *seat* if it plays *move* in *state* and all go on with quick play."""
    game, quick_move, is_reached = guide.game, guide.quick_move, guide.is_reached
    turn_of, to_act, apply = game.turn, game.to_act, game.apply_unchecked
    asks, window = Turn.MOVE, Turn.WINDOW
    goal = guide.goal(state)
    if turn_of(state) is asks:
        apply(state, seat, move)
    else:
        answers = {other: quick_move(state, other) for other in to_act(state)}
        game.close_window(state, answers | {seat: move})
    while not is_reached(state, goal):
        turn = turn_of(state)
        if turn is asks:
            (other,) = to_act(state)
            apply(state, other, quick_move(state, other))
        elif turn is window:
            game.close_window(state, {other: quick_move(state, other) for other in to_act(state)})
        else:
            break
    return guide.value(state, seat)


class _Trials:
    """What came of trials so far.

    Attributes:
        played: number of playouts.
    """

    __slots__ = ("_alive", "_guide", "_moves", "_seat", "_values", "played")

    def __init__(self, guide: Guide, seat: Seat, moves: Sequence[Move]) -> None:
        self._guide = guide
        self._seat = seat
        self._moves = moves
        self._values: list[list[float]] = [[] for _ in moves]
        self._alive = list(range(len(moves)))
        self.played = 0

    def sweep(self, world: Any, budget: Budget) -> None:
        """Try every move that is still in question in *world*. If time runs out on the way, what
        was tried in it counts for nothing."""
        copy = self._guide.game.copy
        found: list[float] = []
        for index in self._alive:
            found.append(play_out(self._guide, copy(world), self._seat, self._moves[index]))
            if len(found) < len(self._alive) and budget.time_used() >= 1.0:
                return
        for index, value in zip(self._alive, found, strict=True):
            self._values[index].append(value)
        self.played += len(found)

    def drop_the_worse(self) -> bool:
        """Keep the better half, and the expected move in any case; False if it is too early."""
        values, alive = self._values, self._alive
        if len(values[0]) < _SWEEPS_MIN or len(alive) <= 2:
            return False
        ranked = sorted(alive, key=lambda index: (-sum(values[index]), index))
        kept = ranked[: (len(ranked) + 1) // 2]
        self._alive = kept if 0 in kept else [*kept[: max(1, len(kept) - 1)], 0]
        return True

    def choice(self) -> int:
        """Which move is best: the expected one unless another is better beyond doubt."""
        values = self._values
        best = max(self._alive, key=lambda index: (sum(values[index]), -index))
        if not best or len(values[0]) < _SWEEPS_MIN:
            return 0
        gains = [won - usual for won, usual in zip(values[best], values[0], strict=True)]
        number = len(gains)
        mean = sum(gains) / number
        variance = sum([(gain - mean) ** 2 for gain in gains]) / (number - 1)
        return best if mean > _DOUBT * sqrt(variance / number) else 0
