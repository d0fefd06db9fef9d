"""Results of deals on the wire, where their numbers leave the wire's range."""

from __future__ import annotations

import pytest

from croupier.v1 import tractor_pb2
from croupier_server.games.cards import parse
from croupier_server.games.tractor.events import DealScored
from croupier_server.games.tractor.wire import WIRE

SAFE_MAX = 2**53 - 1
PLAIN = DealScored(
    deal=3,
    starter=2,
    declarers=0,
    trump_suit=1,
    trump_rank=7,
    bid=0,
    trick_points=-10,
    last_trick_winner=1,
    buried=parse("KS 5H 2D 2D"),
    multiplier=4,
    bonus=60,
    opponents_points=50,
    winners=0,
    levels_gained=1,
    levels=(8, 5),
    next_starter=0,
    match_winner=None,
)


@pytest.mark.parametrize(
    ("pairs", "multiplier", "bonus", "total", "levels"),
    [
        (2, 2**4, 2**4 * 300, 2**4 * 300, 2**4 * 5 - 2),
        (25, 2**50, SAFE_MAX, SAFE_MAX, 2**50 * 5 - 2),
        (40, SAFE_MAX, SAFE_MAX, SAFE_MAX, SAFE_MAX),
    ],
)
def test_powers_of_two_end_at_the_largest_number_of_the_wire(
    pairs: int, multiplier: int, bonus: int, total: int, levels: int
) -> None:
    """T-9.2 with `2_pow_largest_component`: 2^c for a last lead of one tractor."""
    factor = 2 ** (2 * pairs)
    scored = PLAIN._replace(
        multiplier=factor,
        bonus=factor * 300,
        opponents_points=factor * 300,
        winners=1,
        levels_gained=factor * 300 // 60 - 2,
    )
    message = tractor_pb2.TractorDealResult.FromString(WIRE.result_bytes(scored))
    assert (message.kitty_multiplier, message.kitty_bonus) == (multiplier, bonus)
    assert (message.total, message.levels_gained) == (total, min(levels, SAFE_MAX))


def test_a_negative_running_total_keeps_its_sign() -> None:
    """T-8: penalties may bring the opponents' points below zero before the kitty counts."""
    message = tractor_pb2.TractorDealResult.FromString(WIRE.result_bytes(PLAIN))
    assert message.trick_points == -10
    assert message.winning_team == 0
    assert message.HasField("winning_team")
