"""Whole deals from hand-made decks: T-9 from deal to deal, T-3.6, T-3.7 and T-11 to the result.

In most deals one seat holds every joker, ace and king, and queens. It wins every trick of a deal
without a trump suit, so that the result is known: nothing for the opponents if the seat is of the
declarers, and all 200 points if it is not.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from croupier_server.games.base import Event, Seat, Turn
from croupier_server.games.cards import parse, rank, single, unpack
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.moves import BURY, DECLARE, PASS, PLAY
from croupier_server.games.tractor.options import level_text
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import (
    GAME,
    make_options,
    parse_one,
    pass_all,
    pass_windows,
    rigged_deck,
)

STRONG = "RJ RJ BJ BJ AS AS AH AH AD AD AC AC KS KS KH KH KD KD KC KC QS QS QH QH QD"
RED_JOKERS = 2 * single(parse_one("RJ"))


def put_deck(
    state: State, strong: Seat, wishes: Mapping[Seat, str] | None = None, lot: Seat = 0
) -> list[Event]:
    """Begin the next deal; *strong* holds what wins every trick, others what is wished."""
    options = state.public.options
    if GAME.chance(state).sides:
        GAME.apply_chance(state, [lot])
    hands = {strong: STRONG}
    for seat, cards in (wishes or {}).items():
        hands[seat] = f"{hands.get(seat, '')} {cards}"
    probe = state.copy()
    (started, *_) = GAME.apply_chance(probe, list(GAME.chance(probe).cards))
    assert isinstance(started.public, events.DealStarted)
    deck = rigged_deck(options, started.public.first_drawer, hands)
    return GAME.apply_chance(state, deck)


def declare_no_trump(state: State, seat: Seat) -> None:
    """Everybody passes but *seat*, who declares with red jokers in the last window."""
    options = state.public.options
    while state.public.drawn < options.players * options.hand:
        pass_all(state)
    answers = dict.fromkeys(GAME.to_act(state), PASS)
    GAME.close_window(state, answers | {seat: RED_JOKERS | DECLARE})
    pass_windows(state)
    assert state.public.trumps is not None
    assert state.public.trumps.suit is None


def strong_move(state: State, seat: Seat) -> int:
    """Lead the highest card; follow with the highest of the suit; bury the lowest."""
    cards = sorted(unpack(state.hands[seat]), key=lambda card: (card > 52, rank(card)))
    if state.public.phase is Phase.BURY:
        return sum(single(card) for card in cards[: state.public.options.kitty]) | BURY
    if not state.public.plays:
        return single(cards[-1]) | PLAY
    legal = [moves.cards_of(move) for move in GAME.legal_moves(state, seat).moves]
    return max(legal, key=lambda play: cards.index(unpack(play)[0])) | PLAY


def play_deal(state: State, strong: Seat) -> events.DealScored:
    """Bury and play to the result; everybody else plays what is least worth keeping."""
    happened: list[Event] = []
    while GAME.turn(state) is Turn.MOVE:
        (seat,) = GAME.to_act(state)
        move = strong_move(state, seat) if seat == strong else GAME.fallback(state, seat)
        happened = GAME.apply(state, seat, move)
    result = happened[-1].public
    assert isinstance(result, events.DealScored)
    return result


MATCHES = [
    # ace_rule, mandatory levels, start levels, then per deal: starter, strong seat, levels after
    ("defend", "none", "2,2", "0 0 5,2 / 2 0 8,2 / 0 1 8,5 / 1 3 8,8 / 3 0 J,8 / 0 2 A,8", None),
    ("defend", "none", "A,5", "0 0 A,5", 0),
    ("defend", "none", "K,5", "0 2 A,5 / 2 0 A,5", 0),
    ("defend", "none", "5,A", "0 1 5,A / 1 3 5,A", 1),
    ("defend", "none", "A,5", "0 1 A,8 / 1 2 A,8 / 2 2 A,8", 0),
    ("pass", "none", "5,K", "0 3 5,A", 1),
    ("pass", "none", "J,5", "0 0 A,5 / 2 1 A,8 / 3 2 A,8", 0),
    ("reach", "none", "J,5", "0 0 A,5", 0),
    ("reach", "none", "T,Q", "0 0 K,Q / 2 1 K,A", 1),
    ("defend", "J,A", "5,T", "0 1 5,J / 1 3 5,A / 3 0 8,A / 0 3 8,A / 1 1 8,A", 1),
    ("defend", "8", "8,2", "0 1 8,5 / 1 0 8,5 / 2 2 J,5", None),
    ("pass", "A", "5,K", "0 1 5,A / 1 3 5,A", 1),
    ("reach", "K", "Q,2", "0 0 K,2 / 2 1 K,5 / 3 0 K,5 / 0 2 A,5", 0),
]


@pytest.mark.parametrize("first_drawer", ["starter", "rotating"])
@pytest.mark.parametrize(("ace", "mandatory", "start", "deals", "winner"), MATCHES)
def test_levels_from_deal_to_deal(
    ace: str, mandatory: str, start: str, deals: str, winner: int | None, first_drawer: str
) -> None:
    """T-1.3, T-3.1, T-9.3 to T-9.6: starter, rank, first drawer, levels of each deal, the end."""
    rows = [row.split() for row in deals.split("/")]
    options = make_options(
        ace_rule=ace,
        mandatory_levels=mandatory,
        start_levels=start,
        starter=0,
        first_drawer=first_drawer,
        max_deals=len(rows) if winner is None else 200,
    )
    state = GAME.new(options)
    before = start.split(",")
    for number, (starter, strong, after) in enumerate(rows):
        assert GAME.outcome(state) is None
        started = put_deck(state, int(strong))[0].public
        assert isinstance(started, events.DealStarted)
        drawer = int(starter) if first_drawer == "starter" else number % 4
        assert (started.deal, started.attempt) == (number + 1, 0)
        assert (started.starter, started.first_drawer) == (int(starter), drawer)
        assert level_text(started.trump_rank) == before[int(starter) % 2]
        declare_no_trump(state, int(strong))
        assert state.public.starter == int(starter)
        result = play_deal(state, int(strong))
        is_held = int(strong) % 2 == int(starter) % 2
        assert result.opponents_points == (0 if is_held else 200)
        before = after.split(",")
        assert [level_text(level) for level in result.levels] == before
        is_last = number == len(rows) - 1
        assert result.match_winner == (winner if is_last else None)
    outcome = GAME.outcome(state)
    assert outcome is not None
    places = [seat.place for seat in outcome.seats[:2]]
    if winner is None:
        first, second = state.public.levels
        assert places == [1 if first >= second else 2, 1 if second >= first else 2]
    else:
        assert places == ([1, 2] if winner == 0 else [2, 1])


def test_equal_levels_draw_at_the_bound() -> None:
    """T-9.6 `max_deals`."""
    state = GAME.new(make_options(max_deals=2, starter=3))
    for strong in (0, 3):
        put_deck(state, strong)
        declare_no_trump(state, strong)
        play_deal(state, strong)
    assert state.public.levels == (5, 5)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert {(seat.place, seat.score) for seat in outcome.seats} == {(1, 0)}


@pytest.mark.parametrize(
    ("rule", "starter", "points", "levels"),
    [("final_declarer", 1, 0, (2, 5)), ("first_declarer", 0, 200, (2, 5))],
)
def test_the_side_of_a_deal_follows_its_starter(
    rule: str, starter: int, points: int, levels: tuple[int, int]
) -> None:
    """T-3.6: overcalled by the other team, the first declarer still starts and its team defends
    the levels under the trumps of the other."""
    state = GAME.new(make_options(first_starter=rule, max_deals=1))
    put_deck(state, 1, {0: "2S"})
    window = dict.fromkeys(GAME.to_act(state), PASS)
    while 0 not in window:
        GAME.close_window(state, window)
        window = dict.fromkeys(GAME.to_act(state), PASS)
    GAME.close_window(state, window | {0: single(parse_one("2S")) | DECLARE})
    declare_no_trump(state, 1)
    assert (state.public.starter, state.public.declarers) == (starter, starter % 2)
    result = play_deal(state, 1)
    assert (result.opponents_points, result.levels) == (points, levels)
    assert result.next_starter == (starter + (2 if points == 0 else 1)) % 4


@pytest.mark.parametrize(
    ("policy", "kitty", "turned", "suit"),
    [
        ("first_rank_card_else_highest", "RJ 3C 2D", "RJ 3C 2D", "D"),
        ("first_rank_card_else_highest", "3C 9H 9D BJ 4S 5S 6S 8S", "all", "H"),
        ("third_kitty_card", "2S 9H RJ BJ 4D", "RJ BJ 4D", "D"),
        ("third_kitty_card", "2S 9H 2C", "2C", "C"),
        ("no_trump", "2S 9H 2C", "", "-"),
    ],
)
def test_nobody_declares(policy: str, kitty: str, turned: str, suit: str) -> None:
    """T-3.7: turned at the table for all to see; the first drawer starts deal 1."""
    options = make_options(no_declaration=policy)
    state = GAME.new(options)
    GAME.apply_chance(state, [3])
    GAME.apply_chance(state, rigged_deck(options, 3, {}, kitty=kitty, seed=5))
    pass_windows(state)
    shown = kitty if turned == "all" else turned
    assert state.public.turned == tuple(parse_one(name) for name in shown.split())
    assert state.public.trumps is not None
    assert state.public.trumps.suit == (None if suit == "-" else "SHDC".index(suit))
    assert (state.public.starter, state.public.phase) == (3, Phase.BURY)


def test_a_redeal_of_a_later_deal_is_the_same_deal() -> None:
    """T-3.7 `redeal`: number, first drawer and starter stay."""
    options = make_options(no_declaration="redeal", first_drawer="rotating", starter=3)
    state = GAME.new(options)
    put_deck(state, 3)
    declare_no_trump(state, 3)
    play_deal(state, 3)
    for attempt in range(4):
        (started, *_) = put_deck(state, attempt)
        assert started.public == events.DealStarted(2, attempt, 5, 0, 1, (2, 5))
        pass_windows(state)
    assert state.public.trumps is not None
    assert (state.public.trumps.suit, state.public.turned) == (None, ())
    assert (state.public.starter, state.public.phase) == (1, Phase.BURY)


# The auction -------------------------------------------------------------------------------------


def call_and_show(state: State, called: str, shown: str) -> None:
    """Call points or ``-`` in turn, then lay the cards in turn, and name no trump."""
    for word in called.split():
        (seat,) = GAME.to_act(state)
        GAME.apply(state, seat, PASS if word == "-" else moves.call(int(word)))
    for name in shown.split():
        (seat,) = GAME.to_act(state)
        GAME.apply(state, seat, single(parse_one(name)) | moves.SHOW)
    assert state.public.phase is Phase.NAME_TRUMPS
    GAME.apply(state, state.public.starter, moves.name_trumps(None))


@pytest.mark.parametrize(
    ("contract", "bid", "winners", "levels", "following"),
    [
        ("must_make", 5, 0, (4, 2), 2),
        ("must_make", 180, 0, (4, 2), 2),
        ("must_make", 185, 1, (2, 2), 1),
        ("must_make", 200, 1, (2, 2), 1),
        ("none", 200, 0, (4, 2), 2),
    ],
)
def test_contract(
    contract: str, bid: int, winners: int, levels: tuple[int, int], following: int
) -> None:
    """T-11.4: the opponents won 20 points in the show; that breaks bids above 180."""
    state = GAME.new(make_options("document", contract=contract))
    put_deck(state, 0, {1: "2S", 2: "TS", 3: "TD"})
    call_and_show(state, f"{bid}" if bid == 200 else f"{bid} -", "QS 2S TS TD")
    assert (state.public.starter, state.public.opponents_points) == (0, 20)
    result = play_deal(state, 0)
    assert (result.bid, result.opponents_points) == (bid, 20)
    assert (result.winners, result.levels, result.next_starter) == (winners, levels, following)


def test_all_pass_in_a_later_deal() -> None:
    """T-11.1: without a bid the team of the seat that T-9.4 named declares, at its own level;
    the dealer is one seat further (T-3.1 `rotating`)."""
    state = GAME.new(make_options("document"))
    put_deck(state, 0, {1: "2S", 2: "TS", 3: "TD"}, lot=2)
    call_and_show(state, "40 -", "TS TD QS 2S")
    assert state.public.declarers == 0
    result = play_deal(state, 0)
    assert (result.starter, result.next_starter, result.levels) == (0, 2, (4, 2))
    put_deck(state, 1, {0: "3S", 2: "3H", 3: "4H"})
    assert GAME.to_act(state) == (3,)
    call_and_show(state, "- -", "4H 3S AS 3H")
    assert (state.public.declarers, state.public.bid, state.public.trump_rank) == (0, 0, 4)
    assert state.public.shown[0][0] == 3


def test_equals_in_the_show_go_to_the_first_laid() -> None:
    """T-11.2: from the dealer on, not by seat; opponents' cards make no starter."""
    state = GAME.new(make_options("document"))
    put_deck(state, 1, {0: "2S", 2: "2H", 3: "2D"}, lot=2)
    call_and_show(state, "5 -", "2H 2D 2S RJ")
    assert (state.public.starter, state.public.declarers) == (2, 0)


