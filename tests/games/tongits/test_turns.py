"""G-2 to G-4: what a turn is made of, as a table takes and refuses it."""

from __future__ import annotations

import pytest

from croupier_server.errors import MalformedMove, NotYourTurn, Reason
from croupier_server.games.base import Turn
from croupier_server.games.cards import parse, single, unpack
from croupier_server.games.tongits import events, moves
from croupier_server.games.tongits.events import Ending, LaidOff, Meld
from croupier_server.games.tongits.moves import MELD_SHIFT, TongitsDecisionKind
from croupier_server.games.tongits.state import Phase, State
from tests.games.tongits.kit import (
    GAME,
    do,
    in_play,
    legal,
    make_options,
    move_of,
    new_deal,
    only,
    refusal,
    result,
    rigged_deck,
    table,
)

# Start ------------------------------------------------------------------------------------------


def test_the_dealer_begins_without_a_draw() -> None:
    """G-2.1: thirteen cards are held already; the next seat's turn begins with a choice."""
    state, _ = new_deal(make_options(), rigged_deck({}, dealer=2), dealer=2)
    assert GAME.to_act(state) == (2,)
    assert GAME.decision_kind(state, 2) == TongitsDecisionKind.PLAY
    with pytest.raises(MalformedMove) as caught:
        GAME.apply(state, 2, moves.DRAW_STOCK)
    assert caught.value.reason is Reason.MOVE_NOT_EXPECTED
    card = unpack(state.hands[2])[0]
    (happened,) = GAME.apply(state, 2, moves.discard(card))
    assert happened.public == events.Discarded(2, card)
    assert GAME.to_act(state) == (0,)
    assert GAME.decision_kind(state, 0) == TongitsDecisionKind.START_TURN
    assert state.public.turns == [0, 0, 1]


def test_one_card_is_drawn_and_seen_by_the_drawer_alone() -> None:
    """G-2.1, G-5.6."""
    state = table("2S 3H", stock="9C 8C", seat=0)
    (happened,) = do(state, "draw")
    (drawn,) = unpack(parse("9C"))
    assert happened.public == events.StockDrawn(0, 1)
    assert happened.private == {0: events.OwnCard(drawn)}
    assert happened.private == {0: events.OwnCard(drawn)}
    assert state.hands[0] == parse("2S 3H 9C")
    assert GAME.decision_kind(state, 0) == TongitsDecisionKind.PLAY
    with pytest.raises(MalformedMove):
        do(state, "draw")


def test_only_the_seat_in_turn_acts() -> None:
    """G-2.1."""
    state = table("2S", discards="4S")
    for seat in (1, 2, -1, 3):
        for ask in (GAME.legal_moves, GAME.decision_kind, GAME.fallback):
            with pytest.raises(NotYourTurn):
                ask(state, seat)
        with pytest.raises(NotYourTurn):
            GAME.apply(state, seat, moves.DRAW_STOCK)


def test_the_discard_is_taken_for_a_meld() -> None:
    """G-2.2: with two or more cards of the hand, exposed at once."""
    state = table("7H 7C KD 2S", discards="4S 7S")
    assert legal(state) == [
        "draw stock",
        "take discard with 7H 7C",
    ]
    (happened,) = do(state, "take 7H 7C")
    (seven,) = unpack(parse("7S"))
    meld = Meld(0, 0, parse("7S 7H 7C"), seven, False, ())
    assert happened.public == events.DiscardTaken(0, seven, meld)
    assert happened.private == {}
    assert state.public.melds == [meld]
    assert state.public.discards == bytes(unpack(parse("4S")))
    assert state.hands[0] == parse("KD 2S")
    assert state.public.took_discard
    assert GAME.decision_kind(state, 0) == TongitsDecisionKind.PLAY


def test_every_meld_with_the_discard_is_listed() -> None:
    """G-2.2, G-3.1: sets with two or three others, runs of every length."""
    state = table("4S 5S 7S 6H 6D 6C KD", discards="6S")
    assert len(legal(state)) == 1 + 4 + 3
    for cards in ("6H 6D", "6H 6C", "6D 6C", "6H 6D 6C", "4S 5S", "5S 7S", "4S 5S 7S"):
        GAME.check(state, 0, move_of(f"take {cards}"))


