"""T-3.2 to T-3.7: what declares, what overcalls, who wins a window, and turning the kitty."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest

from croupier_server.errors import IllegalMove
from croupier_server.games.cards import contains, pack, parse, parse_card
from croupier_server.games.tractor import bidding
from croupier_server.games.tractor.bidding import Declaration, resolve_window, turn_kitty
from croupier_server.games.tractor.moves import DECLARE, PASS
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.refusals import Rule
from tests.games.tractor.strategies import make_options

SUITS = "SHDC"


def standing(told: str) -> Declaration | None:
    """``1: 2H 2H`` as the standing declaration of seat 1; nothing for an empty text."""
    if not told:
        return None
    seat, _, cards = told.partition(":")
    names = cards.split()
    return Declaration(int(seat), parse_card(names[0]), len(names))


def verdict(
    hand: str, seat: int, cards: str, before: str, options: TractorOptions, rank: int = 2
) -> str:
    """``ok`` or the rule and clause of the refusal."""
    try:
        bidding.check_declaration(parse(hand), seat, parse(cards), standing(before), rank, options)
    except IllegalMove as refusal:
        return f"{refusal.rule} {refusal.clause}"
    return "ok"


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("2S", "ok"),
        ("2S 2S", "ok"),
        ("BJ BJ", "ok"),
        ("RJ RJ", "ok"),
        ("", "NOT_A_DECLARATION T-3.2"),
        ("BJ", "NOT_A_DECLARATION T-3.2"),
        ("BJ RJ", "NOT_A_DECLARATION T-3.2"),
        ("2S 2H", "NOT_A_DECLARATION T-3.2"),
        ("3S", "NOT_A_DECLARATION T-3.2"),
        ("2S BJ", "NOT_A_DECLARATION T-3.2"),
        ("2D", "CARDS_NOT_IN_HAND T-3.2"),
        ("2H 2H", "CARDS_NOT_IN_HAND T-3.2"),
    ],
)
def test_what_declares(cards: str, expected: str) -> None:
    """T-3.2."""
    hand = "2S 2S 2H 3S BJ BJ RJ RJ"
    assert verdict(hand, 0, cards, "", make_options()) == expected


@pytest.mark.parametrize(
    ("before", "cards", "expected"),
    [
        ("1: 2H", "2S", "DECLARATION_TOO_WEAK T-3.3"),
        ("1: 2H", "2S 2S", "ok"),
        ("1: 2H 2H", "2S 2S", "DECLARATION_TOO_WEAK T-3.3"),
        ("1: 2H 2H", "BJ BJ", "ok"),
        ("1: 2H 2H", "2S 2S 2S", "ok"),
        ("1: BJ BJ", "RJ RJ", "ok"),
        ("1: RJ RJ", "BJ BJ", "DECLARATION_TOO_WEAK T-3.3"),
        ("1: RJ RJ", "2S 2S 2S", "ok"),
        ("1: RJ RJ", "BJ BJ BJ", "ok"),
    ],
)
def test_what_overcalls(before: str, cards: str, expected: str) -> None:
    """T-3.3: more cards; of equally many jokers, red above black."""
    hand = "2S 2S 2S BJ BJ BJ RJ RJ"
    assert verdict(hand, 0, cards, before, make_options(packs=3)) == expected


def test_equal_joker_pairs() -> None:
    """T-3.3 `joker_pairs=equal`: no joker set beats another of its size."""
    options = make_options(joker_pairs="equal", packs=3)
    hand = "RJ RJ RJ BJ BJ BJ"
    assert verdict(hand, 0, "RJ RJ", "1: BJ BJ", options) == "DECLARATION_TOO_WEAK T-3.3"
    assert verdict(hand, 0, "BJ BJ BJ", "1: RJ RJ", options) == "ok"


@pytest.mark.parametrize(
    ("self_override", "cards", "expected"),
    [
        ("false", "2S 2S", "ok"),
        ("false", "2H 2H", "DECLARATION_CHANGED T-3.4"),
        ("false", "BJ BJ", "DECLARATION_CHANGED T-3.4"),
        ("false", "2S", "DECLARATION_TOO_WEAK T-3.3"),
        ("true", "2S 2S", "ok"),
        ("true", "2H 2H", "ok"),
        ("true", "BJ BJ", "ok"),
        ("true", "2H", "DECLARATION_TOO_WEAK T-3.3"),
    ],
)
def test_own_declaration(self_override: str, cards: str, expected: str) -> None:
    """T-3.4: copies of the same card may always be added."""
    options = make_options(self_override=self_override)
    assert verdict("2S 2S 2H 2H BJ BJ", 0, cards, "0: 2S", options) == expected


@pytest.mark.parametrize("seed", range(40))
def test_list_is_what_check_accepts(seed: int) -> None:
    """Every set of up to packs + 1 equal or two different cards, listed or refused."""
    rng = random.Random(seed)
    packs = rng.randint(2, 6)
    options = make_options(
        packs=packs,
        joker_pairs=rng.choice(("ranked", "equal")),
        self_override=rng.choice(("true", "false")),
    )
    rank = rng.randint(2, 14)
    cards = [53, 54, *(13 * suit + rank - 1 for suit in range(4)), rng.randint(1, 52)]
    hand = pack(rng.sample([card for card in set(cards) for _ in range(packs)], k=6))
    copies = rng.randint(1, packs)
    before = rng.choice([None, Declaration(rng.randrange(4), rng.choice(cards[:6]), copies)])
    tried = [copies << 4 * card for card in cards for copies in range(1, packs + 2)]
    tried += [(1 << 4 * a) + (1 << 4 * b) for a, b in combinations_with_replacement(cards, 2)]
    accepted = set()
    for some in tried:
        try:
            bidding.check_declaration(hand, 0, some, before, rank, options)
        except IllegalMove as refusal:
            if refusal.rule == Rule.CARDS_NOT_IN_HAND:
                assert not contains(hand, some)
        else:
            accepted.add(some | DECLARE)
    listed = bidding.legal_declarations(hand, 0, before, rank, options)
    assert len(listed) == len(set(listed))
    assert set(listed) == accepted


def window(answers: str, first_drawer: int, **overrides: str | int) -> Declaration | None:
    """``0: 2S, 1: 2H 2H`` resolved; seats that are not named pass."""
    given = {}
    for told in answers.split(","):
        seat, _, cards = told.partition(":")
        given[int(seat)] = parse(cards) | DECLARE if cards.strip() else PASS
    return resolve_window(given, first_drawer, make_options(**overrides))


@pytest.mark.parametrize(
    ("answers", "first", "expected"),
    [
        ("0: 2S, 1: 2H, 2: 2D, 3: 2C", 0, "0: 2S"),
        ("0: 2S, 1: 2H, 2: 2D, 3: 2C", 2, "2: 2D"),
        ("3: 2C, 0: 2S", 3, "3: 2C"),
        ("0: 2S, 1: 2H 2H, 2: 2D", 0, "1: 2H 2H"),
        ("0: 2S 2S, 3: BJ BJ", 0, "3: BJ BJ"),
        ("0: BJ BJ, 3: RJ RJ", 0, "3: RJ RJ"),
        ("0:, 1:", 0, ""),
    ],
)
def test_window(answers: str, first: int, expected: str) -> None:
    """T-3.5: the strongest, of equals the first in turn order from the first drawer."""
    assert window(answers, first) == standing(expected)


def test_window_of_equal_jokers() -> None:
    """T-3.5 under `joker_pairs=equal`: the first in turn order."""
    assert window("0: BJ BJ, 3: RJ RJ", 0, joker_pairs="equal") == standing("0: BJ BJ")


@pytest.mark.parametrize(
    ("policy", "kitty", "turned", "suit"),
    [
        ("first_rank_card_else_highest", "3S 9H 7D 7C 4S", 3, "D"),
        ("redeal_then_kitty", "3S 9H 7D 7C 4S", 3, "D"),
        ("first_rank_card_else_highest", "3S 9H RJ 4C KH KS", 6, "H"),
        ("first_rank_card_else_highest", "RJ BJ RJ", 3, ""),
        ("first_rank_card_else_highest", "AS AH 7C", 3, "C"),
        ("third_kitty_card", "3S 4S 5D 7C", 1, "D"),
        ("third_kitty_card", "7S 7S RJ BJ 2C 7H", 3, "C"),
        ("third_kitty_card", "7S 7S RJ BJ", 2, ""),
        ("third_kitty_card", "3H 7C", 1, "H"),
        ("third_kitty_card", "RJ 7C", 2, "C"),
        ("third_kitty_card", "BJ", 1, ""),
        ("no_trump", "7S 7H 7D", 0, ""),
        ("redeal", "7S 7H 7D", 0, ""),
    ],
)
def test_turning_the_kitty(policy: str, kitty: str, turned: int, suit: str) -> None:
    """T-3.7."""
    found = turn_kitty([parse_card(name) for name in kitty.split()], 7, policy)
    assert len(found.cards) == turned
    assert found.suit == (SUITS.index(suit) if suit else None)


@pytest.mark.parametrize(
    ("policy", "deal", "redeals"),
    [
        ("redeal_then_kitty", 1, 3),
        ("redeal_then_kitty", 2, 0),
        ("redeal", 1, 3),
        ("redeal", 5, 3),
        ("no_trump", 1, 0),
        ("third_kitty_card", 1, 0),
        ("first_rank_card_else_highest", 1, 0),
    ],
)
def test_number_of_redeals(policy: str, deal: int, redeals: int) -> None:
    """T-3.7."""
    attempts = [bidding.redeals(policy, deal, attempt) for attempt in range(6)]
    assert attempts == [attempt < redeals for attempt in range(6)]


@pytest.mark.parametrize(
    ("shown", "winner"),
    [
        ("AS 7D KH AD", 1),
        ("7S 7H 7D 7C", 0),
        ("AS BJ RJ RJ", 2),
        ("KS AH AD 3C", 1),
        ("2S 3H 2D 2C", 1),
    ],
)
def test_highest_shown(shown: str, winner: int) -> None:
    """T-11.2: suits are equal, of equals the first laid is highest."""
    laid = [(seat, parse_card(name)) for seat, name in enumerate(shown.split())]
    assert bidding.highest_shown(laid, 7) == winner
