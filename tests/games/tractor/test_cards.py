"""T-1.1, T-4 and T-5.3: points, effective suits, the order of cards, ladders."""

from __future__ import annotations

from itertools import pairwise

import pytest

from croupier_server.games.cards import ONES, card_text, parse, parse_card
from croupier_server.games.tractor.cards import TRUMP, points, trumps
from tests.games.tractor.kit import deal, every_deal, named, order_by, trumps_of
from tests.oracles import tractor_cards as oracle

SUIT_LETTERS = "SHDCT"


def test_points_1_of_a_pack() -> None:
    assert points(ONES) == 100
    assert points(2 * ONES) == 200
    assert points(parse("KS TS 5S 5S AS RJ")) == 30


def test_order_3_the_example_of_clubs_and_sevens() -> None:
    """T-4.3."""
    order = order_by("7C").order
    groups = [[card_text(card) for card in group] for group in order[TRUMP]]
    assert groups[:5] == [["RJ"], ["BJ"], ["7C"], ["7S", "7H", "7D"], ["AC"]]
    assert groups[5:] == [[rank + "C"] for rank in "KQJT9865432"]
    assert [card_text(group[0]) for group in order[0]] == [rank + "S" for rank in "AKQJT9865432"]


def test_equal_trumps_are_one_object() -> None:
    assert trumps(0, 5, "bridge", "full", "plain") is trumps(0, 5, "bridge", "full", "plain")


@pytest.mark.more
@pytest.mark.parametrize("suit", [None, *oracle.SUITS])
def test_suits_order_and_ladders_are_those_of_the_clauses(suit: str | None) -> None:
    for of in every_deal(suit):
        table = trumps_of(of)
        for effective, letter in enumerate(SUIT_LETTERS):
            held = {card for card in oracle.NAMES if oracle.effective_suit(card, of) == letter}
            assert set(named(table.mask[effective] & ONES)) == held
            groups = [tuple(card_text(card) for card in group) for group in table.order[effective]]
            assert groups == oracle.order(letter, of)
            low_to_high = [group[0] for group in reversed(groups)]
            for low, high in pairwise(low_to_high):
                heights = table.height[parse_card(low)], table.height[parse_card(high)]
                assert heights[0] < heights[1]
                assert oracle.are_neighbours(low, high, of) == (heights[0] + 1 == heights[1])
                above = set(named(table.above[effective][heights[0]] & ONES))
                strength = oracle.strength(low, of)
                assert above == {card for card in held if oracle.strength(card, of) > strength}


@pytest.mark.parametrize(
    ("name", "options", "low", "high", "are_neighbours"),
    [
        ("7C", {}, "6D", "8D", True),
        ("7C", {"rank_gap": "natural"}, "6D", "8D", False),
        ("7C", {"rank_gap": "natural"}, "6C", "8C", True),
        ("7C", {}, "AC", "7D", True),
        ("7C", {}, "7D", "7C", True),
        ("7C", {}, "7C", "BJ", True),
        ("7C", {}, "BJ", "RJ", True),
        ("7C", {"trump_ladder": "jokers"}, "AC", "7D", False),
        ("7C", {"trump_ladder": "jokers"}, "7D", "7C", False),
        ("7C", {"trump_ladder": "jokers"}, "7C", "BJ", False),
        ("7C", {"trump_ladder": "jokers"}, "BJ", "RJ", True),
        ("7C", {"trump_ladder": "none"}, "BJ", "RJ", False),
        ("AC", {}, "KC", "AD", True),
        ("AC", {}, "QD", "KD", True),
        ("2C", {}, "3C", "4C", True),
        ("2C", {}, "AC", "2D", True),
        ("7-", {}, "6D", "7D", True),
        ("7-", {}, "BJ", "RJ", True),
        ("7-", {"trump_ladder": "none"}, "BJ", "RJ", False),
        ("7-", {"nt_rank_cards": "trump"}, "7D", "BJ", True),
        ("7-", {"nt_rank_cards": "trump", "trump_ladder": "jokers"}, "7D", "BJ", False),
        ("7-", {"nt_rank_cards": "trump"}, "6D", "8D", True),
        ("7-", {"nt_rank_cards": "trump", "rank_gap": "natural"}, "6D", "8D", False),
    ],
)
def test_ladder_5_3(
    name: str, options: dict[str, str], low: str, high: str, are_neighbours: bool
) -> None:
    table = trumps_of(deal(name, **options))
    heights = table.height[parse_card(low)], table.height[parse_card(high)]
    assert (heights[0] + 1 == heights[1]) == are_neighbours
