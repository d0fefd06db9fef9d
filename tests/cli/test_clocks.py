"""The options of `croupier play` that set a clock."""

from __future__ import annotations

import pytest

from croupier import Clock
from croupier_server.cli import run
from croupier_server.cli.clocks import MAX_STRIKES, MOVE_TIME, TimeoutPolicy, read_clock


@pytest.mark.attack
def test_every_decision_has_a_generous_time_unless_told_otherwise() -> None:
    assert MOVE_TIME == 10
    clock = read_clock(None, 0, 0, TimeoutPolicy.FORFEIT, None, 0)
    assert clock == Clock(per_move=MOVE_TIME, on_timeout="forfeit", max_strikes=MAX_STRIKES)


def test_a_time_for_the_match_is_not_added_to_that_for_each_move() -> None:
    clock = read_clock(None, 60, 0, TimeoutPolicy.FORFEIT, None, 0)
    assert clock == Clock(base=60, on_timeout="forfeit", max_strikes=MAX_STRIKES)


def test_no_time_for_moves_is_no_clock() -> None:
    assert read_clock(0, 0, 0, TimeoutPolicy.FORFEIT, None, 0) is None


def test_a_time_for_each_move_makes_one_with_strikes() -> None:
    clock = read_clock(1.5, 0, 0, TimeoutPolicy.STRIKE, None, 0)
    assert clock == Clock(per_move=1.5, max_strikes=MAX_STRIKES)


def test_every_option_is_heard() -> None:
    clock = read_clock(1, 60, 0.5, TimeoutPolicy.FORFEIT, 0, 20)
    assert clock == Clock(
        base=60, increment=0.5, per_move=1, on_timeout="forfeit", max_strikes=0, disconnect_grace=20
    )


@pytest.mark.parametrize(
    "option", [("--max-strikes", "2"), ("--on-timeout", "fallback"), ("--disconnect-grace", "5")]
)
def test_what_needs_a_clock_says_so(
    option: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["play", "tongits", "--bots", "random,random", "--move-time", "0", *option]) == 2
    assert (
        capsys.readouterr().err == "croupier: this needs a clock; pass --move-time or --base-time\n"
    )
