"""T-5.4: every set of cards of one effective suit may be led."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Legal
from croupier_server.games.cards import Cards, count, pack, parse, text
from croupier_server.games.patterns import members
from croupier_server.games.tractor.components import read_lead
from croupier_server.games.tractor.leads import check_lead, legal_leads
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, PLAY, TractorMoveKind, cards_of
from croupier_server.games.tractor.refusals import Rule
from tests.games.tractor.kit import (
    dense_cards,
    kind_of,
    order_by,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
)
from tests.oracles.tractor_cards import NAMES, Deal, Names, choices, effective_suit, order


def every_lead(hand: Names, of: Deal) -> set[Cards]:
    """All sets of cards of one effective suit."""
    return {
        packed(cards)
        for suit in "SHDCT"
        if (part := tuple(card for card in hand if effective_suit(card, of) == suit))
        for number in range(1, len(part) + 1)
        for cards in choices(part, number)
    }


def all_moves(legal: Legal) -> set[Cards]:
    return {cards_of(move) for move in legal.moves} | set(members(legal.patterns))


def listed(hand: str, name: str = "2H") -> list[str]:
    return [text(cards_of(move)) for move in legal_leads(parse(hand), order_by(name)).moves]


def test_few_leads_are_all_listed_with_their_kinds() -> None:
    legal = legal_leads(parse("3S 3S 4S 4S 9D"), order_by("2H"))
    leads = {
        text(cards_of(move)): TractorMoveKind(kind)
        for move, kind in zip(legal.moves, legal.kinds, strict=True)
    }
    assert legal.patterns == ()
    assert list(leads)[:6] == ["3S", "4S", "9D", "3S 3S", "4S 4S", "3S 3S 4S 4S"]
    assert list(leads)[6:] == ["3S 4S", "3S 3S 4S", "3S 4S 4S"]
    assert leads["3S 3S 4S 4S"] == TractorMoveKind.LEAD_TRACTOR
    assert leads["3S 4S 4S"] == TractorMoveKind.LEAD_THROW


def test_every_off_suit_rank_pair_makes_a_tractor_of_its_own() -> None:
    moves = listed("AH AH 2S 2S 2D 2D 2H 2H")
    assert "2S 2S AH AH" in moves
    assert "AH AH 2D 2D" in moves
    assert "2S 2S 2H 2H AH AH" in moves


def test_many_leads_are_listed_without_throws_and_spanned_by_suit() -> None:
    hand = parse("3S 4S 5S 6S 7S 8S 9S TD TD KC 5H RJ")
    legal = legal_leads(hand, order_by("2H"))
    assert TractorMoveKind.LEAD_THROW not in legal.kinds
    assert len(legal.moves) == 12
    spans = [(text(span.pool), span.fixed, span.least, span.most) for span in legal.patterns]
    assert spans == [("3S 4S 5S 6S 7S 8S 9S", 0, 2, 7), ("5H RJ", 0, 2, 2)]


def test_a_hand_with_too_many_plain_leads_is_spanned_alone() -> None:
    hand = pack(card for card in range(14, 27) for _ in range(6))
    legal = legal_leads(hand, order_by("2H"))
    assert legal.moves == ()
    (span,) = legal.patterns
    assert (span.pool, span.least, span.most) == (hand, 1, count(hand))


def test_the_number_of_leads_decides_the_form() -> None:
    exactly = parse("3S 4S 5S 6S 7S 8S 9D")
    assert len(legal_leads(exactly, order_by("2H")).moves) == 64
    above = parse("3S 4S 5S 6S 7S 8S 9D TC")
    assert len(legal_leads(above, order_by("2H")).moves) == 8


@pytest.mark.more
@given(randoms())
def test_leads_are_all_sets_of_one_suit(random: Random) -> None:
    for _ in range(5):
        of = random_deal(random)
        suit = random_suit(random, of)
        hand = tuple(random.sample(NAMES * 2, random.randint(1, 6)))
        if order(suit, of):
            hand += dense_cards(random, of, suit, random.randint(0, 5), random.randint(2, 6))
        hand = tuple(sorted(card for card in hand if hand.count(card) <= 6))
        if not hand:
            continue
        trumps = trumps_of(of)
        legal = legal_leads(packed(hand), trumps)
        assert all_moves(legal) == every_lead(hand, of)
        assert len(set(legal.moves)) == len(legal.moves) <= LEGAL_LIST_MAX
        assert (len(every_lead(hand, of)) <= LEGAL_LIST_MAX) == (not legal.patterns)
        for move, kind in zip(legal.moves, legal.kinds, strict=True):
            assert kind == kind_of(read_lead(cards_of(move), trumps))
            assert check_lead(packed(hand), cards_of(move), trumps).cards | PLAY == move


@pytest.mark.parametrize(
    ("cards", "rule", "clause"),
    [
        ("", Rule.WRONG_CARD_COUNT, "T-5.1"),
        ("9S 9S", Rule.CARDS_NOT_IN_HAND, "T-5.1"),
        ("AD", Rule.CARDS_NOT_IN_HAND, "T-5.1"),
        ("9S 5H", Rule.MIXED_SUITS, "T-5.4"),
        ("9S 2S", Rule.MIXED_SUITS, "T-5.4"),
    ],
)
def test_refusals(cards: str, rule: Rule, clause: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        check_lead(parse("9S 2S 5H"), parse(cards), order_by("2H"))
    assert (caught.value.rule, caught.value.clause) == (rule, clause)
