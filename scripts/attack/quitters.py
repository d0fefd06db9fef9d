"""Two bots that play alike until one of them is behind: `Quitter` then raises an exception."""

from __future__ import annotations

from croupier import PokexView, TongitsView, TractorView, View
from croupier.bot import Decision
from croupier.bots import GreedyBot
from croupier.moves import Move


class Honest(GreedyBot):
    """Plays every match to its end."""

    name = "honest"


class Quitter(GreedyBot):
    """Plays like `Honest`, and fails on purpose as soon as the match goes against it."""

    name = "quitter"

    def decide(self, view: View, decision: Decision) -> Move:
        """Raise an exception in place of a move while the own side is behind."""
        if lead(view) < 0:
            raise RuntimeError("I am behind")
        return super().decide(view, decision)


def lead(view: View) -> float:
    """What the side of *view* is ahead of the others by the deals that have ended."""
    match view:
        case TractorView():
            return view.levels[view.team] - view.levels[1 - view.team]
        case TongitsView():
            return view.chips[view.seat] + view.pot / 3
        case PokexView():
            return view.totals[view.seat % 2] - view.totals[1 - view.seat % 2]
        case _:
            raise TypeError(f"no lead is known of {view!r}")