def test_what_the_discard_cannot_be_taken_for() -> None:
    """G-2.2."""
    state = table("7H 7C KD 2S", discards="7S")
    assert refusal(state, "take 7H") == "WRONG_CARD_COUNT G-2.2"
    assert refusal(state, "take 7H KD") == "NOT_A_MELD G-2.2"
    assert refusal(state, "take 7H 7D") == "CARDS_NOT_IN_HAND G-2.2"
    assert refusal(state, "take on 0") == "NOT_ALLOWED_BY_OPTIONS G-2.2"
    empty = table("7H 7C KD 2S", discard_take="meld_or_layoff_any")
    assert refusal(empty, "take 7H 7C") == "NO_DISCARD G-2.2"
    assert refusal(empty, "take on 0") == "NO_DISCARD G-2.2"


OWN_AND_OTHER = [(0, "4H 5H 6H"), (1, "7C 7D 7S")]


@pytest.mark.parametrize(
    ("rule", "numbers"),
    [("new_meld_only", []), ("meld_or_layoff_own", [0]), ("meld_or_layoff_any", [0, 1])],
)
def test_where_the_discard_is_laid_off(rule: str, numbers: list[int]) -> None:
    """G-2.2: nowhere, on an own meld, or on any."""
    state = table("KD 2S", melds=OWN_AND_OTHER, discards="7H", discard_take=rule)
    found = [told for told in legal(state) if told.startswith("take")]
    assert found == [f"take discard on {number}" for number in numbers]
    if 1 not in numbers:
        assert refusal(state, "take on 1") == "NOT_ALLOWED_BY_OPTIONS G-2.2"
    else:
        assert refusal(state, "take on 2") == "NO_SUCH_MELD G-4"


def test_a_discard_laid_off_at_once() -> None:
    """G-2.2: no card of the hand is needed; the lay-off is part of the turn's start."""
    state = table("KD 2S", melds=OWN_AND_OTHER, discards="7H", discard_take="meld_or_layoff_any")
    kinds = GAME.legal_moves(state, 0).kinds
    assert kinds[1:3] == [moves.TongitsMoveKind.TAKE_AND_LAY_OFF] * 2
    (happened,) = do(state, "take on 1")
    taken = only([happened], events.DiscardTaken)
    assert taken.meld.cards == parse("7C 7D 7S 7H")
    assert taken.meld.lay_offs == (LaidOff(0, parse("7H")),)
    assert state.hands[0] == parse("KD 2S")
    assert state.public.phase is Phase.PLAY
    assert refusal(state, "end") == "MUST_DISCARD G-2.4"


def test_a_discard_that_fits_no_meld() -> None:
    """G-2.2, G-4."""
    state = table("KD 2S", melds=OWN_AND_OTHER, discards="9H", discard_take="meld_or_layoff_any")
    assert refusal(state, "take on 0") == "CANNOT_LAY_OFF G-4"
    assert refusal(state, "take on 7") == "NO_SUCH_MELD G-4"


def test_without_lay_offs_the_discard_is_not_laid_off_either() -> None:
    """G-4: `layoff` false switches all of it off."""
    state = table(
        "KD", melds=OWN_AND_OTHER, discards="7H", discard_take="meld_or_layoff_any", layoff="false"
    )
    assert refusal(state, "take on 0") == "NOT_ALLOWED_BY_OPTIONS G-4"
    assert "take discard on 0" not in legal(state)


# Melds ------------------------------------------------------------------------------------------


def test_melds_are_exposed_in_any_order_and_number() -> None:
    """G-2.3: nobody has to, and lay-offs come between."""
    state = in_play(table("4H 5H 6H 7H 7C 7D 7S 2S KD"))
    (happened,) = do(state, "meld 4H 5H 6H")
    assert happened.public == events.MeldExposed(Meld(0, 0, parse("4H 5H 6H"), 0, False, ()))
    do(state, "meld 7C 7D 7S", "lay 7H on 1")
    assert [meld.cards for meld in state.public.melds] == [
        parse("4H 5H 6H"),
        parse("7H 7C 7D 7S"),
    ]
    assert state.public.opened == 0b001
    do(state, "discard KD")
    assert state.public.hand_sizes[0] == 1


def test_what_cannot_be_melded() -> None:
    """G-3.1, G-2.3."""
    state = in_play(table("4H 5H 7H 7C 7D 2S"))
    assert refusal(state, "meld 4H 5H 7H") == "NOT_A_MELD G-3.1"
    assert refusal(state, "meld 4H 5H") == "NOT_A_MELD G-3.1"
    assert refusal(state, "meld 4H 5H 6H") == "CARDS_NOT_IN_HAND G-2.3"
    closed = in_play(table("4H 5H 6H 2S", hand_melds="false"))
    assert refusal(closed, "meld 4H 5H 6H") == "NOT_ALLOWED_BY_OPTIONS G-2.3"
    assert legal(closed) == [f"discard {card}" for card in ("2S", "4H", "5H", "6H")]


