"""P-3, P-5: hands with wild cards, against a slow reading of the rules and by example."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from croupier_server.games.cards import CARD_MAX, CARD_NAMES, parse, rank
from croupier_server.games.pokex.pokerhands import (
    WILDS_BITS,
    HandRules,
    PokerHand,
    PokexCategory,
    Ranked,
    hand_rules,
)
from tests.games.pokex import slow_hands
from tests.games.pokex.slow_hands import RANKS, Rules

EVERY_RULE = [
    Rules(wild_rank, joker, duplicates, is_free)
    for wild_rank in ("", *RANKS)
    for joker in ("wild", "top_card")
    for duplicates in (False, True)
    for is_free in (False, True)
]


def read(rules: Rules, *, fewer_wins: bool = True) -> HandRules:
    wild_rank = RANKS.index(rules.wild_rank) + 2 if rules.wild_rank else 0
    return hand_rules(
        wild_rank, rules.joker, rules.flush_duplicates, rules.wild_as_self_free, fewer_wins
    )


def best(cards: str, rules: Rules | None = None) -> Ranked:
    return read(rules or Rules()).best(parse(cards))


def random_hand(rng: random.Random, rules: Rules, wilds: int) -> list[str]:
    """Five cards of which so many are wild, or as many as can be, often near each other."""
    pack = [name for name in CARD_NAMES if name]
    wild = [card for card in pack if slow_hands.is_wild(card, rules)]
    others = [card for card in pack if card not in wild]
    if rng.random() < 0.5:
        suit, low = rng.choice("SHDC"), rng.randrange(9)
        near = set(RANKS[low : low + 7])
        others = [c for c in others if c[0] in near or c[1] in (suit, "J")] or others
    wilds = min(wilds, len(wild))
    return rng.sample(wild, wilds) + rng.sample(others, 5 - wilds)


def assert_agreed(cards: list[str], rules: Rules) -> None:
    expected = slow_hands.best(cards, rules)
    assert tuple(best(" ".join(cards), rules).hand) == expected, (cards, rules)


@pytest.mark.more
def test_hands_of_up_to_two_wild_cards_against_the_oracle() -> None:
    """P-5.1 to P-5.3: with every wild rank, joker and option."""
    rng = random.Random(1)
    for number in range(800):
        rules = EVERY_RULE[number % len(EVERY_RULE)]
        assert_agreed(random_hand(rng, rules, (0, 1, 1, 1, 2)[number % 5]), rules)


@pytest.mark.more
@pytest.mark.parametrize("wilds", [3, 4, 5])
def test_hands_of_many_wild_cards_against_the_oracle(wilds: int) -> None:
    """P-5.2, P-5.3."""
    rng = random.Random(wilds)
    for _ in range(4 if wilds == 3 else 40):
        rules = rng.choice(EVERY_RULE)
        assert_agreed(random_hand(rng, rules, wilds), rules)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_twenty_thousand_hands_against_the_oracle() -> None:
    """P-5: any five cards, and so wild cards as often as they come; and hands rich in them."""
    rng = random.Random(2)
    pack = [name for name in CARD_NAMES if name]
    for number in range(20_000):
        rules = EVERY_RULE[number % len(EVERY_RULE)]
        assert_agreed(rng.sample(pack, 5), rules)
    for number in range(3_000):
        rules = EVERY_RULE[number % len(EVERY_RULE)]
        assert_agreed(random_hand(rng, rules, rng.choice((2, 2, 2, 3, 4, 5))), rules)


def test_strength_orders_hands_as_their_parts_do() -> None:
    """P-5.1, P-5.3: category, then ranks, then fewer wild cards."""
    rng = random.Random(3)
    rules = Rules("7")
    found = [
        best(" ".join(random_hand(rng, rules, rng.choice((0, 1, 2)))), rules) for _ in range(900)
    ]
    by_parts = sorted(found, key=lambda made: (*made.hand[:2], -made.hand.wilds_used))
    assert [made.strength for made in by_parts] == sorted(made.strength for made in found)
    for one, other in pairwise(found):
        assert (one.strength == other.strength) == (one.hand == other.hand)
        is_same = one.hand[:2] == other.hand[:2]
        assert (one.strength >> WILDS_BITS == other.strength >> WILDS_BITS) == is_same


@pytest.mark.parametrize(("fewer_wins", "ignored"), [(True, 0), (False, WILDS_BITS)])
def test_fewer_wild_cards_are_looked_at_or_not(fewer_wins: bool, ignored: int) -> None:
    """P-5.3: `tie_break_fewer_wilds`."""
    rules = read(Rules(), fewer_wins=fewer_wins)
    natural, wild = rules.best(parse("KS KH KD 9S 4C")), rules.best(parse("KS KH BJ 9S 4C"))
    assert natural.strength > wild.strength
    level = natural.strength >> rules.ignored_bits == wild.strength >> rules.ignored_bits
    assert level is not fewer_wins
    assert rules.ignored_bits == ignored


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("2S 4H 9D JC AS", PokexCategory.HIGH_CARD),
        ("2S 2H 9D JC AS", PokexCategory.PAIR),
        ("2S 2H 9D 9C AS", PokexCategory.TWO_PAIR),
        ("2S 2H 2D 9C AS", PokexCategory.THREE_OF_A_KIND),
        ("AS 2H 3D 4C 5S", PokexCategory.STRAIGHT),
        ("2S 4S 9S JS AS", PokexCategory.FLUSH),
        ("2S 2H 2D 9C 9S", PokexCategory.FULL_HOUSE),
        ("2S 2H 2D 2C 9S", PokexCategory.FOUR_OF_A_KIND),
        ("AS 2S 3S 4S 5S", PokexCategory.STRAIGHT_FLUSH),
        ("2S 2H 2D 2C BJ", PokexCategory.FIVE_OF_A_KIND),
    ],
)
def test_every_category(cards: str, category: PokexCategory) -> None:
    """P-5.1."""
    assert best(cards).hand.category == category


@pytest.mark.parametrize(
    ("duplicates", "ranks"), [(False, (14, 13, 9, 4, 2)), (True, (14, 14, 9, 4, 2))]
)
def test_a_flush_holds_a_card_once_or_twice(duplicates: bool, ranks: tuple[int, ...]) -> None:
    """P-5.2: `flush_duplicates`."""
    rules = Rules(flush_duplicates=duplicates)
    assert best("2H 4H 9H AH BJ", rules).hand == PokerHand(PokexCategory.FLUSH, ranks, 1)


def test_jokers_as_the_top_card() -> None:
    """P-3.1: a pair above aces; and no wild card, flush or straight has to do with one."""
    rules = Rules("7", "top_card")
    assert best("BJ RJ 2S 3H 4D", rules).strength > best("AS AH KD QC JS", rules).strength
    assert best("BJ 7S 2H 3D 9C", rules).hand == (PokexCategory.PAIR, (9, 15, 3, 2), 1)
    assert best("BJ 3S 4S 5S 6S", rules).hand == (PokexCategory.HIGH_CARD, (15, 6, 5, 4, 3), 0)


def test_all_wild_cards_are_aces() -> None:
    """P-5.2, P-5.3: four of the rank and a joker; aces that stand for themselves are free."""
    for wild_rank, is_free in product(RANKS, (True, False)):
        cards = " ".join(wild_rank + suit for suit in "SHDC") + " RJ"
        used = 1 if wild_rank == "A" and is_free else 5
        rules = Rules(wild_rank, wild_as_self_free=is_free)
        assert best(cards, rules).hand == (PokexCategory.FIVE_OF_A_KIND, (14,), used)


def test_rules_are_shared_and_count_every_card() -> None:
    """Features of a pair are those of its cards, and equal rules are one object."""
    rules = read(Rules("9"))
    assert rules is read(Rules("9"))
    for first, second in ((1, 54), (8, 21), (53, 54)):
        pair = 1 << 4 * first | 1 << 4 * second
        for _ in range(2):
            assert rules.sum_of(pair) == rules.features[first] + rules.features[second]
    wild = [card for card in range(1, CARD_MAX + 1) if rank(card) == 9]
    assert len({rules.features[card] for card in wild}) == 4
