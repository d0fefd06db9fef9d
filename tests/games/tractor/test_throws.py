"""T-8: throws that stand and throws that do not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from croupier_server.games.cards import parse, text
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.throws import judge_throw
from tests.games.tractor.kit import (
    dense_cards,
    named,
    order_by,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
)
from tests.oracles.tractor_cards import order
from tests.oracles.tractor_leads import judge


def judged(cards: str, *others: str, name: str = "2H") -> tuple[str, list[str]]:
    """What stays, and the beatable components."""
    trumps = order_by(name)
    lead = read_lead(parse(cards), trumps)
    found = judge_throw(lead, [parse(other) for other in others], trumps)
    assert found.stays + found.withdrawn == lead.cards
    return text(found.stays), [text(component.cards) for component in found.beatable]


@pytest.mark.parametrize(
    ("cards", "others", "stays", "beatable"),
    [
        ("KS KS AS", ["QS AS", "4S"], "KS KS AS", []),
        ("QS QS AS", ["KS KS"], "QS QS", ["QS QS"]),
        ("QS QS AS", ["KS", "KS"], "QS QS AS", []),
        ("QS QS AS", ["KS KS KS"], "QS QS", ["QS QS"]),
        ("9S 9S TS TS AS", ["JS JS QS QS KS KS"], "9S 9S TS TS", ["9S 9S TS TS"]),
        ("9S 9S TS TS AS", ["QS QS", "KS KS"], "9S 9S TS TS AS", []),
        ("9S 9S TS TS AS", ["TS TS JS JS"], "9S 9S TS TS", ["9S 9S TS TS"]),
        ("9S 9S JS JS 3S", ["TS TS KS KS", "AS"], "3S", ["JS JS", "9S 9S", "3S"]),
        ("2S 2C", ["2D", "5H"], "2S 2C", []),
    ],
)
def test_a_component_falls_to_a_higher_one_of_its_shape(
    cards: str, others: list[str], stays: str, beatable: list[str]
) -> None:
    assert judged(cards, *others) == (stays, beatable)


def test_cards_of_other_suits_beat_nothing() -> None:
    assert judged("9S 8S", "AD RJ 2S", "AC") == ("8S 9S", [])


def test_what_is_no_throw_always_stands() -> None:
    assert judged("9S 9S", "AS AS") == ("9S 9S", [])


@pytest.mark.more
@given(randoms())
def test_judgements_are_those_of_the_oracle(random: Random) -> None:
    for _ in range(10):
        of = random_deal(random)
        suit = random_suit(random, of)
        if not order(suit, of):
            continue
        packs = random.randint(2, 6)
        cards = dense_cards(random, of, suit, random.randint(1, 8), packs)
        others = [
            dense_cards(random, of, suit, random.randint(0, 10), packs)
            for _ in range(random.randint(1, 3))
        ]
        lead = read_lead(packed(cards), trumps_of(of))
        found = judge_throw(lead, [packed(other) for other in others], trumps_of(of))
        stays, beatable = judge(cards, others, of)
        assert named(found.stays) == stays
        assert [named(component.cards) for component in found.beatable] == [
            part.cards for part in beatable
        ]
        assert found.stays + found.withdrawn == lead.cards
