"""How `greedy` plays Pokex: it bids what its hand is worth, names the rank that it holds most of,
and spends on a trick no more than it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croupier.bot import Decision
from croupier.moves import Move
from croupier.pokex import DecisionKind, PokexView
from croupier.pokex.greedy import tricks
from croupier.pokex.greedy.hands import Evaluator
from croupier.v1 import pokex_pb2

__all__ = ["decide", "expected_tricks"]

_TRICKS: Final = 6
_JOKERS: Final = 53

_AVERAGE: Final = 2.0
"""Tricks that a team with nothing in one hand takes on average, the lead and its wild rank
included."""
_PER_WILD: Final = 0.5
_PER_PAIR: Final = 0.08
_PER_TRIPLE: Final = 0.1
_PER_HIGH: Final = 0.07
"""What wild cards, other groups of equal cards, and aces and kings add to that."""
_SPREAD: Final = 1.13
"""How far the tricks taken lie from what is expected, as a standard deviation."""


def decide(view: PokexView, decision: Decision, options: pokex_pb2.PokexOptions) -> Move:
    """Choose by the rules of thumb for what is asked."""
    match decision.kind:
        case DecisionKind.BID:
            return _bid(view, decision, options)
        case DecisionKind.NAME_RANK:
            return _name_rank(view, decision)
        case _:
            known = Evaluator(options, view.wild_rank or 0)
            return tricks.play(view, decision, known)


def _rank_counts(hand: Sequence[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for card in hand:
        if card < _JOKERS:
            rank = (card - 1) % 13 + 2
            counts[rank] = counts.get(rank, 0) + 1
    return counts


def _best_rank(view: PokexView) -> int:
    """The rank held most; of several the one that the centre does not hold, then the lowest."""
    counts = _rank_counts(view.hand)
    center = _rank_counts(view.center_left)
    return min(counts, key=lambda rank: (-counts[rank], -center.get(rank, 0), rank), default=2)


def _name_rank(view: PokexView, decision: Decision) -> Move:
    wanted = f"wild {'23456789TJQKA'[_best_rank(view) - 2]}"
    moves = decision.legal.moves
    return next((move for move in moves if str(move) == wanted), moves[0])


# Bidding ----------------------------------------------------------------------------------------


def expected_tricks(view: PokexView, options: pokex_pb2.PokexOptions) -> float:
    """Tricks that the own team takes on average if this seat declares."""
    counts = _rank_counts(view.hand)
    jokers = sum(card >= _JOKERS for card in view.hand)
    wilds = jokers
    if options.wild_rank != pokex_pb2.POKEX_WILD_RANK_NONE:
        wilds += counts.pop(_best_rank(view), 0)
    pairs = sum(count == 2 for count in counts.values())
    triples = sum(count > 2 for count in counts.values())
    high = counts.get(14, 0) + counts.get(13, 0)
    worth = _PER_WILD * wilds + _PER_PAIR * pairs + _PER_TRIPLE * triples + _PER_HIGH * high
    return _AVERAGE + worth


def _bid(view: PokexView, decision: Decision, options: pokex_pb2.PokexOptions) -> Move:
    """The bid that is worth most on average, if that is more than to leave it to the others."""
    moves = decision.legal.moves
    decline = moves[0]
    mean = expected_tricks(view, options)
    best, best_worth = decline, _worth_of_passing(view, mean, options)
    for move in moves:
        tricks_bid = move.message.pokex.bid.tricks
        if not tricks_bid:
            continue
        worth = _worth(tricks_bid, mean, options)
        if worth > best_worth:
            best, best_worth = move, worth
    return best


def _worth_of_passing(view: PokexView, mean: float, options: pokex_pb2.PokexOptions) -> float:
    """What it brings to leave the bid that stands as it is."""
    bidder, stands = max(view.calls, key=lambda call: call[1], default=(0, 0))
    if not stands:
        return 0.0
    # Who bid has reckoned with its own cards, so it is good for what it bid at least.
    if bidder % 2 == view.team:
        return _worth(stands, max(mean, stands), options)
    return -_worth(stands, max(_TRICKS - mean, stands), options)


def _worth(bid: int, mean: float, options: pokex_pb2.PokexOptions) -> float:
    """What a bid brings on average above what the other team gets (P-6)."""
    total = 0.0
    for taken, chance in enumerate(_chances(mean)):
        if taken >= bid:
            points = bid * (bid + 1) / 2 + bid * (taken - bid)
        elif options.undertrick == pokex_pb2.POKEX_UNDERTRICK_MINUS_BID:
            points = -bid
        elif options.undertrick == pokex_pb2.POKEX_UNDERTRICK_MINUS_TRIANGLE:
            points = -bid * (bid + 1) / 2
        else:
            points = 0.0
        lost = _TRICKS - taken
        if options.opponents_score == pokex_pb2.POKEX_OPPONENTS_SCORE_NONE:
            against = 0.0
        elif options.opponents_score == pokex_pb2.POKEX_OPPONENTS_SCORE_TRIANGLE:
            against = lost * (lost + 1) / 2
        else:
            against = lost
        total += chance * (points - against)
    return total


def _chances(mean: float) -> list[float]:
    """Chance to take 0 to 6 tricks: a bell round *mean*."""
    heights = [2.718281828 ** (-(((taken - mean) / _SPREAD) ** 2) / 2) for taken in range(7)]
    whole = sum(heights)
    return [height / whole for height in heights]
