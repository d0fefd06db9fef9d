"""Random legal play of whole matches in this process: decisions per second of CPU time.

The loop does what a table does, without clocks, wire and log: chance, windows, and every move
checked. Choices are uniform where all moves are listed, otherwise by the game's own sampler.

Must not be put here: anything that knows one game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from croupier_server.games.base import Turn

if TYPE_CHECKING:
    from croupier_server.games.registry import AnyGame

SLICE_S = 0.05
"""The clock is read about this often, so that reading it costs nothing."""


class Played(NamedTuple):
    """What was played: decisions that left a choice, those that did not, and CPU seconds."""

    decisions: int
    forced: int
    cpu_s: float

    @property
    def rate(self) -> float:
        """Decisions per CPU second."""
        return self.decisions / self.cpu_s


class Playout:
    """Endless random play of one ruleset; matches follow each other."""

    def __init__(self, game: AnyGame, ruleset: str, seed: int) -> None:
        self._game = game
        self._options = game.options(ruleset, {})
        self._random = random.Random(seed)  # noqa: S311 - chance for playing
        self._words = self._draw_words()
        self._state = game.new(self._options)
        self.decisions = 0
        self.forced = 0

    def run(self, cpu_s: float) -> Played:
        """Play for at least *cpu_s* seconds of CPU time."""
        decisions, forced = self.decisions, self.forced
        start = now = process_time()
        steps = 100
        while now - start < cpu_s:
            before = now
            for _ in range(steps):
                self.step()
            now = process_time()
            steps = max(1, int(steps * SLICE_S / max(now - before, 1e-4)))
        return Played(self.decisions - decisions, self.forced - forced, now - start)

    def step(self) -> None:
        """One chance event, one window, or one move; a finished match is followed by a new one."""
        game, state = self._game, self._state
        turn = game.turn(state)
        if turn is Turn.MOVE:
            (seat,) = game.to_act(state)
            game.decision_kind(state, seat)
            game.apply(state, seat, self._choose(seat))
        elif turn is Turn.WINDOW:
            answers = {}
            for seat in game.to_act(state):
                game.decision_kind(state, seat)
                answers[seat] = self._choose(seat)
            game.close_window(state, answers)
        elif turn is Turn.CHANCE:
            chance = game.chance(state)
            if chance.cards:
                deck = list(chance.cards)
                self._random.shuffle(deck)
                game.apply_chance(state, deck)
            else:
                game.apply_chance(state, (self._random.randrange(chance.sides),))
        else:
            self._state = game.new(self._options)

    def _choose(self, seat: int) -> int:
        """A legal move of *seat*, counted as a decision or as forced."""
        legal = self._game.legal_moves(self._state, seat)
        if legal.patterns:
            self.decisions += 1
            return self._game.sample(legal, self._words)
        moves = legal.moves
        if len(moves) == 1:
            self.forced += 1
            return moves[0]
        self.decisions += 1
        return moves[int(self._random.random() * len(moves))]

    def _draw_words(self) -> Iterator[int]:
        while True:
            yield self._random.getrandbits(64)
