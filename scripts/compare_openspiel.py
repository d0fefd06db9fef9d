"""Tong-its beside OpenSpiel's gin rummy, where their rules coincide.

Both have an ace that is low, sets of three or four, runs of three or more in a suit, the same card
points, and deadwood as the least that melds leave (G-1.1, G-3.1, G-4, G-5.4). Compared are all
melds of up to five cards (gin rummy builds longer runs from those), the single cards that extend
each of them, and the melds and the deadwood of hands drawn at random.

OpenSpiel runs in an environment of its own (``.peers``), which `scripts/bench_peers.py` makes; this
process sends it hands and compares the answers. Run it by ``make oracle-openspiel``; it ends with
status 1 at the first difference.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.bench_peers import make_environment

ROOT = Path(__file__).resolve().parent.parent
GIN_RUN_MAX = 5
HAND_MAX = 13
ASKED_AT_ONCE = 1_000

Names = list[str]
Answers = dict[str, Any]


def their_answers(hands: list[Names]) -> Answers:
    """What OpenSpiel says of *hands*, and of every meld that it knows."""
    import pyspiel  # type: ignore[import-not-found]

    # A hand of the size given plus one would have a card to discard; ours never has.
    gin = pyspiel.gin_rummy.GinRummyUtils(13, 4, HAND_MAX + 1)

    def names(cards: Sequence[int]) -> Names:
        return sorted(gin.card_string(card).upper() for card in cards)

    def lay_offs(meld: Sequence[int]) -> Names:
        if gin.is_rank_meld(meld):
            return names([gin.rank_meld_layoff(meld)] if len(meld) == 3 else [])
        return names(gin.suit_meld_layoffs(meld))

    answers: Answers = {"deadwood": [], "melds": []}
    for hand in hands:
        cards = [gin.card_int(name[0] + name[1].lower()) for name in hand]
        answers["deadwood"].append(gin.min_deadwood(cards))
        answers["melds"].append(sorted(names(meld) for meld in gin.all_melds(cards)))
    every = [gin.int_to_meld[number] for number in sorted(gin.int_to_meld)]
    answers["extensions"] = sorted([names(meld), lay_offs(meld)] for meld in every)
    return answers


def our_answers(hands: list[Names]) -> Answers:
    """What the rules of Tong-its say of the same."""
    from croupier_server.games.cards import Cards, parse, text
    from croupier_server.games.tongits.melds import meld_table

    table = meld_table(runs=True, ace_high_runs=False)

    def names(cards: Cards) -> Names:
        return sorted(text(cards).split())

    def short(melds: Sequence[Cards]) -> list[Cards]:
        return [meld for meld in melds if meld.bit_count() <= GIN_RUN_MAX]

    held = [parse(" ".join(hand)) for hand in hands]
    every = short(list(table.kinds))
    return {
        "deadwood": [table.deadwood(cards) for cards in held],
        "melds": [sorted(names(meld) for meld in every if meld & cards == meld) for cards in held],
        "extensions": sorted([names(meld), names(table.nexts[meld])] for meld in every),
    }


def ask_them(python: Path, hands: list[Names]) -> Answers:
    """`their_answers` in a process of the peers' environment."""
    command = [str(python), "-m", "scripts.compare_openspiel", "--answer"]
    done = subprocess.run(
        command, cwd=ROOT, check=True, input=json.dumps(hands), stdout=subprocess.PIPE, text=True
    )
    answers: Answers = json.loads(done.stdout)
    return answers


def draw_hand(chance: random.Random) -> Names:
    """Up to 13 cards; in half of the hands from few ranks, where melds share cards."""
    ranks = "A23456789TJQK"
    if chance.random() < 0.5:
        first = chance.randrange(8)
        ranks = ranks[first : first + 6]
    return chance.sample([r + s for r in ranks for s in "SHDC"], chance.randrange(1, HAND_MAX + 1))


def compare(number: int, seed: int) -> str | None:
    """Compare so many hands: the first difference, or None."""
    python, chance = make_environment(), random.Random(seed)  # noqa: S311 - chance for testing
    hands = [draw_hand(chance) for _ in range(number)]
    melds = with_melds = extended = 0
    for start in range(0, number, ASKED_AT_ONCE):
        asked = hands[start : start + ASKED_AT_ONCE]
        theirs, ours = ask_them(python, asked), our_answers(asked)
        if theirs["extensions"] != ours["extensions"]:
            return "melds or their extensions differ"
        for what in ("melds", "deadwood"):
            for hand, their, our in zip(asked, theirs[what], ours[what], strict=True):
                if their != our:
                    return f"{what} of {' '.join(hand)}: OpenSpiel {their}, ours {our}"
        extended = len(ours["extensions"])
        melds += sum(map(len, theirs["melds"]))
        with_melds += sum(map(bool, theirs["melds"]))
    print(f"{extended} melds and what extends them: equal")
    print(f"{number} hands, {with_melds} with melds, {melds} melds in them: equal")
    print(f"{number} counts of deadwood: equal")
    return None


def main() -> None:
    """Compare, or answer for OpenSpiel in its own environment."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        print(json.dumps(their_answers(json.load(sys.stdin))))
        return
    difference = compare(given.hands, given.seed)
    if difference is not None:
        sys.exit(difference)


if __name__ == "__main__":
    main()
