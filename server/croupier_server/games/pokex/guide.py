"""What `search` needs of Pokex beside the rules: quick play, moves worth a trial, and values.

Quick play sees its own hand and what lies on the table. It bids what its hand is worth, and for
each pair of cards it weighs the chance to take the trick against what the cards are worth later.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import exp
from typing import Final

from croupier_server.games.base import Move, Seat
from croupier_server.games.cards import BLACK_JOKER, Card, rank, unpack
from croupier_server.games.pokex import moves, scoring
from croupier_server.games.pokex.moves import BID_MAX, PASS
from croupier_server.games.pokex.options import PokexOptions
from croupier_server.games.pokex.play_phase import rules_of
from croupier_server.games.pokex.rules import Pokex
from croupier_server.games.pokex.state import TRICKS, Phase, PublicState, State
from croupier_server.games.searching import Guide

_GAME: Final = Pokex()

_TOP: Final = 15
_CATEGORY_SHIFT: Final = 23
_HOLDS: Final = (0.0, 0.01, 0.1, 0.22, 0.44, 0.5, 0.52, 0.56, 0.78, 0.92, 0.99)
"""Chance that a hand of each category beats one that the other side has still to make."""
_LEADS: Final = (0.0, 0.2, 0.46, 0.7)
_MAKES: Final = (0.0, 2.4, 4.6, 7.2)
"""By how many of three own cards belong together, wild ones included: the chance that a lead of
them takes the trick, and the category that the partner makes of them on average."""
_PRICE_WILD: Final = 0.3
_PRICE_GROUP: Final = 0.06
_PRICE_RANK: Final = 0.006
"""What a card is worth later: a wild one, one of a group for each other card of it, and for each
rank above the two."""

_TRIED_MAX: Final = 12
"""So many plays are worth a trial."""
_NAMED_MAX: Final = 4


# Quick play --------------------------------------------------------------------------------------


def quick_move(state: State, seat: Seat) -> Move:
    """A sensible move of *seat*, at once and without chance."""
    phase = state.public.phase
    if phase is Phase.PLAY:
        return max(_weighed(state, seat))[1]
    if phase is Phase.NAME_RANK:
        return _names(state, seat)[0]
    return _bid(state, seat)


def worth_trying(state: State, seat: Seat) -> list[Move]:
    """Moves of *seat* among which to look for the best, by its own hand alone."""
    phase = state.public.phase
    if phase is Phase.PLAY:
        weighed = sorted(_weighed(state, seat), reverse=True)
        return [move for _, move in weighed[:_TRIED_MAX]]
    if phase is Phase.NAME_RANK:
        return _names(state, seat)[:_NAMED_MAX]
    return list(_GAME.legal_moves(state, seat).moves)


# Bids ------------------------------------------------------------------------------------------


def _names(state: State, seat: Seat) -> list[Move]:
    """Ranks to name, those first that are held most and lie least in the centre."""
    held = [rank(card) for card in unpack(state.hands[seat]) if card < BLACK_JOKER]
    center = [rank(card) for card in state.public.center_left if card < BLACK_JOKER]
    ranks = sorted(set(held), key=lambda r: (-held.count(r), -center.count(r), r)) or [2]
    return [moves.name_rank(named) for named in ranks]


def _expected_tricks(state: State, seat: Seat) -> float:
    """Tricks that the side of *seat* takes on average if it declares."""
    held = [rank(card) for card in unpack(state.hands[seat])]
    counts = {r: held.count(r) for r in set(held) if r}
    wilds = held.count(0)
    high = counts.get(14, 0) + counts.get(13, 0)
    if state.public.options.wild_rank == "named" and counts:
        most = max(counts, key=lambda r: (counts[r], -r))
        wilds += counts.pop(most)
        high -= held.count(most) if most > 12 else 0
    groups = list(counts.values())
    pairs, triples = groups.count(2), sum(number > 2 for number in groups)
    return 2.0 + 0.5 * wilds + 0.08 * pairs + 0.1 * triples + 0.07 * high


def _bid(state: State, seat: Seat) -> Move:
    """The bid that is worth most on average, if that is more than to leave it to the others."""
    public = state.public
    mean = round(_expected_tricks(state, seat), 2)
    best, best_worth = PASS, 0.0
    bidder = max(public.calls, key=lambda call: call.tricks, default=None)
    if bidder is not None and bidder.tricks:
        if bidder.seat % 2 == seat % 2:
            best_worth = _worth(bidder.tricks, max(mean, bidder.tricks), public.options)
        else:
            best_worth = -_worth(bidder.tricks, max(TRICKS - mean, bidder.tricks), public.options)
    for tricks in range(public.bid + 1, BID_MAX + 1):
        worth = _worth(tricks, mean, public.options)
        if worth > best_worth:
            best, best_worth = moves.bid(tricks), worth
    return best


@lru_cache(maxsize=4096)
def _worth(bid: int, mean: float, options: PokexOptions) -> float:
    """What a bid brings on average above what the other side gets (P-6), if the tricks taken lie in
    a bell round *mean*."""
    total = whole = 0.0
    for taken in range(TRICKS + 1):
        chance = exp(-(((taken - mean) / 1.13) ** 2) / 2)
        own, other = scoring.deal_points(0, bid, (taken, TRICKS - taken), options)
        total += chance * (own - other)
        whole += chance
    return total / whole


# Plays -----------------------------------------------------------------------------------------


def _weighed(state: State, seat: Seat) -> list[tuple[float, Move]]:
    """Every play with the chance to take the trick, less what its cards are worth later."""
    public = state.public
    ids = unpack(state.hands[seat])
    prices = _prices(ids, public.wild_rank, public.options.joker == "wild")
    if public.trick_center:
        return _weighed_with(public, seat, prices, public.trick_center, 0)
    found = []
    for center in public.center_left:
        found += _weighed_with(public, seat, prices, center, center)
    return found


_Prices = list[tuple[float, Card, Card]]


@lru_cache(maxsize=1 << 14)
def _prices(ids: bytes, wild_rank: int, jokers_are_wild: bool) -> _Prices:
    """Every pair of *ids* with what it costs to part with it."""
    ranks = {card: rank(card) or (0 if jokers_are_wild else _TOP) for card in ids}
    ranks = {card: 0 if held == wild_rank else held for card, held in ranks.items()}
    held = list(ranks.values())
    counts = {r: held.count(r) for r in set(held)}
    alone = {
        card: _PRICE_WILD if not r else 2 * _PRICE_GROUP * (counts[r] - 1) + _PRICE_RANK * r
        for card, r in ranks.items()
    }
    found = []
    for low, high in combinations(ids, 2):
        price = alone[low] + alone[high]
        if ranks[low] and ranks[low] == ranks[high]:
            price -= 2 * _PRICE_GROUP
        found.append((price, low, high))
    return found


def _weighed_with(
    public: PublicState, seat: Seat, prices: _Prices, center: Card, named: Card
) -> list[tuple[float, Move]]:
    """The plays with *center*, which is *named* if the leader names it."""
    rules = rules_of(public)
    features, best_of_sum, ignored = rules.features, rules.best_of_sum, rules.ignored_bits
    ours = theirs = features[center]
    partner, rivals = False, 0
    for played in public.plays:
        if played.seat % 2 == seat % 2:
            ours += rules.sum_of(played.cards)
            partner = True
        else:
            theirs += rules.sum_of(played.cards)
            rivals += 1
    beaten = best_of_sum(theirs).strength if rivals == 2 else 0
    found = []
    for price, low, high in prices:
        if partner:
            strength = best_of_sum(ours + features[low] + features[high]).strength
            if rivals == 2:
                chance = 1.0 if strength >> ignored > beaten >> ignored else 0.0
            else:
                chance = _HOLDS[strength >> _CATEGORY_SHIFT]
        else:
            together = _together(low, high, center, public.wild_rank, public.options.joker)
            if rivals == 2:
                category = beaten >> _CATEGORY_SHIFT
                chance = max(0.0, min(1.0, 0.5 + 0.2 * (_MAKES[together] - category)))
            else:
                chance = _LEADS[together]
        found.append((chance - price, moves.play(1 << 4 * low | 1 << 4 * high, named)))
    return found


@lru_cache(maxsize=1 << 16)
def _together(low: Card, high: Card, center: Card, wild_rank: int, joker: str) -> int:
    """How many of three cards belong together, wild ones included."""
    ranks = []
    for card in (low, high, center):
        if card >= BLACK_JOKER:
            if joker != "wild":
                ranks.append(_TOP)
        elif rank(card) != wild_rank:
            ranks.append(rank(card))
    return 3 - len(ranks) + max((ranks.count(r) for r in ranks), default=0)


# The guide ---------------------------------------------------------------------------------------


class PokexGuide(Guide):
    """See `Guide` for what each method means."""

    game = _GAME

    def worth_trying(self, state: State, seat: Seat) -> list[Move]:
        return worth_trying(state, seat)

    def quick_move(self, state: State, seat: Seat) -> Move:
        return quick_move(state, seat)

    def value(self, state: State, seat: Seat) -> float:
        """Points of the side of *seat* in the deal that has just ended, less the others'."""
        result = state.public.last_result
        assert result is not None
        points = result.points
        return float(points[seat % 2] - points[1 - seat % 2])
