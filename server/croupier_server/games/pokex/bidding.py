"""The auction: who is asked next, what may be bid, when it is over (P-2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.errors import IllegalMove
from croupier_server.games.base import Seat
from croupier_server.games.pokex.events import Called
from croupier_server.games.pokex.moves import BID_MAX
from croupier_server.games.pokex.refusals import Rule

PASSED_OUT_MAX: Final = 3
"""Deals in a row that are passed out; the next one in which all pass is played (P-2.4)."""


def next_bidder(calls: Sequence[Called], dealer: Seat, pass_is_out: bool) -> Seat | None:
    """Who is asked after *calls*, or None when the auction is over (P-2.1 to P-2.3)."""
    bid = out = passes = in_a_row = 0
    seat = dealer
    for seat, tricks in calls:
        if tricks:
            bid, in_a_row = tricks, 0
        else:
            out |= 1 << seat
            passes += 1
            in_a_row += 1
    ending = passes if pass_is_out else in_a_row
    if bid == BID_MAX or ending == (3 if bid else 4):
        return None
    seat = (seat + 1) % 4
    while pass_is_out and out >> seat & 1:
        seat = (seat + 1) % 4
    return seat


def declarer(calls: Sequence[Called]) -> Seat | None:
    """Who bid highest, or None if nobody did (P-2.3)."""
    for call in reversed(calls):
        if call.tricks:
            return call.seat
    return None


def check_bid(tricks: int, standing: int) -> None:
    """Check a bid of *tricks* over the bid that stands, 0 for none (P-2.1).

    Raises:
        IllegalMove: BID_OUT_OF_RANGE or BID_TOO_LOW.
    """
    if not 1 <= tricks <= BID_MAX:
        raise IllegalMove(
            Rule.BID_OUT_OF_RANGE,
            "P-2.1",
            f"a bid must be from 1 to {BID_MAX} tricks, not {tricks}",
        )
    if tricks <= standing:
        raise IllegalMove(
            Rule.BID_TOO_LOW, "P-2.1", f"{tricks} is not higher than the current bid of {standing}"
        )


def is_played(all_pass: str, passed_out: int) -> bool:
    """Whether a deal in which all pass is played, after *passed_out* in a row that were not
    (P-2.4)."""
    is_always = all_pass == "play"  # noqa: S105 - a word of the rules
    return is_always or passed_out == PASSED_OUT_MAX
