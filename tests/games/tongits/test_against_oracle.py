"""Whole matches of Tong-its beside a referee that was written from the rules page alone.

The referee (`tests.oracles.tongits_match`, `tests.oracles.tongits_settle`) knows the clauses G-1 to
G-7 and none of the code; here both are given the same lot, decks and moves, under options drawn
at random. At every decision the legal moves are the same (G-2 to G-4, G-5.2), after every deal the
winner, what is shown, every payment, pot, streak and dealer (G-1.2, G-5, G-6, G-7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from croupier_server.games.base import ChanceKind, Event, Move, Turn
from croupier_server.games.cards import CARD_NAMES, Card, text
from croupier_server.games.cards import rank as rank_of
from croupier_server.games.registry import GAMES
from croupier_server.games.tongits.events import DealResult, Ending, PotSplit
from croupier_server.games.tongits.moves import MoveType, cards_of, meld_of, move_type
from tests.oracles.random_options import random_texts
from tests.oracles.tongits_match import Match, Play
from tests.oracles.tongits_settle import Settled

GAME = GAMES["tongits"]
SAMPLES = {
    "secret_open": ("none", "burn", "challenge", "call", "burn,call", "burn,challenge,call"),
    "special_pays": ("none", "face_down", "in_hand", "any_four", "any_four,face_down", "every_set"),
    "fold_penalty": ("0", "1", "7"),
    "pay_win": ("0", "1", "11"),
    "pay_tongits": ("3", "13"),
    "pay_draw_fought": ("3", "17"),
    "pay_ace": ("1", "0", "100"),
    "pay_burned": ("1", "1000"),
    "pay_special": ("3", "10000"),
    "ante": ("2", "0", "5"),
    "max_hands": ("1", "2", "4", "9"),
}
"""Figures far apart, so that no sum can be right for the wrong reason."""

ENDINGS = {"tongits": Ending.TONGITS, "draw": Ending.DRAW_CALL, "stock": Ending.STOCK}
WORDS = {
    MoveType.DRAW_STOCK: "draw",
    MoveType.TAKE_DISCARD: "take",
    MoveType.CALL_DRAW: "call",
    MoveType.MELD: "meld",
    MoveType.SECRET_FOUR: "four",
    MoveType.LAY_OFF: "lay off",
    MoveType.DISCARD: "discard",
    MoveType.END_TURN: "end",
    MoveType.FOLD: "fold",
    MoveType.CHALLENGE: "challenge",
}


def told(move: Move) -> Play:
    """A move in the words of the referee."""
    word = WORDS[MoveType(move_type(move))]
    cards = tuple(sorted(text(cards_of(move)).split()))
    meld = meld_of(move)
    if word == "take" and meld >= 0:
        return ("take on", meld)
    if word == "lay off":
        return (word, meld, cards)
    if word == "discard":
        return (word, cards[0])
    return (word, cards) if cards else (word,)


def check_result(found: DealResult, match: Match, settled: Settled) -> None:
    """A deal's result is that of the referee, part by part."""
    assert found.deal == match.number
    assert found.winner == settled.winner
    assert (found.jackpot, found.pot) == (settled.jackpot, settled.pot)
    assert found.next_dealer == settled.next_dealer
    if settled.winner is not None:
        assert found.streak == settled.streak
    for result in found.seats:
        seat = result.seat
        assert result.is_burned == settled.burned[seat]
        assert result.is_shown == settled.shown[seat]
        if result.is_shown:
            assert sorted(text(result.hand).split()) == sorted(match.hands[seat])
            ranks = ["23456789TJQKA"[rank - 2] for rank in result.secret_fours]
            assert sorted(ranks) == sorted(match.fours[seat])
            assert result.deadwood == settled.deadwood[seat]
        else:
            assert (result.hand, result.secret_fours, result.deadwood) == (0, (), 0)
        assert result.settlement == settled.delta(seat)
        assert result.chips == settled.chips[seat]
    payments = {payment.seat: tuple(payment)[1:] for payment in found.payments}
    assert payments == settled.payments


