"""The house bot `greedy`."""

from __future__ import annotations

from croupier.bots.random import RandomBot

__all__ = ["GreedyBot"]


class GreedyBot(RandomBot):
    """To be written."""

    name = "greedy"
