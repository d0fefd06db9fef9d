"""T-2, T-3 and T-9 as a table sees them: phases, windows, redeals, kitty, deals and the match."""

from __future__ import annotations

import random

import pytest

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
from croupier_server.games.base import PUBLIC, ChanceKind, Turn
from croupier_server.games.cards import count, parse, unpack
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.moves import BURY, DECLARE, PASS, PLAY, TractorDecisionKind
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import (
    GAME,
    fallback,
    make_options,
    new_deal,
    pass_all,
    pass_windows,
    play_out,
    rigged_deck,
    sampler,
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
        assert GAME.show(drawn, seat)[1] == events.OwnCardsDrawn(bytes(deck[step : step + 1]))
    assert GAME.show(drawn, PUBLIC)[1] is None
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
    assert GAME.show(closed, 2)[1] == events.OwnAnswer(parse("2H") | DECLARE)
    assert GAME.show(closed, PUBLIC)[1] is None


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


# Kitty and play --------------------------------------------------------------------------------


def to_bury(seed: int = 0, **overrides: str | int) -> State:
    """A deal in which the starter is to bury."""
    options = make_options(**({"no_declaration": "third_kitty_card"} | overrides))
    state, _ = new_deal(options, rigged_deck(options, 0, {}, seed=seed))
    pass_windows(state)
    assert state.public.phase is Phase.BURY
    return state


def refusal(state: State, seat: int, move: int) -> str:
    """Reason and clause of what `check` says; the state does not change."""
    before = state.copy()
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, seat, move)
    assert state == before
    return f"{caught.value.reason} {caught.value.clause}"


def test_the_starter_buries_as_many_cards_as_it_took() -> None:
    """T-9.1."""
    state = to_bury()
    hand = unpack(state.hands[0])
    assert len(hand) == 33
    assert state.public.hand_sizes() == (33, 25, 25, 25)
    (pattern,) = GAME.legal_moves(state, 0).patterns
    assert (pattern.fixed, pattern.pool) == (0, state.hands[0])
    assert pattern.least == pattern.most == 8
    seven = sum(1 << 4 * card for card in hand[:7]) | BURY
    assert refusal(state, 0, seven) == "WRONG_CARD_COUNT T-9.1"
    lacking = next(card for card in range(1, 55) if card not in hand)
    foreign = sum(1 << 4 * card for card in (*hand[:7], lacking)) | BURY
    assert refusal(state, 0, foreign) == "CARDS_NOT_IN_HAND T-9.1"
    with pytest.raises(NotYourTurn):
        GAME.check(state, 1, seven)
    with pytest.raises(MalformedMove) as caught:
        GAME.check(state, 0, parse("7S") | PLAY)
    assert caught.value.reason is Reason.MOVE_NOT_EXPECTED
    buried = sum(1 << 4 * card for card in hand[:8])
    (event,) = GAME.apply(state, 0, buried | BURY)
    assert event.public == events.KittyBuried(0, 8)
    assert event.private == {0: events.OwnKitty(buried)}
    assert state.public.hand_sizes() == (25, 25, 25, 25)
    assert GAME.to_act(state) == (0,)
    assert GAME.decision_kind(state, 0) == TractorDecisionKind.LEAD


@pytest.mark.parametrize(("players", "packs", "size"), [(4, 3, 2), (12, 2, 12), (10, 2, 8)])
def test_a_long_burial_is_one_pattern(players: int, packs: int, size: int) -> None:
    sizes = {} if size == 12 else {"kitty_size": size}
    state = to_bury(players=players, packs=packs, **sizes)
    legal = GAME.legal_moves(state, 0)
    assert (list(legal.moves), len(legal.patterns)) == ([], 1)


def test_a_short_burial_is_listed() -> None:
    """At most 64 choices are listed whole: here 2 cards out of six triples."""
    options = make_options(players=10, packs=3, kitty_size=2, no_declaration="no_trump")
    triples = "3S 3S 3S 4S 4S 4S 5S 5S 5S 6S 6S 6S 7S 7S 7S 8S"
    state, _ = new_deal(options, rigged_deck(options, 0, {0: triples}, kitty="8S 8S"))
    pass_windows(state)
    legal = GAME.legal_moves(state, 0)
    assert (len(legal.moves), len(legal.patterns)) == (6 + 15, 0)
    for move in legal.moves:
        assert count(moves.cards_of(move)) == 2
        GAME.check(state, 0, move)