def test_a_card_is_in_one_meld_alone() -> None:
    """G-3.2: what lies exposed is not there for another meld."""
    state = in_play(table("7H 7C 7D 8D 9D KS"))
    do(state, "meld 7H 7C 7D")
    assert refusal(state, "meld 7D 8D 9D") == "CARDS_NOT_IN_HAND G-2.3"


@pytest.mark.parametrize(("rule", "is_down"), [("face_up", False), ("turned_down", True)])
def test_how_a_meld_with_the_discard_lies(rule: str, is_down: bool) -> None:
    """G-3.3: it opens, and takes lay-offs, either way; a meld from the hand is never turned."""
    state = table("7H 7C 7D 4H 5H 6H KD 2S", "KS", discards="7S", discard_melds=rule)
    do(state, "take 7H 7C", "meld 4H 5H 6H", "lay 7D on 0")
    first, second = state.public.melds
    assert (first.is_turned_down, second.is_turned_down) == (is_down, False)
    assert first.taken == unpack(parse("7S"))[0]
    assert first.cards == parse("7S 7H 7C 7D")
    assert state.public.opened == 1


def test_a_secret_four() -> None:
    """G-3.4: out of the hand, its rank known to its owner alone; it opens nobody (G-3.5)."""
    state = in_play(table("AH AC AD AS 2S 9H", melds=[(1, "5H 5C 5D")]))
    assert "secret four AS AH AD AC" in legal(state)
    (happened,) = do(state, "four AH AC AD AS")
    assert happened.public == events.SecretFourLaid(0)
    assert happened.private == {0: events.OwnFour(14)}
    assert state.public.secret_fours == [1, 0, 0]
    assert state.secret_fours[0] == (14,)
    assert state.public.opened == 0b010
    assert state.public.hand_sizes[0] == 2
    assert GAME.view(state, 0).secret_fours == (14,)
    assert GAME.view(state, 0).deadwood == 11
    assert GAME.view(state, 1).secret_fours == ()
    # Nothing is laid off on it: it has no number (G-4).
    assert refusal(state, "lay 2S on 1") == "NO_SUCH_MELD G-4"


def test_what_is_no_secret_four() -> None:
    """G-3.4: all four, and from the hand."""
    state = in_play(table("7H 7C 7D 2S", melds=[(0, "8H 8C 8D")]))
    assert refusal(state, "four 7H 7C 7D") == "NOT_FOUR_OF_A_KIND G-3.4"
    assert refusal(state, "four 7H 7C 7D 7S") == "NOT_FOUR_OF_A_KIND G-3.4"
    assert refusal(state, "four 7H 7C 7D 2S") == "NOT_FOUR_OF_A_KIND G-3.4"
    closed = in_play(table("7H 7C 7D 7S 2S", secret_fours="false"))
    assert refusal(closed, "four 7H 7C 7D 7S") == "NOT_ALLOWED_BY_OPTIONS G-3.4"
    assert not any(told.startswith("secret") for told in legal(closed))


# Lay-offs ---------------------------------------------------------------------------------------


def test_lay_offs_on_own_and_other_melds() -> None:
    """G-4: any number of cards, unopened; it does not open (G-3.5)."""
    state = in_play(table("2H 3H 7H 8H 9S KD", melds=[(1, "4H 5H 6H"), (2, "9C 9D 9H")]))
    lays = [told for told in legal(state) if told.startswith("lay")]
    assert len(lays) == 3 * 3 - 1 + 1
    (happened,) = do(state, "lay 3H 7H 8H on 0")
    assert happened.public == events.CardsLaidOff(0, LaidOff(0, parse("3H 7H 8H")))
    do(state, "lay 9S on 1", "lay 2H on 0")
    first = state.public.melds[0]
    assert first == Meld(
        0,
        1,
        parse("2H 3H 4H 5H 6H 7H 8H"),
        0,
        False,
        (LaidOff(0, parse("3H 7H 8H")), LaidOff(0, parse("2H"))),
    )
    assert state.public.opened == 0b110
    assert state.hands[0] == parse("KD")


