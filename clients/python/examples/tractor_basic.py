"""A first bot for Tractor that reads its view: plays low, wins when the trick has points.

It knows no rules. What is legal comes with the decision, and so does the order of the cards.

    croupier serve                                  # in one terminal
    python tractor_basic.py                         # in another; HOST:PORT may follow
"""

from __future__ import annotations

import sys

import croupier
from croupier import Decision, Move, TractorView
from croupier.tractor import DecisionKind, MoveKind


class Basic(croupier.Bot):
    """Declares what it can, buries low cards, leads high and follows low."""

    def decide(self, view: TractorView, decision: Decision) -> Move:
        match decision.kind:
            case DecisionKind.BURY:
                return self.bury(view, decision)
            case DecisionKind.LEAD:
                return max(decision.legal.moves, key=lambda move: self.height(view, move))
            case DecisionKind.FOLLOW:
                return self.follow(view, decision)
            case _:
                # Declaring, calling and naming trumps: the first move that is no pass.
                moves = decision.legal.moves
                return next((m for m in moves if m.kind is not MoveKind.PASS), moves[0])

    def bury(self, view: TractorView, decision: Decision) -> Move:
        """The lowest cards that are neither trumps nor points."""
        order, pattern = view.order, decision.legal.patterns[0]
        assert order is not None

        def worth(card: int) -> tuple[bool, int, int]:
            points = croupier.Card(card).points
            return (order.is_trump(card), points, order.strength(card))

        return pattern.move(sorted(pattern.pool, key=worth)[: pattern.min])

    def follow(self, view: TractorView, decision: Decision) -> Move:
        """High if points lie on the table and a single card was led, else low."""
        trick = view.trick
        assert trick is not None
        high = trick.points > 0 and len(trick.plays[0].cards) == 1
        # Long answers come as patterns: look at the first fifty of them.
        answers = decision.legal[:50]
        choose = max if high else min
        return choose(answers, key=lambda move: self.height(view, move))

    def height(self, view: TractorView, move: Move) -> int:
        """How strong the cards of a move are together, trumps above all."""
        order = view.order
        assert order is not None
        return sum(order.strength(card) + 30 * order.is_trump(card) for card in move.cards)


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7421"
    print(croupier.run(Basic, address, against="random", matches=4, options={"max_deals": 1}))
