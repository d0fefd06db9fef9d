"""The auction: who is asked next, what may be bid, when it is over (P-2).

Must not be put here: changes of a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier_server.errors import IllegalMove, Reason
from croupier_server.games.base import Seat
from croupier_server.games.pokex.events import Called
from croupier_server.games.pokex.moves import BID_MAX

PASSED_OUT_MAX: Final = 3
"""Deals in a row that are passed out; the next one in which all pass is played (P-2.4)."""


def next_bidder(calls: Sequence[Called], dealer: Seat, pass_is_out: bool) -> Seat | None:
    """Who is asked after *calls*, or None when the auction is over (P-2.1 to P-2.3)."""
    if not calls:
        return (dealer + 1) % 4
    bid = highest(calls)
    if bid == BID_MAX:
        return None
    seat = (calls[-1].seat + 1) % 4
    if not pass_is_out:
        passes = 0
        while passes < len(calls) and not calls[-1 - passes].tricks:
            passes += 1
        return None if passes == (3 if bid else 4) else seat
    out = {call.seat for call in calls if not call.tricks}
    if len(out) == (3 if bid else 4):
        return None
    while seat in out:
        seat = (seat + 1) % 4
    return seat


def highest(calls: Sequence[Called]) -> int:
    """The bid that stands after *calls*, or 0. Bids only rise, so it is the last one."""
    for call in reversed(calls):
        if call.tricks:
            return call.tricks
    return 0


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
            Reason.BID_OUT_OF_RANGE, "P-2.1", f"a bid is 1 to {BID_MAX} tricks, not {tricks}"
        )
    if tricks <= standing:
        raise IllegalMove(
            Reason.BID_TOO_LOW, "P-2.1", f"{tricks} is not higher than the bid of {standing}"
        )


def is_played(all_pass: str, passed_out: int) -> bool:
    """Whether a deal in which all pass is played, after *passed_out* in a row that were not
    (P-2.4)."""
    is_always = all_pass == "play"  # noqa: S105 - a word of the rules
    return is_always or passed_out == PASSED_OUT_MAX
