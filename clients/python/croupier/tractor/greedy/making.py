"""How `greedy` makes trumps and buries: declarations, calls, the show, the suit, the kitty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croupier.bot import Decision
from croupier.cards import Card
from croupier.moves import Move
from croupier.tractor import MoveKind, Order, TractorView
from croupier.tractor.greedy.knowledge import POINTS, TRUMPS

__all__ = ["bury", "call", "declare", "name_trumps", "show"]

_SUITS: Final = "SHDC"
_DECLARE_SHARE: Final = 0.34
"""Trumps are a third of all cards; a suit is worth declaring with a little more than that."""
_DECLARE_CARDS_MIN: Final = 4
_FREE_BID: Final = 60
"""T-11.4: a bid up to so many points a pack costs nothing."""
_BOLD_BID: Final = 75


def trump_length(hand: Iterable[Card], suit: str | None, rank: int) -> float:
    """How much of a hand would be trump, high trumps counting for more."""
    length = 0.0
    for card in hand:
        if card.is_joker:
            length += 1.8
        elif card.rank == rank:
            length += 1.5 if card.suit == suit else 1.2
        elif card.suit == suit:
            length += 1.15 if card.rank > 12 else 1.0
    return length


def best_suit(view: TractorView, rank: int) -> tuple[str, float]:
    """The suit that would make the best trumps, and how long it would be."""
    lengths = {suit: trump_length(view.hand, suit, rank) for suit in _SUITS}
    best = max(_SUITS, key=lambda suit: lengths[suit])
    return best, lengths[best]


def declare(view: TractorView, decision: Decision) -> Move:
    """Declare on length; leave a declaration of the partner alone; overcall an opponent's only
    with something better than what we have in the suit that it named."""
    legal = decision.legal
    decline = next((move for move in legal.moves if move.kind is MoveKind.PASS), legal[0])
    rank = view.trump_rank
    stands = view.declaration
    if rank is None or (stands is not None and stands.seat % 2 == view.team):
        return decline
    need = max(_DECLARE_SHARE * len(view.hand), _DECLARE_CARDS_MIN)
    if stands is not None:
        need = max(need, trump_length(view.hand, stands.suit, rank) + 1.0)
    best, best_length = decline, need
    for move in legal.moves:
        if move.kind is not MoveKind.DECLARE or (card := move.cards[0]).is_joker:
            continue
        # With fewer cards laid open fewer are needed to add to them later.
        length = trump_length(view.hand, card.suit, rank) - 0.1 * len(move.cards)
        if length > best_length:
            best, best_length = move, length
    return best


def call(view: TractorView, decision: Decision) -> Move:
    """Call what costs nothing at once; go on from there with a good hand only."""
    legal = decision.legal
    packs = round((sum(view.hand_sizes) + view.kitty_size) / 54)
    rank = view.levels[view.team]
    _, length = best_suit(view, rank)
    limit = packs * (_BOLD_BID if length > 0.48 * len(view.hand) else _FREE_BID)
    decline, best, best_points = legal[0], None, 0
    for move in legal.moves:
        if move.kind is MoveKind.PASS:
            decline = move
        elif best_points < (points := move.message.tractor.call.points) <= limit:
            best, best_points = move, points
    for pattern in legal.patterns:
        allowed = [number for number in pattern.numbers() if best_points < number <= limit]
        if allowed:
            best, best_points = pattern.number_move(allowed[-1]), allowed[-1]
    return decline if best is None else best


def show(view: TractorView, decision: Decision) -> Move:
    """With a good hand on the declarers' side the highest card, to become the starter; otherwise
    the cheapest."""
    rank = view.trump_rank or view.levels[view.team]

    def height(move: Move) -> int:
        card = move.cards[0]
        if card.is_joker:
            return card
        return 20 if card.rank == rank else card.rank

    moves = decision.legal.moves
    if view.is_declarer:
        _, length = best_suit(view, rank)
        if length > 0.36 * len(view.hand):
            return max(moves, key=height)
    return min(moves, key=lambda move: (2 * move.points + height(move), move.cards[0]))


def name_trumps(view: TractorView, decision: Decision) -> Move:
    """Name the longest suit."""
    suit, _ = best_suit(view, view.trump_rank or view.levels[view.team])
    moves = decision.legal.moves
    named = (move for move in moves if str(move) == f"trumps {suit}")
    return next(named, moves[0])


def bury(view: TractorView, decision: Decision) -> Move:
    """Bury what is worth least: short side suits whole, no pairs, no winners, no points."""
    order = view.order
    pattern = decision.legal.patterns[0] if decision.legal.patterns else None
    if order is None or pattern is None:
        return min(decision.legal, key=lambda move: move.points)
    wanted = pattern.min
    hand = view.hand
    value = _bury_values(hand, order, wanted)
    chosen = sorted(hand, key=lambda card: (value[card], card))[:wanted]
    return pattern.move(chosen)


def _bury_values(hand: list[Card], order: Order, room: int) -> dict[Card, float]:
    """What each card is worth in the hand."""
    by_suit: dict[int, list[Card]] = {}
    for card in hand:
        by_suit.setdefault(order.suit_of[card], []).append(card)
    trumps = len(by_suit.get(TRUMPS, ()))
    # Points in the kitty come back doubled if the last trick is lost; trumps win the last trick.
    point_price = 0.9 if trumps < 0.5 * (len(hand) - room) else 0.5
    value: dict[Card, float] = {}
    for suit, cards in by_suit.items():
        faces = order.cards(suit)
        place = {face: len(faces) - number for number, face in enumerate(faces)}
        for card in cards:
            if suit == TRUMPS:
                value[card] = 100.0 - place[card]
                continue
            worth = POINTS[card] * point_price + max(0.0, 8.0 - 2.0 * place[card])
            worth += {1: 12.0, 2: 4.0}.get(place[card], 0.0)
            if cards.count(card) > 1:
                worth += 9.0
            # A short suit is soon void, and then trumps ruff it.
            value[card] = worth + 0.8 * len(cards)
    return value
