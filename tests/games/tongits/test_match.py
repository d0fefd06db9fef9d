"""G-1 and G-7: lot, deal, dealers, antes, pot, streak and the end of a match."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_server.errors import MalformedMove, Reason
from croupier_server.games.base import NO_SEAT, ChanceKind, SeatOutcome, Turn
from croupier_server.games.cards import unpack
from croupier_server.games.tongits import events, scoring
from croupier_server.games.tongits.melds import PACK, PACK_CARDS
from croupier_server.games.tongits.options import TongitsOptions
from croupier_server.games.tongits.state import Phase, State
from tests.games.tongits.kit import (
    GAME,
    any_options,
    cards_in,
    do,
    everything,
    in_play,
    make_options,
    new_deal,
    only,
    result,
    rigged_deck,
    sampler,
    steps,
    table,
)

# Deal -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(3))
def test_cards_are_dealt_one_at_a_time_from_the_dealer_on(dealer: int) -> None:
    """G-1.3: the dealer gets the first and the thirty-seventh card; fifteen are left."""
    deck = rigged_deck({}, seed=dealer)
    state, happened = new_deal(make_options(), deck, dealer)
    lot, started = happened
    assert lot.public == events.LotDrawn(dealer)
    assert started.public == events.DealStarted(1, dealer, 2, 6)
    assert started.server == events.DeckOrder(bytes(deck))
    for place in range(3):
        seat = (dealer + place) % 3
        dealt = deck[place:37:3]
        assert len(dealt) == (13 if place == 0 else 12)
        assert started.private[seat] == events.OwnCards(bytes(dealt))
        assert state.hands[seat] == cards_in(bytes(dealt))
    assert state.stock == bytes(deck[37:])
    assert (state.public.stock_size, state.public.discards) == (15, b"")
    assert state.public.hand_sizes[dealer] == 13
    assert everything(state) == PACK_CARDS


def test_chance_is_asked_for_and_checked() -> None:
    """G-1.2, G-1.1: a lot of three, then a pack of 52 without jokers."""
    state = GAME.new(make_options())
    assert GAME.turn(state) is Turn.CHANCE
    lot = GAME.chance(state)
    assert (lot.kind, lot.sides, lot.deal, lot.cards) == (ChanceKind.LOT, 3, 1, ())
    for wrong in ([], [3], [-1], [0, 1], list(PACK)):
        with pytest.raises(MalformedMove):
            GAME.apply_chance(state, wrong)
    GAME.apply_chance(state, [1])
    deck = GAME.chance(state)
    assert (deck.kind, deck.cards, deck.attempt) == (ChanceKind.DECK, tuple(range(1, 53)), 0)
    for bad in ([0], PACK[:-1], [*PACK[:-1], 53], [*PACK[:-1], 1], [*PACK, 1]):
        before = state.copy()
        with pytest.raises(MalformedMove):
            GAME.apply_chance(state, bad)
        assert state == before
    GAME.apply_chance(state, PACK)
    with pytest.raises(MalformedMove) as caught:
        GAME.apply_chance(state, PACK)
    assert caught.value.reason is Reason.MOVE_NOT_EXPECTED


def win(state: State, seat: int) -> None:
    """Deal, and let *seat* go out in the deal."""
    GAME.apply_chance(state, PACK)
    go_out(state, seat)


def go_out(state: State, seat: int) -> None:
    """*seat* discards the last card of its hand."""
    public = state.public
    card = unpack(state.hands[seat])[0]
    state.hands[seat] = 1 << 4 * card
    public.hand_sizes[seat] = 1
    public.to_act, public.phase = seat, Phase.PLAY
    state.legal = None
    GAME.apply(state, seat, 1 << 4 * card | 7)


def no_winner(state: State) -> None:
    """Deal, and let the stock run out with nobody opened."""
    GAME.apply_chance(state, PACK)
    public = state.public
    state.stock, public.stock_size = b"", 0
    GAME.apply(state, public.to_act, GAME.fallback(state, public.to_act))


@pytest.mark.parametrize(
    ("rule", "dealers"), [("winner", [0, 2, 2, 2, 1]), ("rotate", [0, 1, 2, 2, 0])]
)
def test_who_deals(rule: str, dealers: list[int]) -> None:
    """G-1.2: the winner or the next seat; the same one after a deal without a winner."""
    state = GAME.new(make_options(next_dealer=rule))
    GAME.apply_chance(state, [0])
    for winner, dealer in zip((2, 2, None, 1, 0), dealers, strict=True):
        assert state.public.dealer == dealer
        if winner is None:
            no_winner(state)
        else:
            win(state, winner)
        assert result(state).dealer == dealer
        assert result(state).next_dealer == state.public.dealer


# Pot --------------------------------------------------------------------------------------------


def test_two_wins_in_a_row_take_the_pot() -> None:
    """G-7: antes of two before every deal; then the streak starts again."""
    state = GAME.new(make_options())
    GAME.apply_chance(state, [0])
    told = []
    for winner in (1, 0, 0, 0, 0):
        win(state, winner)
        found = result(state)
        told.append((found.jackpot, found.pot, found.streak))
    assert told == [(0, 6, 1), (0, 12, 1), (18, 0, 0), (0, 6, 1), (12, 0, 0)]


@pytest.mark.parametrize(
    ("rule", "jackpots"), [("reset", [0, 12, 0, 12]), ("keep_1", [0, 12, 6, 6])]
)
def test_the_streak_after_the_pot_was_taken(rule: str, jackpots: list[int]) -> None:
    """G-7."""
    state = GAME.new(make_options(streak_after_jackpot=rule))
    GAME.apply_chance(state, [0])
    for jackpot in jackpots:
        win(state, 2)
        assert result(state).jackpot == jackpot
    assert (state.public.streak_seat, state.public.streak) == (2, 1 if rule == "keep_1" else 0)


def test_a_deal_without_a_winner_leaves_pot_and_streak() -> None:
    """G-7: it counts as a deal of the match."""
    state = GAME.new(make_options(max_hands=3))
    GAME.apply_chance(state, [0])
    win(state, 1)
    chips = state.public.chips.copy()
    no_winner(state)
    assert (state.public.streak_seat, state.public.streak) == (1, 1)
    assert result(state).streak == 1
    assert state.public.chips == [own - 2 for own in chips]
    assert result(state).pot == 12
    assert result(state).deal == 2
    win(state, 1)
    assert result(state).jackpot == 18
    assert GAME.turn(state) is Turn.OVER


@pytest.mark.parametrize(
    ("rule", "antes"), [("every_hand", [2, 2, 2, 2]), ("new_pot_only", [2, 0, 0, 2])]
)
def test_when_antes_are_paid(rule: str, antes: list[int]) -> None:
    """G-7: before every deal, or only while the pot is empty."""
    state = GAME.new(make_options(ante_timing=rule))
    GAME.apply_chance(state, [0])
    for winner, ante in zip((0, 1, 1, 1), antes, strict=True):
        started = only(GAME.apply_chance(state, PACK), events.DealStarted)
        assert started.ante == ante
        assert started.pot == state.public.pot
        go_out(state, winner)


def test_the_pot_is_split_at_the_end() -> None:
    """G-7: it always divides by three; the highest score wins, equal ones share the place."""
    state = GAME.new(make_options(max_hands=1, ante=5))
    GAME.apply_chance(state, [0])
    GAME.apply_chance(state, PACK)
    assert GAME.outcome(state) is None
    public = state.public
    state.hands[1], public.hand_sizes[1] = 1 << 4, 1
    public.to_act = 1
    state.legal = None
    happened = GAME.apply(state, 1, 1 << 4 | 7)
    split = only(happened, events.PotSplit)
    assert (split.share, split.chips) == (5, (-4, 8, -4))
    assert result(state).pot == 15
    assert [told.chips for told in result(state).seats] == [-9, 3, -9]
    assert (public.pot, public.chips) == (0, [-4, 8, -4])
    assert GAME.turn(state) is Turn.OVER
    assert GAME.to_act(state) == ()
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.seats == (SeatOutcome(-4, 2), SeatOutcome(8, 1), SeatOutcome(-4, 2))


def test_equal_scores_share_the_first_place() -> None:
    """G-7."""
    state = GAME.new(make_options(max_hands=1))
    state.public.phase = Phase.OVER
    for chips, places in (
        ([0, 0, 0], [1, 1, 1]),
        ([5, 5, -10], [1, 1, 3]),
        ([-3, 4, -1], [3, 1, 2]),
    ):
        state.public.chips = chips
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert [seat.place for seat in outcome.seats] == places
        assert [seat.score for seat in outcome.seats] == chips


@pytest.mark.more
@settings(max_examples=60)
@given(any_options(), st.integers(0, 2**32))
def test_chips_and_cards_are_conserved(options: TongitsOptions, seed: int) -> None:
    """G-7, G-6.4, G-3.2: at every step of any match, to its end after `max_hands` deals."""
    state = GAME.new(options)
    public = state.public
    for _ in steps(state, sampler(seed), seed):
        assert sum(public.chips) + public.pot == 0
        assert public.pot % 3 == 0
        if GAME.turn(state) is Turn.MOVE:
            assert everything(state) == PACK_CARDS
            assert public.hand_sizes == [hand.bit_count() for hand in state.hands]
            assert all(state.hands)
            assert public.stock_size == len(state.stock)
            assert public.secret_fours == [len(ranks) for ranks in state.secret_fours]
            assert public.opened == sum({1 << meld.seat for meld in public.melds})
            assert [meld.number for meld in public.melds] == list(range(len(public.melds)))
            assert all(meld.cards in state.table.kinds for meld in public.melds)
        else:
            assert public.to_act == NO_SEAT
    assert len(state.results) == options.max_hands
    assert [told.deal for told in state.results] == list(range(1, options.max_hands + 1))
    assert public.pot == 0
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert sum(seat.score for seat in outcome.seats) == 0
    for told in state.results:
        assert sum(seat.settlement for seat in told.seats) == 0
        assert sum(paid.total for paid in told.payments) == max(
            seat.settlement for seat in told.seats
        )


@settings(max_examples=40)
@given(any_options(), st.integers(0, 2**32))
def test_the_fallback_plays_any_match_to_its_end(options: TongitsOptions, seed: int) -> None:
    """G-2: it is legal at every decision, and never melds, lays off, takes or calls."""
    state = GAME.new(options)
    for _ in steps(state, GAME.fallback, seed):
        assert not state.public.melds
    assert GAME.turn(state) is Turn.OVER


def test_a_turn_that_takes_the_discard_is_bounded() -> None:
    """G-5.3: each card is taken once; a deal of nothing but discards taken comes to an end."""
    state = GAME.new(
        make_options(max_hands=20, discard_take="meld_or_layoff_any", discard_after_take="false")
    )

    def take_if_possible(state: State, seat: int) -> int:
        moves = GAME.legal_moves(state, seat).moves
        return next((move for move in moves if move & 15 == 2), GAME.fallback(state, seat))

    number = sum(1 for _ in steps(state, take_if_possible, 3))
    assert number < 20 * 120


def test_every_deal_has_a_streak_and_a_next_dealer_after_the_last_too() -> None:
    """G-1.2, G-7."""
    state = in_play(table("KS", max_hands=1))
    do(state, "discard KS")
    assert (result(state).next_dealer, result(state).streak) == (0, 1)


def test_streaks() -> None:
    """G-7: of another seat the first win, of the same one more."""
    options = make_options()
    assert scoring.streak_after(1, NO_SEAT, 0, options) == (1, False)
    assert scoring.streak_after(1, 0, 1, options) == (1, False)
    assert scoring.streak_after(1, 1, 1, options) == (0, True)
    assert scoring.streak_after(1, 1, 0, options) == (1, False)
    assert scoring.streak_after(1, 1, 1, make_options(streak_after_jackpot="keep_1")) == (1, True)


@pytest.mark.parametrize(
    ("options", "chips"),
    [
        # 3 for Tong-its, 4 aces, 3 fours of 3 chips, burned; a third of nine pots of antes.
        ({}, 3 + 4 + 9 + 1 + 18),
        ({"ante_timing": "new_pot_only"}, 3 + 4 + 9 + 1 + 2),
        ({"special_pays": "none", "ante": "0"}, 3 + 4 + 1),
        ({"special_pays": "any_four", "ante": "0"}, 3 + 4 + 4 * 3 + 1),
        ({"special_pays": "every_set", "discard_after_take": "false", "ante": "0"}, 3 + 4 + 39 + 1),
        ({"fold_penalty": "5", "special_pays": "none", "ante": "0"}, 3 + 5 + 4 + 1),
        ({"pay_tongits": "20", "fold_penalty": "5", "special_pays": "none", "ante": "0"}, 25),
    ],
)
def test_the_worst_deal_is_the_dearest_loss_and_a_pot(options: dict[str, str], chips: int) -> None:
    """G-6, G-7."""
    assert scoring.worst_deal(make_options(**options)) == chips
