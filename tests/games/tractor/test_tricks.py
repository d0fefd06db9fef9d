"""T-7: who wins a trick."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from croupier_server.games.cards import parse
from croupier_server.games.tractor.cards import Trumps
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.tricks import challenge, new_standing
from tests.games.tractor.kit import (
    COMPARES,
    dense_cards,
    order_by,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
)
from tests.oracles.tractor_cards import order
from tests.oracles.tractor_tricks import winner


def winner_of(plays: list[int], trumps: Trumps, throw_compare: str = "largest") -> int:
    """Index of the winning play."""
    standing = new_standing(read_lead(plays[0], trumps), trumps, throw_compare)
    best = 0
    for index, cards in enumerate(plays[1:], 1):
        better = challenge(standing, cards)
        if better is not None:
            standing, best = better, index
    return best


def wins(*plays: str, name: str = "2H", throw_compare: str = "largest", **options: str) -> int:
    return winner_of([parse(cards) for cards in plays], order_by(name, **options), throw_compare)


@pytest.mark.parametrize(
    ("plays", "index"),
    [
        (["9S", "AS", "AS", "AD"], 1),
        (["9S", "3H", "AS", "2S"], 3),
        (["9S", "2S", "2C", "2D"], 1),
        (["2S", "2H", "BJ", "RJ"], 3),
        (["9S 9S", "AS KS", "3H 4H", "TS TS"], 3),
        (["9S 9S", "3H 3H", "RJ BJ", "2S 2D"], 1),
        (["9S 9S TS TS", "QS QS KS KS", "JS JS QS QS", "AS AS 3S 3S"], 1),
        (["9S 9S TS TS", "3H 3H 5H 5H", "3H 3H 4H 4H", "QS QS KS KS"], 2),
        (["9S 9S 9S 8S 8S 8S", "3H 3H 3H 4H 4H 5H", "JS JS JS QS QS QS"], 2),
        (["9S 9S TS TS", "AS AS AS AS"], 0),
    ],
)
def test_only_the_shape_led_wins_1(plays: list[str], index: int) -> None:
    assert wins(*plays) == index


@pytest.mark.parametrize(
    ("plays", "index"),
    [
        (["AS KS", "3H 3H"], 1),
        (["AS AS KS", "3H 3H 3H"], 1),
        (["AS AS KS KS JS JS 9S 9S", "3H 3H 4H 4H 5H 5H 6H 6H"], 1),
        (["9S 9S TS TS QS QS KS KS", "3H 3H 3H 3H 4H 4H 4H 4H"], 1),
        (["9S 9S TS TS QS QS KS KS", "3H 3H 4H 4H 5H 5H 7H 7H"], 0),
        (["AS AS KS", "3H 4H 5H"], 0),
        (["AS KS", "3H 4D"], 0),
        (["RJ AH", "2H 2H"], 0),
    ],
)
def test_a_ruff_matches_a_throw_component_by_component_2(plays: list[str], index: int) -> None:
    assert wins(*plays) == index


@pytest.mark.parametrize(("throw_compare", "index"), [("largest", 2), ("all", 1), ("highest", 1)])
def test_a_later_ruff_by_throw_compare_2(throw_compare: str, index: int) -> None:
    plays = ["AS AS KS", "3H 3H RJ", "4H 4H 5H"]
    assert wins(*plays, throw_compare=throw_compare) == index


def test_the_standing_ruff_is_read_with_its_highest_cards_in_the_largest_2() -> None:
    # 5H 5H 5H stands as the pair 5H 5H and 5H; 6H 6H 4H beats it in the pair alone.
    plays = ["AS AS KS", "5H 5H 5H", "6H 6H 4H"]
    assert [wins(*plays, throw_compare=compare) for compare in COMPARES] == [2, 1, 2]


def test_a_later_ruff_is_read_as_serves_it_best_2() -> None:
    # 3H to 6H hold two runs of two in two ways; as 3-4 and 5-6 both, beaten by 4-5 and 6-7.
    lead = "9S 9S TS TS QS QS KS KS"
    low = "3H 3H 4H 4H 5H 5H 6H 6H"
    high = "4H 4H 5H 5H 6H 6H 7H 7H"
    assert [wins(lead, low, high, throw_compare=compare) for compare in COMPARES] == [2, 2, 2]
    assert [wins(lead, high, low, throw_compare=compare) for compare in COMPARES] == [1, 1, 1]


def test_no_trump_deals_have_joker_ruffs() -> None:
    assert wins("9S 9S", "BJ BJ", "RJ RJ", name="2-") == 2
    assert wins("9S", "2D", "AS", name="2-") == 2
    assert wins("9S", "2D", "AS", name="2-", nt_rank_cards="trump") == 1


@pytest.mark.more
@given(randoms())
def test_winners_are_those_of_the_oracle(random: Random) -> None:
    for _ in range(10):
        of = random_deal(random)
        suit = random_suit(random, of)
        if not order(suit, of):
            continue
        packs = random.randint(2, 6)
        led = dense_cards(random, of, suit, random.randint(1, 7), packs)
        plays = [led]
        for _ in range(3):
            from_suit = "T" if random.random() < 0.8 else suit
            cards = dense_cards(random, of, from_suit, len(led), packs)
            if len(cards) == len(led):
                plays.append(cards)
        for compare in COMPARES:
            found = winner_of([packed(cards) for cards in plays], trumps_of(of), compare)
            assert found == winner(plays, of, compare)
