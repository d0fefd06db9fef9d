"""G-8 and the reading of options."""

from __future__ import annotations

import pytest
from hypothesis import given

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.games.tongits.options import SPECS, TongitsOptions, parse_options
from tests.games.tongits.kit import GAME, any_options, make_options


def test_the_standard_values() -> None:
    """G-8, G-6.3, G-7."""
    options = make_options()
    assert GAME.rulesets() == ("standard", "document", "pay244")
    assert options == TongitsOptions(
        runs=True,
        ace_high_runs=False,
        layoff=True,
        hand_melds=True,
        secret_fours=True,
        secret_open=("burn", "challenge"),
        discard_take="new_meld_only",
        discard_melds="face_up",
        discard_after_take=True,
        draw_call="opened",
        draw_block_scope="next_turn",
        draw_block_self_layoff=True,
        draw_block_discard_taken=False,
        nobody_open="void",
        next_dealer="winner",
        fought_scope="showdown_losers",
        special_pays=("face_down", "in_hand"),
        fold_penalty=0,
        pay_win=1,
        pay_tongits=3,
        pay_draw_fought=3,
        pay_ace=1,
        pay_burned=1,
        pay_special=3,
        ante=2,
        ante_timing="every_hand",
        streak_after_jackpot="reset",
        max_hands=9,
    )
    assert GAME.players(options) == 3
    assert [GAME.team(options, seat) for seat in range(3)] == [0, 1, 2]


def changes(ruleset: str) -> dict[str, str]:
    """Where *ruleset* differs from the standard."""
    standard, other = GAME.option_text(make_options()), GAME.option_text(make_options(ruleset))
    return {name: other[name] for name in other if other[name] != standard[name]}


def test_the_other_rulesets() -> None:
    """G-8: just what the table says; all else is standard."""
    assert changes("document") == {
        "runs": "false",
        "layoff": "false",
        "secret_fours": "false",
        "discard_melds": "turned_down",
        "discard_after_take": "false",
        "draw_call": "anyone",
        "next_dealer": "rotate",
        "special_pays": "every_set",
        "fought_scope": "any_draw",
        "fold_penalty": "1",
    }
    assert changes("pay244") == {"pay_tongits": "4", "pay_draw_fought": "4", "pay_special": "2"}


@pytest.mark.more
@given(any_options())
def test_texts_are_read_back(options: TongitsOptions) -> None:
    texts = GAME.option_text(options)
    assert list(texts) == sorted(spec.name for spec in SPECS)
    assert parse_options("standard", texts) == options
    assert parse_options("document", texts) == options
    assert GAME.option_text(options) == texts


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_listed_value_can_be_set(spec: object) -> None:
    name, values = spec.name, spec.values or (spec.standard,)  # type: ignore[attr-defined]
    for value in values:
        assert GAME.option_text(make_options(**{name: value}))[name] == value


def test_sets_are_read_in_any_order() -> None:
    """G-3.4, G-6.2: and told in one."""
    options = make_options(secret_open="call, burn", special_pays="any_four,face_down")
    assert options.secret_open == ("burn", "call")
    assert GAME.option_text(options)["special_pays"] == "face_down,any_four"
    assert make_options(secret_open="none", special_pays="none").special_pays == ()


WRONG = {
    "runs": "yes",
    "secret_open": "burn,burn",
    "special_pays": "every_set,in_hand",
    "discard_take": "any",
    "fold_penalty": "-1",
    "pay_win": "1000001",
    "ante": "two",
    "max_hands": "0",
    "pay_ace": "",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        make_options(**{name: WRONG[name]})
    assert caught.value.reason is Reason.INVALID_OPTION
    assert caught.value.field == f"options.{name}"


def test_the_limits_of_numbers() -> None:
    """G-6.3, G-7."""
    assert make_options(pay_special=1_000_000).pay_special == 1_000_000
    assert make_options(pay_win=0, ante=0).ante == 0
    assert make_options(max_hands=1_000_000).max_hands == 1_000_000
    with pytest.raises(InvalidRequest):
        make_options(max_hands=1_000_001)


def test_unknown_names() -> None:
    with pytest.raises(InvalidRequest) as caught:
        GAME.options("pagat", {})
    assert caught.value.reason is Reason.UNKNOWN_RULESET
    with pytest.raises(InvalidRequest) as caught:
        make_options(packs=2)
    assert caught.value.reason is Reason.UNKNOWN_OPTION
