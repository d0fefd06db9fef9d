"""T-6: what a follower may play."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Legal
from croupier_server.games.cards import Cards, contains, count, pack, parse, single, text, unpack
from croupier_server.games.patterns import draw_one, holds, members
from croupier_server.games.tractor.cards import TRUMP, Trumps
from croupier_server.games.tractor.components import Lead, read_lead
from croupier_server.games.tractor.follow import FollowRules, check_follow, legal_follows
from croupier_server.games.tractor.moves import LEGAL_LIST_MAX, TractorMoveKind, cards_of
from croupier_server.games.tractor.refusals import Rule
from tests.games.tractor.kit import (
    FOLLOWS,
    PROTECTS,
    deal,
    dense_cards,
    order_by,
    other_cards,
    packed,
    random_deal,
    random_suit,
    randoms,
    trumps_of,
    words,
)
from tests.oracles.tractor_cards import choices, order
from tests.oracles.tractor_follow import legal_answers

STANDARD = FollowRules("longest", "none")
CASES = Path(__file__).parent / "cases" / "follow.txt"


def cases() -> list[list[str]]:
    lines = [line.strip() for line in CASES.read_text().splitlines()]
    return [
        [cell.strip() for cell in line.split("|")]
        for line in lines
        if line and not line.startswith("#")
    ]


def verdict(
    hand: Cards, lead: Lead, cards: Cards, trumps: Trumps, rules: FollowRules = STANDARD
) -> str:
    """``ok``, or the rule and clause of the refusal."""
    try:
        check_follow(hand, lead, cards, trumps, rules)
    except IllegalMove as refusal:
        return f"{refusal.rule} {refusal.clause}"
    return "ok"


def all_answers(legal: Legal) -> list[Cards]:
    listed = [cards_of(move) for move in legal.moves]
    return listed + list(members(legal.patterns))


@pytest.mark.parametrize("case", cases(), ids=" | ".join)
def test_cases(case: list[str]) -> None:
    name, words, hand, led, played, expected = case
    options = dict(word.split("=") for word in words.split())
    rules = FollowRules(options.pop("tractor_follow", "longest"), options.pop("protect", "none"))
    trumps = trumps_of(deal(name, **options))
    lead = read_lead(parse(led), trumps)
    assert verdict(parse(hand), lead, parse(played), trumps, rules) == expected
    answers = all_answers(legal_follows(parse(hand), lead, trumps, rules))
    assert (parse(played) in answers) == (expected == "ok")


def compare_with_oracle(random: Random, most_led: int, most_held: int) -> int:
    """One random position: the list, and the check of every set of cards of the hand. The number of
    sets; 0 where the cards drawn make no position."""
    of = random_deal(random)
    suit = random_suit(random, of)
    if not order(suit, of):
        return 0
    packs = random.randint(2, 6)
    led = dense_cards(random, of, suit, random.randint(1, most_led), packs)
    hand = dense_cards(random, of, suit, random.randint(0, most_held), packs)
    hand += other_cards(random, of, suit, random.randint(0, 4))
    if len(hand) < len(led):
        return 0
    rules = FollowRules(random.choice(FOLLOWS), random.choice(PROTECTS))
    trumps = trumps_of(of)
    lead = read_lead(packed(led), trumps)
    expected = legal_answers(hand, led, of, *rules)
    answers = all_answers(legal_follows(packed(hand), lead, trumps, rules))
    assert len(set(answers)) == len(answers)
    assert set(answers) == {packed(cards) for cards in expected}
    tried = choices(tuple(sorted(hand)), len(led))
    for cards in tried:
        found = verdict(packed(hand), lead, packed(cards), trumps, rules)
        assert (found == "ok") == (cards in expected)
    return len(tried)


@pytest.mark.more
@given(randoms())
def test_lists_and_checks_are_those_of_the_oracle(random: Random) -> None:
    for _ in range(8):
        compare_with_oracle(random, most_led=7, most_held=9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_lists_and_checks_are_those_of_the_oracle(seed: int) -> None:
    random = Random(seed)
    found = [compare_with_oracle(random, most_led=9, most_held=11) for _ in range(2_500)]
    positions = len(found) - found.count(0)
    assert positions > 1_000
    print(f"{positions} positions, {sum(found)} answers beside the oracle")


class TestForm:
    """How the answers are given."""

    def test_kinds(self) -> None:
        trumps = order_by("2H")
        lead = read_lead(parse("9S 9S"), trumps)

        def kinds(hand: str) -> dict[str, TractorMoveKind]:
            legal = legal_follows(parse(hand), lead, trumps, STANDARD)
            return {
                text(cards_of(move)): TractorMoveKind(kind)
                for move, kind in zip(legal.moves, legal.kinds, strict=True)
            }

        assert kinds("3S 5D 5H") == {
            "3S 5H": TractorMoveKind.FOLLOW,
            "3S 5D": TractorMoveKind.FOLLOW,
        }
        assert kinds("5D 5H RJ") == {
            "5H RJ": TractorMoveKind.RUFF,
            "5H 5D": TractorMoveKind.DISCARD,
            "5D RJ": TractorMoveKind.DISCARD,
        }

    def test_singles_of_a_void_hand(self) -> None:
        trumps = order_by("2H")
        lead = read_lead(parse("9S"), trumps)
        legal = legal_follows(parse("5D 5D 2S 3C 7H"), lead, trumps, STANDARD)
        assert [text(cards_of(move)) for move in legal.moves] == ["2S", "7H", "5D", "3C"]
        ruff, discard = TractorMoveKind.RUFF, TractorMoveKind.DISCARD
        assert list(legal.kinds) == [ruff, ruff, discard, discard]

    def test_nothing_is_a_ruff_of_a_trump_lead(self) -> None:
        trumps = order_by("2H")
        legal = legal_follows(parse("5D 3C"), read_lead(parse("9H"), trumps), trumps, STANDARD)
        assert set(legal.kinds) == {TractorMoveKind.DISCARD}

    def test_many_answers_of_a_void_hand_are_two_patterns(self) -> None:
        trumps = order_by("2H")
        lead = read_lead(parse("9S 9S 9S"), trumps)
        hand = parse("3H 4H 5H 6H 2D 3D 4D 5D 6D 7D 8D")
        legal = legal_follows(hand, lead, trumps, STANDARD)
        assert not legal.moves
        ruffs, everything = legal.patterns
        assert text(ruffs.pool) == "3H 4H 5H 6H 2D"
        assert (ruffs.kind, everything.kind) == (TractorMoveKind.RUFF, TractorMoveKind.DISCARD)
        assert everything.pool == hand

    def test_all_are_listed_up_to_the_limit(self) -> None:
        trumps = order_by("2H")
        lead = read_lead(parse("9S 9S 9S 9S"), trumps)
        hand = parse("3S 4S 5S 6S 7S 8S 9S 9D")
        assert len(legal_follows(hand, lead, trumps, STANDARD).moves) == 35
        more = hand + parse("TS")
        legal = legal_follows(more, lead, trumps, STANDARD)
        assert len(legal.moves) + len(list(members(legal.patterns))) == 70
        assert LEGAL_LIST_MAX < 70
        assert len(legal.patterns) == 1


SIX_PACKS = pack(card for card in range(1, 55) for _ in range(6))


def large_hand(random: Random, trumps: Trumps, suit: int, number: int) -> Cards:
    ids = list(unpack(SIX_PACKS & trumps.mask[suit]))
    return pack(random.sample(ids, min(number, len(ids))))


def one_card_off(random: Random, hand: Cards, cards: Cards) -> Cards:
    """*cards* with one of them changed for another card of *hand*."""
    out = single(random.choice(list(unpack(cards))))
    left = list(unpack(hand - cards))
    return cards - out + single(random.choice(left))


@given(randoms())
def test_large_hands_agree_one_card_off(random: Random) -> None:
    """Samples are accepted; a neighbour is accepted if and only if a pattern holds it."""
    of = random_deal(random)
    trumps = trumps_of(of)
    suit = random.choice([suit for suit in range(5) if trumps.mask[suit]])
    rules = FollowRules(random.choice(FOLLOWS), random.choice(PROTECTS))
    hand = large_hand(random, trumps, suit, random.randint(12, 40))
    led = large_hand(random, trumps, suit, random.randint(2, min(8, count(hand) - 1)))
    lead = read_lead(led, trumps)
    legal = legal_follows(hand, lead, trumps, rules)
    draw = words(random)
    for _ in range(5):
        if legal.moves:
            cards = cards_of(random.choice(legal.moves))
        else:
            cards = draw_one(random.choice(list(islice(legal.patterns, 64))), draw)
        assert verdict(hand, lead, cards, trumps, rules) == "ok"
        for _ in range(5):
            other = one_card_off(random, hand, cards)
            accepted = verdict(hand, lead, other, trumps, rules) == "ok"
            if legal.moves:
                assert accepted == (other in map(cards_of, legal.moves))
                continue
            first = list(islice(legal.patterns, 500))
            is_held = any(holds(pattern, other) for pattern in first)
            assert accepted or not is_held
            if len(first) < 500:
                assert accepted == is_held


@pytest.mark.parametrize("protect", PROTECTS)
@pytest.mark.parametrize("tractor_follow", FOLLOWS)
def test_the_largest_hands_are_answered(tractor_follow: str, protect: str) -> None:
    """Six packs, eighty trumps: a search through all their answers would not end."""
    random = Random(f"{tractor_follow} {protect}")
    trumps = order_by("7C")
    rules = FollowRules(tractor_follow, protect)
    for number in (4, 7, 12, 20, 30):
        hand = large_hand(random, trumps, TRUMP, 79)
        lead = read_lead(large_hand(random, trumps, TRUMP, number), trumps)
        legal = legal_follows(hand, lead, trumps, rules)
        first = list(islice(legal.patterns, 20))
        cards = draw_one(random.choice(first), words(random))
        check_follow(hand, lead, cards, trumps, rules)
        assert first
        assert contains(hand, cards)


def test_refusals_tell_what_is_owed() -> None:
    trumps = order_by("2H")
    with pytest.raises(IllegalMove) as caught:
        check_follow(
            parse("3S 3S 5S"), read_lead(parse("9S 9S"), trumps), parse("3S 5S"), trumps, STANDARD
        )
    assert caught.value.rule == Rule.MUST_FOLLOW_PAIR
    assert "1 of 2 equal cards are owed" in caught.value.message
