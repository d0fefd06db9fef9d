"""Worlds dealt anew fit all that a view implies, and play goes on in them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.games.base import PUBLIC, Turn
from croupier_server.games.cards import Cards, contains, count, parse, single
from croupier_server.games.tractor.moves import BURY, PLAY
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import Phase, State, TractorView, Trick
from tests.games.tractor.strategies import (
    GAME,
    make_options,
    new_deal,
    parse_one,
    pass_windows,
    rigged_deck,
    sampler,
    steps,
    words,
)
from tests.games.tractor.strategies import options as any_options


def tricks_of(state: State) -> list[Trick]:
    """The tricks of the deal, the one under way last."""
    public = state.public
    tricks = list(public.tricks)
    if public.plays:
        tricks.append(
            Trick(public.leader, tuple(public.plays), public.failed_throw, public.winner, 0)
        )
    return tricks


def played(state: State) -> list[Cards]:
    """By seat, the cards it has played."""
    found = [0] * state.public.options.players
    for trick in tricks_of(state):
        for step, cards in enumerate(trick.plays):
            found[(trick.leader + step) % len(found)] += cards
    return found


def replay(world: State) -> State:
    """*world* taken back to its first lead and played again, every play checked."""
    public = world.public
    state = world.copy()
    state.hands = [hand + cards for hand, cards in zip(world.hands, played(world), strict=True)]
    again = state.public
    again.plays, again.tricks = [], []
    again.lead = again.best = again.failed_throw = None
    again.winner = -1
    again.leader = again.to_act = public.starter
    # The show is all that can have counted before the first lead.
    again.opponents_points = 0
    if public.shown:
        laid = [
            card if card > 52 else rank_height(card, public.trump_rank) for _, card in public.shown
        ]
        winner = public.shown[laid.index(max(laid))][0]
        again.opponents_points = public.show_points if winner % 2 != public.declarers else 0
    state.legal = None
    for trick in tricks_of(world):
        for step, cards in enumerate(trick.plays):
            tried = trick.failed_throw.tried if trick.failed_throw and not step else cards
            GAME.apply(state, (trick.leader + step) % again.options.players, tried | PLAY)
    return state


def rank_height(card: int, trump_rank: int) -> int:
    rank = (card - 1) % 13 + 2
    return 20 if rank == trump_rank else rank


def assert_fits(world: State, view: TractorView) -> None:
    """*world* holds every card once, is seen as *view*, and explains all that was public."""
    public = world.public
    options = public.options
    assert GAME.view(world, view.seat) == view
    if public.phase in (Phase.DEAL, Phase.OVER):
        return
    own = played(world)
    everything = sum(world.hands) + sum(own) + world.buried
    everything += sum(single(card) for _, card in public.shown)
    everything += sum(single(card) for card in world.stock)
    assert everything == options.packs * sum(single(card) for card in range(1, 55))
    assert tuple(map(count, world.hands)) == public.hand_sizes()
    turned = sum(single(card) for card in public.turned)
    for seat, exposed in enumerate(public.exposed):
        drawn = world.hands[seat] + own[seat]
        if seat == public.starter and public.phase in (Phase.BURY, Phase.PLAY):
            drawn += world.buried - world.taken
        assert contains(drawn, exposed)
    if public.phase in (Phase.BURY, Phase.PLAY):
        assert count(world.taken) == options.kitty
        assert contains(world.taken, turned)
    if public.phase is Phase.PLAY:
        assert replay(world) == world


@pytest.mark.more
@settings(max_examples=60)
@given(any_options(), st.integers(0, 2**32))
def test_worlds_fit_the_view(options: TractorOptions, seed: int) -> None:
    """At every stage of any table, for seats and spectators."""
    rng = random.Random(seed)
    state = GAME.new(options)
    draw = words(seed)
    for _ in steps(state, sampler(seed), seed):
        if rng.random() < 0.06:
            view = GAME.view(state, rng.choice((PUBLIC, *range(options.players))))
            assert_fits(GAME.worlds(view, draw), view)


@pytest.mark.parametrize("seed", range(6))
def test_play_goes_on_in_a_world(seed: int) -> None:
    state = GAME.new(make_options(max_deals=1))
    for number, _ in enumerate(steps(state, sampler(seed), seed)):
        if number % 9 == 0:
            world = GAME.worlds(GAME.view(state, number % 4), words(seed))
            for _ in steps(world, sampler(number), seed):
                pass
            assert GAME.turn(world) is Turn.OVER
            assert world.public.last_result


def test_worlds_differ_and_depend_on_the_words_alone() -> None:
    state = GAME.new(make_options(starter=0, no_declaration="no_trump"))
    for _ in steps(state, sampler(1)):
        if state.public.phase is Phase.PLAY:
            break
    view = GAME.view(state, 1)
    assert GAME.worlds(view, words(1)) == GAME.worlds(view, words(1))
    assert len({tuple(GAME.worlds(view, words(seed)).hands) for seed in range(20)}) == 20


def rigged(wishes: dict[int, str], bury: str, kitty: str = "4H 4H 4D", **more: str | int) -> State:
    """Seat 0 starts with diamonds as trumps and leads; *bury* are cards of its hand."""
    options = make_options(starter=0, no_declaration="third_kitty_card", **more)
    state, _ = new_deal(options, rigged_deck(options, 0, wishes, kitty=kitty, avoid="2 BJ RJ"))
    pass_windows(state)
    assert state.public.trumps is not None
    assert state.public.trumps.suit == 2
    GAME.apply(state, 0, parse(bury) | BURY)
    return state


HEARTS = "3H 3H 5H 5H 6H 6H 7H 7H"


def test_a_seat_that_did_not_follow_has_none() -> None:
    """T-6.2."""
    spades = "5S 5S 6S 6S 7S 7S 8S 8S 9S 9S TS TS JS JS QS QS 4S 4S"
    state = rigged({0: f"AS KS {HEARTS}", 1: "AC AC", 2: spades, 3: "3S AS KS 3S"}, HEARTS)
    GAME.apply(state, 0, parse("AS") | PLAY)
    assert not state.hands[1] & parse("AS AS KS KS QS QS")
    GAME.apply(state, 1, parse("AC") | PLAY)
    side = GAME.view(state, 0).public.trumps
    assert side is not None
    for seed in range(20):
        world = GAME.worlds(GAME.view(state, 0), words(seed))
        assert not world.hands[1] & side.mask[0]


def test_somebody_can_beat_a_false_throw() -> None:
    """T-8: a tractor that failed is beaten by a higher one in some hand."""
    wishes = {0: f"AS 3S 3S 4S 4S {HEARTS}", 1: "9S 9S TS TS", 2: "5S 6S", 3: "7S 8S"}
    state = rigged(wishes, HEARTS)
    GAME.apply(state, 0, parse("AS 3S 3S 4S 4S") | PLAY)
    assert state.public.failed_throw is not None
    assert state.public.plays == [parse("3S 3S 4S 4S")]
    for seat in (0, 2, 3, PUBLIC):
        for seed in range(10):
            world = GAME.worlds(GAME.view(state, seat), words(seed))
            assert replay(world) == world
            if seat != 0:
                assert contains(world.hands[0], parse("AS"))


def test_exposed_cards_stay_with_the_declarer() -> None:
    """T-3.2: also when another seat overcalled."""
    options = make_options()
    state, _ = new_deal(options, rigged_deck(options, 0, {0: "2S", 1: "2H 2H"}))
    from croupier_server.games.tractor.moves import DECLARE, PASS

    while state.public.drawn < 8:
        answers = dict.fromkeys(GAME.to_act(state), PASS)
        if 0 in answers:
            answers[0] = parse("2S") | DECLARE
        GAME.close_window(state, answers)
    answers = dict.fromkeys(GAME.to_act(state), PASS)
    GAME.close_window(state, answers | {1: parse("2H 2H") | DECLARE})
    assert state.public.exposed == (parse("2S"), parse("2H 2H"), 0, 0)
    for seed in range(20):
        world = GAME.worlds(GAME.view(state, 2), words(seed))
        assert contains(world.hands[0], parse("2S"))
        assert contains(world.hands[1], parse("2H 2H"))


def test_turned_cards_went_to_the_starter() -> None:
    """T-3.7: into its hand, and then perhaps under the burial."""
    state = rigged({0: HEARTS}, HEARTS)
    turned = parse("4D")
    assert state.public.turned == (parse_one("4D"),)
    seen_buried = set()
    for seed in range(60):
        world = GAME.worlds(GAME.view(state, 1), words(seed))
        assert contains(world.hands[0] + world.buried, turned)
        seen_buried.add(contains(world.buried, turned))
    assert seen_buried == {True, False}
