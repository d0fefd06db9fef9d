"""Deadwood beside a search over every way to take melds out of a hand (G-3.1, G-3.2, G-5.4)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from croupier_server.games.cards import CARD_NAMES, parse
from croupier_server.games.tongits.melds import meld_table
from tests.oracles import tongits_melds as oracle
from tests.oracles.tongits_melds import MeldRules

NAMES = CARD_NAMES[1:53]
EVERY_RULES = [MeldRules(runs, high) for runs in (True, False) for high in (True, False)]


def random_hand(random: Random) -> tuple[str, ...]:
    """Up to 13 cards; in most hands from few ranks and suits, so that melds share cards."""
    how = random.random()
    names = NAMES
    if how < 0.35:
        first = random.randrange(9)
        names = tuple(name for name in NAMES if name[0] in oracle.RANKS[first : first + 5])
    elif how < 0.6:
        suits = random.sample("SHDC", 2)
        rank = random.choice(oracle.RANKS)
        names = tuple(name for name in NAMES if name[1] in suits or name[0] == rank)
    elif how < 0.75:
        names = tuple(name for name in NAMES if name[0] in "AKQJ23")
    return tuple(random.sample(names, random.randrange(min(13, len(names)) + 1)))


def compare(number: int, seed: int) -> None:
    """So many hands, each under all four settings of the options."""
    random = Random(seed)
    melded: Counter[bool] = Counter()
    for _ in range(number):
        hand = random_hand(random)
        cards = parse(" ".join(hand))
        whole = sum(map(oracle.points, hand))
        for rules in EVERY_RULES:
            expected = oracle.deadwood(hand, rules)
            found = meld_table(rules.runs, rules.ace_high_runs).deadwood(cards)
            assert found == expected, (hand, rules)
            melded[expected < whole] += 1
    assert melded[True] > number
    print(f"{number} hands, {melded.total()} counts, {melded[True]} of them with melds")


@pytest.mark.more
def test_deadwood_is_the_least_of_all_ways() -> None:
    compare(1_500, seed=1)


@pytest.mark.slow
def test_deadwood_of_twenty_thousand_hands_is_the_least_of_all_ways() -> None:
    compare(20_000, seed=2)
