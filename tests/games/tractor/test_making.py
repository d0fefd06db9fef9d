"""T-3 as a table sees it: lot, draw, windows, starter, redeals and turning."""

from __future__ import annotations

import random

import pytest

from croupier_server.errors import MalformedMove, NotYourTurn
from croupier_server.games.base import PUBLIC, ChanceKind, Turn
from croupier_server.games.cards import parse
from croupier_server.games.tractor import events
from croupier_server.games.tractor.moves import DECLARE, PASS, TractorDecisionKind
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import (
    GAME,
    fallback,
    make_options,
    new_deal,
    pass_all,
    pass_windows,
    rigged_deck,
    steps,
)

NOBODY_DECLARES = "2 BJ RJ"


def declare(state: State, seat: int, cards: str) -> list[object]:
    """Close the window with one declaration, everybody else passing; the public parts."""
    answers = dict.fromkeys(GAME.to_act(state), PASS)
    answers[seat] = parse(cards) | DECLARE
    GAME.check(state, seat, answers[seat])
    return [event.public for event in GAME.close_window(state, answers)]


def to_last_window(state: State) -> None:
    """Pass until all cards are drawn and the last window is open."""
    options = state.public.options
    while state.public.drawn < options.players * options.hand:
        pass_all(state)


def silent_deck(seed: int = 0, **wishes: str) -> list[int]:
    """A deck in whose first 22 rounds nobody can declare."""
    hands = {int(seat[1]): cards for seat, cards in wishes.items()}
    return rigged_deck(make_options(), 0, hands, seed=seed, avoid=NOBODY_DECLARES)


# Lot, draw, windows ----------------------------------------------------------------------------


def test_lot_names_the_first_drawer_of_deal_1() -> None:
    """T-3.1."""
    state = GAME.new(make_options())
    chance = GAME.chance(state)
    assert (chance.kind, chance.deal, chance.sides) == (ChanceKind.LOT, 1, 4)
    (event,) = GAME.apply_chance(state, [2])
    assert event.public == events.LotDrawn(2)
    chance = GAME.chance(state)
    assert (chance.kind, chance.deal, chance.attempt) == (ChanceKind.DECK, 1, 0)
    assert list(chance.cards) == sorted(list(range(1, 55)) * 2)


@pytest.mark.parametrize("outcome", [[], [4], [-1], [0, 0]])
def test_no_outcome_of_the_lot(outcome: list[int]) -> None:
    state = GAME.new(make_options())
    with pytest.raises(MalformedMove):
        GAME.apply_chance(state, outcome)
    assert state == GAME.new(make_options())


def test_a_deck_is_a_permutation_of_the_pack() -> None:
    state = GAME.new(make_options(starter=1))
    before = state.copy()
    deck = list(GAME.chance(state).cards)
    for wrong in (deck[1:], [*deck, 1], [1, *deck[1:-1], 1], [0, *deck[1:]]):
        with pytest.raises(MalformedMove):
            GAME.apply_chance(state, wrong)
    assert state == before


def test_cards_are_drawn_in_turn_from_the_first_drawer() -> None:
    """T-3.1, T-3.5: one card each, then a window."""
    deck = list(GAME.chance(GAME.new(make_options(starter=2))).cards)
    random.Random(1).shuffle(deck)
    state, happened = new_deal(make_options(starter=2), deck)
    started, drawn = happened
    assert started.public == events.DealStarted(1, 0, 2, 2, 2, (2, 2))
    assert started.server == events.DeckOrder(bytes(deck))
    assert drawn.public == events.CardsDrawn((1, 1, 1, 1))
    for step in range(4):
        seat = (2 + step) % 4
        assert drawn.private[seat] == events.OwnCardsDrawn(bytes(deck[step : step + 1]))
    assert PUBLIC not in drawn.private
    assert GAME.turn(state) is Turn.WINDOW


@pytest.mark.parametrize(
    ("window", "windows"), [("each_card", 100), ("each_round", 25), ("end_of_draw", 1)]
)
def test_number_of_windows(window: str, windows: int) -> None:
    """T-3.5: after each card, each round, or once."""
    options = make_options(declare_window=window, no_declaration="no_trump")
    deck = rigged_deck(options, 0, {})
    state, happened = new_deal(options, deck)
    happened += pass_windows(state)
    assert sum(isinstance(e.public, events.WindowClosed) for e in happened) == windows
    assert sum(isinstance(e.public, events.CardsDrawn) for e in happened) == windows
    assert state.public.phase is Phase.BURY
    drawn = [bytearray() for _ in range(4)]
    for event in happened:
        for seat, part in event.private.items():
            if isinstance(part, events.OwnCardsDrawn):
                drawn[seat] += part.cards
    assert [bytes(own) for own in drawn] == [bytes(deck[seat:100:4]) for seat in range(4)]


def test_only_holders_of_a_declaration_are_asked() -> None:
    """T-3.5."""
    state, _ = new_deal(make_options(), rigged_deck(make_options(), 0, {1: "2S", 3: "RJ"}))
    while state.public.drawn < 4:
        pass_all(state)
    assert 1 in GAME.to_act(state)
    assert 3 not in GAME.to_act(state)
    legal = GAME.legal_moves(state, 1)
    assert list(legal.moves) == [PASS, parse("2S") | DECLARE]
    assert GAME.decision_kind(state, 1) == TractorDecisionKind.DECLARE
    with pytest.raises(NotYourTurn):
        GAME.legal_moves(state, 3)
    with pytest.raises(NotYourTurn):
        GAME.check(state, 3, PASS)