@pytest.mark.parametrize(
    "move",
    [
        0,
        8,
        15,
        PASS | 16,
        1 << 300 | PLAY,
        7 << 4 | PLAY,
        8 << 4 | PLAY,
        15 << 4 | BURY,
    ],
)
def test_what_is_no_move_at_all(move: int) -> None:
    state = to_bury()
    before = state.copy()
    with pytest.raises(MalformedMove):
        GAME.apply(state, 0, move)
    assert state == before


def test_tricks_until_the_hands_are_empty() -> None:
    """T-2.2, T-7.3: the winner leads; everybody plays as many cards as were led."""
    state = to_bury(max_deals=1)
    happened = play_out(state, sampler(3))
    plays = [e.public for e in happened if isinstance(e.public, events.CardsPlayed)]
    for start in range(0, len(plays), 4):
        trick = plays[start : start + 4]
        assert [play.trick is None for play in trick] == [True, True, True, False]
        assert len({count(play.cards) for play in trick}) == 1
        last = trick[-1].trick
        assert last is not None
        if start + 4 < len(plays):
            assert plays[start + 4].seat == last.winner
    assert sum(count(play.cards) for play in plays) == 100
    result = happened[-1].public
    assert isinstance(result, events.DealScored)
    assert count(result.buried) == 8


def test_only_opponents_points_count() -> None:
    """T-2.1: the running total is what opponents won."""
    state = to_bury(max_deals=1)
    total = 0
    for happened in steps(state, sampler(5)):
        for event in happened:
            play = event.public
            if isinstance(play, events.CardsPlayed) and play.trick is not None:
                if play.trick.winner % 2 == 1:
                    total += play.trick.points
                assert play.trick.opponents_points == total
            if isinstance(play, events.DealScored):
                assert play.trick_points == total
                assert play.opponents_points == max(0, total + play.bonus)


def throw_state(**overrides: str | int) -> State:
    """Seat 0 starts, holds AS KS KS 3S 3S, and seat 1 can beat the threes alone."""
    options = make_options(starter=0, no_declaration="third_kitty_card", **overrides)
    wishes = {0: "AS AS KS KS 3S 3S", 1: "9S 9S 4S", 2: "QS QS", 3: "5S 6S 7S"}
    deck = rigged_deck(options, 0, wishes, kitty="4H 4H 4D", avoid=NOBODY_DECLARES)
    state, _ = new_deal(options, deck)
    pass_windows(state)
    assert state.public.trumps is not None
    assert state.public.trumps.suit == 2
    hand = [card for card in unpack(state.hands[0]) if card > 13]
    GAME.apply(state, 0, sum(1 << 4 * card for card in hand[:8]) | BURY)
    return state


@pytest.mark.parametrize(
    ("rule", "penalty"),
    [
        ("none", 0),
        ("ten_per_throw", 10),
        ("ten_per_card_withdrawn", 20),
        ("ten_per_failed_card", 20),
    ],
)
def test_a_false_throw(rule: str, penalty: int) -> None:
    """T-8: the smallest beatable component stays, the rest goes back, the side pays."""
    state = throw_state(throw_penalty=rule)
    tried = parse("AS AS 3S 3S")
    GAME.check(state, 0, tried | PLAY)
    (event,) = GAME.apply(state, 0, tried | PLAY)
    assert event.public == events.CardsPlayed(
        0, parse("3S 3S"), events.FailedThrow(tried, parse("AS AS"), penalty), None
    )
    assert event.private == {}
    assert state.public.opponents_points == penalty
    assert parse("AS AS") & ~state.hands[0] == 0
    GAME.apply(state, 1, parse("9S 9S") | PLAY)
    assert state.public.winner == 1


def test_a_throw_that_stands() -> None:
    """T-8, T-5.4."""
    state = throw_state(throw_penalty="ten_per_throw")
    cards = parse("AS KS KS")
    (event,) = GAME.apply(state, 0, cards | PLAY)
    assert event.public == events.CardsPlayed(0, cards, None, None)
    assert state.public.opponents_points == 0


def test_following_refusals_carry_their_clause() -> None:
    """T-6 as a table tells it."""
    state = throw_state()
    GAME.apply(state, 0, parse("3S 3S") | PLAY)
    assert refusal(state, 1, parse("9S") | PLAY) == "WRONG_CARD_COUNT T-6.1"
    assert refusal(state, 1, parse("9S 4S") | PLAY) == "MUST_FOLLOW_PAIR T-6.4"
    assert refusal(state, 1, parse("9S 9S 4S") | PLAY) == "WRONG_CARD_COUNT T-6.1"
    other = next(card for card in unpack(state.hands[1]) if 14 <= card <= 26)
    mixed = parse("9S") + (1 << 4 * other)
    assert refusal(state, 1, mixed | PLAY) == "MUST_FOLLOW_SUIT T-6.2"
    assert refusal(state, 1, parse("QS QS") | PLAY) == "CARDS_NOT_IN_HAND T-6.1"