def test_what_cannot_be_laid_off() -> None:
    """G-4."""
    state = in_play(table("2H 7D 8H KD", melds=[(1, "4H 5H 6H")]))
    for cards in ("2H", "7D", "8H", "2H 8H"):
        assert refusal(state, f"lay {cards} on 0") == "CANNOT_LAY_OFF G-4"
    assert refusal(state, "lay 7H on 0") == "CARDS_NOT_IN_HAND G-4"
    assert refusal(state, "lay 8H on 1") == "NO_SUCH_MELD G-4"
    closed = in_play(table("7H KD", melds=[(1, "4H 5H 6H")], layoff="false"))
    assert refusal(closed, "lay 7H on 0") == "NOT_ALLOWED_BY_OPTIONS G-4"
    assert legal(closed) == ["discard 7H", "discard KD"]


# End --------------------------------------------------------------------------------------------


def test_a_discard_ends_the_turn() -> None:
    """G-2.4."""
    state = in_play(table("2H KD", discards="3S"))
    assert refusal(state, "end") == "MUST_DISCARD G-2.4"
    assert refusal(state, "discard 2H KD") == "WRONG_CARD_COUNT G-2.4"
    assert refusal(state, "discard 2S") == "CARDS_NOT_IN_HAND G-2.4"
    (happened,) = do(state, "discard KD")
    (king,) = unpack(parse("KD"))
    assert happened.public == events.Discarded(0, king)
    assert state.public.discards[-1] == king
    assert (state.public.to_act, state.public.phase) == (1, Phase.START_TURN)
    assert state.public.turns == [2, 1, 1]


def test_turn_order_goes_round() -> None:
    """G-1.3: seat after seat, and from the last to the first."""
    state = table("2H KD", "3H 4D", "5C 8S")
    order = []
    for _ in range(4):
        seat = state.public.to_act
        order.append(seat)
        do(state, "draw")
        GAME.apply(state, seat, GAME.fallback(state, seat))
    assert order == [0, 1, 2, 0]


def test_a_turn_begun_with_the_discard_may_end_without_one() -> None:
    """G-2.4: with `discard_after_take` false; the card below lies on top again."""
    state = table("7H 7C KD 2S 3C", discards="4S 7S", discard_after_take="false")
    do(state, "take 7H 7C")
    assert legal(state) == ["end turn"]
    assert refusal(state, "discard KD") == "MUST_NOT_DISCARD G-2.4"
    (happened,) = do(state, "end")
    assert happened.public == events.TurnEnded(0)
    assert unpack(parse("4S"))[0] == state.public.discards[-1]
    assert state.public.to_act == 1
    # A turn begun with the stock ends with a discard all the same.
    do(state, "draw")
    assert refusal(state, "end") == "MUST_DISCARD G-2.4"


def test_melds_and_lay_offs_before_a_turn_ends_without_a_discard() -> None:
    """G-2.3, G-2.4."""
    state = table("7H 7C 7D 4H 5H 6H KD 2S", discards="7S", discard_after_take="false")
    do(state, "take 7H 7C", "meld 4H 5H 6H", "lay 7D on 0", "end")
    assert state.hands[0] == parse("KD 2S")


# Tong-its ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "last"),
    [
        ("KD", "discard KD"),
        ("4H 5H 6H", "meld 4H 5H 6H"),
        ("7S 7H 7D 7C", "four 7S 7H 7D 7C"),
        ("8C 9C", "lay 8C 9C on 0"),
    ],
)
def test_no_cards_left_is_tongits(hand: str, last: str) -> None:
    """G-2.5, G-5.1: at once, with a last discard or without one."""
    state = in_play(table(hand, melds=[(1, "5C 6C 7C")] if "on 0" in last else []))
    happened = do(state, last)
    assert only(happened, events.DealResult).ending is Ending.TONGITS
    assert result(state).winner == 0
    assert GAME.turn(state) is Turn.CHANCE


@pytest.mark.parametrize("after", ["true", "false"])
def test_tongits_by_taking_the_discard(after: str) -> None:
    """G-2.5: the last two cards go into the meld; no discard is owed."""
    state = table("7H 7C", discards="7S", discard_after_take=after)
    happened = do(state, "take 7H 7C")
    assert [type(event.public) for event in happened] == [events.DiscardTaken, events.DealResult]
    assert result(state).winner == 0


# Form -------------------------------------------------------------------------------------------

BAD = [
    0,
    11,
    15,
    -1,
    moves.DRAW_STOCK | single(5),
    moves.MELD,
    moves.DISCARD,
    moves.LAY_OFF | single(5),
    moves.lay_off(0, 0),
    moves.TAKE_DISCARD,
    moves.take_for_lay_off(0) | single(5),
    moves.MELD | parse("4H 5H 6H") | 1 << MELD_SHIFT,
    moves.DISCARD | single(53),
    moves.DISCARD | 2 * single(5),
    moves.MELD | parse("BJ RJ 4H"),
]