# False throws ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "running"),
    [
        ("none", 0),
        ("ten_per_throw", -10),
        ("ten_per_card_withdrawn", -40),
        ("ten_per_failed_card", -30),
    ],
)
def test_a_false_throw_of_the_opponents_takes_from_them(rule: str, running: int) -> None:
    """T-8: the total may be negative; what stays on the table is won like any lead."""
    options = make_options(throw_penalty=rule, starter=0, no_declaration="no_trump")
    hands = {0: "3H", 1: "AH AS AS 8S 8S 4S", 2: "9S 9S 6S", 3: "KH QS"}
    state = GAME.new(options)
    GAME.apply_chance(state, rigged_deck(options, 0, hands, avoid="RJ BJ"))
    pass_windows(state)
    spare = unpack(state.hands[0] - parse("3H"))[: options.kitty]
    GAME.apply(state, 0, sum(single(card) for card in spare) | BURY)
    for seat, card in ((0, "3H"), (1, "AH")):
        GAME.apply(state, seat, single(parse_one(card)) | PLAY)
    for seat in (2, 3):
        GAME.apply(state, seat, GAME.fallback(state, seat))
    before = state.public.opponents_points
    tried = parse("AS AS 8S 8S 4S")
    (event,) = GAME.apply(state, 1, tried | PLAY)
    assert isinstance(event.public, events.CardsPlayed)
    assert event.public.cards == parse("4S")
    assert event.public.failed_throw is not None
    assert event.public.failed_throw.withdrawn == parse("AS AS 8S 8S")
    assert state.public.opponents_points - before == running
