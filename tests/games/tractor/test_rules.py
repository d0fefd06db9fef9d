"""T-2, T-8 and T-9 as a table sees them: kitty, play, false throws, deals and the match."""

from __future__ import annotations

import pytest

from croupier_server.errors import IllegalMove, MalformedMove, NotYourTurn, Reason
from croupier_server.games.base import Turn
from croupier_server.games.cards import count, parse, unpack
from croupier_server.games.tractor import events, moves
from croupier_server.games.tractor.moves import BURY, PASS, PLAY, TractorDecisionKind
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import (
    GAME,
    make_options,
    new_deal,
    pass_windows,
    play_out,
    rigged_deck,
    sampler,
    steps,
)

NOBODY_DECLARES = "2 BJ RJ"


# Kitty and play --------------------------------------------------------------------------------


def to_bury(seed: int = 0, **overrides: str | int) -> State:
    """A deal in which the starter is to bury."""
    options = make_options(**({"no_declaration": "third_kitty_card"} | overrides))
    state, _ = new_deal(options, rigged_deck(options, 0, {}, seed=seed))
    pass_windows(state)
    assert state.public.phase is Phase.BURY
    return state


def refusal(state: State, seat: int, move: int) -> str:
    """Rule and clause of what `check` says; the state does not change."""
    before = state.copy()
    with pytest.raises(IllegalMove) as caught:
        GAME.apply(state, seat, move)
    assert state == before
    return f"{caught.value.rule} {caught.value.clause}"


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
        (result,) = state.results
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
        last = state.results[-1]
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


@pytest.mark.parametrize("starter", [0, 1])
def test_places_follow_scores_whatever_the_levels_were_at_the_start(starter: int) -> None:
    """T-9.6: a team that began behind and gained more may still be behind."""
    for seed in range(6):
        options = make_options(starter=starter, start_levels="9,4", max_deals=1)
        state = GAME.new(options)
        play_out(state, sampler(seed), seed)
        (result,) = state.results
        outcome = GAME.outcome(state)
        assert outcome is not None
        lead = result.levels[0] - result.levels[1]
        assert [seat.score for seat in outcome.seats] == [lead, -lead, lead, -lead]
        assert [seat.place for seat in outcome.seats] == [
            1 if score >= 0 else 2 for score in (lead, -lead, lead, -lead)
        ]


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
