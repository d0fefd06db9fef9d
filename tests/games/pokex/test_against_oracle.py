"""Whole matches of Pokex beside a referee that was written from the rules page alone.

The referee (`tests.oracles.pokex_match`) knows the clauses P-1 to P-6 and none of the code; here
both are given the same lot, decks and moves, under options drawn at random. At every decision the
legal moves are the same, after every trick the hands and its winner (P-4.3, P-5), after every deal
the score (P-2.4, P-6.1 to P-6.3), and at the end the winner (P-6.4, P-6.5).
"""

from __future__ import annotations

from random import Random

import pytest

from croupier_server.games.base import ChanceKind, Event, Move, Turn
from croupier_server.games.cards import CARD_NAMES, text
from croupier_server.games.pokex.events import CardsPlayed, DealResult
from croupier_server.games.pokex.moves import (
    MoveType,
    cards_of,
    center_of,
    move_type,
    number_of,
)
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.state import State
from croupier_server.games.registry import GAMES
from tests.oracles.pokex_hands import Found
from tests.oracles.pokex_match import Match, Play
from tests.oracles.random_options import random_texts

SAMPLES = {"target": ("1", "4", "10", "33"), "max_deals": ("1", "2", "4", "8")}
"""Short matches, so that they end in all ways."""

GAME = GAMES["pokex"]


def told(move: Move) -> Play:
    """A move in the words of the referee."""
    kind = move_type(move)
    if kind == MoveType.PASS:
        return ("pass",)
    if kind == MoveType.PLAY:
        card = center_of(move)
        cards = tuple(sorted(text(cards_of(move)).split()))
        return ("play", cards, CARD_NAMES[card] if card else None)
    return ("bid" if kind == MoveType.BID else "name", number_of(move))


def check_events(events: list[Event], match: Match, options: PokexOptions) -> None:
    """Tricks and results of *events* are those of the referee."""
    for event in events:
        public = event.public
        if isinstance(public, CardsPlayed) and public.trick_ended is not None:
            hands = tuple(Found(*hand) for hand in public.trick_ended.hands)
            assert hands == match.tricks[-1]
        if isinstance(public, DealResult):
            scored = match.scored[-1]
            assert public == (
                scored.deal,
                scored.dealer,
                scored.declarer,
                scored.bid,
                scored.is_passed_out,
                scored.named or 0,
                scored.tricks,
                scored.points,
                scored.totals,
            )


def check_outcome(state: State, match: Match) -> None:
    """P-6.4, P-6.5: who won, and by how much."""
    outcome = GAME.outcome(state)
    assert outcome is not None
    ours = match.totals[0] - match.totals[1]
    assert [seat.score for seat in outcome.seats] == [ours, -ours, ours, -ours]
    places = {None: [1, 1, 1, 1], 0: [1, 3, 1, 3], 1: [3, 1, 3, 1]}[match.winner]
    found = [seat.place for seat in outcome.seats]
    assert [place == 1 for place in found] == [place == 1 for place in places]
    assert found[:2] == found[2:]


def play_match(random: Random) -> tuple[int, int]:
    """One match beside the referee: decisions and deals."""
    ruleset = random.choice(GAME.rulesets())
    texts = {"max_deals": "6"} | random_texts(GAME.option_specs(), SAMPLES, random)
    options = GAME.options(ruleset, texts)
    texts = GAME.option_text(options)
    state = GAME.new(options)
    match: Match | None = None
    decisions = 0
    while (turn := GAME.turn(state)) is not Turn.OVER:
        if turn is Turn.CHANCE:
            chance = GAME.chance(state)
            if chance.kind is ChanceKind.LOT:
                lot = random.randrange(chance.sides)
                match = Match(texts, lot)
                GAME.apply_chance(state, (lot,))
            else:
                assert match is not None
                deck = random.sample(chance.cards, len(chance.cards))
                match.deal([CARD_NAMES[card] for card in deck])
                GAME.apply_chance(state, deck)
            continue
        assert match is not None
        (seat,) = GAME.to_act(state)
        assert seat == match.to_act
        legal = GAME.legal_moves(state, seat)
        moves = list(GAME.members(legal))
        assert {told(move) for move in moves} == match.legal()
        # Low bids and passes, as a raised bid soon ends every auction.
        move = random.choice(moves if random.random() < 0.5 else moves[:2])
        match.play(told(move))
        check_events(GAME.apply(state, seat, move), match, options)
        decisions += 1
    assert match is not None
    assert match.is_over
    check_outcome(state, match)
    return decisions, len(match.scored)


def play_matches(number: int, seed: int) -> None:
    random = Random(seed)
    played = [play_match(random) for _ in range(number)]
    decisions, deals = (sum(column) for column in zip(*played, strict=True))
    print(f"{number} matches, {deals} deals, {decisions} decisions beside the referee")


@pytest.mark.more
def test_matches_go_as_the_rules_page_says() -> None:
    play_matches(40, seed=1)


@pytest.mark.slow
def test_many_matches_go_as_the_rules_page_says() -> None:
    play_matches(2_000, seed=2)