def check_events(events: list[Event], match: Match, ended: Counter[str]) -> None:
    for event in events:
        public = event.public
        if isinstance(public, DealResult):
            settled = match.settled[-1]
            check_result(public, match, settled)
            how = next(word for word, ending in ENDINGS.items() if ending is public.ending)
            if how == "draw":
                how += " fought" if public.challengers else " unfought"
            ended[how + (" without a winner" if public.winner is None else "")] += 1
        if isinstance(public, PotSplit):
            assert list(public.chips) == match.chips.chips


def random_deck(cards: Sequence[Card], random: Random) -> list[Card]:
    """A deck; in some the cards of two ranks come together, three places apart: one hand."""
    deck = random.sample(cards, len(cards))
    if random.random() < 0.5:
        for rank in random.sample(range(2, 15), 2):
            four = [card for card in deck if rank_of(card) == rank]
            rest = [card for card in deck if rank_of(card) != rank]
            at = random.randrange(20)
            for place, card in enumerate(four):
                rest.insert(at + 3 * place, card)
            deck = rest
    return deck


def choose(moves: list[Move], random: Random) -> Move:
    """A move; often one of a kind that is drawn first, so that rare kinds come. Calls are made
    seldom and melds often, or hardly a deal would go on to Tong-its."""
    kinds = sorted({move_type(move) for move in moves})
    if len(kinds) > 1 and random.random() < 0.8:
        eager = [kind for kind in kinds if kind not in (MoveType.CALL_DRAW, MoveType.DISCARD)]
        kind = random.choice(eager if random.random() < 0.9 else kinds)
        moves = [move for move in moves if move_type(move) == kind]
    return random.choice(moves)


def play_match(random: Random, ended: Counter[str]) -> int:
    """One match beside the referee: its decisions."""
    ruleset = random.choice(GAME.rulesets())
    options = GAME.options(ruleset, random_texts(GAME.option_specs(), SAMPLES, random))
    state = GAME.new(options)
    match: Match | None = None
    decisions = 0
    while (turn := GAME.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            chance = GAME.chance(state)
            if chance.kind is ChanceKind.LOT:
                lot = random.randrange(chance.sides)
                match = Match(GAME.option_text(options), lot)
                GAME.apply_chance(state, (lot,))
            else:
                assert match is not None
                deck = random_deck(chance.cards, random)
                match.deal([CARD_NAMES[card] for card in deck])
                GAME.apply_chance(state, deck)
            continue
        assert match is not None
        (seat,) = GAME.to_act(state)
        assert seat == match.to_act
        moves = list(GAME.members(GAME.legal_moves(state, seat)))
        assert {told(move) for move in moves} == match.legal()
        move = choose(moves, random)
        match.play(told(move))
        check_events(GAME.apply(state, seat, move), match, ended)
        decisions += 1
    assert match is not None
    assert match.is_over
    outcome = GAME.outcome(state)
    assert outcome is not None
    chips = match.chips.chips
    assert sum(chips) == 0
    assert [seat.score for seat in outcome.seats] == chips
    assert [seat.place for seat in outcome.seats] == [
        1 + sum(other > own for other in chips) for own in chips
    ]
    return decisions


def play_matches(number: int, seed: int) -> Counter[str]:
    random = Random(seed)
    ended: Counter[str] = Counter()
    decisions = sum(play_match(random, ended) for _ in range(number))
    print(f"{number} matches, {ended.total()} deals, {decisions} decisions beside the referee")
    print(f"deals ended by {dict(ended)}")
    return ended


ALL_ENDINGS = {"tongits", "draw fought", "draw unfought", "stock", "stock without a winner"}


@pytest.mark.more
def test_matches_go_as_the_rules_page_says() -> None:
    assert set(play_matches(60, seed=1)) == ALL_ENDINGS


@pytest.mark.slow
def test_many_matches_go_as_the_rules_page_says() -> None:
    assert set(play_matches(5_000, seed=2)) == ALL_ENDINGS
