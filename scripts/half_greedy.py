"""A bot between `greedy` and `random`, for contests of scripts."""

SOURCE = '''"""Plays as `greedy` does half of the time, and any legal move else."""

import croupier
from croupier.bots import load_bot


class HalfGreedy(croupier.Bot):
    def __init__(self):
        self._greedy = load_bot("greedy")()

    def decide(self, view, decision):
        if decision.random.random() < 0.5:
            return decision.legal.sample(decision.random)
        return self._greedy.decide(view, decision)
'''
