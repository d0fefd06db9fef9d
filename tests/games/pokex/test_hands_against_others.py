"""Poker hands beside two others: a ranker of plain hands, and a search over all readings.

Without wild cards the order of hands is that of phevaluator, which got it by other means (P-5.1).
With wild cards every hand is what a search over all substitutions finds (P-3, P-5.2, P-5.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from phevaluator import evaluate_cards

from croupier_server.games.cards import CARD_NAMES, parse
from croupier_server.games.pokex.pokerhands import WILDS_BITS, Ranked, hand_rules
from tests.oracles.pokex_hands import Found, Wilds, best, better, is_wild

PLAIN_NAMES = CARD_NAMES[1:53]
NAMES = CARD_NAMES[1:]
EVERY_WILDS = [
    Wilds(named, jokers, duplicates, free)
    for named in (None, *range(2, 15))
    for jokers in (True, False)
    for duplicates in (True, False)
    for free in (True, False)
]


def evaluate(names: Sequence[str], wilds: Wilds) -> Ranked:
    """What the product makes of a hand."""
    joker = "wild" if wilds.jokers_are_wild else "top_card"
    rules = hand_rules(wilds.named or 0, joker, wilds.flush_duplicates, wilds.self_is_free, True)
    return rules.best(parse(" ".join(names)))


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def compare_pairs(number: int, seed: int) -> None:
    """Pairs of hands drawn from two packs, each hand from one of them."""
    random = Random(seed)
    found: Counter[int] = Counter()
    for _ in range(number):
        left, right = (random.sample(PLAIN_NAMES, 5) for _ in range(2))
        if random.random() < 0.3:
            # A hand of the same ranks in other suits: level hands are rare otherwise.
            ranks = Counter(name[0] for name in left)
            right = [r + s for r, n in ranks.items() for s in random.sample("SHDC", n)]
        ours_left, ours_right = evaluate(left, Wilds()), evaluate(right, Wilds())
        assert ours_left.hand.wilds_used == ours_right.hand.wilds_used == 0
        ours = sign(ours_left.strength - ours_right.strength)
        # Theirs is a rank from 1 for the best hand; it writes suits in small letters.
        theirs = [evaluate_cards(*(n[0] + n[1].lower() for n in hand)) for hand in (left, right)]
        assert ours == sign(theirs[1] - theirs[0]), (left, right)
        found[ours] += 1
    assert min(found.values()) > number // 20
    print(f"{number} pairs of plain hands, {dict(found)}")


def test_plain_hands_rank_as_in_phevaluator() -> None:
    compare_pairs(5_000, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_pairs_rank_as_in_phevaluator() -> None:
    compare_pairs(100_000, seed=2)


def hand_with(wild_cards: int, wilds: Wilds, random: Random) -> list[str] | None:
    """Five cards with so many wild ones, if there are as many; ranks and suits often agree."""
    wild = [name for name in NAMES if is_wild(name, wilds)]
    if len(wild) < wild_cards:
        return None
    others = [name for name in NAMES if name not in wild]
    if (how := random.random()) < 0.35:
        suit = random.choice("SHDC")
        others = [name for name in others if name[1] == suit] + random.sample(others, 1)
    elif how < 0.5:
        ranks = random.sample("23456789TJQKA", 3)
        others = [name for name in others if name[0] in ranks or name in ("BJ", "RJ")]
    hand = random.sample(wild, wild_cards) + random.sample(sorted(set(others)), 5 - wild_cards)
    return random.sample(hand, 5)


def compare_with_search(numbers: dict[int, int], seed: int) -> None:
    """So many hands of every number of wild cards, under options drawn at random."""
    random = Random(seed)
    done: Counter[int] = Counter()
    last = evaluate(NAMES[:5], Wilds())
    while done != numbers:
        wilds = random.choice(EVERY_WILDS)
        wild_cards = random.choice([n for n in numbers if done[n] < numbers[n]])
        hand = hand_with(wild_cards, wilds, random)
        if hand is None:
            continue
        found = evaluate(hand, wilds)
        read, other = Found(*found.hand), Found(*last.hand)
        assert read == best(hand, wilds), (hand, wilds)
        assert sign(found.strength - last.strength) == better(read, other)
        without_wilds = (found.strength >> WILDS_BITS) - (last.strength >> WILDS_BITS)
        assert sign(without_wilds) == better(read, other, fewer_wilds=False)
        last = found
        done[wild_cards] += 1
    print(f"{done.total()} hands by number of wild cards: {dict(sorted(done.items()))}")


@pytest.mark.more
def test_hands_with_wild_cards_are_the_best_reading() -> None:
    compare_with_search({0: 600, 1: 1200, 2: 300, 3: 20, 4: 1}, seed=3)


@pytest.mark.slow
def test_twenty_thousand_hands_with_wild_cards_are_the_best_reading() -> None:
    compare_with_search({0: 3_000, 1: 11_500, 2: 5_000, 3: 460, 4: 36, 5: 4}, seed=4)
