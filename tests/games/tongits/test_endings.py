"""G-5 and G-6: the ends of deals, what is shown, and every payment."""

from __future__ import annotations

import pytest

from croupier_server.games.cards import parse
from croupier_server.games.tongits import events, scoring
from croupier_server.games.tongits.events import Ending, LaidOff, Meld
from croupier_server.games.tongits.scoring import Verdict, Worth
from croupier_server.games.tongits.state import State
from tests.games.tongits.kit import (
    GAME,
    do,
    in_play,
    make_options,
    only,
    result,
    settlements,
    table,
)

OPEN = [(0, "4H 5H 6H"), (1, "8C 8H 8S"), (2, "JC QC KC")]


def last_turn(*hands: str, seat: int = 0, **more: object) -> State:
    """*seat* has drawn the last card of the stock."""
    return in_play(table(*hands, stock="", seat=seat, **more))  # type: ignore[arg-type]


# Stock ------------------------------------------------------------------------------------------


def test_the_deal_ends_with_the_turn_that_took_the_last_card() -> None:
    """G-5.3: melds, lay-offs and discard of that turn are part of it."""
    state = table("7H 9S 2D", "KD", "KS", melds=OPEN, stock="3C")
    (drawn,) = do(state, "draw")
    assert only([drawn], events.StockDrawn).stock_size == 0
    do(state, "lay 7H on 0")
    happened = do(state, "discard 9S")
    assert only(happened, events.DealResult).ending is Ending.STOCK
    assert [told.deadwood for told in result(state).seats] == [5, 10, 10]
    assert result(state).winner == 0


def test_a_turn_that_took_no_card_does_not_exhaust_the_stock() -> None:
    """G-5.3: with one card left a discard is taken, and play goes on."""
    state = table("9H 9D KD 2D", "3S 4S", "5S TS", discards="9S", stock="AC")
    do(state, "take 9H 9D", "discard KD")
    assert state.public.to_act == 1
    do(state, "draw", "discard 3S")
    assert result(state).ending is Ending.STOCK


def test_tongits_in_the_last_turn_wins() -> None:
    """G-5.3, G-5.1."""
    state = last_turn("9S", "AD", "AS", melds=OPEN)
    do(state, "discard 9S")
    assert (result(state).ending, result(state).winner) == (Ending.TONGITS, 0)


@pytest.mark.parametrize(
    ("hands", "seat", "winner"),
    [
        (("9D KS", "5D", "7D"), 0, 1),
        (("5D KS", "5C", "7D"), 0, 0),
        (("9D KS", "5C", "5D"), 0, 1),
        (("5D", "9D KS", "5C"), 1, 2),
        (("5D", "5C", "9D KS"), 2, 0),
        (("7D 7H 7S KS", "AC", "AD"), 0, 0),
    ],
)
def test_the_lowest_deadwood_wins(hands: tuple[str, str, str], seat: int, winner: int) -> None:
    """G-5.3: tied, the last drawer, or else the first after that player in turn order."""
    state = last_turn(*hands, seat=seat, melds=OPEN)
    do(state, "discard KS")
    assert result(state).winner == winner


def test_burned_players_lose_with_less() -> None:
    """G-5.3, G-5.5."""
    state = last_turn("9D KS", "AC", "2D", melds=OPEN[:1])
    do(state, "discard KS")
    assert result(state).winner == 0
    assert settlements(state) == [4, -2, -2]


@pytest.mark.parametrize(("words", "winner"), [("burn", 1), ("challenge,call", 0)])
def test_a_secret_four_saves_from_being_burned(words: str, winner: int) -> None:
    """G-3.4, G-5.5."""
    state = last_turn("9D KS", "AC", "2D", melds=OPEN[:1], fours={1: "7"}, secret_open=words)
    do(state, "discard KS")
    assert result(state).winner == winner
    assert result(state).seats[1].is_burned is (winner == 0)


def test_nobody_open_is_void() -> None:
    """G-5.3: no winner, no payments; the same dealer deals again (G-1.2)."""
    state = last_turn("9D KS", "AC", "2D", seat=0)
    state.public.dealer = 2
    do(state, "discard KS")
    told = result(state)
    assert (told.winner, told.payments, told.streak, told.next_dealer) == (None, (), 0, 2)
    assert settlements(state) == [0, 0, 0]
    assert [seat.is_shown for seat in told.seats] == [False] * 3
    assert state.public.dealer == 2


def test_nobody_open_lowest() -> None:
    """G-5.3: compared as if none were burned; the losers still pay for it."""
    state = last_turn("9D KS", "AC", "2D", nobody_open="lowest")
    do(state, "discard KS")
    assert result(state).winner == 1
    assert settlements(state) == [-3, 6, -3]
    # The winner is shown, the burned losers are not (G-5.6).
    assert [seat.is_shown for seat in result(state).seats] == [False, True, False]


def test_no_set_saves_at_the_end_of_the_stock() -> None:
    """G-5.2: the saving of a set shown is of the showdown after a draw call alone."""
    state = last_turn("9D KS", "AC AD AH", "2D", melds=OPEN[:1], draw_call="anyone")
    do(state, "discard KS")
    assert result(state).seats[1].is_burned
    assert result(state).winner == 0


