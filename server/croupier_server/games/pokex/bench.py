"""Evaluation of Pokex hands with wild cards: hands a second of CPU time, cold and warm.

Hands are five cards drawn from the whole pack, jokers wild, under a wild rank that changes from
hand to hand, as matches at many tables have it. What they make is remembered in tables that fill up
as hands are met, so the first hands of a process (cold) cost more than later ones (warm).

Run as ``python -m croupier_server.games.pokex.bench SEED SECONDS``, which measures a fresh process
and prints JSON.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from time import process_time
from typing import Final

from croupier_server.games.cards import CARD_MAX, pack
from croupier_server.games.pokex.pokerhands import HandRules, hand_rules

COLD: Final = 2_000
"""Hands of the cold measurement: the first ones of a process."""
WARM_UP: Final = 100_000
"""Hands before the warm measurement; they meet nearly all that there is to remember."""
BLOCK: Final = 20_000
"""Hands that are drawn at once, outside the time measured."""

Drawn = list[tuple[HandRules, int]]


def draw(number: int, chance: random.Random) -> Drawn:
    """So many hands with the rules that each is read by."""
    rules = [hand_rules(rank, "wild", False, True, True) for rank in range(2, 15)]
    pack_of_54 = range(1, CARD_MAX + 1)
    return [(chance.choice(rules), pack(chance.sample(pack_of_54, 5))) for _ in range(number)]


def evaluate(hands: Drawn) -> float:
    """Evaluate *hands*: CPU seconds."""
    start = process_time()
    for rules, cards in hands:
        rules.best(cards)
    return process_time() - start


def measure(seed: int, cpu_s: float) -> dict[str, float]:
    """Measure this process, which must be a fresh one."""
    chance = random.Random(seed)  # noqa: S311 - chance for playing
    cold = COLD / evaluate(draw(COLD, chance))
    evaluate(draw(WARM_UP, chance))
    number, spent = 0, 0.0
    while spent < cpu_s:
        spent += evaluate(draw(BLOCK, chance))
        number += BLOCK
    return {"warm": number / spent, "cold": cold}


def measure_fresh(seed: int, cpu_s: float) -> dict[str, float]:
    """Measure a new process."""
    command = [sys.executable, "-m", "croupier_server.games.pokex.bench", str(seed), str(cpu_s)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(int(sys.argv[1]), float(sys.argv[2]))))