# Deals and the match ---------------------------------------------------------------------------


@pytest.mark.parametrize("first_drawer", ["starter", "rotating"])
@pytest.mark.parametrize("ruleset", ["standard", "document", "qq"])
def test_the_next_deal(ruleset: str, first_drawer: str) -> None:
    """T-3.1, T-9.4: who starts and who draws first follows from the result."""
    options = make_options(ruleset, max_deals=12, first_drawer=first_drawer)
    state = GAME.new(options)
    last: events.DealScored | None = None
    drawer = -1
    for event in play_out(state, sampler(11), seed=4):
        part = event.public
        if isinstance(part, events.DealScored):
            offset = 2 if part.winners == part.declarers else 1
            assert part.next_starter == (part.starter + offset) % 4
            last = part
        if isinstance(part, events.DealStarted):
            if last is not None and part.deal == last.deal + 1 and part.attempt == 0:
                expected = last.next_starter if first_drawer == "starter" else (drawer + 1) % 4
                assert part.first_drawer == expected
                assert part.levels == last.levels
                if not options.is_auction:
                    assert part.starter == last.next_starter
                    assert part.trump_rank == last.levels[last.next_starter % 2]
            drawer = part.first_drawer
    assert last is not None
    assert last.deal == 12 or last.match_winner is not None


def test_one_deal_scores_its_level_change() -> None:
    """T-9.6 `max_deals=1`."""
    for seed in range(12):
        state = GAME.new(make_options(max_deals=1))
        play_out(state, sampler(seed), seed)
        (result,) = state.public.results
        outcome = GAME.outcome(state)
        assert outcome is not None
        gain = result.levels[result.winners] - 2
        assert [seat.score for seat in outcome.seats] == [
            gain if seat % 2 == result.winners else -gain for seat in range(4)
        ]
        places = {seat.place for seat in outcome.seats}
        assert places == ({1} if gain == 0 else {1, 2})


def test_a_match_is_won_by_its_ace() -> None:
    """T-9.6: with everything but the last promotion given."""
    wins = set()
    for seed in range(20):
        options = make_options(ace_rule="reach", start_levels="K", max_deals=40)
        state = GAME.new(options)
        play_out(state, sampler(seed), seed)
        last = state.public.results[-1]
        assert last.match_winner == last.winners
        assert last.levels[last.winners] == 14
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert outcome.seats[last.winners].place == 1
        assert outcome.seats[1 - last.winners].place == 2
        assert outcome.seats[last.winners].score == -outcome.seats[1 - last.winners].score
        wins.add(last.winners)
        assert GAME.turn(state) is Turn.OVER
        assert GAME.to_act(state) == ()
        with pytest.raises(NotYourTurn):
            GAME.apply(state, 0, PASS)
    assert wins == {0, 1}


def test_no_outcome_before_the_end() -> None:
    assert GAME.outcome(to_bury()) is None


def test_no_chance_while_a_seat_is_to_act() -> None:
    state = to_bury()
    with pytest.raises(MalformedMove):
        GAME.apply_chance(state, [1])


def test_a_window_takes_no_single_move() -> None:
    """T-3.5: answers are sealed."""
    state, _ = new_deal(make_options(), rigged_deck(make_options(), 0, {0: "2S"}))
    with pytest.raises(NotYourTurn):
        GAME.apply(state, 0, PASS)


def test_the_fallback_keeps_points_and_trumps() -> None:
    """What is played for an absent seat costs it little."""
    state = to_bury(2)
    trumps = state.public.trumps
    assert trumps is not None
    buried = unpack(moves.cards_of(GAME.fallback(state, 0)))
    assert len(buried) == 8
    assert all(card not in buried for card in unpack(parse("KS KH KD KC TS TH TD TC")))
    assert all(trumps.suit_of[card] != 4 for card in buried)


def test_move_texts() -> None:
    assert GAME.move_text(parse("7S 7S") | PLAY) == "play 7S 7S"
    assert GAME.move_text(moves.name_trumps(1)) == "trumps H"
    assert GAME.move_text(moves.call(80)) == "call 80"
    for wrong in (0, 9, PASS | 32, moves.name_trumps(4) + 16):
        with pytest.raises(MalformedMove):
            GAME.move_text(wrong)
