"""Random legal play of whole matches in this process: decisions per second of CPU time.

The loop does what a table does, without clocks, wire and log: chance, windows, and every move
checked. Choices are uniform where all moves are listed, otherwise by the game's own sampler.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from croupier_server.games.base import ChanceKind, Turn

if TYPE_CHECKING:
    from croupier_server.games.base import AnyGame, Chance, Legal

SLICE_S = 0.05
"""The clock is read about this often, so that reading it costs nothing."""

SOME_DEALS = 60
"""Deals played to learn how long one is."""


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
        self._number = self._random.random
        self._words = self._draw_words()
        self._state = game.new(self._options)
        self.decisions = 0
        self.forced = 0
        self.decks = 0

    def run(self, cpu_s: float) -> Played:
        """Play for at least *cpu_s* seconds of CPU time."""
        decisions, forced = self.decisions, self.forced
        start = now = process_time()
        steps = 100
        while now - start < cpu_s:
            before = now
            self._play(steps)
            now = process_time()
            steps = max(1, int(steps * SLICE_S / max(now - before, 1e-4)))
        return Played(self.decisions - decisions, self.forced - forced, now - start)

    def step(self) -> None:
        """One chance event, one window, or one move; a finished match is followed by a new one."""
        self._play(1)

    def _play(self, steps: int) -> None:
        """Take so many steps. What a step needs has a local name, to measure rules, not names."""
        game, state = self._game, self._state
        turn_of, to_act, decision_kind = game.turn, game.to_act, game.decision_kind
        legal_moves, apply, close_window = game.legal_moves, game.apply, game.close_window
        choose = self._choose
        move, window, chance = Turn.MOVE, Turn.WINDOW, Turn.CHANCE
        for _ in range(steps):
            turn = turn_of(state)
            if turn is move:
                (seat,) = to_act(state)
                decision_kind(state, seat)
                apply(state, seat, choose(legal_moves(state, seat)))
            elif turn is window:
                answers = {}
                for seat in to_act(state):
                    decision_kind(state, seat)
                    answers[seat] = choose(legal_moves(state, seat))
                close_window(state, answers)
            elif turn is chance:
                game.apply_chance(state, self._draw_chance(game.chance(state)))
            else:
                state = self._state = game.new(self._options)

    def _choose(self, legal: Legal) -> int:
        """A move of *legal*, counted as a decision or as forced."""
        if legal.patterns:
            self.decisions += 1
            return self._game.sample(legal, self._words)
        moves = legal.moves
        number = len(moves)
        if number == 1:
            self.forced += 1
            return moves[0]
        self.decisions += 1
        return moves[int(self._number() * number)]

    def _draw_chance(self, chance: Chance) -> Sequence[int]:
        """An outcome of *chance*; a deck is put in the order of random numbers."""
        if chance.kind is ChanceKind.DECK:
            self.decks += 1
            number = self._number
            return sorted(chance.cards, key=lambda _: number())
        return (self._random.randrange(chance.sides),)

    def _draw_words(self) -> Iterator[int]:
        draw = self._random.getrandbits
        while True:
            yield draw(64)


def deal_decisions(game: AnyGame, ruleset: str) -> float:
    """Decisions that leave a choice in a deal, on average over `SOME_DEALS` of random play."""
    playout = Playout(game, ruleset, seed=0)
    while playout.decks <= SOME_DEALS:
        playout.step()
    return playout.decisions / SOME_DEALS
