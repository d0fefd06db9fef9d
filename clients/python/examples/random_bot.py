"""The smallest bot that is worth watching: any legal move.

croupier serve                                  # in one terminal
python random_bot.py                            # in another; HOST:PORT and a game may follow
"""

from __future__ import annotations

import sys

import croupier


class AnyMove(croupier.Bot):
    """Plays any legal move; the same one when the same decision comes again."""

    def decide(self, view: croupier.View, decision: croupier.Decision) -> croupier.Move:
        return decision.legal.sample(decision.random)


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7421"
    game = sys.argv[2] if len(sys.argv) > 2 else "tractor"
    short = {"max_hands": 1} if game == "tongits" else {"max_deals": 1}
    print(croupier.run(AnyMove, address, game=game, against="random", matches=4, options=short))
