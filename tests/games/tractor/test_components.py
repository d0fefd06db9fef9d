"""T-5: what a lead is, and the one way in which it is read."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from croupier_server.errors import IllegalMove
from croupier_server.games.cards import parse, text
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.moves import TractorMoveKind
from croupier_server.games.tractor.refusals import Rule
from tests.games.tractor.kit import (
    dense_cards,
    kind_of,
    named,
    order_by,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
)
from tests.oracles.tractor_cards import order
from tests.oracles.tractor_leads import read


def components(cards: str, name: str = "2H", **options: str) -> list[str]:
    """The components of a lead as text, largest first."""
    lead = read_lead(parse(cards), order_by(name, **options))
    return [text(component.cards) for component in lead.components]


@pytest.mark.parametrize(
    ("cards", "kind"),
    [
        ("9S", TractorMoveKind.LEAD_SINGLE),
        ("9S 9S", TractorMoveKind.LEAD_PAIR),
        ("9S 9S 9S", TractorMoveKind.LEAD_TUPLE),
        ("9S 9S 9S 9S 9S 9S", TractorMoveKind.LEAD_TUPLE),
        ("9S 9S TS TS", TractorMoveKind.LEAD_TRACTOR),
        ("9S 9S 9S TS TS TS", TractorMoveKind.LEAD_TRACTOR),
        ("9S TS", TractorMoveKind.LEAD_THROW),
        ("9S 9S TS", TractorMoveKind.LEAD_THROW),
        ("9S 9S JS JS", TractorMoveKind.LEAD_THROW),
        ("9S 9S 9S TS TS", TractorMoveKind.LEAD_THROW),
    ],
)
def test_kinds_1_to_4(cards: str, kind: TractorMoveKind) -> None:
    assert kind_of(read_lead(parse(cards), order_by("2H"))) == kind


def test_mixed_suits_4_are_no_lead() -> None:
    with pytest.raises(IllegalMove) as caught:
        read_lead(parse("9S 9D"), order_by("2H"))
    assert (caught.value.rule, caught.value.clause) == (Rule.MIXED_SUITS, "T-5.4")


def test_no_cards_1_are_no_lead() -> None:
    with pytest.raises(IllegalMove) as caught:
        read_lead(0, order_by("2H"))
    assert (caught.value.rule, caught.value.clause) == (Rule.WRONG_CARD_COUNT, "T-5.1")


def test_trumps_of_several_printed_suits_are_one_suit() -> None:
    assert components("2S BJ 5H") == ["BJ", "2S", "5H"]


class TestReading5:
    """The reading order of T-5.5."""

    def test_the_tractor_with_the_most_cards_comes_off_first(self) -> None:
        cards = "3S 3S 3S 4S 4S 4S 5S 5S 6S 6S"
        assert components(cards) == ["3S 3S 4S 4S 5S 5S 6S 6S", "4S", "3S"]

    def test_of_equal_tractors_the_wider_comes_off_first(self) -> None:
        assert components("3S 3S 3S 4S 4S 4S 5S 5S") == ["3S 3S 3S 4S 4S 4S", "5S 5S"]

    def test_of_equal_runs_the_higher_comes_off_first(self) -> None:
        assert components("9S 9S TS TS QS QS KS KS") == ["QS QS KS KS", "9S 9S TS TS"]

    def test_what_is_left_makes_tuples_then_singles(self) -> None:
        assert components("3S 3S 3S 4S 4S 8S 8S 8S QS") == ["3S 3S 4S 4S", "8S 8S 8S", "QS", "3S"]

    def test_of_off_suit_rank_cards_the_fewest_copies_stand_in_the_run(self) -> None:
        assert components("AH AH 2S 2S 2S 2D 2D") == ["AH AH 2D 2D", "2S 2S 2S"]

    def test_of_equally_many_off_suit_rank_cards_the_suit_decides(self) -> None:
        assert components("AH AH 2C 2C 2D 2D") == ["AH AH 2D 2D", "2C 2C"]

    def test_components_rank_by_cards_then_length_then_top_then_suit(self) -> None:
        cards = "2S 2D 2D 2D 2D 5H 5H 6H 6H 9H 9H TH TH BJ 2C"
        assert components(cards) == ["9H 9H TH TH", "5H 5H 6H 6H", "2D 2D 2D 2D", "BJ", "2S", "2C"]


def test_claims_leave_singles_out() -> None:
    lead = read_lead(parse("3S 3S 4S 4S 8S 8S QS"), order_by("2H"))
    assert lead.claims == ((2, 2), (1, 2))
    assert lead.count == 7
    assert read_lead(parse("3S 4S"), order_by("2H")).claims == ()


@pytest.mark.more
@given(randoms())
def test_readings_are_those_of_the_oracle(random: Random) -> None:
    for _ in range(10):
        of = random_deal(random)
        suit = random_suit(random, of)
        if not order(suit, of):
            continue
        packs = random.randint(2, 6)
        cards = dense_cards(random, of, suit, random.randint(1, 14), packs)
        found = read_lead(packed(cards), trumps_of(of))
        assert [
            (component.length, component.width, named(component.cards))
            for component in found.components
        ] == [(len(part.tuples), part.width, part.cards) for part in read(cards, of)]
        assert sum(component.cards for component in found.components) == found.cards
        assert found.is_throw == (len(found.components) > 1)
