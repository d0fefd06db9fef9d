"""Views of Tractor as bytes: large hands, and who sees what."""

from __future__ import annotations

import random

import pytest

from croupier.v1 import game_pb2, tractor_pb2
from croupier_server.games.base import Event
from croupier_server.games.cards import parse
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.games.tractor.events import DealScored
from croupier_server.games.tractor.state import Phase, State
from tests.wire import playouts
from tests.wire.oracle import ids
from tests.wire.oracle_tractor import TractorOracle

WIRE = WIRES[game_pb2.GAME_KIND_TRACTOR]
GAME = GAMES["tractor"]


def moments(ruleset: str, seed: int, deals: int, **overrides: str) -> list[State]:
    """Copies of the states of a random match."""
    of = playouts.options(GAME, ruleset, **overrides)
    return [step.state.copy() for step in playouts.play(GAME, of, random.Random(seed), deals)]


def seat_view(state: State, seat: int) -> tractor_pb2.TractorView:
    return game_pb2.SeatView.FromString(WIRE.views().seat(state, seat)).tractor


def moment(phase: Phase, ruleset: str = "standard") -> State:
    """The first state of a random match in *phase*."""
    return next(state for state in moments(ruleset, 11, 1) if state.public.phase is phase)


def test_hands_above_127_cards() -> None:
    """Numbers of cards are no longer one byte each: 64 cards in the kitty of 6 packs."""
    states = moments("standard", 1, 1, packs="6", kitty_size="64")
    held = [state for state in states if max(state.public.hand_sizes()) > 127]
    assert held
    for state in held:
        assert WIRE.views().seat(state, 2) == TractorOracle().seat_view(state, 2).SerializeToString(
            deterministic=True
        )


def test_the_longest_hands_in_play() -> None:
    """During the tricks hands are not summed up but counted on."""
    states = moments("standard", 1, 1, packs="6", kitty_size="4")
    views = WIRE.views()
    state = next(state for state in states if state.public.phase is Phase.PLAY)
    found = game_pb2.SeatView.FromString(views.seat(state, 0)).tractor
    assert list(found.public_view.hand_sizes) == [80] * 4


@pytest.mark.parametrize("phase", [Phase.BURY, Phase.PLAY])
def test_the_kitty_is_for_the_starter_alone(phase: Phase) -> None:
    state = moment(phase)
    wanted = state.taken if phase is Phase.BURY else state.buried
    for seat in range(4):
        kitty = list(seat_view(state, seat).kitty)
        assert kitty == (ids(wanted) if seat == state.public.starter else [])


def test_nothing_hidden_is_in_the_public_view() -> None:
    """Whatever lies in hands, stock and kitty: the bytes for everybody are the same."""
    for state in moments("pagat", 4, 1):
        before = WIRE.views().public(state)
        state.hands = [parse("AS AS")] * 4
        state.stock, state.taken, state.buried = b"\x01" * 8, parse("KS"), parse("QS")
        assert WIRE.views().public(state) == before


def test_a_view_is_the_public_view_with_seat_hand_and_kitty() -> None:
    for state in moments("online", 5, 1)[::7]:
        public = game_pb2.PublicView.FromString(WIRE.views().public(state)).tractor
        for seat in range(4):
            own = seat_view(state, seat)
            assert own.public_view == public
            assert (own.seat, list(own.hand)) == (seat, ids(state.hands[seat]))


def test_the_order_says_what_is_adjacent() -> None:
    """T-5.3: strengths of neighbours on the ladder differ by one."""
    state = moment(Phase.PLAY)
    assert state.public.trumps is not None
    for order in seat_view(state, 0).public_view.order:
        for card, strength in zip(order.cards, order.strengths, strict=True):
            assert state.public.trumps.height[card] == strength
        assert list(order.strengths) == sorted(order.strengths)
    cards = [card for order in seat_view(state, 0).public_view.order for card in order.cards]
    assert sorted(cards) == list(range(1, 55))


def scored(winners: int, levels_gained: int) -> Event:
    return Event(
        DealScored(
            deal=1,
            starter=0,
            declarers=0,
            trump_suit=None,
            trump_rank=2,
            bid=0,
            trick_points=-10,
            last_trick_winner=1,
            buried=parse("5S TH"),
            multiplier=2,
            bonus=30,
            opponents_points=20,
            winners=winners,
            levels_gained=levels_gained,
            levels=(2, 3),
            next_starter=1,
            match_winner=None,
        ),
        {},
    )


@pytest.mark.parametrize(
    ("winners", "levels_gained", "winner"), [(0, 1, 0), (1, 0, None), (1, 2, 1)]
)
def test_nobody_wins_a_deal_that_only_changes_the_starter(
    winners: int, levels_gained: int, winner: int | None
) -> None:
    """T-9.3: with 80 to 115 points the opponents take over, and no team wins."""
    public, private = WIRE.event_bytes(scored(winners, levels_gained))
    message = game_pb2.GameEvent.FromString(public).tractor.deal_scored
    assert (message.winning_team if message.HasField("winning_team") else None) == winner
    assert message.trick_points == -10
    assert private == {}