# What is shown ----------------------------------------------------------------------------------


def shown(state: State) -> list[tuple[int, tuple[int, ...], int]]:
    """What the result shows by seat: hand, fours, deadwood."""
    return [(told.hand, told.secret_fours, told.deadwood) for told in result(state).seats]


HIDDEN = (0, (), 0)
FOURS = {0: "7", 1: "9", 2: "T"}


def test_shown_after_tongits() -> None:
    """G-5.6: the winner's fours; nothing of the others."""
    state = in_play(table("KS", "2D 3C", "AC", fours=FOURS))
    do(state, "discard KS")
    assert shown(state) == [(0, (7,), 0), HIDDEN, HIDDEN]


def test_shown_when_all_fold() -> None:
    """G-5.6: there was no showdown, so the winner alone."""
    state = table("KS", "2D 3C", "AC", melds=OPEN, fours={1: "9", 2: "T"})
    do(state, "call", "fold", "fold")
    assert shown(state) == [(parse("KS"), (), 10), HIDDEN, HIDDEN]


def test_shown_in_a_showdown() -> None:
    """G-5.6: caller and challengers; who folded stays hidden."""
    state = table("KS", "2D 3C", "AC", melds=OPEN, fours={1: "9", 2: "T"})
    do(state, "call", "challenge", "fold")
    assert shown(state) == [(parse("KS"), (), 10), (parse("2D 3C"), (9,), 5), HIDDEN]


def test_shown_at_the_end_of_the_stock() -> None:
    """G-5.6: all who are not burned."""
    state = last_turn("KS 4D", "2D 3C", "AC", melds=OPEN[:1], fours={1: "9"})
    do(state, "discard KS")
    assert shown(state) == [(parse("4D"), (), 4), (parse("2D 3C"), (9,), 5), HIDDEN]
    assert [told.is_shown for told in result(state).seats] == [True, True, False]


def test_nothing_hidden_outlives_the_deal() -> None:
    """G-5.6: hands, fours and stock are gone; the table stays to be seen."""
    state = in_play(table("KS", "2D 3C", "AC", melds=OPEN, fours={1: "9"}))
    do(state, "discard KS")
    assert (state.hands, state.stock, state.secret_fours) == ([0, 0, 0], b"", [(), (), ()])
    assert state.public.hand_sizes == [0, 0, 0]
    assert len(state.public.melds) == 3
    assert state.public.secret_fours == [0, 1, 0]


# Payments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "answers", "paid"),
    [
        ("showdown_losers", ("fold", "fold"), (1, 1)),
        ("showdown_losers", ("challenge", "fold"), (3, 1)),
        ("showdown_losers", ("challenge", "challenge"), (3, 3)),
        ("all_losers", ("fold", "fold"), (1, 1)),
        ("all_losers", ("fold", "challenge"), (3, 3)),
        ("any_draw", ("fold", "fold"), (3, 3)),
        ("any_draw", ("fold", "challenge"), (3, 3)),
    ],
)
def test_the_price_of_a_fought_draw(
    scope: str, answers: tuple[str, str], paid: tuple[int, int]
) -> None:
    """G-6.1."""
    state = table("2S", "5D 9D", "3C KS", melds=OPEN, fought_scope=scope)
    do(state, "call", *answers)
    assert settlements(state) == [sum(paid), -paid[0], -paid[1]]


def test_the_caller_pays_a_challenger_who_wins() -> None:
    """G-6.1: the caller took part in the showdown, the folder did not."""
    state = table("5S", "2D", "3C KS", melds=OPEN)
    do(state, "call", "challenge", "fold")
    assert result(state).payments == (
        events.Payment(0, 3, 0, 0, 0, 0),
        events.Payment(2, 1, 0, 0, 0, 0),
    )


def test_folders_pay_a_fine_to_whoever_wins() -> None:
    """G-6.2: asked or not, and also when a challenger wins."""
    state = table("5S", "2D", "3C KS", melds=OPEN, fold_penalty=4)
    do(state, "call", "challenge", "fold")
    assert settlements(state) == [-3, 8, -5]
    unasked = table("5S", "2D", "3C KS", melds=OPEN[:1], fold_penalty=4)
    do(unasked, "call")
    assert settlements(unasked) == [12, -6, -6]
    assert [paid.fold_penalty for paid in result(unasked).payments] == [4, 4]


def test_aces_of_the_winner() -> None:
    """G-6.2: in the hand, in own melds, taken from the discards, and in a secret four."""
    state = table("AH AD KS 2S", "5D", "3C", discards="AS")
    do(state, "take AH AD", "discard KS")
    assert [meld.cards for meld in state.public.melds] == [parse("AS AH AD")]
    options = state.public.options
    assert scoring.worth(0, parse("2S AC"), (), state.public.melds, options).aces == 4
    assert scoring.worth(0, parse("2S"), (14,), [], options).aces == 4
    assert scoring.worth(1, parse("2S"), (), state.public.melds, options).aces == 0


