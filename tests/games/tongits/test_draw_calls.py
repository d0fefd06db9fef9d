"""G-5.2: who may call draw, what bars a call, who answers, and who wins."""

from __future__ import annotations

import pytest

from croupier_server.games.base import NO_SEAT, Turn
from croupier_server.games.tongits import events, scoring
from croupier_server.games.tongits.events import Ending
from croupier_server.games.tongits.moves import TongitsDecisionKind
from croupier_server.games.tongits.state import State
from tests.games.tongits.kit import (
    GAME,
    do,
    in_play,
    legal,
    make_options,
    move_of,
    new_deal,
    refusal,
    result,
    rigged_deck,
    settlements,
    table,
    why_refused,
)

OPEN = [(0, "4H 5H 6H"), (1, "8C 8D 8S"), (2, "JC QC KC")]
ALL_OPEN = ("2S 3D", "5D 9H", "AC KS")


def can_call(state: State) -> bool:
    """Whether the seat to act may call draw; the list and the check say the same."""
    is_listed = "call draw" in legal(state)
    if is_listed:
        GAME.check(state, state.public.to_act, move_of("call"))
    return is_listed


# Who --------------------------------------------------------------------------------------------


def test_an_opened_player_calls_before_drawing() -> None:
    """G-5.2, G-2.1: instead of drawing or taking the discard."""
    state = table(*ALL_OPEN, melds=OPEN, discards="TS")
    assert can_call(state)
    (happened,) = do(state, "call")
    assert happened.public == events.DrawCalled(0)
    assert state.public.caller == 0
    assert GAME.to_act(state) == (1,)
    assert GAME.decision_kind(state, 1) == TongitsDecisionKind.ANSWER
    assert legal(state) == ["fold", "challenge"]


def test_who_is_not_opened_cannot_call() -> None:
    """G-5.2, G-3.5: lay-offs on melds of others do not open."""
    state = in_play(table("7H 2S 3D", "9H", "9D", melds=[*OPEN[1:], (1, "4H 5H 6H")]))
    do(state, "lay 7H on 2", "discard 2S", "draw", "discard 9H", "draw", "discard 9D")
    assert state.public.to_act == 0
    assert refusal(state, "call") == "NOT_OPENED G-5.2"
    assert not can_call(state)


@pytest.mark.parametrize(
    ("words", "is_legal"),
    [("burn,challenge", False), ("call", True), ("burn,challenge,call", True), ("none", False)],
)
def test_the_owner_of_a_secret_four(words: str, is_legal: bool) -> None:
    """G-3.4, G-5.2: calls if `secret_open` says so."""
    state = table(fours={0: "7"}, secret_open=words)
    assert can_call(state) is is_legal
    if not is_legal:
        assert refusal(state, "call") == "NOT_OPENED G-5.2"


def test_anyone_calls_from_the_second_turn_on() -> None:
    """G-5.2: `draw_call` anyone, though not in the first turn of the deal."""
    state, _ = new_deal(make_options(draw_call="anyone"), rigged_deck({}))
    for seat in (0, 1, 2, 0):
        assert state.public.to_act == seat
        if state.public.turns[seat] == 0 and seat:
            assert refusal(state, "call") == "DRAW_CALL_BARRED G-5.2"
            assert "the own first turn" in why_refused(state, "call")
            do(state, "draw")
        elif seat == 0 and state.public.turns[0]:
            break
        GAME.apply(state, seat, GAME.fallback(state, seat))
    # The dealer's opening turn was its first one.
    assert can_call(state)


# Bars -------------------------------------------------------------------------------------------


def round_of_turns(state: State) -> None:
    """The seats after seat 0 draw and discard; then it is seat 0's turn again."""
    while state.public.to_act != 0:
        seat = state.public.to_act
        do(state, "draw")
        GAME.apply(state, seat, GAME.fallback(state, seat))


@pytest.mark.parametrize("scope", ["next_turn", "whole_hand"])
def test_another_players_lay_off_bars(scope: str) -> None:
    """G-5.2: at the caller's next turn, or for the whole deal."""
    state = table("2S 3D", "7H 9H", "KS AC", melds=OPEN, seat=1, draw_block_scope=scope)
    do(state, "draw", "lay 7H on 0", "discard 9H", "draw", "discard AC")
    assert state.public.barred() == (0,)
    assert refusal(state, "call") == "DRAW_CALL_BARRED G-5.2"
    assert why_refused(state, "call").startswith("a lay-off on an own meld")
    assert not can_call(state)
    do(state, "draw")
    assert state.public.barred() == (() if scope == "next_turn" else (0,))
    do(state, "discard 2S")
    round_of_turns(state)
    assert can_call(state) is (scope == "next_turn")


def test_a_lay_off_on_a_third_players_meld_bars_that_player_alone() -> None:
    """G-5.2: the lay-off has to be on one of the caller's melds."""
    state = table("2S 3D", "TC 9H", "KS AC", melds=OPEN, seat=1)
    do(state, "draw", "lay TC on 2", "discard 9H")
    assert state.public.barred() == (2,)
    assert not can_call(state)
    do(state, "draw", "discard AC")
    assert can_call(state)


