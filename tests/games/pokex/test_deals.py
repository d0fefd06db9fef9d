"""P-1: lot, deal, dealers, and what is public."""

from __future__ import annotations

import pytest

from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import PUBLIC, ChanceKind, Turn
from croupier_server.games.cards import pack
from croupier_server.games.pokex import events
from croupier_server.games.pokex.state import Phase
from tests.games.pokex.table import GAME, call, finish_deal, make_options, new_deal, playing


def test_a_lot_makes_the_first_dealer() -> None:
    """P-1.2: one of four, then the dealer moves clockwise."""
    state = GAME.new(make_options())
    lot = GAME.chance(state)
    assert (lot.kind, lot.sides, lot.deal) == (ChanceKind.LOT, 4, 1)
    (event,) = GAME.apply_chance(state, [2])
    assert event.public == events.LotDrawn(2)
    for number, dealer in enumerate((2, 3, 0), start=1):
        chance = GAME.chance(state)
        assert (chance.kind, chance.deal, chance.attempt) == (ChanceKind.DECK, number, 0)
        assert chance.cards == tuple(range(1, 55))
        (event,) = GAME.apply_chance(state, chance.cards)
        assert isinstance(event.public, events.DealStarted)
        assert (event.public.deal, event.public.dealer) == (number, dealer)
        finish_deal(state)


@pytest.mark.parametrize("outcome", [[], [4], [-1], [0, 1]])
def test_what_is_no_lot(outcome: list[int]) -> None:
    """P-1.2."""
    with pytest.raises(MalformedMove):
        GAME.apply_chance(GAME.new(make_options()), outcome)


@pytest.mark.parametrize("outcome", [[], list(range(1, 54)), [1, *range(1, 54)], list(range(54))])
def test_what_is_no_deck(outcome: list[int]) -> None:
    """P-1.1."""
    state = GAME.new(make_options())
    GAME.apply_chance(state, [0])
    with pytest.raises(MalformedMove):
        GAME.apply_chance(state, outcome)
    assert state.public.phase is Phase.DEAL


def test_chance_is_not_taken_while_a_seat_is_asked() -> None:
    """P-1.1."""
    with pytest.raises(MalformedMove) as caught:
        GAME.apply_chance(new_deal(make_options()), list(range(1, 55)))
    assert caught.value.reason is Reason.MOVE_NOT_EXPECTED


def test_cards_go_round_from_the_dealers_left() -> None:
    """P-1.1: one at a time; the last six are the centre from left to right."""
    state = GAME.new(make_options())
    GAME.apply_chance(state, [1])
    deck = bytes(range(54, 0, -1))
    (event,) = GAME.apply_chance(state, deck)
    assert event.public == events.DealStarted(1, 1, bytes((6, 5, 4, 3, 2, 1)), (0, 0))
    assert event.server == events.DeckOrder(deck)
    for seat in range(4):
        own = deck[(seat - 2) % 4 : 48 : 4]
        assert event.private[seat] == events.OwnCards(own)
        assert state.hands[seat] == pack(own)
    assert state.public.center == state.public.center_left == deck[48:]
    assert state.public.hand_sizes() == (12,) * 4


def test_hands_are_private_and_all_else_is_public() -> None:
    """P-1.3: a view holds the own hand alone; a spectator's holds none."""
    state = playing(make_options())
    for seat in range(4):
        view = GAME.view(state, seat)
        assert (view.seat, view.hand, view.public) == (seat, state.hands[seat], state.public)
    assert GAME.view(state, PUBLIC).hand == 0


def test_the_deal_stays_to_be_seen_until_the_next() -> None:
    """P-1.3: tricks and calls of a finished deal; no hand is left."""
    state = playing(make_options())
    finish_deal(state)
    assert GAME.turn(state) is Turn.CHANCE
    assert len(state.public.tricks) == 6
    assert len(state.public.calls) == 4
    assert state.public.hand_sizes() == (0,) * 4
    GAME.apply_chance(state, list(range(1, 55)))
    public = GAME.view(state, PUBLIC).public
    assert not public.tricks
    assert not public.calls
    assert (public.bid, public.wild_rank) == (0, 0)


def test_private_parts_reach_their_seat_alone() -> None:
    """P-1.3."""
    state = GAME.new(make_options())
    GAME.apply_chance(state, [0])
    (event,) = GAME.apply_chance(state, list(range(1, 55)))
    assert set(event.private) == {0, 1, 2, 3}
    (event,) = call(state, 1)
    assert event == (events.Called(1, 1), {}, None)


def test_no_window_opens() -> None:
    """P-1.3: nothing is answered at once by several seats."""
    with pytest.raises(AssertionError):
        GAME.close_window(new_deal(make_options()), {})