def test_a_window_that_nobody_can_answer_still_opens() -> None:
    """T-3.5: nothing public tells who was asked, not even that nobody was."""
    state, _ = new_deal(make_options(), silent_deck())
    assert GAME.turn(state) is Turn.WINDOW
    assert GAME.to_act(state) == ()
    closed, drawn = GAME.close_window(state, {})
    assert closed.public == events.WindowClosed(None)
    assert isinstance(drawn.public, events.CardsDrawn)


def test_the_strongest_answer_alone_is_published() -> None:
    """T-3.5: the others are as if never made, and known to their seats alone."""
    deck = rigged_deck(make_options(), 0, {0: "2S", 2: "2H"})
    state, _ = new_deal(make_options(), deck)
    answers = dict.fromkeys(GAME.to_act(state), PASS)
    answers |= {0: parse("2S") | DECLARE, 2: parse("2H") | DECLARE}
    closed = GAME.close_window(state, answers)[0]
    assert closed.public == events.WindowClosed(state.public.standing)
    assert state.public.standing is not None
    assert state.public.standing.seat == 0
    assert state.public.exposed == (parse("2S"), 0, 0, 0)
    assert closed.private[2] == events.OwnAnswer(parse("2H") | DECLARE)
    assert PUBLIC not in closed.private


def test_the_last_window_reopens_as_long_as_it_changed_something() -> None:
    """T-3.5."""
    deck = rigged_deck(make_options(), 0, {0: "2S 2S", 1: "2H 2H", 2: "BJ BJ", 3: "RJ RJ"})
    state, _ = new_deal(make_options(), deck)
    to_last_window(state)
    for seat, cards in ((0, "2S"), (1, "2H 2H"), (2, "BJ BJ"), (3, "RJ RJ")):
        assert GAME.turn(state) is Turn.WINDOW
        assert len(declare(state, seat, cards)) == 1
    assert GAME.turn(state) is Turn.WINDOW
    closed, fixed, taken = [event.public for event in pass_all(state)]
    assert closed == events.WindowClosed(None)
    assert isinstance(fixed, events.TrumpsFixed)
    assert fixed[:4] == (None, 2, 3, 1)
    assert taken == events.KittyTaken(3, 8)


@pytest.mark.parametrize(("rule", "starter"), [("final_declarer", 3), ("first_declarer", 0)])
def test_starter_of_deal_1(rule: str, starter: int) -> None:
    """T-3.6."""
    options = make_options(first_starter=rule)
    state, _ = new_deal(options, rigged_deck(options, 0, {0: "2S", 3: "2H 2H"}))
    to_last_window(state)
    declare(state, 0, "2S")
    declare(state, 3, "2H 2H")
    pass_windows(state)
    assert state.public.starter == starter
    assert state.public.declarers == starter % 2
    assert state.public.trumps is not None
    assert state.public.trumps.suit == 1


def test_a_declaration_only_makes_trumps_when_the_starter_is_fixed() -> None:
    """T-3.6."""
    options = make_options(starter=2, start_levels="5,3")
    state, _ = new_deal(options, rigged_deck(options, 2, {1: "5C"}))
    assert state.public.trump_rank == 5
    to_last_window(state)
    declare(state, 1, "5C")
    pass_windows(state)
    assert (state.public.starter, state.public.declarers) == (2, 0)
    assert state.public.trumps is not None
    assert state.public.trumps.suit == 3


# Nobody declares -------------------------------------------------------------------------------


def test_redeals_of_deal_1_then_turning() -> None:
    """T-3.7 `redeal_then_kitty`; a redeal is the same deal with the same first drawer."""
    options = make_options()
    state, _ = new_deal(options, silent_deck(0), lot=3)
    for attempt in range(1, 4):
        happened = pass_windows(state)
        assert isinstance(happened[-1].public, events.WindowClosed)
        chance = GAME.chance(state)
        assert (chance.kind, chance.deal, chance.attempt) == (ChanceKind.DECK, 1, attempt)
        assert state.hands == [0] * 4
        started = GAME.apply_chance(state, silent_deck(attempt))[0].public
        assert started == events.DealStarted(1, attempt, 2, 3, None, (2, 2))
    happened = pass_windows(state)
    turned = next(e.public for e in happened if isinstance(e.public, events.KittyTurned))
    assert state.public.starter == 3
    assert state.public.turned == turned.cards
    assert state.public.trumps is not None
    assert state.public.trumps.suit == turned.suit
    assert state.public.phase is Phase.BURY


def test_later_deals_are_turned_at_once() -> None:
    """T-3.7 `redeal_then_kitty`."""
    state = GAME.new(make_options(max_deals=2))
    for _ in steps(state, fallback):
        if state.public.deal == 2 and state.public.phase is Phase.BURY:
            break
    assert state.public.attempt == 0
    assert state.public.turned


def test_redeal_policy_ends_without_trumps() -> None:
    """T-3.7 `redeal`: up to 3 redeals in any deal, then no trump."""
    state = GAME.new(make_options(max_deals=2, no_declaration="redeal"))
    attempts: list[tuple[int, int]] = []
    for happened in steps(state, fallback):
        for event in happened:
            if isinstance(event.public, events.DealStarted):
                attempts.append((event.public.deal, event.public.attempt))
            if isinstance(event.public, events.TrumpsFixed):
                assert event.public.suit is None
    assert attempts == [(deal, attempt) for deal in (1, 2) for attempt in range(4)]


def test_no_trump_policy_turns_nothing() -> None:
    """T-3.7 `no_trump`."""
    options = make_options(no_declaration="no_trump")
    state, _ = new_deal(options, rigged_deck(options, 1, {}), lot=1)
    happened = [event.public for event in pass_windows(state)]
    assert not any(isinstance(part, events.KittyTurned) for part in happened)
    assert state.public.starter == 1
    assert state.public.trumps is not None
    assert state.public.trumps.suit is None
