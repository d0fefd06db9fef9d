"""Points of a deal, and when a match is over (P-6)."""

from __future__ import annotations

from typing import NamedTuple

from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.state import TRICKS


class Verdict(NamedTuple):
    """Whether the match is over, and the side that won it: None while it is not, and for a draw."""

    is_over: bool
    winner: int | None


def declarers_points(bid: int, taken: int, undertrick: str) -> int:
    """What declarers score who bid *bid* and took *taken* tricks (P-6.1, P-6.2).

    >>> declarers_points(2, 5, "zero"), declarers_points(3, 2, "minus_triangle")
    (9, -6)
    """
    if taken >= bid:
        return triangle(bid) + bid * (taken - bid)
    if undertrick == "minus_bid":
        return -bid
    return -triangle(bid) if undertrick == "minus_triangle" else 0


def opponents_points(taken: int, rule: str) -> int:
    """What opponents score for *taken* tricks by ``opponents_score`` (P-6.3)."""
    if rule == "none":
        return 0
    return triangle(taken) if rule == "triangle" else taken


def triangle(number: int) -> int:
    """1 + 2 + ... + *number*."""
    return number * (number + 1) // 2


def deal_points(
    declarers: int | None, bid: int, taken: tuple[int, int], options: PokexOptions
) -> tuple[int, int]:
    """What both sides score; without declarers both score as opponents (P-2.4, P-6.1 to P-6.3)."""
    points = [opponents_points(tricks, options.opponents_score) for tricks in taken]
    if declarers is not None:
        points[declarers] = declarers_points(bid, taken[declarers], options.undertrick)
    return points[0], points[1]


def worst_deal(options: PokexOptions) -> int:
    """Most points by which one deal can set a side back against the other (P-6.1 to P-6.3)."""
    return max(
        abs(own - others)
        for declarers in (None, 0)
        for bid in range(1, TRICKS + 1)
        for taken in range(TRICKS + 1)
        for lost in range(TRICKS + 1 - taken)
        for own, others in (deal_points(declarers, bid, (taken, lost), options),)
    )


def judge(
    totals: tuple[int, int], declarers: int | None, deals: int, options: PokexOptions
) -> Verdict:
    """Whether the match is over after *deals* deals, the last one declared by *declarers*
    (P-6.4, P-6.5)."""
    leading = None if totals[0] == totals[1] else int(totals[1] > totals[0])
    if max(totals) >= options.target:
        is_first = options.both_over == "declarers_first" and declarers is not None
        if is_first and min(totals) >= options.target:
            return Verdict(is_over=True, winner=declarers)
        if leading is not None:
            return Verdict(is_over=True, winner=leading)
    if deals == options.max_deals:
        return Verdict(is_over=True, winner=leading)
    return Verdict(is_over=False, winner=None)