@pytest.mark.parametrize(("rule", "is_legal"), [("true", False), ("false", True)])
def test_an_own_lay_off_in_the_last_turn_bars(rule: str, is_legal: bool) -> None:
    """G-5.2: `draw_block_self_layoff`; a turn later the call is free again."""
    state = in_play(table("7H 2S 3D", "5D 9H", "AC KS", melds=OPEN, draw_block_self_layoff=rule))
    do(state, "lay 7H on 0", "discard 2S")
    round_of_turns(state)
    assert can_call(state) is is_legal
    do(state, "draw", "discard 3D")
    round_of_turns(state)
    assert can_call(state)


def test_an_own_lay_off_on_another_players_meld_does_not_bar() -> None:
    """G-5.2."""
    state = in_play(table("8H 2S 3D", "5D 9H", "AC KS", melds=OPEN))
    do(state, "lay 8H on 1", "discard 2S")
    assert state.public.barred() == (1,)
    round_of_turns(state)
    assert can_call(state)


def test_a_discard_laid_off_on_an_own_meld_bars_too() -> None:
    """G-5.2, G-2.2."""
    state = table(
        "2S 3D", "5D 9H", "AC KS", melds=OPEN, discards="7H", discard_take="meld_or_layoff_own"
    )
    do(state, "take on 0", "discard 2S")
    round_of_turns(state)
    assert refusal(state, "call") == "DRAW_CALL_BARRED G-5.2"


def test_a_discard_laid_off_by_another_bars_too() -> None:
    """G-5.2, G-2.2."""
    state = table(
        "2S 3D",
        "5D 9H",
        "AC KS",
        melds=OPEN,
        discards="7H",
        seat=1,
        discard_take="meld_or_layoff_any",
    )
    do(state, "take on 0", "discard 9H")
    round_of_turns(state)
    assert refusal(state, "call") == "DRAW_CALL_BARRED G-5.2"


@pytest.mark.parametrize(
    ("taken", "take"), [("9S", "take 9H 9D"), ("7H", "take on 0")], ids=["melded", "laid off"]
)
@pytest.mark.parametrize(("rule", "is_legal"), [("true", False), ("false", True)])
def test_a_taken_discard_bars(taken: str, take: str, rule: str, is_legal: bool) -> None:
    """G-5.2: `draw_block_discard_taken`, if the caller's last discard was melded or laid off."""
    state = in_play(
        table(
            f"{taken} 3D 6C",
            "9H 9D KD 2D",
            "AC KS 5D",
            melds=[(2, "4H 5H 6H"), (0, "8C 8D 8S")],
            discard_take="meld_or_layoff_any",
            draw_block_discard_taken=rule,
        )
    )
    do(state, f"discard {taken}", take, "discard KD")
    assert state.public.barred() == ((0,) if not is_legal else ()) + ((2,) if taken == "7H" else ())
    round_of_turns(state)
    assert can_call(state) is is_legal
    do(state, "draw", "discard 3D")
    round_of_turns(state)
    assert can_call(state)


def test_a_discard_taken_from_under_another_bars_its_discarder() -> None:
    """G-5.2, G-2.4: without discards after a taken one, an older discard comes to lie on top."""
    state = table(
        "3D 6C",
        "9H 9D KD 2D",
        "AC KS JD JH",
        melds=[(0, "8C 8D 8S"), (1, "QS QC QD")],
        discards="JS 9S",
        seat=1,
        discard_after_take="false",
        draw_block_discard_taken="true",
    )
    # Seat 0 discarded the nine, seat 2 the jack before it.
    do(state, "take 9H 9D", "end")
    assert state.public.barred() == (0,)
    do(state, "take JD JH", "end")
    assert state.public.barred() == (0, 2)
    assert refusal(state, "call") == "DRAW_CALL_BARRED G-5.2"
    assert why_refused(state, "call").startswith("the own last discard was taken")


# Answers ----------------------------------------------------------------------------------------


def test_answers_are_open_and_in_turn_order() -> None:
    """G-5.2: each seat knows the answers before its own."""
    state = table("2S", "5D 9H", "AC KS", melds=OPEN, seat=2)
    (called,) = do(state, "call")
    assert called.public == events.DrawCalled(2)
    assert GAME.to_act(state) == (0,)
    (first,) = do(state, "challenge")
    assert first.public == events.Answered(0, is_challenge=True, is_unasked=False)
    assert GAME.view(state, 1).public.answers == (first.public,)
    assert GAME.to_act(state) == (1,)
    second, ended = do(state, "fold")
    assert second.public == events.Answered(1, is_challenge=False, is_unasked=False)
    assert ended.public == result(state)
    assert (result(state).caller, result(state).challengers) == (2, (0,))


def test_who_is_not_entitled_folds_unasked() -> None:
    """G-5.2: neither opened nor owner of a secret four that is good for a challenge."""
    state = table("2S", "5D 9H", "AC KS", melds=OPEN[:1])
    happened = do(state, "call")
    assert [event.public for event in happened[:3]] == [
        events.DrawCalled(0),
        events.Answered(1, is_challenge=False, is_unasked=True),
        events.Answered(2, is_challenge=False, is_unasked=True),
    ]
    assert result(state).winner == 0
    assert GAME.turn(state) is Turn.CHANCE


