"""What `greedy` plays to a trick of Pokex: one number for every pair, the highest is played.

The number is the chance that the own team takes the trick, less what the two cards would be worth
later: wild cards most, then cards that belong together. Where the other team's hand is complete the
chance is nearly known; otherwise it is guessed from the own hand, or from what the own cards
promise while the partner has still to play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from croupier.arms import move_of
from croupier.bot import Decision
from croupier.legal import Pattern
from croupier.moves import Move
from croupier.pokex import PokexView
from croupier.pokex.greedy.hands import Evaluator, category_of
from croupier.v1 import game_pb2

__all__ = ["play"]

_Candidate: TypeAlias = tuple[tuple[int, ...], int, game_pb2.LegalMove | Pattern]

_HOLDS: Final = (0.0, 0.01, 0.1, 0.22, 0.44, 0.5, 0.52, 0.56, 0.78, 0.92, 0.99)
"""Chance that a hand of each category beats one that the other team has still to make."""

_LEADS: Final = (0.0, 0.2, 0.46, 0.7)
_MAKES: Final = (0.0, 2.4, 4.6, 7.2)
"""By how many of three own cards belong together, wild ones included: the chance that a lead of
them takes the trick, and the category that the partner makes of them on average."""

_PRICE_WILD: Final = 0.3
_PRICE_GROUP: Final = 0.06
_PRICE_RANK: Final = 0.006
"""What a card is worth later: a wild one, one of a group for each other card of it, and for each
rank above the two."""


class _Trick:
    """A trick's moment, as the seat to play sees it."""

    def __init__(self, view: PokexView, known: Evaluator) -> None:
        trick = view.trick
        plays = trick.plays if trick is not None else ()
        self.known = known
        self.hand = view.hand
        self.partner = [c for play in plays if play.seat % 2 == view.team for c in play.cards]
        self.rivals = [c for play in plays if play.seat % 2 != view.team for c in play.cards]
        self.center = trick.center if trick is not None else None
        counts: dict[int, int] = {}
        for card in view.hand:
            if not known.is_wild(card):
                counts[known.rank(card)] = counts.get(known.rank(card), 0) + 1
        self._counts = counts

    def price(self, pair: Sequence[int]) -> float:
        """What it costs to part with two cards."""
        known, price = self.known, 0.0
        ranks = [known.rank(card) for card in pair]
        for card, rank in zip(pair, ranks, strict=True):
            if known.is_wild(card):
                price += _PRICE_WILD
            else:
                others = self._counts[rank] - ranks.count(rank)
                price += _PRICE_GROUP * (self._counts[rank] - 1 + others) + _PRICE_RANK * rank
        return price

    def chance(self, pair: Sequence[int], center: int) -> float:
        """The chance to take the trick with *pair*."""
        known = self.known
        theirs = None
        if len(self.rivals) == 4:
            theirs = known.strength([*self.rivals, center])
        if self.partner:
            ours = known.strength([*self.partner, *pair, center])
            if theirs is not None:
                return 1.0 if ours > theirs else 0.0
            return _HOLDS[category_of(ours)]
        together = self._together([*pair, center])
        if theirs is None:
            return _LEADS[together]
        return max(0.0, min(1.0, 0.5 + 0.2 * (_MAKES[together] - category_of(theirs))))

    def _together(self, cards: Sequence[int]) -> int:
        """How many of *cards* belong together, wild ones included."""
        known = self.known
        ranks = [known.rank(card) for card in cards if not known.is_wild(card)]
        return len(cards) - len(ranks) + max((ranks.count(rank) for rank in ranks), default=0)


def play(view: PokexView, decision: Decision, known: Evaluator) -> Move:
    """Choose two cards, and the centre card where the leader names it."""
    trick = _Trick(view, known)
    usual = trick.center or (view.message.public_view.center_left or [0])[0]
    prices: dict[tuple[int, ...], float] = {}
    best, best_score = -1, float("-inf")
    candidates = list(_candidates(decision))
    for place, (pair, center, _) in enumerate(candidates):
        price = prices.get(pair)
        if price is None:
            price = prices[pair] = trick.price(pair)
        score = trick.chance(pair, center or usual) - price
        if score > best_score:
            best, best_score = place, score
    pair, _, maker = candidates[best]
    return maker.move(pair) if isinstance(maker, Pattern) else move_of(maker)


def _candidates(decision: Decision) -> Iterator[_Candidate]:
    """Every legal play: its pair, the centre card that it names or 0, and what makes it a move."""
    for listed in decision.legal.message.moves:
        played = listed.move.pokex.play
        yield tuple(played.cards), played.center, listed
    for pattern in decision.legal.patterns:
        center = pattern.message.template.pokex.play.center
        for pair in combinations(pattern.message.cards.pool, pattern.min):
            yield pair, center, pattern
