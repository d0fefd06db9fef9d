"""T-2.3: what each audience sees, and that it sees nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.games.base import PUBLIC
from croupier_server.games.cards import Cards
from croupier_server.games.tractor import events
from croupier_server.games.tractor.options import TractorOptions
from croupier_server.games.tractor.state import Phase, State
from tests.games.tractor.strategies import GAME, make_options, sampler, steps
from tests.games.tractor.strategies import options as any_options

PRIVATE_PARTS = (events.OwnCardsDrawn, events.OwnAnswer, events.OwnKitty)


def scramble(state: State, seat: int) -> State:
    """*state* with everything hidden from *seat* replaced by other things."""
    other = state.copy()
    other.hands = [hand if who == seat else ~hand for who, hand in enumerate(state.hands)]
    other.stock = bytes(reversed(state.stock))
    if seat != state.public.starter:
        other.taken, other.buried = ~state.taken, ~state.buried
    return other


@settings(max_examples=30)
@given(any_options(), st.integers(0, 2**32))
def test_a_view_is_a_function_of_what_is_shown(options: TractorOptions, seed: int) -> None:
    """A view does not change when only hidden things do."""
    state = GAME.new(options)
    for number, _ in enumerate(steps(state, sampler(seed), seed)):
        if number % 7:
            continue
        for audience in (PUBLIC, 0, options.players - 1):
            seen = GAME.view(state, audience)
            assert GAME.view(scramble(state, audience), audience) == seen
            assert seen.seat == audience
            if audience != PUBLIC:
                assert seen.hand == state.hands[audience]


def test_a_spectator_sees_public_facts_alone() -> None:
    state = GAME.new(make_options(max_deals=1))
    for _ in steps(state, sampler(1)):
        seen = GAME.view(state, PUBLIC)
        assert (seen.hand, seen.taken, seen.buried) == (0, 0, 0)
        assert seen.public == state.public


def test_the_kitty_is_the_starters_alone_until_the_result() -> None:
    """T-2.3."""
    state = GAME.new(make_options(max_deals=1))
    buried: Cards = 0
    for _ in steps(state, sampler(2)):
        public = state.public
        if public.phase in (Phase.BURY, Phase.PLAY):
            for seat in range(4):
                seen = GAME.view(state, seat)
                is_starter = seat == public.starter
                assert seen.taken == (state.taken if is_starter else 0)
                assert seen.buried == (state.buried if is_starter else 0)
            buried = state.buried
    assert state.results[0].buried == buried
    assert GAME.view(state, 0).buried == 0


@pytest.mark.parametrize("ruleset", ["standard", "document", "qq"])
def test_private_parts_go_to_one_seat(ruleset: str) -> None:
    """What one seat alone may know is never in the part of an event that all see."""
    state = GAME.new(make_options(ruleset, max_deals=2))
    for happened in steps(state, sampler(4)):
        for event in happened:
            assert all(isinstance(part, PRIVATE_PARTS) for part in event.private.values())
            assert not isinstance(event.public, PRIVATE_PARTS)


def test_the_number_of_events_is_public() -> None:
    """Silent windows: what seats hold changes neither number nor kind of events."""
    kinds = set()
    for seed in range(20):
        state = GAME.new(make_options(max_deals=1, no_declaration="no_trump", starter=0))
        told: list[str] = []
        for happened in steps(state, GAME.fallback, seed):
            told += [type(event.public).__name__ for event in happened]
            if state.public.phase is Phase.BURY:
                break
        kinds.add(tuple(told))
    assert len(kinds) == 1


def test_hand_sizes_are_those_of_the_hands() -> None:
    from croupier_server.games.cards import count

    for ruleset, players in (("standard", 4), ("document", 6), ("online", 8)):
        state = GAME.new(
            make_options(ruleset, players=players, max_deals=2, declare_window="each_card")
        )
        for _ in steps(state, sampler(6)):
            assert state.public.hand_sizes() == tuple(map(count, state.hands))