@pytest.mark.parametrize(
    ("words", "asked"), [("burn,challenge", 1), ("burn", 2), ("challenge", 1), ("call", 2)]
)
def test_the_owner_of_a_secret_four_may_challenge(words: str, asked: int) -> None:
    """G-3.4, G-5.2."""
    state = table("2S", "5D 9H", "AC KS", melds=OPEN[::2], fours={1: "7"}, secret_open=words)
    do(state, "call")
    assert GAME.to_act(state) == (asked,)


def test_with_draws_by_anyone_everybody_is_asked() -> None:
    """G-5.2: caller and challengers need no meld."""
    state = table("2S", "5D 9H", "AC KS", draw_call="anyone")
    do(state, "call")
    assert GAME.to_act(state) == (1,)
    do(state, "fold")
    assert GAME.to_act(state) == (2,)
    do(state, "challenge")
    assert result(state).challengers == (2,)


# Who wins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "answers", "winner"),
    [
        (("KD", "2S", "3S"), ("fold", "fold"), 0),
        (("5D", "9D", "8S"), ("challenge", "challenge"), 0),
        (("5D", "4D", "8D"), ("challenge", "challenge"), 1),
        (("5D", "9D", "2D"), ("challenge", "fold"), 0),
        (("5D", "5S", "9D"), ("challenge", "fold"), 1),
        (("5D", "5S", "5C"), ("challenge", "challenge"), 1),
        (("9D", "KD", "5C"), ("challenge", "challenge"), 2),
        (("5D", "5S", "9D"), ("fold", "challenge"), 0),
        (("7H 7D 9S", "7S 8S", "9D"), ("challenge", "fold"), 1),
        (("TH TD TS 2S", "3S", "9D"), ("challenge", "fold"), 0),
    ],
)
def test_the_lowest_of_caller_and_challengers(
    hands: tuple[str, str, str], answers: tuple[str, str], winner: int
) -> None:
    """G-5.2, G-5.4: ties go against the caller, then to the nearest; folders are out."""
    state = table(*hands, melds=[(0, "4H 5H 6H"), (1, "6C 6D 6S"), (2, "JC QC KC")])
    do(state, "call", *answers)
    assert result(state).ending is Ending.DRAW_CALL
    assert result(state).winner == winner
    # Who won deals next, and turn order is counted from the caller: the same one seat further.
    turned = table(
        hands[2],
        hands[0],
        hands[1],
        melds=[(1, "4H 5H 6H"), (2, "6C 6D 6S"), (0, "JC QC KC")],
        seat=1,
    )
    do(turned, "call", *answers)
    assert result(turned).winner == (winner + 1) % 3


def test_ties_of_challengers_go_by_turn_order_after_the_caller() -> None:
    """G-5.2: whatever order the challengers are told in."""
    for caller in range(3):
        first, second = (caller + 1) % 3, (caller + 2) % 3
        assert scoring.draw_winner([4, 4, 4], caller, (second, first)) == first
        assert scoring.draw_winner([4, 4, 4], caller, (second,)) == second


# Sets shown -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw_call", "hand", "fours", "is_burned"),
    [
        ("anyone", "9H 9D 9C KD", {}, False),
        ("anyone", "9H 9D 8C KD", {}, True),
        ("anyone", "9H TH JH KD", {}, True),
        ("anyone", "8C KD", {1: "7"}, False),
    ],
)
def test_who_shows_a_set_is_not_burned(
    draw_call: str, hand: str, fours: dict[int, str], is_burned: bool
) -> None:
    """G-5.2, G-5.5: a challenger with a set in the hand or face down, but not with a run."""
    state = table("AS", hand, "KS", fours=fours, draw_call=draw_call, secret_open="challenge")
    do(state, "call", "challenge", "fold")
    assert [told.is_burned for told in result(state).seats] == [True, is_burned, True]
    assert settlements(state)[1] == -(3 + 1 + is_burned)


def test_a_folder_shows_no_set() -> None:
    """G-5.2: the saving is of the showdown, and without a challenge there is none."""
    for answers in (("fold", "challenge"), ("fold", "fold")):
        state = table("AS", "9H 9D 9C KD", "KS", draw_call="anyone")
        do(state, "call", *answers)
        assert result(state).seats[1].is_burned


def test_a_set_in_the_hand_saves_nobody_where_opened_players_call() -> None:
    """G-5.5."""
    state = table(
        "AS", "9H 9D 9C KD", "KS", melds=[(0, "4H 5H 6H")], fours={1: "7"}, secret_open="challenge"
    )
    do(state, "call", "challenge")
    assert result(state).seats[1].is_burned


def test_after_the_deal_nobody_is_asked() -> None:
    """G-5.2."""
    state = table(*ALL_OPEN, melds=OPEN)
    do(state, "call", "fold", "fold")
    assert state.public.to_act == NO_SEAT
    assert GAME.to_act(state) == ()