@pytest.mark.parametrize("move", BAD)
def test_what_is_no_move_at_all(move: int) -> None:
    state = in_play(table("4H 5H 6H 2S"))
    before = state.copy()
    with pytest.raises(MalformedMove) as caught:
        GAME.apply(state, 0, move)
    assert caught.value.reason is Reason.MALFORMED_MOVE
    assert state == before


def asked(kind: TongitsDecisionKind) -> State:
    """A table that waits for a decision of *kind*."""
    state = table(
        "4H 5H 6H 2S", "3S 4S", "9C 9D", melds=[(0, "8H 8C 8D"), (1, "JH JC JD")], discards="7S"
    )
    if kind is TongitsDecisionKind.PLAY:
        do(state, "draw")
    if kind is TongitsDecisionKind.ANSWER:
        do(state, "call")
    return state


@pytest.mark.parametrize("kind", TongitsDecisionKind)
def test_every_decision_takes_its_own_types_of_move(kind: TongitsDecisionKind) -> None:
    """G-2.1, G-2.3, G-2.4, G-5.2: a move of another type is not expected, whatever it says."""
    own = {
        TongitsDecisionKind.START_TURN: {"draw", "take 4H 5H", "call"},
        TongitsDecisionKind.PLAY: {
            "meld 4H 5H 6H",
            "four 7S 7H 7D 7C",
            "lay 8S on 0",
            "discard 2S",
            "end",
        },
        TongitsDecisionKind.ANSWER: {"fold", "challenge"},
    }
    state = asked(kind)
    seat = state.public.to_act
    assert GAME.decision_kind(state, seat) == kind
    for other, written in own.items():
        for move in written if other is not kind else ():
            with pytest.raises(MalformedMove) as caught:
                GAME.check(state, seat, move_of(move))
            assert caught.value.reason is Reason.MOVE_NOT_EXPECTED


# Long lists -------------------------------------------------------------------------------------


def test_melds_beyond_the_list_are_a_pattern_each() -> None:
    """G-2.3: thirteen cards of a suit are 66 melds, 76 with a high ace."""
    suit = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    for high, melds in (("false", 66), ("true", 76)):
        state = in_play(table(suit, ace_high_runs=high))
        answer = GAME.legal_moves(state, 0)
        assert len(answer.moves) == 64
        assert len(answer.patterns) == melds + 13 - 64
        every = list(GAME.members(answer))
        assert len(every) == len(set(every)) == melds + 13
        for move in every:
            GAME.check(state, 0, move)


def test_a_list_just_too_long_has_three_patterns() -> None:
    """G-2.3: 55 melds of twelve cards and as many discards."""
    state = in_play(table("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"))
    answer = GAME.legal_moves(state, 0)
    assert (len(answer.moves), len(answer.patterns)) == (64, 3)


def test_lay_offs_stay_listed_beside_many_melds() -> None:
    """G-4: at most 64 moves are listed, and lay-offs are among them."""
    melds = [(1, "4S 4D 4C"), (2, "5S 5D 5C"), (1, "6S 6D 6C")]
    state = in_play(table("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", melds=melds))
    answer = GAME.legal_moves(state, 0)
    assert len(answer.moves) == 64
    assert [moves.move_type(move) for move in answer.moves[:3]] == [moves.LAY_OFF] * 3
    every = list(GAME.members(answer))
    assert len(set(every)) == len(every) == 66 + 3 + 13


# Fallback ---------------------------------------------------------------------------------------


def test_the_fallback_harms_nobody() -> None:
    """G-2, G-5.2: draws, keeps melds together, discards what counts most, folds."""
    state = table("4H 5H 6H 9S KD 2C", "3S 4S", "9C 9D", melds=[(1, "JH JC JD"), (2, "3H 3D 3C")])
    assert GAME.fallback(state, 0) == moves.DRAW_STOCK
    do(state, "draw")
    assert GAME.move_text(GAME.fallback(state, 0)) == "discard KD"
    whole = in_play(table("4H 5H 6H 7H"))
    assert GAME.move_text(GAME.fallback(whole, 0)) == "discard 7H"
    ended = table("7H 7C KD", discards="7S", discard_after_take="false")
    do(ended, "take 7H 7C")
    assert GAME.fallback(ended, 0) == moves.END_TURN
    called = table("KD", "2S", melds=[(0, "4H 5H 6H"), (1, "7H 7C 7D")])
    do(called, "call")
    assert GAME.fallback(called, 1) == moves.FOLD
