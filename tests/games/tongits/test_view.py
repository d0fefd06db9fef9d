"""G-5.6: what seats and spectators know while a deal is under way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.games.base import PUBLIC, Event, Turn
from croupier_server.games.cards import parse
from croupier_server.games.tongits import events
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import State
from tests.games.tongits.kit import GAME, any_options, do, in_play, sampler, steps, table


def test_a_seat_sees_its_own_cards_alone() -> None:
    """G-5.6."""
    state = table("2S 3D", "5D", "2C KS", melds=[(1, "8C 8D 8S")], fours={0: "7", 2: "A"})
    own = GAME.view(state, 0)
    assert (own.seat, own.hand, own.secret_fours) == (0, parse("2S 3D"), (7,))
    assert GAME.view(state, 1).secret_fours == ()
    public = GAME.view(state, PUBLIC)
    assert (public.seat, public.hand, public.secret_fours) == (PUBLIC, 0, ())
    assert public.public.secret_fours == [1, 0, 1]
    assert public.public.hand_sizes == [2, 1, 2]
    assert public.public == own.public == state.public


def test_copies_do_not_change_with_the_state() -> None:
    state = in_play(table("4H 5H 6H 2S", "5D", "AC KS"))
    before = state.copy()
    do(state, "meld 4H 5H 6H")
    assert before != state
    assert before.public.melds == []
    assert GAME.view(state, 0) != GAME.view(before, 0)


def test_deadwood_of_the_own_hand() -> None:
    """G-5.4: by the options of the table."""
    assert GAME.view(table("4H 5H 6H 2S"), 0).deadwood == 2
    assert GAME.view(table("4H 5H 6H 2S", runs="false"), 0).deadwood == 17
    assert GAME.view(table("QS KS AS", ace_high_runs="true"), 0).deadwood == 0
    assert GAME.view(table("4H 5H 6H 2S"), PUBLIC).deadwood == 0


def test_values_are_equal_by_what_they_say() -> None:
    state = table("2S 3D", "5D")
    assert state == state.copy()


PRIVATE = (events.OwnCards, events.OwnCard, events.OwnFour)


@settings(max_examples=40)
@given(any_options(), st.integers(0, 2**32))
def test_private_parts_go_to_the_seat_that_they_are_of(options: TongitsOptions, seed: int) -> None:
    """G-5.6: no event shows to anybody but its owner what was dealt, drawn or laid face down."""
    state = GAME.new(options)
    for happened in steps(state, sampler(seed), seed):
        for event in happened:
            assert all(isinstance(part, PRIVATE) for part in event.private.values())
            if isinstance(event.public, (events.StockDrawn, events.SecretFourLaid)):
                assert set(event.private) == {event.public.seat}
            elif isinstance(event.public, events.DealStarted):
                assert set(event.private) == {0, 1, 2}
            else:
                assert not event.private
            assert (event.server is not None) == isinstance(event.public, events.DealStarted)


@settings(max_examples=30)
@given(any_options(), st.integers(0, 2**32))
def test_a_seat_can_follow_its_hand_through_its_events(options: TongitsOptions, seed: int) -> None:
    """G-5.6: what a seat is shown adds up to its hand and fours."""
    state = GAME.new(options)
    hands = [0, 0, 0]
    fours: list[tuple[int, ...]] = [(), (), ()]
    for happened in steps(state, sampler(seed), seed):
        for event in happened:
            follow(event, hands, fours)
        if GAME.turn(state) is Turn.MOVE:
            assert hands == state.hands
            assert fours == state.secret_fours


def follow(event: Event, hands: list[int], fours: list[tuple[int, ...]]) -> None:
    """Change *hands* and *fours* as an event says, each seat by its own part of it."""
    public = event.public
    for seat, part in event.private.items():
        if isinstance(part, events.OwnCards):
            hands[seat], fours[seat] = sum(1 << 4 * card for card in part.cards), ()
        elif isinstance(part, events.OwnCard):
            hands[seat] += 1 << 4 * part.card
        elif isinstance(part, events.OwnFour):
            fours[seat] += (part.rank,)
            hands[seat] -= sum(1 << 4 * (13 * suit + part.rank - 1) for suit in range(4))
    if isinstance(public, events.DiscardTaken):
        if not public.meld.lay_offs:
            hands[public.seat] -= public.meld.cards - (1 << 4 * public.card)
    elif isinstance(public, events.MeldExposed):
        hands[public.meld.seat] -= public.meld.cards
    elif isinstance(public, events.CardsLaidOff):
        hands[public.laid_off.seat] -= public.laid_off.cards
    elif isinstance(public, events.Discarded):
        hands[public.seat] -= 1 << 4 * public.card


def test_states_differ_by_what_is_hidden() -> None:
    one, other = table("2S 3D", "5D", "AC"), table("2S 3D", "5D", "AH")
    assert one != other
    assert GAME.view(one, 0) == GAME.view(other, 0)
    assert isinstance(one, State)