def test_aces_that_do_not_count() -> None:
    """G-6.2: laid off by others on own melds, or by the winner on melds of others."""
    run = Meld(0, 0, parse("AS 2S 3S 4S"), 0, False, (LaidOff(1, parse("AS")),))
    own = Meld(1, 0, parse("AH 2H 3H 4H"), 0, False, (LaidOff(0, parse("AH")),))
    other = Meld(2, 1, parse("AD 2D 3D 4D"), 0, False, (LaidOff(0, parse("AD")),))
    for melds, aces in (([run], 0), ([run, own], 1), ([run, own, other], 1)):
        assert scoring.worth(0, 0, (), melds, make_options()).aces == aces


def test_an_ace_laid_off_from_the_discards_on_an_own_meld_counts() -> None:
    """G-6.2, G-2.2."""
    state = table(
        "KD 5C",
        "9D",
        "3C",
        melds=[(0, "2S 3S 4S")],
        discards="AS",
        discard_take="meld_or_layoff_own",
    )
    do(state, "take on 0", "discard KD")
    assert scoring.worth(0, 0, (), state.public.melds, state.public.options).aces == 1


FACES = Meld(0, 0, parse("KS KH KD KC"), 0, False, (LaidOff(1, parse("KC")),))
THREES = Meld(1, 0, parse("3S 3H 3D"), 0, False, ())
RUN = Meld(2, 0, parse("5S 6S 7S 8S"), 0, False, ())
FOREIGN = Meld(3, 1, parse("QS QH QD QC"), 0, False, ())


@pytest.mark.parametrize(
    ("words", "specials"),
    [
        ("none", 0),
        ("face_down", 2),
        ("in_hand", 1),
        ("any_four", 1),
        ("face_down,in_hand", 3),
        ("face_down,in_hand,any_four", 4),
        ("every_set", 2 + 2 + 2),
    ],
)
def test_special_sets(words: str, specials: int) -> None:
    """G-6.2: fours face down, in the hand, on the table as they lie; or every set."""
    hand = parse("9S 9H 9D 9C TS JS 4H 4D 4C 2S")
    options = make_options(special_pays=words)
    melds = [FACES, THREES, RUN, FOREIGN]
    assert scoring.worth(0, hand, (7, 11), melds, options) == Worth(0, specials)


def test_four_in_the_hand_count_however_it_is_split() -> None:
    """G-6.2: also where the count needs one of them for a run."""
    hand = parse("9S 9H 9D 9C TS JS QS")
    assert scoring.worth(0, hand, (), [], make_options()).specials == 1
    every = make_options(special_pays="every_set")
    assert scoring.worth(0, parse("9S 9H 9D TS JS"), (), [], every).specials == 1


ALL_FIGURES: dict[str, str | int] = {
    "pay_win": 2,
    "pay_tongits": 30,
    "pay_draw_fought": 50,
    "pay_ace": 700,
    "pay_burned": 11_000,
    "pay_special": 130_000,
    "fold_penalty": 1_000,
}


@pytest.mark.parametrize(
    ("verdict", "total"),
    [
        (Verdict(Ending.TONGITS, 0), 30),
        (Verdict(Ending.STOCK, 0), 2),
        (Verdict(Ending.DRAW_CALL, 0, 0, (1,)), 50),
        (Verdict(Ending.DRAW_CALL, 0, 0, (2,)), 1_002),
        (Verdict(Ending.DRAW_CALL, 2, 1, (2,)), 50),
    ],
)
def test_every_figure_is_an_option(verdict: Verdict, total: int) -> None:
    """G-6.3: what seat 1 pays, alone and with everything else on top."""
    options = make_options(**ALL_FIGURES)
    assert scoring.payment(1, verdict, Worth(0, 0), False, options).total == total
    paid = scoring.payment(1, verdict, Worth(2, 3), True, options)
    assert (paid.aces, paid.specials, paid.burned) == (1_400, 390_000, 11_000)
    assert paid.total == total + 1_400 + 390_000 + 11_000


def test_payments_sum_to_zero_and_losers_own_nothing() -> None:
    """G-6.4: aces and fours of losers are worth nothing."""
    state = table("AS", "AD AH", "3C KS", melds=OPEN, fours={1: "7", 2: "9"})
    do(state, "call", "challenge", "challenge")
    assert result(state).winner == 0
    assert settlements(state) == [8, -4, -4]


def test_who_is_burned() -> None:
    """G-5.5, G-3.4, G-5.2."""
    burned = scoring.is_burned
    standard, anyone = make_options(), make_options(draw_call="anyone", secret_open="none")
    assert burned(False, 0, True, standard)
    assert not burned(True, 0, False, standard)
    assert not burned(False, 1, False, standard)
    assert burned(False, 1, False, anyone)
    assert not burned(False, 0, True, anyone)


def test_the_next_deal_is_waited_for() -> None:
    """G-7: a deck, dealt by the winner."""
    state = in_play(table("KS", melds=OPEN))
    do(state, "discard KS")
    chance = GAME.chance(state)
    assert (chance.deal, len(chance.cards)) == (2, 52)
    assert state.public.dealer == 0
