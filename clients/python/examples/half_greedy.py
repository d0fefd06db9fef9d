"""Plays as the house bot `greedy` does half of the time, and any legal move otherwise.

croupier play pokex --bots clients/python/examples/half_greedy.py:HalfGreedy,greedy
"""

import croupier
from croupier.bots import load_bot


class HalfGreedy(croupier.Bot):
    """Between `random` and `greedy`."""

    def __init__(self) -> None:
        self._greedy = load_bot("greedy")()

    def decide(self, view: croupier.View, decision: croupier.Decision) -> croupier.Move:
        """Toss a coin for each decision; the same seed gives the same tosses."""
        if decision.random.random() < 0.5:
            return decision.legal.sample(decision.random)
        return self._greedy.decide(view, decision)
